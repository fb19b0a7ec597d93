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
func askPeople(r *request) error {
	if err := r.inApp(); err != nil {
		return err
	}
	if err := r.admit(); err != nil {
		return err
	}
	data, read, err := r.bodyOf()
	defer read()
	if err != nil {
		return err
	}
	q, err := decodeAsking(data)
	r.locale = r.localeFor(q.locale)
	if err != nil {
		return err
	}
	if q.key, err = r.idempotencyKey(q.key); err != nil {
		return err
	}
	c, again, err := ask(r, q)
	if err != nil {
		return err
	}
	r.response().Header().Set("Location", below(r.c.Request)+"/v1/clarifications/"+url.PathEscape(c.ID))
	status := http.StatusCreated
	if again {
		status = http.StatusOK
	}
	_ = r.write(status, typeJSON, kept(r, &c))
	return nil
}

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

// whoever is the caller as the audit names them, without what only the audit needs where
// there is none.
func (r *request) whoever(kind chat.ActorKind) chat.Actor {
	if by := r.actor(kind); by != (chat.Actor{}) {
		return by
	}
	return chat.Actor{Kind: kind, Tenant: r.caller.Tenant, Subject: r.caller.Subject}
}
