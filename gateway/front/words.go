package front

import (
	"fmt"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// Texts returns the gateway's texts; a host.Request implements it.
type Texts interface {
	Text(id string, params map[string]any) string
}

// MaxHint bounds the hint below a question in words, in bytes, in any language.
const MaxHint = 1 << 10

// Words returns a part of a question in words: what is asked, and how to answer. The first of the
// two reads the same in every language, because histories are recognized by it. between is placed
// between them.
func Words(t Texts, q *chat.Asked, part int, between ...string) string {
	return Joined("\n\n", AskedWords(q, part), Joined("\n\n", between...), hint(t, q, part))
}

// AskedWords returns what is asked: the question with its options. Those of an approval are words
// without numbers, because only a clear yes allows a call.
func AskedWords(q *chat.Asked, part int) string {
	p := &q.Questions[part]
	paragraphs := []string{p.Question}
	if part == 0 {
		paragraphs = append([]string{q.Warning}, paragraphs...)
	}
	paragraphs = append(paragraphs, p.Context)
	if q.Kind == tools.KindApproval && q.ArgumentsText != "" {
		paragraphs = append(paragraphs, fenced(q.ArgumentsText))
	}
	paragraphs = append(paragraphs, p.Link)
	var options strings.Builder
	for i, o := range p.Options {
		if q.Kind == tools.KindApproval {
			break
		}
		fmt.Fprintf(&options, "%d. %s", i+1, o.Label)
		if o.Description != "" {
			options.WriteString(" – " + o.Description)
		}
		options.WriteByte('\n')
	}
	return Joined("\n\n", append(paragraphs, strings.TrimSpace(options.String()), p.Ends())...)
}

// fenced returns a text as a block of code that nothing in the text can end.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence
}

// hint says how to answer, in one paragraph in the reader's language.
func hint(t Texts, q *chat.Asked, part int) string {
	p := &q.Questions[part]
	if q.Kind == tools.KindInput {
		return ""
	}
	var sentences []string
	say := func(id string, params map[string]any) { sentences = append(sentences, t.Text("ask."+id, params)) }
	if n := len(q.Questions); n > 1 {
		say("step", map[string]any{"Number": part + 1, "Total": n})
	}
	if p.Secret != "" {
		sentences = append(sentences, t.Text("card.secret", nil))
	}
	if p.OptionsTotal > len(p.Options) {
		say("first_options", map[string]any{"Number": len(p.Options), "Total": p.OptionsTotal})
	}
	for i, o := range p.Options {
		if o.Recommended {
			say("recommended", map[string]any{"Number": i + 1})
			break
		}
	}
	var about map[string]any
	if p.InputType == tools.Scale && p.Validation != nil && p.Validation.Max != nil {
		about = map[string]any{"Max": p.Validation.Max.Number}
	}
	say(string(p.InputType), about)
	if p.AllowOther {
		say("other", nil)
	}
	if p.AllowSkip {
		say("skip", nil)
	}
	return Joined(" ", sentences...)
}

// Joined joins the non-empty texts.
func Joined(between string, all ...string) string {
	var some []string
	for _, s := range all {
		if s = strings.TrimSpace(s); s != "" {
			some = append(some, s)
		}
	}
	return strings.Join(some, between)
}
