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
	"github.com/askgate/askgate/gateway/host"
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
				req := a.host.NewRequest(c)
				req.Format = format{f}
				call := &frontCall{a: a, r: req, changes: route.Changes, files: route.Files}
				defer call.release()
				serve := func(*host.Request) error { return route.Serve(call) }
				if route.Method == http.MethodGet {
					serve = host.OwnPages(serve)
				}
				if err := serve(req); err != nil {
					if req.BodyRead && !call.counted {
						req.ReadInVain()
					}
					req.Refuse(err)
				}
				c.Writer.WriteHeaderNow()
			})
		}
	}
}

// format is a front as the host has it.
type format struct{ front.Front }

func (f format) Refuse(h http.Header, p host.Problem) (string, []byte) {
	return f.Front.Refuse(h, front.Problem(p))
}

// frontCall is a request as its front sees it.
type frontCall struct {
	a    *API
	r    *host.Request
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

func (c *frontCall) Context() context.Context { return c.r.Context() }

func (c *frontCall) Request() *http.Request { return c.r.HTTP() }

func (c *frontCall) Header() http.Header { return c.r.Response().Header() }

func (c *frontCall) Param(name string) string { return c.r.Param(name) }

func (c *frontCall) App() *config.App { return c.r.App }

func (c *frontCall) Ref() chat.Ref { return c.r.Ref }

func (c *frontCall) Now() time.Time { return c.r.Host.Store.Now() }

func (c *frontCall) Locale(tag string) { c.r.Locale = c.r.LocaleFor(tag) }

func (c *frontCall) Text(id string, params map[string]any) string {
	return c.r.Text(id, params)
}

func (c *frontCall) known() error {
	if c.r.Caller.Tenant != "" {
		return nil
	}
	return c.r.SignIn()
}

func (c *frontCall) Body() ([]byte, error) {
	if err := c.known(); err != nil {
		return nil, err
	}
	if c.r.Host.IsDraining() {
		return nil, &host.Fault{Code: chat.CodeDraining}
	}
	count := (*host.Request).MayRead
	if c.r.App != nil {
		count = c.count
	}
	if err := count(c.r); err != nil {
		return nil, err
	}
	data, release, err := c.r.BodyUpTo(c.mostOf())
	c.body, c.size = release, int64(len(data))
	if err != nil {
		return nil, err
	}
	d, err := host.OpenJSON(data)
	if err != nil || c.size <= host.MaxBody {
		return data, err
	}
	if data, c.lifted = lift(data, d); len(data) > host.MaxBody { // without files, as large as any other
		return nil, host.TooLarge(host.MaxBody)
	}
	return data, nil
}

func (c *frontCall) Apps() ([]*config.App, error) {
	if err := c.known(); err != nil {
		return nil, err
	}
	var list []*config.App
	for _, app := range c.r.Setup().Config.Apps() {
		if c.r.Caller.MayUse(app) {
			list = append(list, app)
		}
	}
	return list, nil
}

func (c *frontCall) Enter(app string) error {
	if err := c.known(); err != nil {
		return err
	}
	if err := c.r.Enter(app); err != nil || !c.r.BodyRead {
		return err
	}
	if err := c.count(c.r); err != nil {
		return err
	}
	if most := c.mostOf(); c.size > most {
		return host.TooLarge(most)
	}
	return nil
}

// count counts a request with a body, when its app is known.
func (c *frontCall) count(r *host.Request) (err error) {
	switch {
	case c.counted:
	case c.changes:
		err = r.Count(host.ScopeChanges)
	default:
		err = r.Allowed()
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
	c.at(chat.Ref{Tenant: c.r.Caller.Tenant, Subject: c.r.Caller.Subject, App: c.r.App.ID, ChatID: own})
	return nil
}

func (c *frontCall) at(ref chat.Ref) {
	c.r.Ref, c.r.ChatKnown, c.r.Response().About.ChatID = ref, true, ref.ChatID
	c.Header().Set("X-Chat-Id", ref.ChatID)
}

func (c *frontCall) View() (*store.View, error) {
	return c.part(c.r.Ref, store.Part{Limit: 1})
}

// maxClosed bounds in bytes the closed questions that a front looks through for what a client means.
const maxClosed = 4 << 20

// part reads a part of a chat with what is needed to know what a client means, once there is room for it.
func (c *frontCall) part(of chat.Ref, part store.Part) (*store.View, error) {
	ctx, release := c.r.Reading(host.CostOfReply)
	defer release()
	part.Closed = maxClosed
	view, err := c.r.Host.Store.ViewPart(ctx, of, part)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return view, err
}

func (c *frontCall) Recent(id string, part store.Part) (*store.View, error) {
	return c.part(chat.Ref{Tenant: c.r.Caller.Tenant, Subject: c.r.Caller.Subject, App: c.r.App.ID, ChatID: id}, part)
}

func (c *frontCall) Branches(lines ...store.Line) ([]store.Branch, error) {
	return c.r.Host.Store.Branches(c.r.Context(), c.r.Ref, lines)
}

func (c *frontCall) Go(id string) error {
	if !host.ChatID.MatchString(id) {
		return host.Invalid("chat_id", "id")
	}
	ref := c.r.Ref
	ref.Tenant, ref.Subject, ref.App, ref.ChatID = c.r.Caller.Tenant, c.r.Caller.Subject, c.r.App.ID, id
	c.at(ref)
	return nil
}

func (c *frontCall) Retry() bool {
	n, err := strconv.Atoi(c.r.HTTP().Header.Get("X-Stainless-Retry-Count"))
	return err == nil && n > 0
}

func (c *frontCall) Delivered(of *chat.Conversation, newest *chat.Turn) (bool, error) {
	if newest == nil {
		return false, nil
	}
	c.r.Host.Endings.Wait(c.r.Context(), of.Ref)
	run, err := c.r.Host.Store.LastRun(c.r.Context(), of.ID, newest.ID)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return run.Delivered, err
}

func (c *frontCall) Chats(page store.Page) ([]store.Listed, string, error) {
	return c.r.Host.Store.Conversations(c.r.Context(), c.r.Caller.Tenant, c.r.Caller.Subject, c.r.App.ID, page)
}

func (c *frontCall) Clarification(id string) (chat.Clarification, error) {
	if err := c.known(); err != nil {
		return chat.Clarification{}, err
	}
	found, err := host.CallersOwn(c.r, id)
	if err == nil {
		c.r.Response().About.App = c.r.App.ID
		c.at(found.Ref)
	}
	return found, err
}

func (c *frontCall) Class(tool string) front.Class { return classes(c.r)(tool) }

// classes says what the app's tools do with a call. It may be used after the request.
func classes(r *host.Request) func(tool string) front.Class {
	conf, app, brings := r.Setup().Config, r.App.ID, r.App.ClientTools == config.ClientToolsOn
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
	resumer := c.r.Setup().Catalog.Resumer(of.App, of.ToolName, of.Question.Kind)
	if resumer == nil {
		return turn.Answer{}, false
	}
	a, ok := resumer.Read(of.Question, text, c.r.Language())
	return turn.Answer{ClarificationID: of.ID, Answer: a}, ok
}

func (c *frontCall) NoAnswer(of *chat.Clarification, why front.Reason) error {
	c.r.Host.Metrics.Unanswered.WithLabelValues(c.r.FormatName(), string(why)).Inc()
	of.InWords = true
	return c.r.Host.Engine.InWords(c.r.Context(), *of)
}

func (c *frontCall) Stream(cmd front.Command, t front.Teller) error {
	begun, err := c.begin(cmd)
	if err != nil {
		return err
	}
	defer c.r.Host.Endings.Begin(c.r.Ref)()
	return c.stream(begun, t)
}

func (c *frontCall) stream(begun host.Begun, t front.Teller) error {
	return begun.Stream(func(w *sse.Writer) host.Outlet { return front.NewTold(w, t, classes(c.r)) })
}

func (c *frontCall) Collect(cmd front.Command, t front.Teller) error {
	begun, err := c.begin(cmd)
	if err != nil {
		return err
	}
	defer begun.Release()
	told := front.NewTold(nil, t, classes(c.r))
	c.end = c.r.Host.Endings.Begin(c.r.Ref)
	_, err = begun.ToEnd(told)
	c.told = told // the response follows
	return err
}

// begin has what the client sent taken. The body is not needed any more.
func (c *frontCall) begin(cmd front.Command) (b host.Begun, err error) {
	defer c.release()
	if !c.paid {
		if err := c.r.Admit(); err != nil {
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
	if err := host.CheckMessage(said, cmp.Or(cmd.Place, "message")); err != nil {
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
	if cmd.Instructions != "" && cmd.Message != nil && c.r.App.ClientInstructions == config.InstructionsAppend {
		for _, name := range front.Instructing {
			front.Used(c.Header(), name)
		}
	}
	if cmd.Key != "" {
		native.IdempotencyKey = c.keyOf(cmd.Key)
	}
	files := cmd.Files
	of, at := c.r.Ref, c.r.Ref
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
	smallstack.Run(func() { b, err = c.r.Begin(native, hosted(files)) })
	if err != nil && of != at { // the branch did not begin
		c.at(of)
	}
	return b, err
}

// again is the newest run of the chat, to be told again.
func (c *frontCall) again() (b host.Begun, err error) {
	defer c.release()
	c.r.ChatKnown = true
	run, err := c.r.Host.Engine.Again(c.r.Context(), c.r.Ref)
	if err != nil {
		return b, err
	}
	return c.r.Join(run)
}

// branchID is the chat that a branch of the call's chat is: for one key, the same for the whole family.
func (c *frontCall) branchID(key string) (string, error) {
	of, _, err := c.r.Host.Store.Conversation(c.r.Context(), c.r.Ref)
	if errors.Is(err, store.ErrNotFound) || key == "" {
		return host.BranchID(c.r.Ref.ChatID, key), nil
	} else if err != nil {
		return "", err
	}
	return host.BranchID(cmp.Or(of.Root, of.ChatID), key), nil
}

func (c *frontCall) Watch(t front.Teller) (bool, error) {
	run, err := c.r.Host.Engine.Running(c.r.Context(), c.r.Ref)
	if err != nil || run == nil {
		return false, err
	}
	begun, err := c.r.Join(run)
	if err != nil {
		return false, err
	}
	return true, c.stream(begun, t)
}

func (c *frontCall) Admit() error { return c.r.Admit() }

func (c *frontCall) Draft(of *chat.Clarification, draft json.RawMessage) error {
	return c.r.Host.Engine.SaveDraft(c.r.Context(), *of, draft)
}

func (c *frontCall) Frames(frames []byte) {
	c.r.AsStream()
	w := sse.NewWriter(c.r.Response(), c.r.Host.Stream)
	defer w.Close()
	_ = w.Write(sse.Escape(frames, 0)) // the client's loss only
}

func (c *frontCall) JSON(status int, body any) { c.whole(c.r.Write(status, host.TypeJSON, body)) }

func (c *frontCall) Send(status int, contentType string, body []byte) {
	c.whole(host.Send(c.r.Response(), status, contentType, body))
}

// whole notes that the response with a run was written.
func (c *frontCall) whole(err error) {
	if told := c.told; told != nil && err == nil {
		host.Delivered(c.r, told.Whole())
	}
	c.told = nil
}

func (c *frontCall) Nothing() { _ = c.r.Nothing() }

func hosted(files []front.File) []host.File {
	var list []host.File
	for i := range files {
		f := &files[i]
		list = append(list, host.File{Part: f.Part, Name: f.Name, Sum: f.Sum, Size: f.Size, Open: f.Open})
	}
	return list
}
