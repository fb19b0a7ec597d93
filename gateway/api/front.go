package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/smallstack"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// frontRoutes serves the fronts beside the API's own routes.
func (a *API) frontRoutes(r *gin.Engine) {
	for _, f := range a.fronts {
		for _, route := range f.Routes() {
			r.Handle(route.Method, route.Path, func(c *gin.Context) {
				req := a.host.newRequest(c)
				req.format = format{f}
				call := &frontCall{a: a, r: req, changes: route.Changes, files: route.Files}
				defer call.release()
				serve := func(*request) error { return route.Serve(call) }
				if route.Method == http.MethodGet {
					serve = ownPages(serve)
				}
				if err := serve(req); err != nil {
					if req.bodyRead && !call.counted {
						req.readInVain()
					}
					req.refuse(err)
				}
				c.Writer.WriteHeaderNow()
			})
		}
	}
}

// format is a front as the host has it.
type format struct{ front.Front }

func (f format) Refuse(h http.Header, p Problem) (string, []byte) {
	return f.Front.Refuse(h, front.Problem(p))
}

// frontCall is a request as its front sees it.
type frontCall struct {
	a    *API
	r    *request
	body func() // gives back what the body takes; nil: nothing is taken
	// changes says which limit counts the request, counted that it has, and paid that the
	// first command needs not be counted any more.
	changes, counted, paid bool
	told                   *front.Told // a run whose response is not written yet; end: of that
	end                    func()
	// files says that the body may have files, lifted what was lifted out of it, and size how large it was.
	files   bool
	lifted  lifted
	size    int64
	brought []tools.Definition // by the client; nil: it was not asked
}

func (c *frontCall) release() {
	if c.body != nil {
		c.body()
		c.body, c.lifted = nil, lifted{}
	}
	if c.end != nil {
		c.end()
	}
}

func (c *frontCall) Context() context.Context { return c.r.ctx() }

func (c *frontCall) Request() *http.Request { return c.r.http() }

func (c *frontCall) Header() http.Header { return c.r.response().Header() }

func (c *frontCall) Param(name string) string { return c.r.param(name) }

func (c *frontCall) App() *config.App { return c.r.app }

func (c *frontCall) Ref() chat.Ref { return c.r.ref }

func (c *frontCall) Now() time.Time { return c.r.host.Store.Now() }

func (c *frontCall) Locale(tag string) { c.r.locale = c.r.localeFor(tag) }

func (c *frontCall) Text(id string, params map[string]any) string {
	return c.r.text(id, params)
}

func (c *frontCall) known() error {
	if c.r.caller.Tenant != "" {
		return nil
	}
	return c.r.signedIn()
}

func (c *frontCall) Body() ([]byte, error) {
	if err := c.known(); err != nil {
		return nil, err
	}
	if c.r.host.isDraining() {
		return nil, &fault{code: chat.CodeDraining}
	}
	count := (*request).mayRead
	if c.r.app != nil {
		count = c.count
	}
	if err := count(c.r); err != nil {
		return nil, err
	}
	data, release, err := c.r.bodyUpTo(c.mostOf())
	c.body, c.size = release, int64(len(data))
	if err != nil {
		return nil, err
	}
	d, err := openJSON(data)
	if err != nil || c.size <= maxBody {
		return data, err
	}
	if data, c.lifted = lift(data, d); len(data) > maxBody { // without files, as large as any other
		return nil, tooLarge(maxBody)
	}
	return data, nil
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
	if err := c.r.enter(app); err != nil || !c.r.bodyRead {
		return err
	}
	if err := c.count(c.r); err != nil {
		return err
	}
	if most := c.mostOf(); c.size > most {
		return tooLarge(most)
	}
	return nil
}

// count counts a request with a body, when its app is known.
func (c *frontCall) count(r *request) (err error) {
	switch {
	case c.counted:
	case c.changes:
		err = r.counted(scopeChanges)
	default:
		err = r.allowed()
		c.paid = err == nil
	}
	c.counted = err == nil
	return err
}

func (c *frontCall) Chat(id, field string) error {
	own := front.ChatID(id)
	if own == "" {
		return front.Invalid("client_chat_id", field, map[string]any{"Max": front.MaxChatID})
	}
	c.at(chat.Ref{Tenant: c.r.caller.Tenant, Subject: c.r.caller.Subject, App: c.r.app.ID, ChatID: own})
	return nil
}

func (c *frontCall) at(ref chat.Ref) {
	c.r.ref, c.r.chatKnown, c.r.response().about.chatID = ref, true, ref.ChatID
	c.Header().Set("X-Chat-Id", ref.ChatID)
}

func (c *frontCall) View() (*store.View, error) {
	return c.part(c.r.ref, store.Part{Limit: 1})
}

// maxClosed bounds in bytes the closed questions that a front looks through for what a client means.
const maxClosed = 4 << 20

// part reads a part of a chat with what is needed to know what a client means, once there is room for it.
func (c *frontCall) part(of chat.Ref, part store.Part) (*store.View, error) {
	ctx, release := c.r.reading(costOfReply)
	defer release()
	part.Closed = maxClosed
	view, err := c.r.host.Store.ViewPart(ctx, of, part)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return view, err
}

func (c *frontCall) Recent(id string, part store.Part) (*store.View, error) {
	return c.part(chat.Ref{Tenant: c.r.caller.Tenant, Subject: c.r.caller.Subject, App: c.r.app.ID, ChatID: id}, part)
}

func (c *frontCall) Branches(lines ...store.Line) ([]store.Branch, error) {
	return c.r.host.Store.Branches(c.r.ctx(), c.r.ref, lines)
}

func (c *frontCall) Go(id string) error {
	if !chatID.MatchString(id) {
		return invalid("chat_id", "id")
	}
	ref := c.r.ref
	ref.Tenant, ref.Subject, ref.App, ref.ChatID = c.r.caller.Tenant, c.r.caller.Subject, c.r.app.ID, id
	c.at(ref)
	return nil
}

func (c *frontCall) Retry() bool {
	n, err := strconv.Atoi(c.r.http().Header.Get("X-Stainless-Retry-Count"))
	return err == nil && n > 0
}

func (c *frontCall) Delivered(of *chat.Conversation, newest *chat.Turn) (bool, error) {
	if newest == nil {
		return false, nil
	}
	c.r.host.endings.wait(c.r.ctx(), of.Ref)
	run, err := c.r.host.Store.LastRun(c.r.ctx(), of.ID, newest.ID)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return run.Delivered, err
}

func (c *frontCall) Chats(page store.Page) ([]store.Listed, string, error) {
	return c.r.host.Store.Conversations(c.r.ctx(), c.r.caller.Tenant, c.r.caller.Subject, c.r.app.ID, page)
}

func (c *frontCall) Clarification(id string) (chat.Clarification, error) {
	if err := c.known(); err != nil {
		return chat.Clarification{}, err
	}
	found, err := callersOwn(c.r, id)
	if err == nil {
		c.r.response().about.app = c.r.app.ID
		c.at(found.Ref)
	}
	return found, err
}

func (c *frontCall) Class(tool string) front.Class { return classes(c.r)(tool) }

// classes says what the app's tools do with a call. It may be used after the request.
func classes(r *request) func(tool string) front.Class {
	conf, app, brings := r.setup().Config, r.app.ID, r.app.ClientTools == config.ClientToolsOn
	return func(tool string) front.Class {
		t, ok := conf.Tool(app, tool)
		switch {
		case !ok && brings && tool != front.AskUser: // the client brought it, or it does not exist
			return front.Client
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
	a, ok := resumer.Read(of.Question, text, c.r.readable())
	return turn.Answer{ClarificationID: of.ID, Answer: a}, ok
}

func (c *frontCall) NoAnswer(of *chat.Clarification, why front.Reason) error {
	c.r.host.metrics.unanswered.WithLabelValues(c.r.frontName(), string(why)).Inc()
	of.InWords = true
	return c.r.host.Engine.InWords(c.r.ctx(), *of)
}

func (c *frontCall) Stream(cmd front.Command, t front.Teller) error {
	begun, err := c.begin(cmd)
	if err != nil {
		return err
	}
	defer c.r.host.endings.begin(c.r.ref)()
	return c.stream(begun, t)
}

func (c *frontCall) stream(begun Begun, t front.Teller) error {
	return begun.stream(func(w *sse.Writer) Outlet { return front.NewTold(w, t, classes(c.r)) })
}

func (c *frontCall) Collect(cmd front.Command, t front.Teller) error {
	begun, err := c.begin(cmd)
	if err != nil {
		return err
	}
	defer begun.release()
	told := front.NewTold(nil, t, classes(c.r))
	c.end = c.r.host.endings.begin(c.r.ref)
	_, err = begun.toEnd(told)
	c.told = told // the response follows
	return err
}

// begin has what the client sent taken. The body is not needed any more.
func (c *frontCall) begin(cmd front.Command) (b Begun, err error) {
	defer c.release()
	if !c.paid {
		if err := c.r.admit(); err != nil {
			return b, err
		}
	}
	c.paid = false
	if cmd.Again {
		return c.again()
	}
	said := cmd.Message
	if cmd.Fork != nil {
		said = cmd.Fork.Message
	}
	if err := checkMessage(said, cmp.Or(cmd.Place, "message")); err != nil {
		return b, err
	}
	same := cmd
	same.ClarificationID, same.ID, same.UsedWith = "", "", "" // fronts may find it by the chat's state, which the command changes
	if same.Said != nil {
		same.Message, same.Answer = same.Said, nil
	}
	if same.Fork != nil { // likewise the point, which a branch has, too
		point := *same.Fork
		point.MessageID, point.ClarificationID = "", ""
		same.Fork = &point
	}
	data, err := json.Marshal(&same)
	if err != nil { // values of our own types marshal
		panic(err)
	}
	sum := sha256.Sum256(data)
	native := turn.Command{
		Message: cmd.Message, Answer: cmd.Answer, Resume: cmd.Resume, ClarificationID: cmd.ClarificationID, Waited: cmd.Waited,
		Instructions: cmd.Instructions, Channel: cmd.Channel, ClientID: chat.ClientID(cmd.ID),
		Hash: hex.EncodeToString(sum[:]), Interactive: !cmd.Nobody, Passing: cmd.Passing,
		ClientTools: c.brought, Lasting: cmd.Lasting, UsedWith: cmd.UsedWith,
	}
	if cmd.Instructions != "" && cmd.Message != nil && c.r.app.ClientInstructions == config.InstructionsAppend {
		for _, name := range front.Instructing {
			front.Used(c.Header(), name)
		}
	}
	if cmd.Key != "" {
		native.IdempotencyKey = c.keyOf(cmd.Key)
	}
	files := cmd.Files
	of, at := c.r.ref, c.r.ref
	if f := cmd.Fork; f != nil {
		native.Fork = &turn.Fork{
			From:    chat.Fork{ChatID: of.ChatID, MessageID: f.MessageID, ClarificationID: f.ClarificationID},
			Message: f.Message, Answer: f.Answer, Branch: true,
		}
		if at.ChatID, err = c.branchID(native.IdempotencyKey); err != nil {
			return b, err
		}
		c.at(at)
		if f.Message == nil { // it is said again with its own
			files = nil
		}
	}
	smallstack.Run(func() { b, err = c.r.begin(native, hosted(files)) })
	if err != nil && of != at { // the branch did not begin
		c.at(of)
	}
	return b, err
}

// again is the newest run of the chat, to be told again.
func (c *frontCall) again() (b Begun, err error) {
	defer c.release()
	c.r.chatKnown = true
	run, err := c.r.host.Engine.Again(c.r.ctx(), c.r.ref)
	if err != nil {
		return b, err
	}
	leave, d := c.r.host.Limiter.Acquire(c.r.ctx(), scopeStreams, c.r.principal(), c.r.app.Limits.Streams)
	if err := c.r.decided(d); err != nil {
		leave()
		return b, err
	}
	return Begun{c.r, run, leave}, nil
}

// branchID is the chat that a branch of the call's chat is: for one key, the same for the whole family.
func (c *frontCall) branchID(key string) (string, error) {
	of, _, err := c.r.host.Store.Conversation(c.r.ctx(), c.r.ref)
	if errors.Is(err, store.ErrNotFound) || key == "" {
		return branchID(c.r.ref.ChatID, key), nil
	} else if err != nil {
		return "", err
	}
	return branchID(cmp.Or(of.Root, of.ChatID), key), nil
}

func (c *frontCall) Watch(t front.Teller) (bool, error) {
	run, err := c.r.host.Engine.Running(c.r.ctx(), c.r.ref)
	if err != nil || run == nil {
		return false, err
	}
	leave, d := c.r.host.Limiter.Acquire(c.r.ctx(), scopeStreams, c.r.principal(), c.r.app.Limits.Streams)
	if err := c.r.decided(d); err != nil {
		leave()
		return false, err
	}
	return true, c.stream(Begun{c.r, run, leave}, t)
}

func (c *frontCall) Admit() error { return c.r.admit() }

func (c *frontCall) Draft(of *chat.Clarification, draft json.RawMessage) error {
	return c.r.host.Engine.SaveDraft(c.r.ctx(), *of, draft)
}

func (c *frontCall) Frames(frames []byte) {
	c.r.asStream()
	w := sse.NewWriter(c.r.response(), c.r.host.Stream)
	defer w.Close()
	_ = w.Write(sse.Escape(frames, 0)) // the client's loss only
}

func (c *frontCall) JSON(status int, body any) { c.whole(c.r.write(status, typeJSON, body)) }

func (c *frontCall) Send(status int, contentType string, body []byte) {
	c.whole(send(c.r.response(), status, contentType, body))
}

// whole notes that the response with a run was written.
func (c *frontCall) whole(err error) {
	if told := c.told; told != nil && err == nil {
		delivered(c.r, told.Whole())
	}
	c.told = nil
}

func (c *frontCall) Nothing() { _ = c.r.noContent() }

func hosted(files []front.File) []File {
	var list []File
	for i := range files {
		f := &files[i]
		list = append(list, File{Part: f.Part, Name: f.Name, Sum: f.Sum, Size: f.Size, Open: f.Open})
	}
	return list
}
