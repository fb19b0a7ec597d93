package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Offer implements front.Programs.
func (c *frontCall) Offer() front.Offer {
	lang := c.r.readable()
	def, templates := c.r.setup().Catalog.AskUser(c.r.app.ID, lang)
	o := front.Offer{Definition: def, Others: len(c.r.caller.asks) > 0}
	for _, t := range templates {
		o.Templates = append(o.Templates, front.Template(t))
	}
	return o
}

// Whom implements front.Programs.
func (c *frontCall) Whom(to []byte) (front.To, error) {
	a := new(asking)
	d, err := openJSON(slices.Concat([]byte(`{"to":`), to, []byte(`}`)))
	if err == nil {
		err = object(d, map[string]field{"to": a.readTo})
	}
	return front.To{Subject: a.to.subject, Role: a.to.role}, err
}

// Ask implements front.Programs.
func (c *frontCall) Ask(q front.Asking) (chat.Clarification, error) {
	defer c.release()
	key, err := c.r.idempotencyKey("")
	if err != nil {
		return chat.Clarification{}, err
	}
	whole, err := json.Marshal(q)
	if err != nil {
		return chat.Clarification{}, err
	}
	asked, _, err := ask(c.r, &asking{
		to: whom{q.To.Subject, q.To.Role}, by: q.By, arguments: []byte(q.Arguments), key: key, hash: sameBody(whole, ""), join: c.joins(&q),
	})
	return asked, err
}

// joins names what is asked in a program's session, and how; "" where there is none.
func (c *frontCall) joins(q *front.Asking) string {
	if q.Session == "" {
		return ""
	}
	whole, _ := json.Marshal([]any{c.r.frontName(), c.r.caller.key, q.Session, q.To, q.By, sameBody([]byte(q.Arguments), "")}) // texts can be written
	sum := sha256.Sum256(whole)
	return hex.EncodeToString(sum[:])
}

// Asked implements front.Programs.
func (c *frontCall) Asked(id string, wait time.Duration) (chat.Clarification, error) {
	c.release()
	found, err := c.asked(id)
	if err != nil {
		return found, err
	}
	now, err := await(c.r, found, wait)
	if f, ok := errors.AsType[*fault](err); ok && f.limited != nil {
		return found, nil // too many wait: it is stored, and another call may
	}
	return now, err
}

// asked finds a question of the caller's asking in the app that was entered.
func (c *frontCall) asked(id string) (chat.Clarification, error) {
	app := c.r.app
	found, err := concerning(c.r, id)
	if err == nil && (found.App != app.ID || !asked(c.r, &found)) {
		c.r.app, found, err = app, chat.Clarification{}, store.ErrNotFound
	}
	return found, err
}

// Reply implements front.Programs.
func (c *frontCall) Reply(answer turn.Answer) (chat.Clarification, error) {
	of, err := c.asked(answer.ClarificationID)
	if err == nil && (!of.MayAnswer(c.r.caller.Principal) || c.r.caller.nobody) {
		err = &fault{code: chat.CodeForbidden, detail: "not_asked"}
	}
	if err != nil {
		return chat.Clarification{}, err
	}
	return answered(c.r, of.ID, answer, chat.ChannelForm)
}

// Say implements front.Programs.
func (c *frontCall) Say(to front.To, by tools.Asker, text string) error {
	c.release()
	q := &asking{to: whom{to.Subject, to.Role}, by: by}
	if !c.r.caller.mayAsk(q.to) {
		return &fault{code: chat.CodeForbidden, detail: "may_not_ask"}
	}
	if err := checkMessage(&text, "message"); err != nil {
		return err
	}
	if err := checkNames(c.r, q); err != nil {
		return err
	}
	_, err := c.r.host.Engine.Tell(turn.WithLog(c.r.ctx(), c.r.logger()), c.r.setup(), chatOf(c.r, q), c.r.caller.Subject, by, text)
	return err
}

// Result implements front.Programs.
func (c *frontCall) Result(of *chat.Clarification) (string, error) {
	asker := c.r.setup().Catalog.Resumer(of.App, of.ToolName, of.Question.Kind)
	if asker == nil {
		return "", notFound("app")
	}
	out, err := asker.Resume(c.r.ctx(), tools.Call{}, of.Question, tools.Closing{State: of.State, Answer: of.Answer})
	return out.Result, err
}

// Problem implements front.Programs.
func (c *frontCall) Problem(err error) front.Problem {
	p, _, _ := c.r.explained(err)
	return front.Problem(p.told())
}

// Sealed implements front.Programs: only the caller can have it opened.
func (c *frontCall) Sealed(data []byte) (string, error) {
	box, err := c.r.host.keeper.of(c.r.conf().Auth.Session.Secret)
	if err != nil {
		return "", err
	}
	return box.Seal(append([]byte(c.r.frontName()+"\x00"+c.r.principal()+"\x00"), data...)), nil
}

// Unsealed implements front.Programs.
func (c *frontCall) Unsealed(text string) (data []byte, ok bool) {
	box, err := c.r.host.keeper.of(c.r.conf().Auth.Session.Secret)
	if err != nil {
		return nil, false
	}
	sealed, ok := box.Open(text)
	rest, own := strings.CutPrefix(string(sealed), c.r.frontName()+"\x00"+c.r.principal()+"\x00")
	return []byte(rest), ok && own
}

// Library implements front.Programs.
func (c *frontCall) Library(h http.Handler) {
	c.r.host.metrics.streams.WithLabelValues(c.r.app.ID).Inc()
	defer c.r.host.metrics.streams.WithLabelValues(c.r.app.ID).Dec()
	l := &library{r: c.r, w: c.r.response()}
	defer l.close()
	h.ServeHTTP(l, c.r.http())
}
