package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/tools"
)

// These are how long a call waits for the answer, in seconds. Clients commonly give up a call
// after 60 s, unless they follow its progress; those that do not wait no longer than defaultWait,
// whatever they ask for.
const (
	defaultWait = 50
	maxWait     = 300
)

// every is the interval at which a waiting call reports progress to clients that want it.
const every = 10 * time.Second

// arguments are the arguments of a call, by name.
type arguments map[string]json.RawMessage

func argumentsOf(req *sdk.CallToolRequest) (arguments, error) {
	data := bytes.TrimSpace(req.Params.Arguments)
	if len(data) == 0 || bytes.Equal(data, []byte("null")) {
		return arguments{}, nil
	}
	a := arguments{}
	if json.Unmarshal(data, &a) != nil {
		return nil, wrong("the arguments are not an object: send one, such as {\"question\": \"...\"}")
	}
	return a, nil
}

// wrong is an error of the call; the message says how to fix it.
func wrong(format string, args ...any) error {
	return &tools.Error{Code: tools.CodeInvalidArguments, Message: fmt.Sprintf(format, args...)}
}

// asFault returns the part of an error that is already meant for a model.
func asFault(err error) (*tools.Error, bool) { return errors.AsType[*tools.Error](err) }

// follows reports whether the client wants progress of a call, and can receive it.
func (x *exchange) follows(req *sdk.CallToolRequest) bool {
	return req.Params.GetProgressToken() != nil && x.streams()
}

// wait returns how long the call is to wait. Models send numbers as texts, too.
func (x *exchange) wait(req *sdk.CallToolRequest, a arguments) (time.Duration, error) {
	raw := strings.Trim(strings.TrimSpace(string(a[argWait])), `"`)
	if raw == "" || raw == "null" {
		return defaultWait * time.Second, nil
	}
	seconds, err := strconv.ParseFloat(raw, 64)
	if err != nil || !(seconds >= 0) { // refuses NaN, too
		return 0, wrong("`wait` is not a number of seconds: send a number from 0 to %d, or leave it out.", maxWait)
	}
	most := float64(defaultWait)
	if x.follows(req) {
		most = maxWait
	}
	return time.Duration(min(seconds, most)) * time.Second, nil
}

// text returns a text among the arguments, or "".
func (a arguments) text(name string) (s string, err error) {
	if raw := a[name]; raw != nil && !bytes.Equal(raw, []byte("null")) && json.Unmarshal(raw, &s) != nil {
		return "", wrong("`%s` is not a string: send a JSON string.", name)
	}
	return s, nil
}

// rolePrefix begins the text that means the holders of a role, as in mayAsk.
const rolePrefix = "role:"

// to returns who is asked: the caller if the argument is left out or null. A role is a text, as
// the schema says, or an object, as in REST.
func (x *exchange) to(a arguments) (host.Whom, error) {
	raw := a[argTo]
	if raw == nil || bytes.Equal(raw, []byte("null")) {
		return host.Whom{}, nil
	}
	if s, err := a.text(argTo); err == nil && strings.HasPrefix(s, rolePrefix) {
		raw, _ = json.Marshal(map[string]string{"role": strings.TrimPrefix(s, rolePrefix)}) // marshaling strings cannot fail
	}
	return x.c.Whom(raw)
}

// escalate returns who may answer later, too. Roles are as in to.
func (x *exchange) escalate(a arguments) ([]tools.Escalation, error) {
	raw := a[argEscalate]
	if raw == nil || bytes.Equal(raw, []byte("null")) {
		return nil, nil
	}
	var steps []map[string]json.RawMessage
	if json.Unmarshal(raw, &steps) == nil {
		for _, step := range steps {
			var to string
			if json.Unmarshal(step[argTo], &to) == nil && strings.HasPrefix(to, rolePrefix) {
				step[argTo], _ = json.Marshal(map[string]string{"role": strings.TrimPrefix(to, rolePrefix)}) // strings can be written
			}
		}
		raw, _ = json.Marshal(steps) // it was JSON
	}
	return x.c.Escalate(raw)
}

// ask asks a question that the program wrote.
func (x *exchange) ask(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	a, err := argumentsOf(req)
	if err != nil {
		return nil, err
	}
	title, err := a.text(argTitle)
	if err != nil {
		return nil, err
	}
	to, err := x.to(a)
	if err != nil {
		return nil, err
	}
	var withdraw time.Duration
	if raw := a[argWithdraw]; raw != nil && !bytes.Equal(raw, []byte("null")) {
		if withdraw, err = x.c.WithdrawWhenGone(raw); err != nil {
			return nil, err
		}
	}
	later, err := x.escalate(a)
	if err != nil {
		return nil, err
	}
	own := maps.Clone(a)
	for _, name := range []string{argWait, argTitle, argTo, argWithdraw, argEscalate} {
		delete(own, name)
	}
	data, _ := json.Marshal(own) // it was JSON
	return x.put(ctx, req, a, front.Asking{To: to, By: x.client.asker(title), Arguments: string(data), Withdraw: withdraw, Escalate: later, Session: x.client.Session})
}

// askTemplate asks a question that an admin wrote.
func (x *exchange) askTemplate(t front.Template) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		a, err := argumentsOf(req)
		if err != nil {
			return nil, err
		}
		values := arguments{}
		for _, name := range t.Values {
			if v, ok := a[name]; ok {
				values[name] = v
			}
		}
		if slices.Contains(t.Values, argWait) {
			delete(a, argWait) // it is the template's own
		}
		data, _ := json.Marshal(map[string]any{"template": t.Name, "values": values}) // it was JSON
		return x.put(ctx, req, a, front.Asking{By: x.client.asker(""), Arguments: string(data), Session: x.client.Session})
	}
}

// put asks and waits, in one of the two ways.
func (x *exchange) put(ctx context.Context, req *sdk.CallToolRequest, a arguments, q front.Asking) (res *sdk.CallToolResult, err error) {
	wait, err := x.wait(req, a)
	if err != nil {
		return nil, err
	}
	if req.Params.RequestState != "" {
		return x.resumed(ctx, req, wait)
	}
	c, err := x.c.Ask(q)
	if err != nil {
		return nil, err
	}
	if !x.elicits(req, q, &c) {
		return x.await(ctx, req, c.ID, wait)
	}
	if req.ProtocolVersion() >= stateless {
		return x.inputRequired(req, &c, x.c.Now(), "")
	}
	w, first := x.elicit(&c)
	if !first { // another call of the client's has asked the user
		return x.await(ctx, req, c.ID, wait)
	}
	defer func() { w.end(err == nil && res.StructuredContent != pending{tools.StatePending, c.ID}) }()
	return x.await(ctx, req, c.ID, wait)
}

// getAnswer waits for a question that was asked earlier.
func (x *exchange) getAnswer(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	a, err := argumentsOf(req)
	if err != nil {
		return nil, err
	}
	id, err := a.text("clarificationId")
	if err != nil {
		return nil, err
	}
	if id == "" {
		return nil, wrong("`clarificationId` is missing: send the one that a pending result named.")
	}
	wait, err := x.wait(req, a)
	if err != nil {
		return nil, err
	}
	return x.await(ctx, req, id, wait)
}

// notify sends the person a message.
func (x *exchange) notify(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	a, err := argumentsOf(req)
	if err != nil {
		return nil, err
	}
	message, err := a.text("message")
	switch {
	case err != nil:
		return nil, err
	case tools.Blank(message):
		return nil, wrong("`message` is blank: write what to tell, 1 to %d characters that can be seen.", maxLine)
	case utf8.RuneCountInString(message) > maxLine:
		return nil, wrong("`message` has %d characters, the limit is %d: shorten it.", utf8.RuneCountInString(message), maxLine)
	}
	to, err := x.to(a)
	if err != nil {
		return nil, err
	}
	if err := x.c.Say(to, x.client.asker(""), message); err != nil {
		return nil, err
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "Sent."}}}, nil
}

// await returns the result of a question, once it is closed or the call has waited as long as it
// should.
func (x *exchange) await(ctx context.Context, req *sdk.CallToolRequest, id string, wait time.Duration) (*sdk.CallToolResult, error) {
	stop := x.reportProgress(ctx, req, wait)
	c, err := x.c.Asked(id, wait)
	stop()
	if err != nil {
		return nil, err
	}
	return x.result(&c)
}

// reportProgress reports to a client that wants it that its call goes on, until stop.
func (x *exchange) reportProgress(ctx context.Context, req *sdk.CallToolRequest, wait time.Duration) (stop func()) {
	if x.w != nil && wait > 0 {
		x.w.WriteHeader(200) // shows that the call waits; heartbeats follow
	}
	if !x.follows(req) || wait == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for told := time.Duration(0); ; told += every {
			err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: req.Params.GetProgressToken(), Progress: told.Seconds(), Total: wait.Seconds(), Message: "Waiting for the answer.",
			})
			if err != nil {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// pending is the result of a question that is not closed.
type pending struct {
	Status          tools.State `json:"status"`
	ClarificationID string      `json:"clarificationId"`
}

// ended is the result of a closed question.
type ended struct {
	Status  tools.State                `json:"status"`
	Answers map[string]json.RawMessage `json:"answers"`
	Text    string                     `json:"text"`
	Note    string                     `json:"note,omitempty"`
}

const faster = "%s answered on another screen. That answer counts, not what is entered in this client's form."

// note says whose answer counts, to a client that may have asked its user meanwhile.
func (x *exchange) note(c *chat.Clarification) string {
	if by := c.AnsweredBy; x.mayElicit() && by != nil && by.Channel != chat.ChannelForm && c.For == "" && c.Subject == c.Asker {
		return fmt.Sprintf(faster, by.Subject)
	}
	return ""
}

const goOn = `No one has answered yet. The question stays open: continue with something else, then call get_answer with {"clarificationId": %q}.`

// result is the state of a question, for the program and for its model.
func (x *exchange) result(c *chat.Clarification) (*sdk.CallToolResult, error) {
	if c.State == tools.StatePending {
		p := pending{c.State, c.ID}
		return &sdk.CallToolResult{
			StructuredContent: p, Content: []sdk.Content{text(p), &sdk.TextContent{Text: fmt.Sprintf(goOn, c.ID)}},
		}, nil
	}
	words, err := x.c.Result(c)
	if err != nil {
		return nil, err
	}
	e := ended{c.State, front.Answers(c), words, x.note(c)}
	return &sdk.CallToolResult{StructuredContent: e, Content: []sdk.Content{text(e)}}, nil
}
