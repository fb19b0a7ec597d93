package sqldb

import (
	"cmp"
	"math"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// txClarifications is a store.ClarificationTx.
type txClarifications struct {
	*chatTx
	forged []string // ids of the pending ones that were read and found not genuine
}

func (t *txClarifications) Find(id string) (chat.Clarification, error) {
	var kept []keptClarification
	err := t.w.each(appendTo(&kept, t.db.scanClarification), q.clarification, id)
	c, err := only(kept, err)
	if err = must(c.ConversationID == t.head.ID, err); err != nil {
		return chat.Clarification{}, err
	}
	return c, nil
}

func (t *txClarifications) Pending() ([]chat.Clarification, error) {
	all, err := t.read(q.openOfTurns, t.head.ID)
	slices.SortStableFunc(all, func(a, b chat.Clarification) int { return a.AskedAt.Compare(b.AskedAt) })
	return all, err
}

func (t *txClarifications) PendingAsync(limit int) ([]chat.Clarification, error) {
	return t.read(q.openOfPrograms, t.head.ID, limit)
}

func (t *txClarifications) OfCall(callID string) ([]chat.Clarification, error) {
	all, err := t.read(q.ofCall, t.head.ID, callID, t.head.ID, callID)
	return inOrder(all), err
}

func (t *txClarifications) AskedBy(fence int64) ([]chat.Clarification, error) {
	if fence <= 0 {
		return nil, t.w.usable()
	}
	all, err := t.read(q.askedBy, t.head.ID, fence, t.head.ID, fence, fence)
	return inOrder(all), err
}

func (t *txClarifications) Newest() ([]chat.Clarification, error) {
	var newest asked
	take := func(a *asked) {
		if cmp.Or(cmp.Compare(a.fence, newest.fence), cmp.Compare(a.number, newest.number), cmp.Compare(a.id, newest.id)) > 0 {
			newest = *a
		}
	}
	var open []asked
	if err := t.w.each(appendTo(&open, func(scan scanner, a *asked) error { return scan(&a.fence, &a.number, &a.id) }), q.askedOpen, t.head.ID); err != nil {
		return nil, err
	}
	for i := range open {
		take(&open[i])
	}
	// No question is asked after it was closed: what was closed before the newest was asked is older.
	for last := (asked{done: math.MaxInt64}); last.done >= newest.fence; {
		var page []asked
		if err := t.w.each(appendTo(&page, func(scan scanner, a *asked) error { return scan(&a.fence, &a.number, &a.id, &a.done) }),
			q.askedDone, t.head.ID, last.done, last.number, last.id, newestPage); err != nil {
			return nil, err
		}
		for i := range page {
			take(&page[i])
		}
		if len(page) < newestPage {
			break
		}
		last = page[len(page)-1]
	}
	if newest.fence == 0 {
		return nil, nil
	}
	return t.read(q.clarification, newest.id)
}

// asked is by which runs a question was asked and closed.
type asked struct {
	fence, done, number int64
	id                  string
}

// newestPage is how many closed questions are looked at together to find the newest: usually it is among
// the first.
const newestPage = 32

func (t *txClarifications) Unpublished() ([]chat.Clarification, error) {
	return t.read(q.unpublishedAsked, t.head.ID)
}

func (t *txClarifications) Save(c chat.Clarification) error {
	answer, err := jsonValue(c.Answer)
	if err != nil {
		return err
	}
	decisions, err := decisionsValue(c.Decisions)
	if err != nil {
		return err
	}
	by, via, as := byValues(c.AnsweredBy)
	d := describe(&c)
	if c.State != tools.StatePending && len(c.Escalated) > 0 {
		if err := t.w.later(q.dropAlso, t.head.ID, c.ID); err != nil {
			return err
		}
	}
	return t.w.change(q.updateClarification, string(c.State), answer, c.Remembered, c.AskedFence, c.DoneFence,
		toMillis(c.AskedAt), toMillis(c.AnsweredAt), toMillis(c.ExpiresAt), by, via, as, decisions, amendedFence(&c),
		d.took, d.choice, d.marks&^marksRecommends, d.choice, d.choice, toMillis(c.AnsweredAt), d.choice, c.ID, t.head.ID)
}

func (t *txClarifications) SavePublished(id string, askedFence, doneFence int64) error {
	return t.w.change(q.saveTold, askedFence, doneFence, id, t.head.ID)
}

// read reads some of the chat's clarifications. Of those that are not genuine, the last read
// counts.
func (t *txClarifications) read(query string, args ...any) ([]chat.Clarification, error) {
	var all []keptClarification
	if err := t.w.each(appendTo(&all, t.db.scanClarification), query, args...); err != nil {
		return nil, err
	}
	t.forged = nil
	for i := range all {
		if !all[i].genuine && !all[i].lost && all[i].State == tools.StatePending {
			t.forged = append(t.forged, all[i].ID)
		}
	}
	return genuine(all), nil
}
