package follow

import (
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// rows returns the rows of a run from what is stored of a chat. record is the record of a run that
// has ended, or says how the run began.
func rows(view *store.View, record *chat.Run) *chat.Rows {
	r := &chat.Rows{ChatID: view.Conversation.ChatID, TurnID: record.TurnID, Fence: record.Fence, Opening: opening(view, record)}
	for i := range view.Messages {
		m := &view.Messages[i]
		if m.Fence == r.Fence && m.Role == chat.RoleAssistant && m.AskedBy == nil {
			r.Steps = append(r.Steps, m)
		}
		for j := range m.ToolCalls {
			if c := &m.ToolCalls[j]; c.Result != nil && c.Result.Fence == r.Fence {
				r.Ended = append(r.Ended, chat.Ended{Call: c, Result: c.Result})
			}
		}
	}
	for _, c := range view.Clarifications {
		switch {
		case c.State == tools.StateRemembered:
			r.Silent = append(r.Silent, c)
		case c.Asker == "" && c.AskedFence == r.Fence:
			c.Decisions, c.Escalated = nil, nil // when it was asked
			r.Asked = append(r.Asked, c)
		}
	}
	if record.FinishReason != "" {
		r.Run = record
	}
	return r
}

// opening returns what began a run.
func opening(view *store.View, record *chat.Run) *chat.Opening {
	o := &chat.Opening{
		ChatID: view.Conversation.ChatID, TurnID: record.TurnID, Resumed: record.Resumed, Discards: record.Discards,
		Message: userMessage(view, record.Fence),
	}
	if record.TurnID == "" {
		o.Asked = slices.Clone(view.Clarifications)
		for i := range o.Asked {
			o.Asked[i].Escalated = nil // when it was asked
		}
		for _, m := range view.Messages {
			if m.Fence == record.Fence && m.AskedBy != nil {
				o.Said = append(o.Said, m)
			}
		}
	}
	for _, c := range view.Clarifications {
		if c.DoneFence == record.Fence && c.State != tools.StatePending && c.State != tools.StateRemembered {
			o.Closed = append(o.Closed, c)
		} else if c.DeletedFence == record.Fence {
			o.Deleted = append(o.Deleted, c)
		}
		if c.DecidedIn(record.Fence) {
			o.Amended = append(o.Amended, chat.NewDecided(&c, record.Fence))
		}
		if c.EscalatedIn(record.Fence) {
			o.Amended = append(o.Amended, chat.NewEscalated(&c, record.Fence))
		}
	}
	return o
}

// unfinished returns a substitute for the record of a run that has none, because records are stored
// when runs end.
func unfinished(view *store.View, fence int64) chat.Run {
	run := chat.Run{Fence: fence}
	for _, m := range view.Messages {
		if m.Fence <= fence && m.AskedBy == nil {
			run.TurnID = m.TurnID // each turn begins with a message
		}
	}
	if userMessage(view, fence) == nil {
		run.Resumed = slices.ContainsFunc(view.Clarifications, func(c chat.Clarification) bool {
			return c.DoneFence == fence && c.State != tools.StateRemembered
		})
	}
	return run
}

// userMessage returns the message that began the run, or nil if none did.
func userMessage(view *store.View, fence int64) *chat.Message {
	for i := range view.Messages {
		if m := &view.Messages[i]; m.Fence == fence && m.Role == chat.RoleUser {
			return m
		}
	}
	return nil
}
