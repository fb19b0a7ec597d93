package host

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/confusable"
)

// Ask checks and stores a question of the caller's in the entered app. It is the only way to do
// so, for all formats.
func Ask(r *Request, q *Asking) (c chat.Clarification, again bool, err error) {
	if !r.Caller.MayAsk(q.To) {
		return c, false, &Fault{Code: chat.CodeForbidden, Detail: "may_not_ask"}
	}
	if err := checkEscalation(r, q); err != nil {
		return c, false, err
	}
	setup := r.Setup()
	for _, name := range q.Names {
		if !setup.Catalog.Understands(r.App.ID, name) {
			return c, false, Invalid("unknown_field", tools.Shorten(name, maxNameShown))
		}
	}
	q.By.Name = cmp.Or(q.By.Name, r.Caller.Subject)
	if err := CheckNames(r, q); err != nil {
		return c, false, err
	}
	ref := ChatOf(r, q)
	r.Response().About.ChatID = ref.ChatID
	ctx := turn.WithLog(r.Context(), r.Logger())
	language, err := languageOf(r, ref)
	if err != nil {
		return c, false, err
	}
	tool, out := r.Host.Engine.Question(ctx, r.SetupFor(ref), r.App, tools.Call{Arguments: string(q.Arguments), Language: language})
	if out.Question == nil {
		return c, false, refused(out.Error)
	}
	if out.Question.Details = q.Details; q.Details != "" && !out.Question.Decides() {
		return c, false, Invalid("details_without_choice", "details")
	}
	out.Question.Escalate = q.Escalate
	c, again, err = r.Host.Engine.Ask(ctx, turn.Asking{
		Setup: setup, Ref: ref, Role: q.To.Role, Asker: r.Caller.Principal, By: q.By, Tool: tool, Question: *out.Question,
		ExpiresAt: expiry(r, out.Question), WithdrawAfter: q.Withdraw, Language: language, Actor: Actor(r, chat.ActorProgram), Key: q.Key, Hash: q.Hash, Join: q.Join, Claims: r.Claims(),
	})
	if err == nil && !again {
		r.Host.Metrics.commands.WithLabelValues(r.App.ID, r.FormatName(), "ask").Inc()
	}
	return c, again, err
}

// ChatOf returns the chat for what a program asks or says.
func ChatOf(r *Request, q *Asking) chat.Ref {
	ref := chat.Ref{
		Tenant: r.Caller.Tenant, Subject: cmp.Or(q.To.Subject, r.Caller.Subject), App: r.App.ID,
		ChatID: cmp.Or(q.ChatID, chat.AskChatID(r.Caller.Subject, q.By.Name)),
	}
	if q.To.Role != "" {
		ref.Subject = chat.RoleSubject(q.To.Role)
	}
	return ref
}

// maxNameShown bounds, in code points, an unknown name in an error.
const maxNameShown = 64

// refused returns the reason why a question is not asked.
func refused(e *tools.Error) error {
	if e.Code == tools.CodeInvalidClarification {
		return e
	}
	return &chat.Error{Code: chat.CodeInternal, Err: e}
}

// expiry returns when a question ends according to its own fields; zero if they do not say.
func expiry(r *Request, q *tools.Question) time.Time {
	if q.ExpiresIn == 0 {
		return time.Time{}
	}
	return r.Host.Store.Now().Add(q.ExpiresIn)
}

// languageOf returns the language of a question: the one asked for, or else the chat's, or else
// English.
func languageOf(r *Request, ref chat.Ref) (string, error) {
	if tag := r.wanted(); tag != "" {
		return tag, nil
	}
	head, _, err := r.Host.Store.Conversation(r.Context(), ref)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return defaultLanguage, nil
	case err != nil:
		return "", err
	}
	return cmp.Or(head.Language, defaultLanguage), nil
}

// Whom says who is asked: a subject of the asker's tenant, or the holders of a role; the zero
// Whom means the asker.
type Whom struct{ Subject, Role string }

// Asking is a program's question as received: whom it asks and as whom, and the fields of the
// question, which only ask_user interprets.
type Asking struct {
	To        Whom
	By        tools.Asker
	ByPath    string // precedes the names of by's fields, as the caller writes them
	ChatID    string
	Key       string
	Locale    string
	Details   string             // see tools.Question
	Withdraw  time.Duration      // see turn.Asking.WithdrawAfter
	Escalate  []tools.Escalation // see tools.Question
	Names     []string           // of Arguments
	Arguments []byte             // one JSON object
	Hash      string
	Join      string // see turn.Asking
}

// ReadTo reads who is asked: a subject, or {"role": ...}.
func (a *Asking) ReadTo(d *jsontext.Decoder) error {
	switch d.PeekKind() {
	case '"':
		if err := String(func(s string) { a.To.Subject = s })(d); err != nil {
			return err
		}
		if !goodName(a.To.Subject) {
			return Invalid("asked", Place(d))
		}
		return nil
	case '{':
		given := false
		err := Object(d, map[string]Field{"role": func(d *jsontext.Decoder) error {
			given = true
			if err := String(func(s string) { a.To.Role = s })(d); err != nil {
				return err
			}
			if !config.IsRole(a.To.Role) {
				return Invalid("asked", Place(d))
			}
			return nil
		}})
		if err == nil && !given {
			return &Fault{Code: chat.CodeInvalidRequest, Detail: "missing_field", Field: "to.role"}
		}
		return err
	}
	_, _ = d.ReadToken() // so that the place is that of the value
	return wrongType(d, "asked")
}

// These bound how long no one may wait for a question before it is withdrawn.
const (
	minWithdraw = 10 * time.Second
	maxWithdraw = 30 * 24 * time.Hour
)

// ReadWithdraw reads how long no one may wait for the question before it is withdrawn.
func (a *Asking) ReadWithdraw(d *jsontext.Decoder) (err error) {
	var text string
	if err := String(func(s string) { text = s })(d); err != nil {
		return err
	}
	a.Withdraw, err = tools.ParseDuration(text)
	if err != nil || a.Withdraw < minWithdraw || a.Withdraw > maxWithdraw {
		return Invalid("withdraw_when_gone", Place(d))
	}
	a.Withdraw = a.Withdraw.Truncate(time.Millisecond)
	return nil
}

// CheckNames refuses the name of a program that people would mistake for the gateway, the
// assistant or the entered app.
func CheckNames(r *Request, q *Asking) error {
	ours := []string{"AskGate"}
	for _, language := range r.Host.Catalog.Languages() {
		ours = append(ours, r.Host.Catalog.Text(language, "page.assistant", nil), r.App.Name.In(language))
	}
	for _, language := range r.App.Name.Languages() {
		ours = append(ours, r.App.Name.In(language))
	}
	for _, own := range [][2]string{{"name", q.By.Name}, {"title", q.By.Title}} {
		if slices.ContainsFunc(ours, func(s string) bool { return confusable.SameName(own[1], s) }) {
			return Invalid("asker_poses", q.ByPath+own[0])
		}
	}
	return nil
}

// SameBody returns the hash of a JSON object without one of its fields, regardless of order and
// white space.
func SameBody(data []byte, without string) string {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v map[string]any
	_ = d.Decode(&v) // it was read before
	delete(v, without)
	same, err := json.Marshal(v)
	if err != nil { // what was read can be written
		panic(err)
	}
	sum := sha256.Sum256(same)
	return hex.EncodeToString(sum[:])
}

// MayAsk reports whether the caller's programs may ask a person.
func (c Caller) MayAsk(to Whom) bool {
	entry := to.Subject
	switch {
	case to == Whom{}, to.Role == "" && to.Subject == c.Subject, slices.Contains(c.Asks, config.AskAnybody):
		return true
	case to.Role != "":
		entry = config.AskRole + to.Role
	case strings.HasPrefix(entry, config.AskRole): // a subject of that name, which no entry can express
		return false
	}
	return slices.Contains(c.Asks, entry)
}
