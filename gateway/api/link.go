package api

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/notify"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// linked is what the page behind an answer link shows: the question, and why it cannot be
// answered by it.
type linked struct {
	Clarification *chat.Kept `json:"clarification"`
	AppName       string     `json:"appName,omitempty"`
	Problem       *problem   `json:"problem"`
}

// byLink finds the question that a link leads to, whose person the caller then is. An error
// beside a question says why it is no longer answered by it.
func (a *API) byLink(r *request) (*chat.Clarification, error) {
	link, ok := notify.OpenLink(&r.conf().Auth.Session, r.c.Param("link"))
	if !ok {
		return nil, notFound("link")
	}
	c, err := a.Store.Clarification(r.ctx(), link.ClarificationID)
	if err != nil {
		return nil, err
	}
	app, enabled := r.setup().Config.App(c.App)
	if !link.Of(&c) || !enabled {
		return nil, notFound("link")
	}
	r.caller.Principal = chat.Principal{Tenant: link.Tenant, Subject: link.Subject}
	r.app, r.ref, r.chatKnown = app, c.Ref, true
	r.response().about.app = app.ID
	switch {
	case c.State == tools.StateAnswered || c.State == tools.StateSkipped || c.State == tools.StateDeclined:
		return &c, &chat.Error{Code: chat.CodeAlreadyAnswered, Clarification: &c}
	case c.State != tools.StatePending:
		return &c, &chat.Error{Code: chat.CodeClarificationClosed, Clarification: &c}
	case link.Expired(time.Now()):
		return &c, &fault{code: chat.CodeClarificationClosed, detail: "link_expired"}
	}
	return &c, nil
}

// showLinked shows the question behind a link, with what became of it. It changes nothing,
// and is no sign that anybody has seen it: scanners follow links, too.
func (a *API) showLinked(r *request) error {
	c, err := a.byLink(r)
	status, shown := http.StatusOK, linked{}
	if c != nil {
		k := chat.NewKept(c)
		k.Draft = nil
		shown.Clarification, shown.AppName = &k, r.app.Name.In(r.readable(a))
	}
	if err != nil {
		p, _ := a.problem(err, r.readable(a))
		if p.Status >= http.StatusInternalServerError {
			return err
		}
		status, shown.Problem = p.Status, &p
	}
	data, err := json.Marshal(shown) // <, > and & are escaped: it becomes a part of the page
	if err != nil {
		return err
	}
	h := r.response().Header()
	h.Set("X-Robots-Tag", "noindex, nofollow")
	contentType, body := a.Answer(h, data)
	send(r.response(), status, contentType, body)
	return nil
}

// answerLinked takes the answer of the person whom a link was made for.
func (a *API) answerLinked(r *request) error {
	c, err := a.byLink(r)
	if err != nil {
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
	answer, err := decodeBareAnswer(data)
	if err != nil {
		// As the body of messages has it, too.
		b, wrapped := decode(data)
		if wrapped != nil || b.Answer == nil {
			return err
		}
		answer = b.Answer
	}
	if answer.ClarificationID != "" && answer.ClarificationID != c.ID || answer.ToolCallID != "" && answer.ToolCallID != c.ToolCallID {
		return invalid("another_question", "clarificationId")
	}
	closed, err := a.Engine.AnswerByID(turn.WithLog(r.ctx(), a.logger(r)), r.setup(), c.ID, *answer, a.whoever(r, chat.ActorCaller), chat.ChannelLink)
	if err != nil {
		return a.notTaken(r, err)
	}
	a.metrics.commands.WithLabelValues(r.app.ID, r.frontName(), "answer").Inc()
	return r.json(chat.NewKept(&closed))
}

// bareAnswerPage is what Options.Answer is where there is none.
func bareAnswerPage(_ http.Header, data []byte) (contentType string, body []byte) {
	return typeJSON, data
}
