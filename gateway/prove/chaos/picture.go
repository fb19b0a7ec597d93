package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/sse"
)

// picture is a chat as a frontend shows it, built only from a viewer's stream. The comparable part
// of a snapshot has the same form.
type picture struct {
	Status   string
	Messages []message
	Pending  []string // the tool call ids of open questions, in order
	Used     int      // questions asked; only a snapshot contains it

	partial  bool              // of one run: calls may have been announced before
	open     bool              // the last message is a step that may go on
	torn     bool              // the last message is a step that an error or a stop ended
	decided  map[string]int    // how many have decided, by clarification id
	outcomes map[string]string // of closed questions, by tool call id
}

type message struct {
	ID      string // of a user's message; events do not name the others
	Role    string
	Content string
	Calls   []call
}

type call struct {
	ID, Name, Arguments string
	Result              string
	Done                bool // it has a result
}

// snapshot is the part of the body of GET chats/{chatId} that is compared.
type snapshot struct {
	Status   string `json:"status"`
	Messages []struct {
		ID        string `json:"id"`
		Role      string `json:"role"`
		Content   string `json:"content"`
		ToolCalls []struct {
			ToolCallID    string          `json:"toolCallId"`
			ToolName      string          `json:"toolName"`
			Arguments     json.RawMessage `json:"arguments"`
			Result        *string         `json:"result"`
			Clarification *struct {
				ClarificationID string `json:"clarificationId"`
			} `json:"clarification"`
		} `json:"toolCalls"`
	} `json:"messages"`
	Queued []struct {
		ID      string `json:"id"`
		Content string `json:"content"`
	} `json:"queued"`
	Pending []struct {
		ToolCallID      string     `json:"toolCallId"`
		ClarificationID string     `json:"clarificationId"`
		Decisions       []decision `json:"decisions"`
	} `json:"pending"`
	Clarifications struct {
		Used int `json:"used"`
	} `json:"clarifications"`
	LastEventID  string `json:"lastEventId"`
	FinishReason string `json:"finishReason"`
}

// picture returns what a frontend shows after this snapshot.
func (s *snapshot) picture() picture {
	p := picture{Status: s.Status, Used: s.Clarifications.Used}
	for _, m := range s.Messages {
		w := message{Role: m.Role, Content: m.Content}
		if m.Role == "user" {
			w.ID = m.ID
		}
		for _, c := range m.ToolCalls {
			v := call{ID: c.ToolCallID, Name: c.ToolName, Arguments: string(c.Arguments), Done: c.Result != nil}
			if v.Done {
				v.Result = *c.Result
			}
			w.Calls = append(w.Calls, v)
		}
		p.Messages = append(p.Messages, w)
	}
	for _, c := range s.Pending {
		p.Pending = append(p.Pending, c.ToolCallID)
		p.decide(c.ClarificationID, len(c.Decisions))
	}
	last := p.last()
	p.torn = tears(s.FinishReason) && last != nil && last.Role == "assistant" && len(last.Calls) == 0
	return p
}

// tears reports whether a turn that ended this way may have a text that is an incomplete step.
func tears(finish string) bool { return finish == "error" || finish == "cancelled" }

// event is the data of any event of a run.
type event struct {
	TurnID       string          `json:"turnId"`
	MessageID    string          `json:"messageId"`
	Content      string          `json:"content"`
	ToolCallID   string          `json:"toolCallId"`
	ToolName     string          `json:"toolName"`
	Arguments    json.RawMessage `json:"arguments"`
	Result       *string         `json:"result"`
	Error        json.RawMessage `json:"error"`
	Outcome      string          `json:"outcome"`
	FinishReason string          `json:"finishReason"`
	Resumed      bool            `json:"resumed"`
	ID           string          `json:"clarificationId"`
	Decisions    []decision      `json:"decisions"`
	Answer       *struct {
		Arguments json.RawMessage `json:"arguments"`
		Deleted   bool            `json:"deleted"`
	} `json:"answer"`
	Approval *struct {
		Outcome string `json:"outcome"`
	} `json:"approval"`
}

// apply applies one event, as docs/protocol.md requires of a client.
func (p *picture) apply(ev sse.Event) error {
	if ev.Name == "snapshot" {
		var s snapshot
		if err := json.Unmarshal(ev.Data, &s); err != nil {
			return err
		}
		outcomes := p.outcomes
		*p = s.picture()
		p.outcomes = outcomes
		return nil
	}
	var e event
	if err := json.Unmarshal(ev.Data, &e); err != nil {
		return err
	}
	switch ev.Name {
	case "turn.start":
		p.Status, p.open = "running", e.Resumed && p.torn
	case "user.message":
		p.Messages = append(p.Messages, message{ID: e.MessageID, Role: "user", Content: e.Content})
	case "chunk":
		p.step(func(m *message) bool { return len(m.Calls) == 0 }).Content += e.Content
	case "tool.call.start":
		m := p.step(func(*message) bool { return true })
		m.Calls = append(m.Calls, call{ID: e.ToolCallID, Name: e.ToolName, Arguments: string(e.Arguments)})
	case "tool.call.end":
		return p.result(e)
	case "clarification":
		p.open = false
		if slices.Contains(p.Pending, e.ToolCallID) {
			return fmt.Errorf("the question %s is asked twice", e.ToolCallID)
		}
		p.Pending = append(p.Pending, e.ToolCallID)
	case "clarification.decided":
		if n := p.decided[e.ID] + 1; !p.partial && len(e.Decisions) != n {
			return fmt.Errorf("the question %s has the decisions %v, want %d", e.ID, e.Decisions, n)
		}
		p.decide(e.ID, len(e.Decisions))
	case "clarification.resolved":
		return p.resolved(e)
	case "step.restart":
		if last := p.last(); p.open && last != nil && len(last.Calls) == 0 {
			p.Messages = p.Messages[:len(p.Messages)-1]
		}
		p.Status, p.open = "running", false
	case "done":
		p.torn = tears(e.FinishReason) && p.open && len(p.last().Calls) == 0
		p.open, p.Status = false, "idle"
		if e.FinishReason == "clarification" {
			p.Status = "awaiting_input"
		}
	}
	return nil
}

func (p *picture) last() *message {
	if len(p.Messages) == 0 {
		return nil
	}
	return &p.Messages[len(p.Messages)-1]
}

// said returns everything that the model said.
func (p *picture) said() string {
	var text string
	for _, m := range p.Messages {
		if m.Role == "assistant" {
			text += m.Content
		}
	}
	return text
}

// step returns the assistant's message that continues: the last one, if it is open and matches.
func (p *picture) step(fits func(*message) bool) *message {
	if last := p.last(); !p.open || last.Role != "assistant" || !fits(last) {
		p.Messages = append(p.Messages, message{Role: "assistant"})
		p.open = true
	}
	return p.last()
}

func (p *picture) result(e event) error {
	p.open = false
	result := `{"error":` + string(e.Error) + `}`
	if e.Result != nil {
		result = *e.Result
	}
	for i := range p.Messages {
		for j := range p.Messages[i].Calls {
			c := &p.Messages[i].Calls[j]
			switch {
			case c.ID != e.ToolCallID:
				continue
			case c.Done && c.Result != result:
				return fmt.Errorf("the call %s has two results: %q, then %q", c.ID, c.Result, result)
			}
			c.Result, c.Done = result, true
			return nil
		}
	}
	if p.partial {
		return nil
	}
	return fmt.Errorf("a result of the call %s, which was never announced", e.ToolCallID)
}

func (p *picture) resolved(e event) error {
	if e.Answer != nil && e.Answer.Deleted {
		p.deleted(e)
		if p.outcomes[e.ToolCallID] == e.Outcome { // it is announced again
			return nil
		}
	}
	if before, ok := p.outcomes[e.ToolCallID]; ok {
		return fmt.Errorf("the question %s is closed twice: %s, then %s", e.ToolCallID, before, e.Outcome)
	}
	if p.outcomes == nil {
		p.outcomes = map[string]string{}
	}
	p.outcomes[e.ToolCallID] = e.Outcome
	if e.Approval != nil && e.Approval.Outcome == "allowed" && e.Answer.Arguments != nil {
		p.edited(e)
	}
	p.Pending = slices.DeleteFunc(p.Pending, func(id string) bool { return id == e.ToolCallID })
	return nil
}

// deleted records that an answer was deleted, and so reads its call's result.
func (p *picture) deleted(e event) {
	for i := range p.Messages {
		for j := range p.Messages[i].Calls {
			if c := &p.Messages[i].Calls[j]; c.ID == e.ToolCallID && c.Done {
				c.Result = deletedText
			}
		}
	}
}

// deletedText replaces the text of a deleted answer.
const deletedText = "[deleted]"

// edited records the arguments that a call will run with.
func (p *picture) edited(e event) {
	for i := range p.Messages {
		for j := range p.Messages[i].Calls {
			if c := &p.Messages[i].Calls[j]; c.ID == e.ToolCallID {
				c.Arguments = string(e.Answer.Arguments)
			}
		}
	}
}

// interrupted records that a call was running when its process died: it was not run again, and its
// result reports that.
func (c *call) interrupted() bool { return strings.Contains(c.Result, `"INTERRUPTED"`) }

// refused records that a person did not allow the call: it must not run.
func (c *call) refused() bool { return strings.Contains(c.Result, `"declined":true`) }

// differs returns where two pictures differ, "" if they are equal. Ids of messages are compared
// only if both have them; interrupted calls, and what the model made of them, count as equal to
// completed ones.
func differs(got, want picture, ids bool) string {
	if got.Status != want.Status || !slices.Equal(got.Pending, want.Pending) {
		return fmt.Sprintf("status %s with questions %v, want %s with %v", got.Status, got.Pending, want.Status, want.Pending)
	}
	if len(got.Messages) != len(want.Messages) {
		return fmt.Sprintf("%d messages, want %d:\n%s\nwant:\n%s", len(got.Messages), len(want.Messages), got, want)
	}
	for i := range got.Messages {
		g, w := got.Messages[i], want.Messages[i]
		g.Calls, w.Calls = slices.Clone(g.Calls), slices.Clone(w.Calls)
		if !ids {
			g.ID, w.ID = "", ""
		}
		for j := range min(len(g.Calls), len(w.Calls)) {
			if g.Calls[j].interrupted() {
				g.Calls[j].Result = w.Calls[j].Result
			}
		}
		for _, m := range got.Messages[:i] {
			for _, c := range m.Calls {
				if c.interrupted() {
					g.Content, w.Content = unquoted(g.Content, c.ID), unquoted(w.Content, c.ID)
				}
			}
		}
		if !reflect.DeepEqual(g, w) {
			return fmt.Sprintf("message %d is %+v, want %+v", i, g, w)
		}
	}
	return ""
}

// String shows a picture in a fault.
func (p picture) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %s, pending %v", p.Status, p.Pending)
	for _, m := range p.Messages {
		fmt.Fprintf(&b, "\n  %s: %q %+v", m.Role, m.Content, m.Calls)
	}
	return b.String()
}
