package slack

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackutilsx"

	"github.com/askgate/askgate/gateway/channels"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// Slack's limits, in characters as JavaScript counts them. Sources, November 2026:
// https://docs.slack.dev/reference/block-kit/blocks/section-block,
// .../block-elements/button-element, .../block-elements/select-menu-element,
// .../block-elements/plain-text-input-element, .../composition-objects/option-object and
// https://docs.slack.dev/reference/views.
const (
	maxText    = 3000 // of a section
	maxLabel   = 75   // of a button or an option
	maxOptions = 100  // of a select
	maxInput   = 3000 // of a text field
	maxTitle   = 24   // of a modal and its buttons
	maxName    = 2000 // of the label of a field

	// maxButtons is how many options are shown as buttons. More become a select.
	maxButtons = 5
	// maxBlocks limits the JSON of all blocks of a message. Slack refuses about 13,200 with
	// msg_blocks_too_long (https://github.com/slackapi/bolt-js/issues/2509, 2025).
	maxBlocks = 12_000
	// maxShort is how long a text is that stands for one for which there is no room.
	maxShort = 375
	// maxSections is how many texts of a question a message shows. A message has up to 50 blocks
	// (https://docs.slack.dev/reference/block-kit/blocks), others of which stand around them.
	maxSections = 45
)

// written is a message as Slack takes it.
type written struct {
	notice string // what notifications show
	blocks []slack.Block
}

func (w written) options() []slack.MsgOption {
	return []slack.MsgOption{
		slack.MsgOptionText(w.notice, true), slack.MsgOptionBlocks(w.blocks...),
		slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl(),
	}
}

// escaped returns a text without anything that Slack reads as a mention or a link.
func escaped(text string) string { return slackutilsx.EscapeMessage(text) }

// length counts characters as Slack does.
func length(s string) int { return len(utf16.Encode([]rune(s))) }

// cut shortens a text to at most n characters.
func cut(s string, n int) string {
	if length(s) <= n {
		return s
	}
	for short := min(n, len([]rune(s))); ; short-- {
		if at := tools.Shorten(s, short); length(at) <= n {
			return at
		}
	}
}

// plain returns a text in which Slack reads no markup.
func plain(text string, most int) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.PlainTextType, cut(text, most), false, false)
}

func section(text string) slack.Block { return slack.NewSectionBlock(plain(text, maxText), nil, nil) }

// sections returns a section for each text, of at most so many characters.
func sections(texts []string, most int) (all []slack.Block) {
	for _, text := range texts {
		all = append(all, section(cut(text, most)))
	}
	return all
}

func link(m *channels.Message) *slack.ButtonBlockElement {
	b := slack.NewButtonBlockElement(actionLink, "", plain(m.Text("channel.open", nil), maxLabel))
	b.URL = m.Link
	return b
}

// message returns what a person is told of a question that waits, with times in a zone.
func message(m *channels.Message, zone *time.Location) written {
	who := m.Headline()
	if m.Reminder > 0 {
		who += " " + m.Text("channel.reminder", nil)
	}
	w := written{who, []slack.Block{section(who)}}
	if m.Texts && m.Reminder == 0 {
		w.blocks = append(w.blocks, asked(m)...)
	}
	if until := m.Deadline(zone); until != "" {
		w.blocks = append(w.blocks, section(until))
	}
	return written{who, append(w.blocks, slack.NewActionBlock("", link(m)))}
}

// asked returns the texts of a question, and its options if it can be answered by a press: what was cut
// cannot, since no one should decide about what they have not seen.
func asked(m *channels.Message) []slack.Block {
	texts, whole := texts(m)
	if len(texts) > maxSections {
		texts, whole = texts[:maxSections], false
	}
	blocks := sections(texts, maxText)
	if size(blocks) > maxBlocks { // the question alone, and short
		blocks, whole = []slack.Block{section(cut(texts[0], maxShort))}, false
	}
	if !whole {
		return append(blocks, section(m.Text("channel.cut", nil)))
	}
	if !pressable(m.C) {
		return blocks
	}
	choice := choices(m)
	if with := append(blocks, choice...); size(with) <= maxBlocks {
		return with
	}
	return blocks
}

func size(blocks []slack.Block) int {
	data, err := json.Marshal(blocks)
	if err != nil { // values of the library's types marshal
		panic(err)
	}
	return length(string(data))
}

// texts returns what is asked, one text a section, and whether all of it fits.
func texts(m *channels.Message) (all []string, whole bool) {
	whole = true
	add := func(text string) {
		if text != "" {
			all = append(all, text)
			whole = whole && length(text) <= maxText
		}
	}
	for i := range m.C.Question.Parts {
		p := &m.C.Question.Parts[i]
		add(p.Question)
		add(p.Context)
	}
	q := chat.NewAsked(m.C)
	add(q.Warning)
	add(q.Reason)
	if q.Kind == tools.KindApproval {
		var lines []string
		for _, a := range m.Arguments() {
			line := m.Labelled(a.Title) + " " + tools.Indented(a.Text)
			if a.Note != "" {
				line += " (" + a.Note + ")"
			}
			lines = append(lines, line)
		}
		add(strings.Join(lines, "\n"))
	}
	if pressable(m.C) && listed(m.C.Question.Parts[0].Options) {
		var lines []string
		for i, o := range m.C.Question.Parts[0].Options {
			line := numbered(i, o.Label)
			if o.Description != "" {
				line += ": " + o.Description
			}
			lines = append(lines, line)
		}
		add(strings.Join(lines, "\n"))
	}
	if len(all) == 0 {
		all = append(all, m.Text("channel.cut", nil))
	}
	return all, whole && m.C.Question.Details == ""
}

// pressable reports whether a question can be answered by a press: one choice, all of whose options are
// known, without anything that only the page can show.
func pressable(c *chat.Clarification) bool {
	if c.Question.Kind == tools.KindInput || len(c.Question.Parts) != 1 || c.Question.Details != "" {
		return false
	}
	p := &c.Question.Parts[0]
	if p.Secret != "" || p.Link != "" {
		return false
	}
	if p.InputType == tools.Confirm {
		return true
	}
	return p.InputType == tools.Select && len(p.Options) > 0 && len(p.Options) <= maxOptions && p.OptionsTotal <= len(p.Options)
}

// listed reports whether options are listed in a text, since their buttons cannot say all.
func listed(options []tools.Option) bool {
	for _, o := range options {
		if o.Description != "" || length(o.Label) > maxLabel {
			return true
		}
	}
	return false
}

func numbered(i int, label string) string { return strconv.Itoa(i+1) + ". " + label }

// options returns the options that can be pressed. Those of an approval say what they do.
func options(m *channels.Message) []tools.Option {
	if m.C.Question.Kind == tools.KindApproval {
		return []tools.Option{{Label: m.Text("card.allow", nil), Value: "yes"}, {Label: m.Text("card.refuse", nil), Value: "no"}}
	}
	return m.Choices()
}

// choices returns the buttons or the select of a question.
func choices(m *channels.Message) []slack.Block {
	all := options(m)
	inList := listed(m.C.Question.Parts[0].Options)
	label := func(i int) *slack.TextBlockObject {
		if inList {
			return plain(numbered(i, all[i].Label), maxLabel)
		}
		return plain(all[i].Label, maxLabel)
	}
	var elements []slack.BlockElement
	if len(all) > maxButtons {
		items := make([]*slack.OptionBlockObject, len(all))
		for i := range all {
			items[i] = slack.NewOptionBlockObject(valueOf(m.C.ID, i), label(i), nil)
		}
		elements = append(elements, slack.NewOptionsSelectBlockElement(slack.OptTypeStatic, plain(m.Text("channel.slack.choose", nil), maxLabel), actionSelect, items...))
	} else {
		for i := range all {
			elements = append(elements, slack.NewButtonBlockElement(actionOption+strconv.Itoa(i), valueOf(m.C.ID, i), label(i)))
		}
	}
	if m.C.Question.Parts[0].AllowOther {
		elements = append(elements, slack.NewButtonBlockElement(actionOther, m.C.ID, plain(m.Text("card.other", nil), maxLabel)))
	}
	return []slack.Block{slack.NewActionBlock("", elements...)}
}

// modal returns the form for an answer in a person's own words.
func modal(c *chat.Clarification, text func(string, map[string]any) string) slack.ModalViewRequest {
	p := &c.Question.Parts[0]
	input := slack.NewPlainTextInputBlockElement(nil, inputOther)
	input.Multiline, input.MaxLength = true, maxInput
	if most := c.Question.MaxAnswer; most > 0 {
		input.MaxLength = min(most, maxInput)
	}
	return slack.ModalViewRequest{
		Type: slack.VTModal, CallbackID: modalOther, PrivateMetadata: c.ID,
		Title:  plain(text("channel.slack.answer", nil), maxTitle),
		Submit: plain(text("channel.slack.send", nil), maxTitle),
		Close:  plain(text("channel.slack.cancel", nil), maxTitle),
		Blocks: slack.Blocks{BlockSet: []slack.Block{slack.NewInputBlock(blockOther, plain(p.Question, maxName), nil, input)}},
	}
}

// ended returns what replaces a message whose question has ended.
func ended(m *channels.Message) written {
	who := m.Text("channel.slack.asked", map[string]any{"Asker": m.Asker})
	texts := []string{who}
	if m.Texts && len(m.C.Question.Parts) == 1 && m.C.Question.Parts[0].Question != "" {
		texts = append(texts, m.C.Question.Parts[0].Question)
	}
	texts = append(texts, outcome(m))
	blocks := sections(texts, maxText)
	if size(blocks) > maxBlocks {
		blocks = sections(texts, maxShort)
	}
	return written{who, blocks}
}

// outcome says how a question ended, and with texts what was answered.
func outcome(m *channels.Message) string {
	c := m.C
	var text string
	by := ""
	if c.AnsweredBy != nil && c.For != "" {
		by = c.AnsweredBy.Subject
	}
	id := "channel.slack.closed"
	switch {
	case c.Approved():
		id = "channel.slack.allowed"
	case c.Refused():
		id = "channel.slack.denied"
	case c.State == tools.StateExpired:
		id = "channel.slack.expired"
	case c.State.Replied():
		id = "channel.slack.answered"
	}
	if by != "" && id != "channel.slack.closed" && id != "channel.slack.expired" {
		text = m.Text(id+"_by", map[string]any{"Name": by})
	} else {
		text = m.Text(id, nil)
	}
	if said := words(c); m.Texts && said != "" && c.Question.Kind == tools.KindQuestion {
		text += "\n" + said
	}
	return text
}

// words returns an answer to one question as people read it; "" for others.
func words(c *chat.Clarification) string {
	if c.Answer == nil || len(c.Question.Parts) != 1 {
		return ""
	}
	p := &c.Question.Parts[0]
	a := c.Question.AnswerTo(c.Answer, 0)
	if a == nil || p.Secret != "" {
		return ""
	}
	label := func(value string) string {
		for _, o := range append(a.Options, p.Options...) {
			if o.Value == value {
				return o.Label
			}
		}
		return value
	}
	var said []string
	for _, v := range a.Values {
		said = append(said, label(v))
	}
	if a.Value != nil && p.InputType != tools.File {
		var text string
		if json.Unmarshal(a.Value, &text) != nil {
			text = string(a.Value)
		}
		said = append(said, label(text))
	}
	if a.Other != "" {
		said = append(said, a.Other)
	}
	return strings.Join(said, ", ")
}
