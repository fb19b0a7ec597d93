package api

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// askPeople takes a program's question to somebody of its tenant.
func (a *API) askPeople(r *request) error {
	if err := a.inApp(r); err != nil {
		return err
	}
	if err := a.admit(r); err != nil {
		return err
	}
	data, read, err := a.bodyOf(r)
	defer read()
	if err != nil {
		return err
	}
	q, err := decodeAsking(data)
	r.locale = a.localeFor(r.app, q.locale)
	if err != nil {
		return err
	}
	if q.key, err = r.idempotencyKey(q.key); err != nil {
		return err
	}
	c, again, err := a.ask(r, q)
	if err != nil {
		return err
	}
	r.response().Header().Set("Location", below(r.c.Request)+"/v1/clarifications/"+url.PathEscape(c.ID))
	status := http.StatusCreated
	if again {
		status = http.StatusOK
	}
	_ = r.write(status, typeJSON, r.kept(&c))
	return nil
}

// ask checks and stores a question of the caller's in the app that was entered. It is the
// one way to do so, whatever the format it came in.
func (a *API) ask(r *request, q *asking) (c chat.Clarification, again bool, err error) {
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
	if err := a.checkNames(r, q); err != nil {
		return c, false, err
	}
	ref := r.chatOf(q)
	r.response().about.chatID = ref.ChatID
	ctx := turn.WithLog(r.ctx(), a.logger(r))
	language, err := a.languageOf(r, ref)
	if err != nil {
		return c, false, err
	}
	tool, out := a.Engine.Question(ctx, setup, r.app, tools.Call{Arguments: string(q.arguments), Language: language})
	if out.Question == nil {
		return c, false, refused(out.Error)
	}
	if out.Question.Details = q.details; q.details != "" && !out.Question.Decides() {
		return c, false, invalid("details_without_choice", "details")
	}
	c, again, err = a.Engine.Ask(ctx, turn.Asking{
		Setup: setup, Ref: ref, Role: q.to.role, Asker: r.caller.Principal, By: q.by, Tool: tool, Question: *out.Question,
		ExpiresAt: a.expiry(out.Question), Language: language, Actor: a.whoever(r, chat.ActorProgram), Key: q.key, Hash: q.hash, Join: q.join,
	})
	if err == nil && !again {
		a.metrics.commands.WithLabelValues(r.app.ID, r.frontName(), "ask").Inc()
	}
	return c, again, err
}

// chatOf is where what a program asks or says belongs.
func (r *request) chatOf(q *asking) chat.Ref {
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
func (a *API) expiry(q *tools.Question) time.Time {
	if q.ExpiresIn == 0 {
		return time.Time{}
	}
	return a.Store.Now().Add(q.ExpiresIn)
}

// languageOf is the language of what is asked: the one asked for, else the chat's, else English.
func (a *API) languageOf(r *request, ref chat.Ref) (string, error) {
	if tag := r.wanted(); tag != "" {
		return tag, nil
	}
	head, _, err := a.Store.Conversation(r.ctx(), ref)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return defaultLanguage, nil
	case err != nil:
		return "", err
	}
	return cmp.Or(head.Language, defaultLanguage), nil
}

// whoever is the caller as the audit names them, without what only the audit needs where
// there is none.
func (a *API) whoever(r *request, kind chat.ActorKind) chat.Actor {
	if by := a.actor(r, kind); by != (chat.Actor{}) {
		return by
	}
	return chat.Actor{Kind: kind, Tenant: r.caller.Tenant, Subject: r.caller.Subject}
}
