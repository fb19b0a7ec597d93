package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/client"
	"github.com/askgate/askgate/gateway/client/hook"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// hookBeat is how often white space goes out while a hook waits: proxies give up on a response
// that is silent for a minute.
const hookBeat = 15 * time.Second

// Hooks answers a coding agent whose hooks are HTTP requests.
type Hooks struct {
	Engine NativeEngine
	Agent  hook.Agent
}

func (h Hooks) hooked(r *request) error {
	if err := r.signedIn(); err != nil {
		return err
	}
	if err := r.mayRead(); err != nil {
		return err
	}
	if err := r.enter(h.appWanted(r)); err != nil {
		return err
	}
	call, q, err := h.readHook(r)
	switch {
	case err != nil:
		r.readInVain()
		return err
	case call.Over != "":
		return h.overBy(r, call.Over)
	case q == nil:
		return r.json(struct{}{})
	}
	if err := r.admit(); err != nil {
		return err
	}
	leave, d := r.host.Limiter.Acquire(r.ctx(), scopeWaits, r.principal(), waitsPerStream*r.app.Limits.Streams)
	defer leave()
	if err := r.decided(d); err != nil {
		return err
	}
	c, _, err := ask(r, q)
	if err != nil {
		return err
	}
	h.answerHook(r, call, c)
	return nil
}

// appWanted is the app that the query names, or else the only one of the caller.
func (h Hooks) appWanted(r *request) string {
	id, named := r.query("app")
	if named {
		return id
	}
	for _, app := range r.setup().Config.Apps() {
		switch {
		case !r.caller.mayUse(app):
		case id != "":
			return ""
		default:
			id = app.ID
		}
	}
	return id
}

// readHook reads what a hook is called for, and the question where there is one. The query says
// whom to ask, and as whom.
func (h Hooks) readHook(r *request) (*hook.Call, *asking, error) {
	data, read, err := r.bodyOf()
	defer read()
	if err != nil {
		return nil, nil, err
	}
	call, err := h.Agent.Read(data)
	if err != nil {
		return nil, nil, invalid("malformed_json", "")
	}
	if call.Asking == nil {
		return call, nil, nil
	}
	own := call.Asking
	query := func(to *string, name string) {
		if s, given := r.query(name); given {
			*to = s
		}
	}
	query(&own.To, "to")
	if role, is := strings.CutPrefix(own.To, "role:"); is {
		own.To, own.ToRole = "", role
	}
	query(&own.By.Name, "as")
	query(&own.By.Title, "title")
	query(&own.ExpiresIn, "expiresIn")
	if _, given := r.query("to"); given && own.To == "" && own.ToRole == "" { // of a variable that is empty
		return nil, nil, invalid("asked", "to")
	}
	body, err := own.Body()
	if err == nil {
		data, err = json.Marshal(body)
	}
	if err != nil {
		return nil, nil, invalid("malformed_json", "")
	}
	q, err := decodeAsking(data)
	return call, q, err
}

// overBy withdraws the caller's questions whose keys begin so.
func (h Hooks) overBy(r *request, prefix string) error {
	if err := r.counted(scopeStops); err != nil {
		return err
	}
	ids, err := r.host.Store.Claimed(r.ctx(), r.caller.Tenant, r.caller.Subject, r.app.ID, prefix)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := h.withdrawn(r.ctx(), r, id); err != nil {
			return err
		}
	}
	return r.json(struct{}{})
}

// withdrawn closes a question of the caller's, if it is open still.
func (h Hooks) withdrawn(ctx context.Context, r *request, id string) error {
	err := h.Engine.Withdraw(turn.WithLog(ctx, r.logger()), id, r.whoever(chat.ActorProgram))
	switch chat.CodeOf(err) {
	case chat.CodeAlreadyAnswered, chat.CodeClarificationClosed, chat.CodeNotFound:
		return nil
	}
	return err
}

// answerHook waits for the answer, and sends it; {} where there is none. The response begins at
// once. A question whose caller goes away is withdrawn, as the terminal asks then.
func (h Hooks) answerHook(r *request, call *hook.Call, c chat.Clarification) {
	w := r.response()
	header := w.Header()
	header.Set("Content-Type", typeJSON)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	rc := http.NewResponseController(w)
	put := func(data []byte) bool {
		_ = rc.SetWriteDeadline(time.Now().Add(writeTimeout)) // not supported: no connection to protect
		_, err := w.Write(data)
		if err == nil {
			err = rc.Flush()
		}
		_ = rc.SetWriteDeadline(time.Time{})
		return err == nil && r.ctx().Err() == nil
	}
	w.WriteHeader(http.StatusOK)
	reached := put(nil)
	for reached {
		began := time.Now()
		now, err := ended(r, c, hookBeat)
		switch {
		case err == nil && now.State != tools.StatePending:
			_ = put(h.hookOutput(r, call, &now))
			return
		case err != nil, time.Since(began) < hookBeat: // the gateway shuts down, or the caller's access has ended
			reached = false
		default:
			reached = put([]byte(" "))
		}
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(r.ctx()), writeTimeout)
	defer done()
	if err := h.withdrawn(ctx, r, c.ID); err != nil {
		r.logger().Warn("a hook's question is left open", "clarification", c.ID, "error", err)
	}
	_ = put([]byte("{}\n"))
}

// hookOutput is what the hook prints for a question that is closed.
func (h Hooks) hookOutput(r *request, call *hook.Call, c *chat.Clarification) []byte {
	kept, err := json.Marshal(kept(r, c))
	var closed client.Clarification
	if err == nil {
		err = json.Unmarshal(kept, &closed)
	}
	var out any = struct{}{}
	if err == nil {
		if answer, none := call.Output(&closed); none == nil {
			out = answer
		}
	}
	data, err := json.Marshal(out)
	if err != nil { // what was read can be written
		panic(err)
	}
	return append(data, '\n')
}
