package mail

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/channels"
	"github.com/askgate/askgate/tools"
)

const (
	maxTexts   = 20_000 // bytes of what was asked in a message
	maxOptions = 20     // of a question
	maxValue   = 500    // bytes of an option's value in a link, encoded
	maxFields  = 50     // arguments of a call
)

// said is what a message says. The same becomes its text and its HTML.
type said struct {
	Language  string
	Reminder  string // "" if it is none
	Headline  string
	Texts     bool
	Call      *call // of an approval
	Questions []question
	Details   string
	Warnings  []string
	Options   []option // of the only question, after all that is to be read
	More      string   // how many options were left out
	Choose    string   // what choosing an option does; "" if none can be chosen
	Cut       string   // that something was left out; "" if nothing was
	Deadline  string
	Label     string // of the link
	Link      string
	Notes     []string
}

type call struct {
	Label     string // of the tool's name, with its colon
	Tool      string
	Arguments []argument
	None      string // that there are no arguments
}

type argument struct {
	Title string // with its colon
	Text  string
}

type question struct {
	Number  int // 0 for the only one
	Text    string
	Context string
	Options []option
	More    string // how many options were left out
}

type option struct {
	Label       string
	Description string
	Link        string // chooses it; "" if a link cannot
}

// room is how many bytes a message still has for what was asked.
type room struct {
	left int
	cut  bool
}

// take returns as much of a text as fits, without characters that deceive.
func (r *room) take(text string) string {
	text = strings.TrimSpace(tools.Clean(strings.ToValidUTF8(text, "\ufffd")))
	switch {
	case text == "":
		return ""
	case r.left <= 0:
		r.cut = true
		return "…"
	case len(text) > r.left:
		text = tools.Clip(text, r.left) + "…"
		r.cut = true
	}
	r.left -= len(text)
	return text
}

// line is take for a text that is shown in one line.
func (r *room) line(text string) string {
	return r.take(strings.Join(strings.Fields(text), " "))
}

// said returns what a message says.
func (s *sender) said(m *channels.Message) *said {
	all := &said{
		Language: m.Language, Headline: m.Headline(), Deadline: m.Deadline(s.zone), Texts: m.Texts,
		Label: m.Text("channel.answer", nil), Link: m.Link, Notes: []string{m.Text("channel.personal", nil), m.Text("channel.no_reply", nil)},
	}
	if m.Reminder > 0 {
		all.Reminder = m.Text("channel.reminder", nil)
	}
	if !m.Personal {
		all.Label, all.Notes[0] = m.Text("channel.open", nil), m.Text("channel.sign_in", nil)
	}
	if m.Texts {
		all.texts(m)
	}
	return all
}

// texts adds what was asked.
func (all *said) texts(m *channels.Message) {
	r := &room{left: maxTexts}
	q := &m.C.Question
	choices := m.Choices()
	for i := range q.Parts {
		if r.left <= 0 {
			r.cut = true
			break
		}
		p := &q.Parts[i]
		asked := question{Text: r.take(p.Question), Context: r.take(p.Context)}
		if len(q.Parts) > 1 {
			asked.Number = i + 1
		}
		if choices == nil {
			asked.Options, asked.More = optionsOf(m, r, p.Options, p.OptionsTotal, "")
		}
		all.Questions = append(all.Questions, asked)
	}
	for _, warning := range []string{q.Reason, q.Warning} {
		if warning != "" {
			all.Warnings = append(all.Warnings, r.take(warning))
		}
	}
	all.Details = r.take(q.Details)
	if q.Kind == tools.KindApproval {
		all.Call = callOf(m, r)
	}
	if choices != nil {
		all.choices(m, r, choices)
	}
	if r.cut {
		all.Cut = m.Text("channel.cut", nil)
	}
}

// choices adds the options of which one is the answer, with their links if the message is personal.
func (all *said) choices(m *channels.Message, r *room, choices []tools.Option) {
	link := ""
	if m.Personal {
		link = m.Link
	}
	all.Options, all.More = optionsOf(m, r, choices, m.C.Question.Parts[0].OptionsTotal, link)
	if slices.ContainsFunc(all.Options, func(o option) bool { return o.Link != "" }) {
		all.Choose = m.Text("channel.choose", nil)
	}
}

// optionsOf returns the first options, and how many there are besides. link is where one is chosen; "":
// they have no links.
func optionsOf(m *channels.Message, r *room, options []tools.Option, total int, link string) (shown []option, more string) {
	for _, o := range options[:min(len(options), maxOptions)] {
		one := option{Label: r.line(o.Label), Description: r.line(o.Description)}
		if link != "" {
			one.Link = choosing(link, o.Value)
		}
		shown = append(shown, one)
	}
	if left := max(len(options), total) - len(shown); left > 0 {
		more = m.Text("channel.more", map[string]any{"Count": left})
	}
	return shown, more
}

// callOf returns the call that waits.
func callOf(m *channels.Message, r *room) *call {
	c := &call{Label: m.Labelled(m.Text("card.tool", nil)), Tool: r.line(m.C.ToolName)}
	all := m.Arguments()
	for _, a := range all[:min(len(all), maxFields)] {
		if r.left <= 0 {
			break
		}
		title := r.line(a.Title)
		if a.Note != "" {
			title += " [" + a.Note + "]"
		}
		c.Arguments = append(c.Arguments, argument{m.Labelled(title), r.take(a.Text)})
	}
	r.cut = r.cut || len(c.Arguments) < len(all)
	if len(all) == 0 {
		c.None = m.Text("card.no_arguments", nil)
	}
	return c
}

// choosing returns the link that chooses an option, "" if its value is too long for one.
func choosing(link, value string) string {
	encoded := url.QueryEscape(value)
	if len(encoded) > maxValue {
		return ""
	}
	return link + "?value=" + encoded
}

// text returns the message as plain text. What was asked is quoted, so that none of it can pass for
// words of the gateway.
func (all *said) text() string {
	var b strings.Builder
	paragraph := func(lines ...string) {
		for _, line := range lines {
			if line != "" {
				b.WriteString(line + "\n")
			}
		}
		b.WriteString("\n")
	}
	if all.Reminder != "" {
		paragraph(all.Reminder)
	}
	paragraph(all.Headline)
	for _, q := range all.Questions {
		paragraph(q.lines()...)
	}
	for _, warning := range all.Warnings {
		paragraph(quoted(warning))
	}
	if all.Details != "" {
		paragraph(quoted(all.Details))
	}
	if all.Call != nil {
		paragraph(all.Call.lines()...)
	}
	if len(all.Options) > 0 {
		paragraph(optionLines(all.Options, all.More)...)
	}
	if all.Choose != "" {
		paragraph(all.Choose)
	}
	if all.Cut != "" {
		paragraph(all.Cut)
	}
	if all.Deadline != "" {
		paragraph(all.Deadline)
	}
	paragraph(all.Label+":", all.Link)
	b.WriteString("-- \n" + strings.Join(all.Notes, "\n") + "\n")
	return b.String()
}

func (q *question) lines() []string {
	return append([]string{quoted(q.numbered()), quoted(q.Context)}, optionLines(q.Options, q.More)...)
}

func optionLines(options []option, more string) (all []string) {
	for _, o := range options {
		all = append(all, quoted("- "+o.Label), quoted(o.Description), o.Link)
	}
	return append(all, more)
}

// numbered returns the question with its number.
func (q *question) numbered() string {
	if q.Number == 0 {
		return q.Text
	}
	return fmt.Sprintf("%d. %s", q.Number, q.Text)
}

func (c *call) lines() []string {
	all := []string{quoted(c.Label + " " + c.Tool), c.None}
	for _, a := range c.Arguments {
		all = append(all, quoted(a.Title+" "+a.Text))
	}
	return all
}

// quoted marks each line of a text as someone else's.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return "> " + strings.Join(lines(text), "\n> ")
}

// lines returns the lines of a text, however a reader breaks them.
func lines(text string) []string {
	return strings.Split(strings.Map(func(r rune) rune {
		if tools.LineBreak(r) {
			return '\n'
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n")), "\n")
}
