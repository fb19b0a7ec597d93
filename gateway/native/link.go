package native

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/notify"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/tools"
)

// linked is the content of the page behind an answer link: the question, or the reason why the
// link can no longer answer it.
type linked struct {
	Clarification *chat.Kept    `json:"clarification"`
	AppName       string        `json:"appName,omitempty"`
	Problem       *host.Refusal `json:"problem"`
}

// Links handles the pages behind answer links.
type Links struct {
	page func(h http.Header, data []byte) (contentType string, body []byte) // see Options.Answer
}

// NewLinks returns Links. Without a page, they show JSON.
func NewLinks(page func(h http.Header, data []byte) (contentType string, body []byte)) Links {
	if page == nil {
		page = func(_ http.Header, data []byte) (string, []byte) { return host.TypeJSON, data }
	}
	return Links{page}
}

// byLink finds the question that a link leads to, and makes its person the caller. If it returns
// both a question and an error, the error says why the link can no longer answer the question.
func (h Links) byLink(r *host.Request) (*chat.Clarification, error) {
	link, ok := notify.OpenLink(&r.Conf().Auth.Session, r.Param("link"))
	if !ok {
		return nil, host.NotFound("link")
	}
	c, err := r.Host.Store.Clarification(r.Context(), link.ClarificationID)
	if err != nil {
		return nil, err
	}
	app, enabled := r.Setup().Config.App(c.App)
	if !link.Of(&c) || !enabled {
		return nil, host.NotFound("link")
	}
	r.Caller.Principal = chat.Principal{Tenant: link.Tenant, Subject: link.Subject}
	r.App, r.Ref, r.ChatKnown = app, c.Ref, true
	r.Response().About.App = app.ID
	switch {
	case c.State == tools.StateAnswered || c.State == tools.StateSkipped || c.State == tools.StateDeclined:
		return &c, &chat.Error{Code: chat.CodeAlreadyAnswered, Clarification: &c}
	case c.State != tools.StatePending:
		return &c, &chat.Error{Code: chat.CodeClarificationClosed, Clarification: &c}
	case link.Expired(r.Host.Store.Now()):
		return &c, &host.Fault{Code: chat.CodeClarificationClosed, Detail: "link_expired"}
	}
	return &c, nil
}

// forLink returns a clarification as a link shows it: what is needed to answer it, and of its end
// only the fact. Links are in mails and chats, where others can find and open them.
func forLink(c chat.Clarification) chat.Clarification {
	c.Draft, c.SeenAt, c.Answer, c.AnsweredBy, c.AnsweredAt, c.Remembered = nil, time.Time{}, nil, nil, time.Time{}, false
	if c.State.Replied() {
		c.State = tools.StateAnswered
	}
	c.Question.Editable, c.Question.Respond, c.Question.Remember = false, false, ""
	c.Question.Parts = slices.Clone(c.Question.Parts)
	for i := range c.Question.Parts {
		p := &c.Question.Parts[i]
		if p.Earlier = nil; p.Kept == tools.KeptUnasked {
			p.Kept = tools.KeptOffered
		}
		if c.Question.Details != "" {
			p.Options = slices.DeleteFunc(slices.Clone(p.Options), beyondLink)
		}
	}
	return c
}

// beyondLink reports whether an option of a question with details does more than allow or refuse
// what the details describe.
func beyondLink(o tools.Option) bool { return o.Value != "yes" && o.Value != "no" }

// newLinked returns, in wire form, the question as its answer link shows it.
func newLinked(c chat.Clarification) chat.Kept {
	k := chat.NewKept(new(forLink(c)))
	k.Approval = nil
	return k
}

// byLinkError returns an error without what a link must not reveal.
func byLinkError(err error) error {
	e, ok := errors.AsType[*chat.Error](err)
	if !ok || e.Clarification == nil {
		return err
	}
	told := *e
	told.Clarification = new(forLink(*e.Clarification))
	return &told
}

// Upload takes a file for the question of a link, while the link can answer it. A link reads no
// files, not even what it uploaded.
func (h Links) Upload(r *host.Request) error {
	c, err := h.byLink(r)
	if err == nil {
		err = upload(r, uploads.Upload{ClarificationID: c.ID, ByLink: true})
	}
	return byLinkError(err)
}

// checkByLink refuses an answer that goes beyond the question of a link.
func checkByLink(c *chat.Clarification, a *tools.Answer) error {
	var faults []tools.FieldError
	refuse := func(question int, field string, given bool) {
		if given {
			faults = append(faults, tools.FieldError{Question: question, Field: field, Code: "not_by_link"})
		}
	}
	refuse(0, "arguments", a.Arguments != nil)
	refuse(0, "result", a.Result != nil && c.Question.Kind == tools.KindApproval)
	refuse(0, "dontAskAgain", a.DontAskAgain)
	if c.Question.Details != "" && c.Question.Parts[0].InputType == tools.Select {
		for _, chosen := range append(slices.Clone(a.Answers), *a) {
			var value string
			refuse(0, "value", json.Unmarshal(chosen.Value, &value) == nil && beyondLink(tools.Option{Value: value}))
		}
	}
	for i := range a.Answers {
		refuse(i, "dontAskAgain", a.Answers[i].DontAskAgain)
	}
	if faults != nil {
		return &tools.AnswerError{Fields: faults}
	}
	return nil
}

// Show shows the question behind a link, as long as the link can answer it. It changes nothing,
// and the question does not count as seen, because scanners follow links, too.
func (h Links) Show(r *host.Request) error {
	c, err := h.byLink(r)
	status, shown := http.StatusOK, linked{}
	if c != nil {
		shown.AppName = r.App.Name.In(r.Language())
	}
	if err == nil {
		shown.Clarification = new(newLinked(*c))
	} else {
		p, _ := r.Host.Texts.Problem(byLinkError(err), r.Language())
		if p.Status >= http.StatusInternalServerError {
			return err
		}
		status, shown.Problem = p.Status, &p
	}
	data, err := json.Marshal(shown) // <, > and & are escaped, because this becomes part of the page
	if err != nil {
		return err
	}
	header := r.Response().Header()
	header.Set("X-Robots-Tag", "noindex, nofollow")
	contentType, body := h.page(header, data)
	_ = r.Send(status, contentType, body)
	return nil
}

// Answer takes the answer of the person for whom a link was made.
func (h Links) Answer(r *host.Request) error { return byLinkError(h.takeLinked(r)) }

func (h Links) takeLinked(r *host.Request) error {
	c, err := h.byLink(r)
	if err != nil {
		return err
	}
	if err := r.Admit(); err != nil {
		return err
	}
	data, err := r.Body()
	if err != nil {
		return err
	}
	answer, err := decodeBareAnswer(data)
	if err != nil {
		// In the form that the body of messages has, too.
		b, wrapped := decode(data)
		if wrapped != nil || b.Answer == nil {
			return err
		}
		answer = b.Answer
	}
	if answer.ClarificationID != "" && answer.ClarificationID != c.ID || answer.ToolCallID != "" && answer.ToolCallID != c.ToolCallID {
		return host.Invalid("another_question", "clarificationId")
	}
	if err := checkByLink(c, &answer.Answer); err != nil {
		return host.NotTaken(r, err)
	}
	closed, err := host.Answered(r, c.ID, *answer, chat.ChannelLink)
	if err != nil {
		return err
	}
	return r.JSON(newLinked(closed))
}
