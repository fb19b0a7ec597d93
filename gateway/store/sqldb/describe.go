package sqldb

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// description has the columns of a clarification by which the report counts it, see
// migrations/*/tables.sql. took and choice are nil for null.
type description struct {
	template, shape string
	marks           int64
	took, choice    any
}

// These are the bits of the column marks. The database itself sets those about earlier answers,
// which only it knows (see againMarks).
const (
	marksRecommends   int64 = 1 << iota // an option is recommended
	marksTaken                          // and exactly that was chosen in every part that has one
	marksOther                          // answered in own words, with none of the options
	marksAgainSame                      // the same person answered it before, with the same answer
	marksAgainAnother                   // or with another
	marksCopied                         // copied by a fork; the question counts where it was asked
	marksInWords                        // a client's result for its call was not an answer
)

func describe(c *chat.Clarification) description {
	d := description{template: templateOf(c.Question.Parts)}
	if d.template == "" && len(c.Question.Parts) > 0 {
		d.shape = c.Question.Shape()
	}
	recommends := slices.ContainsFunc(c.Question.Parts, func(p tools.Part) bool { return len(recommended(p)) > 0 })
	if recommends {
		d.marks |= marksRecommends
	}
	if c.Copied {
		d.marks |= marksCopied
	}
	if c.InWords {
		d.marks |= marksInWords
	}
	switch c.State {
	case tools.StateAnswered, tools.StateSkipped, tools.StateDeclined:
		d.took = max(0, toMillis(c.AnsweredAt)-toMillis(c.AskedAt))
	default:
		return d
	}
	if c.State != tools.StateAnswered || c.Answer == nil || c.Answer.Deleted || c.Question.Kind != tools.KindQuestion || c.Copied {
		return d
	}
	d.choice = choiceOf(*c.Answer)
	if c.Answer.UsesOther() {
		d.marks |= marksOther
	}
	if recommends && takesRecommended(c.Question.Parts, *c.Answer) {
		d.marks |= marksTaken
	}
	return d
}

// templateOf returns the template that all parts come from, or "".
func templateOf(parts []tools.Part) string {
	for i := range parts {
		if parts[i].Template != parts[0].Template {
			return ""
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return parts[0].Template
}

// recommended returns the values of a part's recommended options, in order.
func recommended(p tools.Part) (values []string) {
	for _, o := range p.Options {
		if o.Recommended {
			values = append(values, o.Value)
		}
	}
	return values
}

// answerOf returns the answer to a part.
func answerOf(a tools.Answer, part, parts int) tools.Answer {
	switch {
	case part < len(a.Answers):
		return a.Answers[part]
	case parts == 1:
		return a
	default:
		return tools.Answer{}
	}
}

// takesRecommended reports whether, wherever something is recommended, exactly that was chosen.
func takesRecommended(parts []tools.Part, a tools.Answer) bool {
	applies := tools.Question{Parts: parts}.Applies(a.Answers)
	for i := range parts {
		want := recommended(parts[i])
		if len(want) == 0 || !applies[i] {
			continue
		}
		given := answerOf(a, i, len(parts))
		got := given.Values
		var value string
		if got == nil && json.Unmarshal(given.Value, &value) == nil {
			got = []string{value}
		}
		if given.Other != "" || !slices.Equal(got, want) {
			return false
		}
	}
	return true
}

// choiceOf identifies what was answered, ignoring notes.
func choiceOf(a tools.Answer) int64 {
	h := sha256.New()
	var add func(a tools.Answer)
	text := func(s string) {
		h.Write(binary.AppendUvarint(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	add = func(a tools.Answer) {
		var value bytes.Buffer
		if json.Compact(&value, a.Value) != nil {
			value.Reset()
		}
		text(value.String())
		text(a.Other)
		h.Write(binary.AppendUvarint(nil, uint64(len(a.Values))))
		for _, v := range a.Values {
			text(v)
		}
		h.Write(binary.AppendUvarint(nil, uint64(len(a.Answers))))
		for _, part := range a.Answers {
			add(part)
		}
	}
	add(a)
	return int64(binary.BigEndian.Uint64(h.Sum(nil)))
}
