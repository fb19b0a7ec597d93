package sqldb

import (
	"encoding/json"
	"fmt"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// keptDecision is the stored form of one of several people's decision about a call.
type keptDecision struct {
	By     string       `json:"by"`
	Via    chat.Channel `json:"via"`
	At     int64        `json:"at"` // ms since 1970
	Fence  int64        `json:"fence"`
	Answer tools.Answer `json:"answer"`
}

// decisionsValue returns the stored form of decisions; nil for none.
func decisionsValue(all []chat.Decision) (any, error) {
	if len(all) == 0 {
		return nil, nil
	}
	kept := make([]keptDecision, len(all))
	for i := range all {
		d := &all[i]
		kept[i] = keptDecision{d.By.Subject, d.By.Channel, toMillis(d.At), d.Fence, d.Answer}
	}
	return toJSON(kept)
}

// amendedFence returns the fence of the newest run that announced a decision or a step of the escalation;
// 0 if there is none.
func amendedFence(c *chat.Clarification) (fence int64) {
	if n := len(c.Decisions); n > 0 {
		fence = c.Decisions[n-1].Fence
	}
	if n := len(c.Escalated); n > 0 {
		fence = max(fence, c.Escalated[n-1].Fence)
	}
	return fence
}

func scanDecisions(stored string, all *[]chat.Decision) error {
	if stored == "" {
		return nil
	}
	var kept []keptDecision
	if err := json.Unmarshal([]byte(stored), &kept); err != nil {
		return fmt.Errorf("its decisions: %w", err)
	}
	for i := range kept {
		k := &kept[i]
		*all = append(*all, chat.Decision{By: chat.By{Subject: k.By, Channel: k.Via}, At: fromMillis(k.At), Fence: k.Fence, Answer: k.Answer})
	}
	return nil
}
