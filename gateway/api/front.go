package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/aside"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
)

// frontRoutes serves the fronts beside the API's own routes.
func (a *API) frontRoutes(r *gin.Engine) {
	for _, f := range a.Fronts {
		for _, route := range f.Routes() {
			r.Handle(route.Method, route.Path, func(c *gin.Context) {
				req := a.newRequest(c)
				req.front = f
				call := &frontCall{a: a, r: req}
				defer call.release()
				if err := route.Serve(call); err != nil {
					a.refuse(req, err)
				}
				c.Writer.WriteHeaderNow()
			})
		}
	}
}

// frontProblem is a refusal as fronts tell it: clients of theirs show the message as it
// is, so it says what is wrong with an answer.
func frontProblem(p *problem) front.Problem {
	f := front.Problem{Status: p.Status, Code: p.Code, Message: p.Detail, Field: p.Field, Question: p.ClarificationID, Taken: p.taken}
	for i, e := range p.Errors {
		if i == 0 || e.Message != p.Errors[i-1].Message {
			f.Message += " " + e.Message
		}
	}
	return f
}

// frontCall is a request as its front sees it.
type frontCall struct {
	a    *API
	r    *request
	body func() // gives back what the body takes; nil: nothing is taken
}

func (c *frontCall) release() {
	if c.body != nil {
		c.body()
		c.body = nil
	}
}

func (c *frontCall) Context() context.Context { return c.r.ctx() }
func (c *frontCall) Request() *http.Request   { return c.r.c.Request }
func (c *frontCall) Header() http.Header      { return c.r.response().Header() }
func (c *frontCall) Param(name string) string { return c.r.c.Param(name) }
func (c *frontCall) App() *config.App         { return c.r.app }
func (c *frontCall) Ref() chat.Ref            { return c.r.ref }
func (c *frontCall) Locale(tag string)        { c.r.locale = c.a.localeFor(c.r.app, tag) }

func (c *frontCall) Text(id string, params map[string]any) string {
	return c.a.Catalog.Text(c.r.readable(c.a), id, params)
}

func (c *frontCall) known() error {
	if c.r.caller.Tenant != "" {
		return nil
	}
	return c.a.signedIn(c.r)
}

func (c *frontCall) Body() ([]byte, error) {
	if err := c.known(); err != nil {
		return nil, err
	}
	if c.a.isDraining() {
		return nil, &fault{code: chat.CodeDraining}
	}
	data, release, err := c.a.bodyOf(c.r)
	c.body = release
	if err != nil {
		return nil, err
	}
	_, err = openJSON(data)
	return data, err
}

func (c *frontCall) Apps() ([]*config.App, error) {
	if err := c.known(); err != nil {
		return nil, err
	}
	var list []*config.App
	for _, app := range c.r.setup().Config.Apps() {
		if c.r.caller.mayUse(app) {
			list = append(list, app)
		}
	}
	return list, nil
}

func (c *frontCall) Enter(app string) error {
	if err := c.known(); err != nil {
		return err
	}
	return c.a.enter(c.r, app)
}

func (c *frontCall) Chat(id string) error {
	own := front.ChatID(id)
	if own == "" {
		return front.Invalid("client_chat_id", "id", map[string]any{"Max": front.MaxChatID})
	}
	c.at(chat.Ref{Tenant: c.r.caller.Tenant, Subject: c.r.caller.Subject, App: c.r.app.ID, ChatID: own})
	return nil
}

func (c *frontCall) at(ref chat.Ref) {
	c.r.ref, c.r.chatKnown, c.r.response().about.chatID = ref, true, ref.ChatID
	c.Header().Set("X-Chat-Id", ref.ChatID)
}

func (c *frontCall) View() (*store.View, error) {
	view, err := c.a.Store.ViewPart(c.r.ctx(), c.r.ref, store.Part{Limit: 1})
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return view, err
}

func (c *frontCall) Recent(id string, part store.Part) (*store.View, error) {
	of := chat.Ref{Tenant: c.r.caller.Tenant, Subject: c.r.caller.Subject, App: c.r.app.ID, ChatID: id}
	view, err := c.a.Store.ViewPart(c.r.ctx(), of, part)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return view, err
}

func (c *frontCall) Chats(page store.Page) ([]store.Listed, string, error) {
	return c.a.Store.Conversations(c.r.ctx(), c.r.caller.Tenant, c.r.caller.Subject, c.r.app.ID, page)
}

func (c *frontCall) Clarification(id string) (chat.Clarification, error) {
	if err := c.known(); err != nil {
		return chat.Clarification{}, err
	}
	found, err := c.a.callersOwn(c.r, id)
	if err == nil {
		c.r.response().about.app = c.r.app.ID
		c.at(found.Ref)
	}
	return found, err
}

func (c *frontCall) Class(tool string) front.Class { return c.r.classes()(tool) }

// classes says what the app's tools do with a call. It may be used after the request.
func (r *request) classes() func(tool string) front.Class {
	conf, app := r.setup().Config, r.app.ID
	return func(tool string) front.Class {
		t, ok := conf.Tool(app, tool)
		switch {
		case tool == front.AskUser, ok && t.Type == config.TypeAskUser:
			return front.Asks
		case ok && t.RequiresUserInput:
			return front.Client
		}
		return front.Server
	}
}

func (c *frontCall) Typed(of *chat.Clarification, text string) (turn.Answer, bool) {
	resumer := c.r.setup().Catalog.Resumer(of.App, of.ToolName, of.Question.Kind)
	if resumer == nil {
		return turn.Answer{}, false
	}
	a, ok := resumer.Read(of.Question, text, c.r.readable(c.a))
	return turn.Answer{ClarificationID: of.ID, Answer: a}, ok
}

func (c *frontCall) Stream(cmd front.Command, t front.Teller) error {
	begun, err := c.begin(cmd)
	if err != nil {
		return err
	}
	return c.a.stream(c.r, begun, t)
}

func (c *frontCall) Collect(cmd front.Command, t front.Teller) error {
	begun, err := c.begin(cmd)
	if err != nil {
		return err
	}
	defer begun.release()
	_, err = c.a.toEnd(c.r, begun.run, front.NewTold(nil, t, c.r.classes()))
	return err
}

// begin has what the client sent taken. The body is not needed any more.
func (c *frontCall) begin(cmd front.Command) (b begun, err error) {
	defer c.release()
	if err := c.a.admit(c.r); err != nil {
		return b, err
	}
	if err := checkMessage(cmd.Message); err != nil {
		return b, err
	}
	same := cmd
	same.ClarificationID = "" // fronts may find it by the chat's state, which the command changes
	data, err := json.Marshal(&same)
	if err != nil { // values of our own types marshal
		panic(err)
	}
	sum := sha256.Sum256(data)
	native := turn.Command{
		Message: cmd.Message, Answer: cmd.Answer, Resume: cmd.Resume, ClarificationID: cmd.ClarificationID,
		Hash: hex.EncodeToString(sum[:]), Interactive: true, Passing: cmd.Passing,
	}
	if cmd.Key != "" { // apart from the keys that other clients of the chat choose
		key := sha256.Sum256([]byte(cmd.Key))
		native.IdempotencyKey = c.r.frontName() + ":" + hex.EncodeToString(key[:])
	}
	aside.Run(func() { b, err = c.a.begin(c.r, native, false) })
	return b, err
}

func (c *frontCall) Watch(t front.Teller) (bool, error) {
	run, err := c.a.Engine.Running(c.r.ctx(), c.r.ref)
	if err != nil || run == nil {
		return false, err
	}
	leave, d := c.a.Limiter.Acquire(c.r.ctx(), scopeStreams, c.r.principal(), c.r.app.Limits.Streams)
	if err := c.a.decided(c.r, d); err != nil {
		leave()
		return false, err
	}
	return true, c.a.stream(c.r, begun{run: run, release: leave}, t)
}

func (c *frontCall) Admit() error { return c.a.admit(c.r) }

func (c *frontCall) Draft(of *chat.Clarification, draft json.RawMessage) error {
	return c.a.Engine.SaveDraft(c.r.ctx(), *of, draft)
}

func (c *frontCall) Frames(frames []byte) {
	c.r.asStream()
	w := sse.NewWriter(c.r.response(), c.a.Stream)
	defer w.Close()
	_ = w.Write(frames) // the client's loss only
}

func (c *frontCall) JSON(status int, body any) { c.r.write(status, typeJSON, body) }

func (c *frontCall) Send(status int, contentType string, body []byte) {
	send(c.r.response(), status, contentType, body)
}

func (c *frontCall) Nothing() { _ = c.r.noContent() }

// frontName is the label of metrics for how a request came.
func (r *request) frontName() string {
	if r.front == nil {
		return front.Native
	}
	return r.front.Name()
}
