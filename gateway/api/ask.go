package api

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"regexp"
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

// ask checks and stores a question of the caller's in the app that was entered. It is the
// one way to do so, whatever the format it came in.
func ask(r *request, q *asking) (c chat.Clarification, again bool, err error) {
	if !r.caller.mayAsk(q.to) {
		return c, false, &fault{code: chat.CodeForbidden, detail: "may_not_ask"}
	}
	setup := r.setup()
	for _, name := range q.names {
		if !setup.Catalog.Understands(r.app.ID, name) {
			return c, false, invalid("unknown_field", tools.Shorten(name, maxNameShown))
		}
	}
	q.by.Name = cmp.Or(q.by.Name, r.caller.Subject)
	if err := checkNames(r, q); err != nil {
		return c, false, err
	}
	ref := chatOf(r, q)
	r.response().about.chatID = ref.ChatID
	ctx := turn.WithLog(r.ctx(), r.logger())
	language, err := languageOf(r, ref)
	if err != nil {
		return c, false, err
	}
	tool, out := r.host.Engine.Question(ctx, setup, r.app, tools.Call{Arguments: string(q.arguments), Language: language})
	if out.Question == nil {
		return c, false, refused(out.Error)
	}
	if out.Question.Details = q.details; q.details != "" && !out.Question.Decides() {
		return c, false, invalid("details_without_choice", "details")
	}
	c, again, err = r.host.Engine.Ask(ctx, turn.Asking{
		Setup: setup, Ref: ref, Role: q.to.role, Asker: r.caller.Principal, By: q.by, Tool: tool, Question: *out.Question,
		ExpiresAt: expiry(r, out.Question), Language: language, Actor: r.whoever(chat.ActorProgram), Key: q.key, Hash: q.hash, Join: q.join,
	})
	if err == nil && !again {
		r.host.metrics.commands.WithLabelValues(r.app.ID, r.frontName(), "ask").Inc()
	}
	return c, again, err
}

// chatOf is where what a program asks or says belongs.
func chatOf(r *request, q *asking) chat.Ref {
	ref := chat.Ref{
		Tenant: r.caller.Tenant, Subject: cmp.Or(q.to.subject, r.caller.Subject), App: r.app.ID,
		ChatID: cmp.Or(q.chatID, chat.AskChatID(r.caller.Subject, q.by.Name)),
	}
	if q.to.role != "" {
		ref.Subject = chat.RoleSubject(q.to.role)
	}
	return ref
}

// maxNameShown bounds, in code points, an unknown name in an error.
const maxNameShown = 64

// refused is why a question is not asked.
func refused(e *tools.Error) error {
	if e.Code == tools.CodeInvalidClarification {
		return e
	}
	return &chat.Error{Code: chat.CodeInternal, Err: e}
}

// expiry is when a question ends by its own words; zero: they do not say.
func expiry(r *request, q *tools.Question) time.Time {
	if q.ExpiresIn == 0 {
		return time.Time{}
	}
	return r.host.Store.Now().Add(q.ExpiresIn)
}

// languageOf is the language of what is asked: the one asked for, else the chat's, else English.
func languageOf(r *request, ref chat.Ref) (string, error) {
	if tag := r.wanted(); tag != "" {
		return tag, nil
	}
	head, _, err := r.host.Store.Conversation(r.ctx(), ref)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return defaultLanguage, nil
	case err != nil:
		return "", err
	}
	return cmp.Or(head.Language, defaultLanguage), nil
}

// roleID is what the name of a role may be, as in the configuration.
var roleID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$`)

// whom is who is asked: a subject of the asker's tenant, or the holders of a role; the zero
// whom is the asker.
type whom struct{ subject, role string }

// asking is what a program asks, as it came: whom and as whom, and the fields of the
// question, which only ask_user understands.
type asking struct {
	to        whom
	by        tools.Asker
	byPath    string // before the names of by's fields, where the caller has them
	chatID    string
	key       string
	locale    string
	details   string   // see tools.Question
	names     []string // of Arguments
	arguments []byte   // one JSON object
	hash      string
	join      string // see turn.Asking
}

func (a *asking) readTo(d *jsontext.Decoder) error {
	switch d.PeekKind() {
	case '"':
		if err := text(func(s string) { a.to.subject = s })(d); err != nil {
			return err
		}
		if !goodName(a.to.subject) {
			return invalid("asked", place(d))
		}
		return nil
	case '{':
		given := false
		err := object(d, map[string]field{"role": func(d *jsontext.Decoder) error {
			given = true
			if err := text(func(s string) { a.to.role = s })(d); err != nil {
				return err
			}
			if !roleID.MatchString(a.to.role) {
				return invalid("asked", place(d))
			}
			return nil
		}})
		if err == nil && !given {
			return &fault{code: chat.CodeInvalidRequest, detail: "missing_field", field: "to.role"}
		}
		return err
	}
	_, _ = d.ReadToken() // so that the place is that of the value
	return wrongType(d)
}

// checkNames refuses a program that people would take for the gateway, the assistant or the app
// that was entered.
func checkNames(r *request, q *asking) error {
	ours := []string{"AskGate"}
	for _, language := range r.host.Catalog.Languages() {
		ours = append(ours, r.host.Catalog.Text(language, "page.assistant", nil), r.app.Name.In(language))
	}
	for _, language := range r.app.Name.Languages() {
		ours = append(ours, r.app.Name.In(language))
	}
	for _, own := range [][2]string{{"name", q.by.Name}, {"title", q.by.Title}} {
		if slices.ContainsFunc(ours, func(s string) bool { return confusable.SameName(own[1], s) }) {
			return invalid("asker_poses", q.byPath+own[0])
		}
	}
	return nil
}

// sameBody is the hash of a JSON object without one of its fields, whatever the order and
// the white space.
func sameBody(data []byte, without string) string {
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

// mayAsk says whether the caller's programs may ask somebody.
func (c caller) mayAsk(to whom) bool {
	entry := to.subject
	switch {
	case to == whom{}, to.role == "" && to.subject == c.Subject, slices.Contains(c.asks, config.AskAnybody):
		return true
	case to.role != "":
		entry = config.AskRole + to.role
	case strings.HasPrefix(entry, config.AskRole): // a subject of that name, which no entry can name
		return false
	}
	return slices.Contains(c.asks, entry)
}
