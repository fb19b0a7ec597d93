package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// step is the handling of what a client sent: a command, or a question that is sent without a
// run, or a list of questions.
type step struct {
	cmd  front.Command
	tell *chat.Clarification // nil: use the command
	part int
	how  telling
	list []listed // what may be answered; nil: use the others
}

// withAnswer refuses files of a message that is sent with an answer as its note.
func withAnswer(parts []front.Part) error {
	return &chat.Error{Code: chat.CodeUnsupportedPart, Detail: "file_with_answer", Params: map[string]any{"Field": parts[0].Place}}
}

// act goes to the chat of a message, and returns the step to take there.
func (s *sought) act(d decision) (step, error) {
	text := &s.message
	if d.view != nil {
		front.Used(s.c.Header(), front.IgnoredHistory)
		s.offered.in(d.view)
	}
	switch {
	case d.waits != nil:
		return step{list: d.waits}, nil
	case d.view == nil && s.named:
		return step{cmd: s.saying(front.Command{Message: text, Key: s.keyed(nil)})}, nil
	case d.view == nil:
		return step{cmd: s.saying(front.Command{Message: text, Ephemeral: s.task(), Unattended: s.task()})}, s.Enter(newChat(s.key), "")
	}
	if err := s.Go(d.view.Conversation.ChatID); err != nil {
		return step{}, err
	}
	switch {
	case d.again && (d.place.newest(d.view) || d.place.message == nil):
		return step{cmd: front.Command{Again: true}}, nil
	case d.again: // the chat went on: the key identifies the run
		return step{cmd: s.saying(front.Command{Message: text, Key: s.key})}, nil
	case d.place.message != nil:
		return s.fork(d.view, &front.Fork{MessageID: d.place.message.ID, Message: text}), nil
	case d.place.asked != nil:
		return s.edit(d)
	case s.said.code() != "" && d.seen.Clarification != nil:
		return s.byCode(d)
	}
	return s.heed(d.view, d.seen)
}

// fork returns the step that begins a branch there. The same key begins the same branch.
func (s *sought) fork(view *store.View, f *front.Fork, about ...string) step {
	return step{cmd: s.saying(front.Command{Fork: f, Key: s.keyed(view, about...)})}
}

// edit returns the step for another answer to an answered question, which begins a branch. A form
// is asked on until all of it is answered again; until then nothing is stored. A branch never
// decides an approval: it asks for it again, in a branch that begins with its turn.
func (s *sought) edit(d decision) (step, error) {
	c, p := d.place.asked, &d.place
	if c.Question.Kind == tools.KindApproval {
		if m := turnMessage(d.view, c.TurnID); m != nil {
			return s.reask(d.view, c, m)
		}
	}
	answer, next, ok := s.reads(p)
	switch {
	case !ok:
		answer = tools.Answer{Value: quotedText(s.message)} // refused by the check
	case next >= 0:
		s.offered.words = true // it is closed at its place: no result would be taken
		return step{tell: c, part: next, how: again}, nil
	}
	return s.fork(d.view, &front.Fork{ClarificationID: c.ID, Answer: &answer}), nil
}

// reask returns a branch that asks for an approval again. Nothing of it is in the chat that it
// leaves, so the newest earlier branch is named to distinguish it from the others.
func (s *sought) reask(view *store.View, c *chat.Clarification, from *chat.Message) (step, error) {
	before, err := s.reasking(view, c)
	var newest []string
	if len(before) > 0 {
		newest = append(newest, before[0].ChatID)
	}
	return s.fork(view, &front.Fork{MessageID: from.ID}, newest...), err
}

// reads reads the history's answers to a question at its end; next is the part of a form to ask
// then, or -1 if there is none. It returns false if one of the texts is not an answer.
func (s *sought) reads(p *place) (answer tools.Answer, next int, ok bool) {
	c := p.asked
	n := len(c.Question.Parts)
	if p.part < 0 || n == 1 {
		a, ok := front.Typed(s.c, c, s.message)
		return a.Answer, -1, ok
	}
	var given []tools.Answer
	for len(given) < n {
		switch i := len(given); {
		case i > 0 && !c.Question.Applies(given)[i]:
			given = append(given, tools.Answer{Skipped: true})
		case i > p.part:
			return answer, i, true
		default:
			text := s.message
			if i < p.part {
				if i < len(p.given) {
					given = append(given, p.given[i])
					continue
				}
				if i >= len(p.before) {
					return answer, -1, false
				}
				text = p.before[i]
			}
			a, ok := front.Typed(s.c, front.Only(c, i), text)
			if !ok {
				return answer, -1, false
			}
			given = append(given, a.Answer)
		}
	}
	return tools.Answer{Answers: given}, -1, true
}

// byCode takes a message that names its question by a code.
func (s *sought) byCode(d decision) (step, error) {
	c := d.seen.Clarification
	switch {
	case c.State != tools.StatePending || overdue(c, s.Now()):
		return step{cmd: front.Command{Answer: &turn.Answer{ClarificationID: c.ID, Answer: tools.Answer{Declined: true}}}}, nil // refused by the engine
	case c.Question.Kind == tools.KindApproval, s.message == "":
		return step{tell: c, part: len(front.Kept(c)), how: named}, nil
	}
	return s.heed(d.view, d.seen)
}

// heed returns what a message after all of a chat means. A pending question takes it by the rules
// of plain messages, if the person has seen that question; otherwise the question is sent first.
// A form is answered part by part.
func (s *sought) heed(view *store.View, seen shown) (step, error) {
	text := s.message
	next := step{cmd: s.saying(front.Command{Message: &text, Key: s.keyed(view)})}
	if seen.Clarification != nil {
		next.cmd.ClarificationID, next.cmd.Waited = seen.ID, seen.State == tools.StatePending
		next.cmd.Key = s.keyed(view, seen.ID)
	}
	open := waiting(view, s.Now())
	if len(open) == 0 || len(s.files) > 0 || s.c.App.Clarifications.OnMessageWhilePending != config.PendingAnswer {
		return next, nil
	}
	first := &open[0]
	switch {
	case seen.Clarification == nil && len(open) == 1 && len(first.Question.Parts) > 1 && !s.offered.call(front.NewQuestion(chat.NewAsked(first))):
		seen = shown{first, len(front.Kept(first))} // the client has no history
	case seen.Clarification == nil && len(open) == 1 && first.Question.Kind != tools.KindApproval:
		next.cmd.ClarificationID, next.cmd.Waited = first.ID, true
		return next, nil
	case seen.Clarification == nil || seen.State != tools.StatePending || overdue(seen.Clarification, s.Now()):
		return step{tell: first, part: len(front.Kept(first)), how: again}, nil
	}
	if seen.part < 0 || len(seen.Question.Parts) == 1 {
		return next, nil
	}
	return heedPart(s.c, next, seen, text)
}

// heedPart takes a message as the answer to a part of a form. A text that does not answer it is a
// message like any other.
func heedPart(c *host.Request, s step, seen shown, text string) (step, error) {
	whole, next, ok, err := front.TakePart(c, seen.Clarification, seen.part, "", text)
	switch {
	case err != nil || !ok:
		return s, err
	case whole != nil:
		return step{cmd: front.Command{Answer: whole, Channel: chat.ChannelMessage}}, nil
	}
	return step{tell: seen.Clarification, part: next, how: again}, nil
}

// newest returns the place in a chat where the person said something last: a message, or an
// answer in words.
func newest(view *store.View) (p place) {
	for i := len(view.Messages) - 1; i >= 0 && p.message == nil; i-- {
		if m := &view.Messages[i]; m.Role == chat.RoleUser {
			p.message = m
		}
	}
	for i := range view.Clarifications {
		c := &view.Clarifications[i]
		if !byPerson(c) || c.Asker != "" || p.message != nil && c.DoneFence < p.message.Fence || p.asked != nil && c.DoneFence < p.asked.DoneFence {
			continue
		}
		p.asked, p.part = c, len(c.Question.Parts)-1
	}
	if p.asked != nil {
		p.message = nil
		p.give()
	}
	return p
}

// keyed returns the client's key, or else one that stays the same when a request is sent again,
// as long as it has changed nothing in the chat.
func (s *sought) keyed(view *store.View, about ...string) string {
	if s.key != "" {
		return s.key
	}
	state := ""
	if view != nil {
		state = view.Conversation.ChatID + "\x00" + strconv.FormatInt(view.Conversation.Fence, 10)
	}
	for _, id := range about {
		state += "\x00" + id
	}
	sum := sha256.Sum256([]byte(state + "\x00" + front.Saying(s.message, s.files)))
	return hex.EncodeToString(sum[:])
}

func quotedText(text string) []byte {
	data, _ := json.Marshal(text) // a string always encodes
	return data
}
