package channels

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

const maxAsker = 200 // code points

// OneLine returns a text in one line of up to 200 code points, without characters that change the
// direction of what follows.
func OneLine(text string) string {
	return tools.Shorten(strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "\ufffd"), breaks), " "), maxAsker)
}

// breaks reports whether a rune is white space, another control character, or one that changes the
// direction of what follows.
func breaks(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// Headline says who asks whom, without anything of the question.
func (m *Message) Headline() string {
	id := "channel.asked"
	if m.C.Question.Kind == tools.KindApproval {
		id = "channel.decision"
	}
	params := map[string]any{"Asker": m.Asker}
	if m.Role != "" {
		id += "_role"
		params["Role"] = m.Role
	}
	return m.Text(id, params)
}

// Labelled returns the label of what follows it, with its colon.
func (m *Message) Labelled(label string) string {
	return strings.ReplaceAll(m.Text("card.labelled", nil), "{label}", label)
}

// Deadline says until when the question waits, in a time zone; "" if it waits for as long as it takes.
func (m *Message) Deadline(zone *time.Location) string {
	if m.C.ExpiresAt.IsZero() {
		return ""
	}
	return m.Text("channel.deadline", map[string]any{"Time": m.C.ExpiresAt.In(zone).Format(m.Text("channel.time", nil))})
}

// Choices returns the options of which one is the whole answer: those of a single select or confirm, or
// allow and refuse. It returns nil if the answer is anything else.
func (m *Message) Choices() []tools.Option {
	q := &m.C.Question
	if len(q.Parts) != 1 {
		return nil
	}
	p := &q.Parts[0]
	switch {
	case p.InputType == tools.Select:
		if q.Details == "" {
			return p.Options
		}
		// A link allows or refuses what the details describe, and no more.
		return slices.DeleteFunc(slices.Clone(p.Options), func(o tools.Option) bool { return o.Value != "yes" && o.Value != "no" })
	case p.InputType != tools.Confirm:
		return nil
	case len(p.Options) > 0 && q.Kind != tools.KindApproval:
		return p.Options
	}
	yes, no := "card.yes", "card.no"
	if q.Kind == tools.KindApproval {
		yes, no = "card.allow", "card.refuse" // as on the card's buttons
	}
	return []tools.Option{{Label: m.Text(yes, nil), Value: "yes"}, {Label: m.Text(no, nil), Value: "no"}}
}

// Argument is an argument of a call that waits, as a person reads it.
type Argument struct {
	Title string
	Text  string // JSON, but a plain text without its quotes
	Note  string // what to know of it, "" for nothing
}

// Arguments returns the arguments of the call that waits for approval, in their order.
func (m *Message) Arguments() []Argument {
	asked := chat.NewAsked(m.C)
	all := make([]Argument, 0, len(asked.ArgumentFields))
	for _, f := range asked.ArgumentFields {
		a := Argument{Title: f.Title, Text: unquoted(f.Text)}
		if f.Title != f.Name {
			a.Title += " (" + f.Name + ")"
		}
		pointer := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(f.Name)
		switch {
		case f.Unknown:
			a.Note = m.Text("card.unknown", nil)
		case slices.ContainsFunc(asked.Unfounded, func(p string) bool { return p == pointer || strings.HasPrefix(p, pointer+"/") }):
			a.Note = m.Text("card.filled_in", nil)
		}
		all = append(all, a)
	}
	return all
}

// unquoted returns a JSON text without its quotes, unless it could then be read as something else.
func unquoted(text string) string {
	plain := strings.TrimSuffix(strings.TrimPrefix(text, `"`), `"`)
	if len(plain) != len(text)-2 || plain == "" || strings.ContainsAny(plain, `\"`) || strings.TrimSpace(plain) != plain || json.Valid([]byte(plain)) {
		return text
	}
	return plain
}
