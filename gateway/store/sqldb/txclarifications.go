package sqldb

import (
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
	all, err := t.read(q.ofCall, t.head.ID, callID)
	return inOrder(all), err
}

func (t *txClarifications) AskedBy(fence int64) ([]chat.Clarification, error) {
	return t.read(q.askedBy, t.head.ID, fence)
}

func (t *txClarifications) Newest() ([]chat.Clarification, error) {
	return t.read(q.newestAsked, t.head.ID)
}

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
		d.took, d.choice, d.marks&^marksRecommends, d.choice, d.choice, toMillis(c.AnsweredAt), c.ID, t.head.ID)
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
