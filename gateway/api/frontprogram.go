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
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Offer implements front.Programs.
func (c *frontCall) Offer() front.Offer {
	lang := c.r.Language()
	def, templates := c.r.Setup().Catalog.AskUser(c.r.App.ID, lang)
	o := front.Offer{Definition: def, Others: len(c.r.Caller.Asks) > 0}
	for _, t := range templates {
		o.Templates = append(o.Templates, front.Template(t))
	}
	return o
}

// Whom implements front.Programs.
func (c *frontCall) Whom(to []byte) (front.To, error) {
	a := new(host.Asking)
	d, err := host.OpenJSON(slices.Concat([]byte(`{"to":`), to, []byte(`}`)))
	if err == nil {
		err = host.Object(d, map[string]host.Field{"to": a.ReadTo})
	}
	return front.To{Subject: a.To.Subject, Role: a.To.Role}, err
}

// Ask implements front.Programs.
func (c *frontCall) Ask(q front.Asking) (chat.Clarification, error) {
	defer c.release()
	key, err := c.r.IdempotencyKey("")
	if err != nil {
		return chat.Clarification{}, err
	}
	whole, err := json.Marshal(q)
	if err != nil {
		return chat.Clarification{}, err
	}
	asked, _, err := host.Ask(c.r, &host.Asking{
		To: host.Whom{Subject: q.To.Subject, Role: q.To.Role}, By: q.By, Arguments: []byte(q.Arguments), Key: key, Hash: host.SameBody(whole, ""), Join: c.joins(&q),
	})
	return asked, err
}

// joins names what is asked in a program's session, and how; "" where there is none.
func (c *frontCall) joins(q *front.Asking) string {
	if q.Session == "" {
		return ""
	}
	whole, _ := json.Marshal([]any{c.r.FormatName(), c.r.Caller.Key, q.Session, q.To, q.By, host.SameBody([]byte(q.Arguments), "")}) // texts can be written
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
	now, err := host.Await(c.r, found, wait)
	if f, ok := errors.AsType[*host.Fault](err); ok && f.Limited != nil {
		return found, nil // too many wait: it is stored, and another call may
	}
	return now, err
}

// asked finds a question of the caller's asking in the app that was entered.
func (c *frontCall) asked(id string) (chat.Clarification, error) {
	app := c.r.App
	found, err := host.Concerning(c.r, id)
	if err == nil && (found.App != app.ID || !host.Asked(c.r, &found)) {
		c.r.App, found, err = app, chat.Clarification{}, store.ErrNotFound
	}
	return found, err
}

// Reply implements front.Programs.
func (c *frontCall) Reply(answer turn.Answer) (chat.Clarification, error) {
	of, err := c.asked(answer.ClarificationID)
	if err == nil && (!of.MayAnswer(c.r.Caller.Principal) || c.r.Caller.Nobody) {
		err = &host.Fault{Code: chat.CodeForbidden, Detail: "not_asked"}
	}
	if err != nil {
		return chat.Clarification{}, err
	}
	return host.Answered(c.r, of.ID, answer, chat.ChannelForm)
}

// Say implements front.Programs.
func (c *frontCall) Say(to front.To, by tools.Asker, text string) error {
	c.release()
	q := &host.Asking{To: host.Whom{Subject: to.Subject, Role: to.Role}, By: by}
	if !c.r.Caller.MayAsk(q.To) {
		return &host.Fault{Code: chat.CodeForbidden, Detail: "may_not_ask"}
	}
	if err := host.CheckMessage(&text, "message"); err != nil {
		return err
	}
	if err := host.CheckNames(c.r, q); err != nil {
		return err
	}
	_, err := c.r.Host.Engine.Tell(turn.WithLog(c.r.Context(), c.r.Logger()), c.r.Setup(), host.ChatOf(c.r, q), c.r.Caller.Subject, by, text)
	return err
}

// Result implements front.Programs.
func (c *frontCall) Result(of *chat.Clarification) (string, error) {
	asker := c.r.Setup().Catalog.Resumer(of.App, of.ToolName, of.Question.Kind)
	if asker == nil {
		return "", host.NotFound("app")
	}
	out, err := asker.Resume(c.r.Context(), tools.Call{}, of.Question, tools.Closing{State: of.State, Answer: of.Answer})
	return out.Result, err
}

// Problem implements front.Programs.
func (c *frontCall) Problem(err error) front.Problem {
	p, _, _ := c.r.Explained(err)
	return front.Problem(p.Told())
}

// Sealed implements front.Programs: only the caller can have it opened.
func (c *frontCall) Sealed(data []byte) (string, error) {
	box, err := c.r.Host.Keeper.Of(c.r.Conf().Auth.Session.Secret)
	if err != nil {
		return "", err
	}
	return box.Seal(append([]byte(c.r.FormatName()+"\x00"+c.r.Principal()+"\x00"), data...)), nil
}

// Unsealed implements front.Programs.
func (c *frontCall) Unsealed(text string) (data []byte, ok bool) {
	box, err := c.r.Host.Keeper.Of(c.r.Conf().Auth.Session.Secret)
	if err != nil {
		return nil, false
	}
	sealed, ok := box.Open(text)
	rest, own := strings.CutPrefix(string(sealed), c.r.FormatName()+"\x00"+c.r.Principal()+"\x00")
	return []byte(rest), ok && own
}

// Library implements front.Programs.
func (c *frontCall) Library(h http.Handler) {
	c.r.Host.Metrics.Streams.WithLabelValues(c.r.App.ID).Inc()
	defer c.r.Host.Metrics.Streams.WithLabelValues(c.r.App.ID).Dec()
	l := &host.Library{R: c.r, W: c.r.Response()}
	defer l.Close()
	h.ServeHTTP(l, c.r.HTTP())
}
