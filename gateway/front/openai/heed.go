package openai

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// step is what becomes of what a client sent: a command, or a question that is told without
// a run.
type step struct {
	cmd  front.Command
	tell *chat.Clarification // nil: the command
	part int
}

// heed says what a message means. A question that waits takes it by the rules of plain
// messages, if it is the one that the person has seen; another one is told first. A form is
// answered part by part.
func heed(c front.Call, view *store.View, text string, seen shown, asText, repeats bool) (step, error) {
	s := step{cmd: front.Command{Message: &text, Key: key(view, text, repeats)}}
	if seen.Clarification != nil {
		s.cmd.ClarificationID = seen.ID
	}
	if repeats || view == nil {
		return s, nil
	}
	if seen.Clarification != nil && byPerson(seen.Clarification) && says(c, seen, text) {
		return step{cmd: front.Command{Answer: &turn.Answer{ClarificationID: seen.ID, Answer: *seen.Answer}}}, nil // which is refused
	}
	open := waiting(view)
	if len(open) == 0 || c.App().Clarifications.OnMessageWhilePending != config.PendingAnswer {
		return s, nil
	}
	first := &open[0]
	switch {
	case seen.Clarification == nil && len(open) == 1 && asText && len(first.Question.Parts) > 1:
		seen = shown{first, len(kept(first))} // the client has no history
	case seen.Clarification == nil && len(open) == 1 && first.Question.Kind != tools.KindApproval:
		return s, nil
	case seen.Clarification == nil || seen.State != tools.StatePending || overdue(seen.Clarification):
		return step{tell: first, part: len(kept(first))}, nil
	}
	if seen.part < 0 || len(seen.Question.Parts) == 1 {
		return s, nil
	}
	return heedPart(c, s, seen, text)
}

// heedPart takes a message as the answer to a part of a form. What is none is a message
// like any other.
func heedPart(c front.Call, s step, seen shown, text string) (step, error) {
	answers := kept(seen.Clarification)
	if seen.part > len(answers) { // they were lost, to another device's draft
		return step{tell: seen.Clarification, part: len(answers)}, nil
	}
	a, ok := c.Typed(only(seen.Clarification, seen.part), text)
	if !ok {
		return s, nil
	}
	answers = append(answers[:seen.part:seen.part], a.Answer)
	for len(answers) < len(seen.Question.Parts) && !seen.Question.Applies(answers)[len(answers)] {
		answers = append(answers, tools.Answer{Skipped: true}) // it is not asked
	}
	if len(answers) == len(seen.Question.Parts) {
		return step{cmd: front.Command{Answer: &turn.Answer{ClarificationID: seen.ID, Answer: tools.Answer{Answers: answers}}}}, nil
	}
	draft, _ := json.Marshal(draft{1, answers}) // wire types encode
	if err := c.Draft(seen.Clarification, draft); err != nil {
		return s, err
	}
	return step{tell: seen.Clarification, part: len(answers)}, nil
}

// draft is what was answered of a form so far, as its draft. Cards pass it over, and this
// passes over theirs.
type draft struct {
	Parts   int            `json:"parts"` // the version
	Answers []tools.Answer `json:"answers"`
}

// kept is what was answered of a form so far.
func kept(c *chat.Clarification) []tools.Answer {
	var d draft
	if json.Unmarshal(c.Draft, &d) != nil || d.Parts != 1 || len(d.Answers) >= len(c.Question.Parts) {
		return nil
	}
	return d.Answers
}

// only is a form's part as a question of its own.
func only(c *chat.Clarification, part int) *chat.Clarification {
	one := *c
	one.Question.Parts = c.Question.Parts[part : part+1 : part+1]
	one.Question.Sources = nil
	if s, ok := c.Question.Source(part); ok {
		s.Part = 0
		one.Question.Sources = []tools.OptionSource{s}
	}
	return &one
}

// says says that a text is what a question was answered with, as far as it was this text's
// part.
func says(c front.Call, seen shown, text string) bool {
	given := seen.Answer
	part := max(seen.part, 0)
	if given == nil || seen.part < 0 && (len(seen.Question.Parts) > 1 || seen.AnsweredBy == nil || seen.AnsweredBy.Channel != chat.ChannelMessage) {
		return false
	}
	if len(seen.Question.Parts) > 1 {
		if part >= len(given.Answers) {
			return false
		}
		given = &given.Answers[part]
	}
	a, ok := c.Typed(only(seen.Clarification, part), text)
	if !ok {
		return false
	}
	one, _ := json.Marshal(a.Answer)
	other, _ := json.Marshal(given)
	return bytes.Equal(one, other)
}

// waiting is what waits in a chat and is not overdue.
func waiting(view *store.View) []chat.Clarification {
	var open []chat.Clarification
	for _, c := range view.Asked() {
		if !overdue(&c) {
			open = append(open, c)
		}
	}
	return open
}

func overdue(c *chat.Clarification) bool {
	return !c.ExpiresAt.IsZero() && !time.Now().Before(c.ExpiresAt)
}

// repeats says that a client sends what it sent before: the newest turn began with the
// text, and the history has nothing of what came of it.
func repeats(view *store.View, said history, text string) bool {
	if view == nil {
		return false
	}
	at := newest(view)
	if at < 0 || squeeze(view.Messages[at].Content) != squeeze(text) {
		return false
	}
	l := said.answer()
	if l == nil { // no history: only a first message cannot be another
		return at == 0 && !view.More
	}
	if at == 0 && view.More {
		return false
	}
	of := view.Messages[at].TurnID
	if c := said.shown(view).Clarification; c != nil && c.TurnID == of {
		return false
	}
	for _, m := range view.Messages[at+1:] {
		if told := squeeze(m.Content); told != "" && strings.Contains(l.texts[0], told) {
			return false
		}
	}
	return true
}

// newest is the index of the newest message of the person's; -1: it is not there.
func newest(view *store.View) int {
	for i := len(view.Messages) - 1; i >= 0; i-- {
		if view.Messages[i].Role == chat.RoleUser {
			return i
		}
	}
	return -1
}

// key is the same for a message that is sent again: its text, and the turn before it.
func key(view *store.View, text string, repeats bool) string {
	before := ""
	switch {
	case view == nil:
	case !repeats && view.Turn != nil:
		before = view.Turn.ID
	case repeats:
		if at := newest(view); at > 0 {
			before = view.Messages[at-1].TurnID
		}
	}
	sum := sha256.Sum256([]byte(before + "\x00" + text))
	return hex.EncodeToString(sum[:])
}
