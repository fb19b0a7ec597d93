package notify

import (
	"cmp"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// payload is the body in the standard format.
type payload struct {
	Type      string    `json:"type"`
	Timestamp chat.Time `json:"timestamp"` // when it happened
	Data      any       `json:"data"`
}

// question is the data of events about a clarification.
type question struct {
	ClarificationID string `json:"clarificationId"`
	App             string `json:"app"`
	ChatID          string `json:"chatId"`
	TurnID          string `json:"turnId,omitempty"`
	Tenant          string `json:"tenant"`
	To              any    `json:"to"` // a subject, or {"role": R}
	// AlsoAsks are the roles that are asked in addition to To when it happened; omitted if there are none.
	AlsoAsks   []chat.AlsoAsked `json:"alsoAsks,omitempty"`
	State      tools.State      `json:"state"`
	AskedBy    *tools.Asker     `json:"askedBy"`
	ExpiresAt  *chat.Time       `json:"expiresAt"` // null: never
	AnswerLink string           `json:"answerLink,omitempty"`
	Questions  []tools.Part     `json:"questions,omitempty"`
	Answer     *tools.Answer    `json:"answer,omitempty"`
}

// ended is the data of turn.ended.
type ended struct {
	App          string            `json:"app"`
	ChatID       string            `json:"chatId"`
	TurnID       string            `json:"turnId"`
	Tenant       string            `json:"tenant"`
	To           string            `json:"to"`
	State        chat.TurnState    `json:"state"`
	FinishReason chat.FinishReason `json:"finishReason"`
}

// letter is a message to be sent, from which the formats are made.
type letter struct {
	hook config.Webhook
	d    store.Delivery
	c    *chat.Clarification // nil for turn.ended and document.changed
	snap *config.Snapshot
	base string // the gateway's address
	text func(language, id string, params map[string]any) string
}

// body returns what is sent, and sets its headers.
func (l *letter) body(h http.Header) []byte {
	switch l.hook.Format {
	case config.FormatSlack:
		return l.slack(h)
	case config.FormatNtfy:
		return l.ntfy(h)
	}
	h.Set("Content-Type", "application/json")
	p := payload{Type: l.d.Event, Timestamp: chat.Time(l.d.At)}
	if l.d.Tool != "" {
		p.Data = json.RawMessage(l.d.Told)
		return encode(p)
	}
	if l.c == nil {
		p.Data = ended{App: l.d.App, ChatID: l.d.ChatID, TurnID: l.d.TurnID, Tenant: l.d.Tenant, To: l.d.Subject,
			State: chat.TurnEnded, FinishReason: l.d.FinishReason}
		return encode(p)
	}
	k := chat.NewKept(l.c)
	data := question{
		ClarificationID: l.c.ID, App: l.c.App, ChatID: l.c.ChatID, TurnID: l.c.TurnID, Tenant: l.c.Tenant, To: l.c.Subject,
		State: l.state(), AskedBy: k.AskedBy, ExpiresAt: k.ExpiresAt,
	}
	if l.c.For != "" {
		data.To, data.AlsoAsks = map[string]string{"role": l.c.For}, l.alsoAsks()
	}
	if l.hook.AnswerLink && l.open() {
		data.AnswerLink = l.link() // for a role: the inbox
	}
	if l.hook.Texts {
		data.Questions = l.c.Question.Parts
		if !l.open() {
			data.Answer = l.c.Answer
		}
	}
	p.Data = data
	return encode(p)
}

// open reports whether the message is about a question that waits. It also does after the question
// is closed, so that each attempt sends the same.
func (l *letter) open() bool { return l.c != nil && l.d.Event != config.WebhookResolved }

func (l *letter) state() tools.State {
	if l.open() {
		return tools.StatePending
	}
	return l.c.State
}

// reckoned is how much later a step of an escalation may seem to have happened than its delivery was stored:
// the database dates deliveries, and nodes only reckon its time. Steps come at least a second after the question.
const reckoned = tools.MinEscalation / 2

// alsoAsks returns the roles that were asked, too, when it happened, so that each attempt sends the same.
func (l *letter) alsoAsks() []chat.AlsoAsked {
	return slices.DeleteFunc(l.c.AlsoAsks(), func(a chat.AlsoAsked) bool { return time.Time(a.At).After(l.d.At.Add(reckoned)) })
}

// link returns the address at which the question can be answered, or the chat read.
func (l *letter) link() string {
	switch {
	case l.c != nil && l.c.For != "":
		return l.base + "/?inbox"
	case l.d.Tool != "":
		return l.base + "/#" + url.PathEscape(l.changes().Apps[0])
	case l.open() && l.hook.AnswerLink:
		return l.base + LinkPath + SealLink(&l.snap.Gateway.Auth.Session, l.c)
	}
	return l.base + "/#" + url.PathEscape(l.d.App) + "/" + url.PathEscape(l.d.ChatID)
}

// app returns the name by which people know the app.
func (l *letter) app() string {
	if app, ok := l.snap.App(l.d.App); ok {
		return cmp.Or(app.Name.In(l.d.Language), app.ID)
	}
	return l.d.App
}

// asker returns who asks: a program or a server with its title, and the app.
func (l *letter) asker() string {
	if l.c == nil || l.c.Question.AskedBy == nil {
		return l.app()
	}
	by := l.c.Question.AskedBy
	title := cmp.Or(by.Title, by.Name)
	if by.Kind != tools.AskerProgram && by.Kind != tools.AskerServer || title == l.app() {
		return l.app()
	}
	return tools.Shorten(strings.Join(strings.Fields(title), " "), maxTitle) + " (" + l.app() + ")"
}

// maxTitle bounds the title of an asker, in code points.
const maxTitle = 200

// sentence says what happened, without a word of what was asked.
func (l *letter) sentence() string {
	if l.d.Tool != "" {
		return l.text(l.d.Language, "webhook.changed", map[string]any{"Tool": l.d.Tool, "Total": l.changes().Total})
	}
	id := map[string]string{
		config.WebhookAsked: "webhook.asked", config.WebhookResolved: "webhook.resolved",
		config.WebhookUndelivered: "webhook.undelivered", config.WebhookTurnEnded: "webhook.ended",
	}[l.d.Event]
	return l.text(l.d.Language, id, map[string]any{"App": l.asker()})
}

// maxTold bounds the texts of a message, in bytes: ntfy takes 4,096 bytes in a message, and makes a
// file of a longer one.
const maxTold = 3000

// told returns what was asked, and the words of the answer, if texts may be sent; or which files changed.
func (l *letter) told() string {
	if l.d.Tool != "" {
		return shortened(strings.Join(l.changes().lines(), "\n"))
	}
	if !l.hook.Texts || l.c == nil {
		return ""
	}
	var lines []string
	applies := l.c.Question.Applies(l.given())
	for i := range l.c.Question.Parts {
		if l.open() || applies[i] {
			lines = append(lines, l.c.Question.Parts[i].Question)
		}
	}
	if call := l.call(); call != "" {
		lines = append(lines, call)
	}
	if !l.open() && l.c.Answer != nil {
		lines = append(lines, answered(l.c.Answer)...)
	}
	return shortened(strings.Join(lines, "\n"))
}

// shortened returns a text of at most about maxTold bytes.
func shortened(text string) string {
	if len(text) <= maxTold {
		return text
	}
	cut := maxTold
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + " …"
}

// call returns the call that waits for approval in one line: its tool and its arguments.
func (l *letter) call() string {
	if l.c.Question.Kind != tools.KindApproval {
		return ""
	}
	asked := chat.NewAsked(l.c)
	fields := make([]string, len(asked.ArgumentFields))
	for i, f := range asked.ArgumentFields {
		fields[i] = f.Title + ": " + f.Text
	}
	return l.c.ToolName + " (" + strings.Join(fields, ", ") + ")"
}

// given returns the answers to the questions of a form.
func (l *letter) given() []tools.Answer {
	if l.c.Answer == nil {
		return nil
	}
	return l.c.Answer.Answers
}

// answered returns the words of an answer.
func answered(a *tools.Answer) (lines []string) {
	add := func(text string) {
		if text != "" {
			lines = append(lines, "→ "+text)
		}
	}
	if a.Value != nil {
		var text string
		if json.Unmarshal(a.Value, &text) != nil {
			text = string(a.Value)
		}
		add(text)
	}
	add(strings.Join(a.Values, ", "))
	add(a.Other)
	add(a.Note)
	for i := range a.Answers {
		lines = append(lines, answered(&a.Answers[i])...)
	}
	return lines
}

// slack returns a message for an incoming webhook of Slack. Apart from the link, its text is free of
// markup.
func (l *letter) slack(h http.Header) []byte {
	h.Set("Content-Type", "application/json")
	plain := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
	text := plain(l.sentence())
	if told := l.told(); told != "" {
		text += "\n>" + strings.ReplaceAll(plain(told), "\n", "\n>")
	}
	text += "\n<" + l.link() + "|" + plain(l.text(l.d.Language, "webhook.open", nil)) + ">"
	return encode(map[string]string{"text": text})
}

// ntfy returns a message to a topic of ntfy.
func (l *letter) ntfy(h http.Header) []byte {
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Title", mime.QEncoding.Encode("utf-8", cmp.Or(l.d.Tool, l.app())))
	h.Set("Click", l.link())
	text := l.sentence()
	if told := l.told(); told != "" {
		text += "\n" + told
	}
	return []byte(text)
}

// encode does not escape <, > and &, just as questions are stored and shown.
func encode(v any) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // never happens: values of our own types marshal
		panic(err)
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}
