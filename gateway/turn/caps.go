package turn

import (
	"errors"
	"maps"
	"time"

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

// overCap refuses to store questions: those calls have no room under a cap.
type overCap map[string]toolexec.Cap

func (overCap) Error() string { return "turn: a cap is reached" }

// meter counts questions that are stored against the caps that go beyond their chat. Only
// here, in the update that stores them, do they count exactly.
func (r *Run) meter(tx store.RunTx, questions []chat.Clarification) error {
	caps := &r.app.Clarifications
	if caps.PerAppPerMinute == 0 && caps.PerPrincipalPerDay == 0 {
		return nil
	}
	over := overCap{}
	now, ref := time.Now(), r.conversation.Ref
	for i := range questions {
		q := &questions[i]
		if q.Question.Kind != tools.KindQuestion {
			continue
		}
		for _, c := range []struct {
			reached toolexec.Cap
			meter   store.Meter
			most    int
		}{
			{toolexec.CapApp, window(meterAskedApp, ref.App, now, time.Minute), caps.PerAppPerMinute},
			{toolexec.CapPrincipal, window(meterAskedPrincipal, principal(ref), now, 24*time.Hour), caps.PerPrincipalPerDay},
		} {
			if c.most == 0 || over[q.ToolCallID] != "" {
				continue
			}
			ok, err := tx.UseUpTo(c.meter, 1, int64(c.most))
			if err != nil {
				return err
			}
			if !ok {
				over[q.ToolCallID] = c.reached
			}
		}
	}
	if len(over) > 0 {
		return over
	}
	return nil
}

// withinCaps stores what the calls came to. Where a cap leaves no room for a question,
// nothing was stored: its call is refused, and the rest is stored without it.
func (r *Run) withinCaps(of *executed) error {
	for {
		err := r.keepCalls(of)
		over, ok := errors.AsType[overCap](err)
		if !ok {
			return err
		}
		for id, reached := range maps.Clone(over) {
			for _, same := range of.waits[id] {
				over[same] = reached
			}
			delete(of.waits, id)
		}
		for i, c := range of.calls {
			if reached := over[c.ID]; reached != "" {
				of.outcomes[i] = r.engine.Executor.Refuse(r.app, c.Name, reached)
			}
		}
	}
}
