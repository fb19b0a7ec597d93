package budget

import (
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// The meters of questions.
const (
	meterAskedApp       = "asked_app"       // holder: an app
	meterAskedAsker     = "asked_asker"     // holder: a principal that has programs ask
	meterAskedPrincipal = "asked_principal" // holder: a principal
)

const day = 24 * time.Hour

// OverCap refuses to store questions. It holds the cap that each of these calls exceeds, by call id.
type OverCap map[string]toolexec.Cap

func (OverCap) Error() string { return "budget: a cap is reached" }

// Asked counts a model's questions in a chat against store.MaxOpen and the caps that go beyond the
// chat, at the store's time. The error is an OverCap if they do not all fit. The count is exact only
// in the update that stores the questions; call it before they are stored.
func Asked(tx store.RunTx, caps *config.Clarifications, ref chat.Ref, questions []chat.Clarification, now time.Time) error {
	over, err := overOpen(tx, questions)
	if err != nil {
		return err
	}
	for i := range questions {
		q := &questions[i]
		if q.Question.Kind != tools.KindQuestion || over[q.ToolCallID] != "" {
			continue
		}
		for _, c := range []struct {
			reached toolexec.Cap
			meter   store.Meter
			most    int
		}{
			{toolexec.CapApp, window(meterAskedApp, ref.App, now, time.Minute), caps.PerAppPerMinute},
			{toolexec.CapPrincipal, window(meterAskedPrincipal, principal(ref), now, day), caps.PerPrincipalPerDay},
		} {
			if ok, err := within(tx, c.meter, c.most); err != nil {
				return err
			} else if !ok {
				over[q.ToolCallID] = c.reached
				break
			}
		}
	}
	if len(over) > 0 {
		return over
	}
	return nil
}

// overOpen returns the calls whose questions exceed the limit together with what waits already, in
// the chat or for the holders of their role on behalf of its owner. Earlier questions take
// precedence.
func overOpen(tx store.RunTx, questions []chat.Clarification) (OverCap, error) {
	over := OverCap{}
	if len(questions) == 0 {
		return over, nil
	}
	open, err := tx.OpenBytes()
	if err != nil {
		return nil, err
	}
	held := map[string]int64{} // by role
	for i := range questions {
		c := &questions[i]
		size, role := c.Size(), c.For
		if _, known := held[role]; !known && role != "" {
			if held[role], err = tx.OpenFrom(role, ""); err != nil {
				return nil, err
			}
		}
		if max(open, held[role])+size > store.MaxOpen {
			over[c.ToolCallID] = toolexec.CapOpen
			continue
		}
		open += size
		if role != "" {
			held[role] += size
		}
	}
	return over, nil
}

// within counts a question if the cap leaves room for it; 0 means no cap.
func within(tx store.RunTx, meter store.Meter, most int) (bool, error) {
	if most == 0 {
		return true, nil
	}
	return tx.Meters().UseUpTo(meter, 1, int64(most))
}

// AskedByProgram counts a program's question against the caps of the asker and of the person asked. It
// returns a *chat.Error if one of them is reached.
func AskedByProgram(tx store.RunTx, caps *config.Clarifications, c *chat.Clarification, now time.Time) error {
	asker, mostAsked := c.Ref, caps.PerPrincipalPerDay
	asker.Subject = c.Asker
	if c.For != "" { // no particular person
		mostAsked = 0
	}
	for _, l := range []struct {
		meter store.Meter
		most  int
	}{
		{window(meterAskedAsker, principal(asker), now, day), caps.PerAskerPerDay},
		{window(meterAskedPrincipal, principal(c.Ref), now, day), mostAsked},
	} {
		if ok, err := within(tx, l.meter, l.most); err != nil {
			return err
		} else if !ok {
			return &chat.Error{Code: chat.CodeClarificationLimit, RetryAfter: l.meter.End.Sub(now)}
		}
	}
	return nil
}
