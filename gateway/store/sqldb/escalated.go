package sqldb

import (
	"encoding/json"
	"fmt"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// keptEscalated is the stored form of a step of an escalation that has happened. Its role is in the
// question, which is sealed.
type keptEscalated struct {
	At    int64 `json:"at"` // ms since 1970
	Fence int64 `json:"fence"`
}

// escalatedValue returns the stored form of steps; nil for none.
func escalatedValue(all []chat.Escalated) (any, error) {
	if len(all) == 0 {
		return nil, nil
	}
	kept := make([]keptEscalated, len(all))
	for i := range all {
		kept[i] = keptEscalated{toMillis(all[i].At), all[i].Fence}
	}
	return toJSON(kept)
}

func scanEscalated(stored string, all *[]chat.Escalated) error {
	if stored == "" {
		return nil
	}
	var kept []keptEscalated
	if err := json.Unmarshal([]byte(stored), &kept); err != nil {
		return fmt.Errorf("the steps of its escalation: %w", err)
	}
	for _, k := range kept {
		*all = append(*all, chat.Escalated{At: fromMillis(k.At), Fence: k.Fence})
	}
	return nil
}

// escalateAt returns when a question's next step is due, in ms since 1970; 0 if none is.
func escalateAt(c *chat.Clarification) int64 {
	if c.State != tools.StatePending {
		return 0
	}
	return toMillis(c.NextStep())
}

func (t *txClarifications) SaveEscalated(c chat.Clarification) error {
	escalated, err := escalatedValue(c.Escalated)
	if err != nil {
		return err
	}
	if err := t.w.change(q.saveEscalated, escalated, amendedFence(&c), escalateAt(&c), c.ID, t.head.ID); err != nil {
		return err
	}
	return t.alsoAsk(&c)
}

// alsoAsk lists a pending question for the holders of the roles that it was escalated to.
func (t *txClarifications) alsoAsk(c *chat.Clarification) error {
	for _, also := range c.AlsoAsks() {
		if err := t.w.later(q.insertAlso, t.head.ID, c.ID, t.head.Tenant, also.Role, toMillis(c.AskedAt), c.Number); err != nil {
			return err
		}
	}
	return nil
}
