package front

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// A form that is asked in words is asked part by part. The answers so far are kept as its draft,
// since fronts keep nothing themselves.

// draft has the answers to a form so far, in the form's draft. Cards ignore it, and this package
// ignores theirs.
type draft struct {
	Parts   int            `json:"parts"` // the version
	Answers []tools.Answer `json:"answers"`
	By      []string       `json:"by,omitempty"` // the clients' ids of the messages that answered, as chat.ClientID has them
}

// Kept returns the answers to a form so far; the next part to ask is the one after them.
func Kept(c *chat.Clarification) []tools.Answer { return kept(c).Answers }

func kept(c *chat.Clarification) (d draft) {
	if json.Unmarshal(c.Draft, &d) != nil || d.Parts != 1 || len(d.Answers) >= len(c.Question.Parts) {
		return draft{}
	}
	return d
}

// Only returns a form's part as a question of its own.
func Only(c *chat.Clarification, part int) *chat.Clarification {
	one := *c
	one.Question.Parts = c.Question.Parts[part : part+1 : part+1]
	one.Question.Sources = nil
	if s, ok := c.Question.Source(part); ok {
		s.Part = 0
		one.Question.Sources = []tools.OptionSource{s}
	}
	return &one
}

// TakePart takes a text as the answer to a part of a form, by the rules of plain messages, and
// keeps it. next is the part to ask then. whole is the answer to the entire form, once all parts
// are answered. If the text is not an answer, ok is false. If another device's draft has
// overwritten earlier answers, next is the first part to ask again, and nothing is taken.
func TakePart(r *host.Request, of *chat.Clarification, part int, id, text string) (whole *turn.Answer, next int, ok bool, err error) {
	before := kept(of)
	answers := before.Answers
	if part > len(answers) {
		return nil, len(answers), true, nil
	}
	a, ok := Typed(r, Only(of, part), text)
	if !ok {
		return nil, part, false, nil
	}
	answers = append(answers[:part:part], a.Answer)
	for len(answers) < len(of.Question.Parts) && !of.Question.Applies(answers)[len(answers)] {
		answers = append(answers, tools.Answer{Skipped: true}) // it does not apply, so it is not asked
	}
	if len(answers) == len(of.Question.Parts) {
		return &turn.Answer{ClarificationID: of.ID, Answer: tools.Answer{Answers: answers}}, 0, true, nil
	}
	by := make([]string, len(answers))
	copy(by, before.By[:min(part, len(before.By))])
	by[part] = chat.ClientID(id)
	data, _ := json.Marshal(draft{1, answers, by}) // wire types encode
	return nil, len(answers), true, r.Host.Engine.SaveDraft(r.Context(), *of, data)
}

// AnswerInWords takes a text as the answer to a question that was asked in words, as TakePart
// does. If the question is not a form, the engine reads the text, and ok is false. told is the id
// of the message that asked: a WordsID says which part it asked. Otherwise, a message that is
// sent again, by its id, answers the same part again, and any other message answers the first
// part that has no answer.
func AnswerInWords(r *host.Request, of *chat.Clarification, told, id, text string) (whole *turn.Answer, next int, ok bool, err error) {
	if len(of.Question.Parts) < 2 {
		return nil, 0, false, nil
	}
	before := kept(of)
	part := len(before.Answers)
	if by := chat.ClientID(id); by != "" {
		if i := slices.Index(before.By, by); i >= 0 && i < part {
			part = i
		}
	}
	if after, is := strings.CutPrefix(told, of.ID+"."); is {
		if n, err := strconv.Atoi(after); err == nil && n >= 0 && n < len(of.Question.Parts) {
			part = n
		}
	}
	return TakePart(r, of, part, id, text)
}

// WordsID returns the id of the message that asks a part of a question in words.
func WordsID(of *chat.Clarification, part int) string { return of.ID + "." + strconv.Itoa(part) }
