package native

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/client"
	"github.com/askgate/askgate/gateway/client/hook"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// hookBeat is how often white space is sent while a hook waits: proxies give up on a response
// that is silent for a minute.
const hookBeat = 15 * time.Second

// Hooks answers a coding agent whose hooks are HTTP requests.
type Hooks struct {
	Engine Engine
	Agent  hook.Agent
}

// Serve asks the question that a hook was called for, and waits for the answer.
func (h Hooks) Serve(r *host.Request) error {
	if err := r.SignIn(); err != nil {
		return err
	}
	if err := host.MayRead(r); err != nil {
		return err
	}
	if err := r.Enter(h.appWanted(r)); err != nil {
		return err
	}
	call, q, err := h.readHook(r)
	r.Release()
	switch {
	case err != nil:
		return err
	case call.Over != "":
		return h.overBy(r, call.Over)
	case q == nil:
		return r.JSON(struct{}{})
	}
	if err := r.Admit(); err != nil {
		return err
	}
	leave, d := r.Host.Limiter.Acquire(r.Context(), host.ScopeWaits, r.Principal(), host.WaitsPerStream*r.App.Limits.Streams)
	defer leave()
	if err := host.Decided(r, d); err != nil {
		return err
	}
	c, _, err := host.Ask(r, q)
	if err != nil {
		return err
	}
	h.answerHook(r, call, c)
	return nil
}

// appWanted returns the app that the query names, or else the caller's only one.
func (h Hooks) appWanted(r *host.Request) string {
	id, named := r.Query("app")
	if named {
		return id
	}
	for _, app := range r.Setup().Config.Apps() {
		switch {
		case !r.Caller.MayUse(app):
		case id != "":
			return ""
		default:
			id = app.ID
		}
	}
	return id
}

// readHook reads the call of a hook, and its question if there is one. The query says whom to
// ask, and as whom.
func (h Hooks) readHook(r *host.Request) (*hook.Call, *host.Asking, error) {
	data, err := r.Body()
	if err != nil {
		return nil, nil, err
	}
	call, err := h.Agent.Read(data)
	if err != nil {
		return nil, nil, host.Invalid("malformed_json", "")
	}
	if call.Asking == nil {
		return call, nil, nil
	}
	own := call.Asking
	query := func(to *string, name string) {
		if s, given := r.Query(name); given {
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
	if _, given := r.Query("to"); given && own.To == "" && own.ToRole == "" { // from an empty variable
		return nil, nil, host.Invalid("asked", "to")
	}
	body, err := own.Body()
	if err == nil {
		data, err = json.Marshal(body)
	}
	if err != nil {
		return nil, nil, host.Invalid("malformed_json", "")
	}
	q, err := decodeAsking(data)
	return call, q, err
}

// overBy withdraws the caller's questions whose keys begin with prefix.
func (h Hooks) overBy(r *host.Request, prefix string) error {
	if err := host.Count(r, host.ScopeStops); err != nil {
		return err
	}
	ids, err := r.Host.Store.Claimed(r.Context(), r.Caller.Tenant, r.Caller.Subject, r.App.ID, prefix)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := h.withdrawn(r.Context(), r, id); err != nil {
			return err
		}
	}
	return r.JSON(struct{}{})
}

// withdrawn closes a question of the caller's, if it is still open.
func (h Hooks) withdrawn(ctx context.Context, r *host.Request, id string) error {
	err := h.Engine.Withdraw(turn.WithLog(ctx, r.Logger()), id, host.Actor(r, chat.ActorProgram))
	switch chat.CodeOf(err) {
	case chat.CodeAlreadyAnswered, chat.CodeClarificationClosed, chat.CodeNotFound:
		return nil
	}
	return err
}

// answerHook waits for the answer, and sends it, or {} if there is none. The response begins at
// once. If the caller goes away, its question is withdrawn, since the terminal asks then.
func (h Hooks) answerHook(r *host.Request, call *hook.Call, c chat.Clarification) {
	w := r.Response()
	header := w.Header()
	header.Set("Content-Type", host.TypeJSON)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	rc := http.NewResponseController(w)
	put := func(data []byte) bool {
		_ = rc.SetWriteDeadline(time.Now().Add(host.WriteTimeout)) // not supported: no connection to protect
		_, err := w.Write(data)
		if err == nil {
			err = rc.Flush()
		}
		_ = rc.SetWriteDeadline(time.Time{})
		return err == nil && r.Context().Err() == nil
	}
	w.WriteHeader(http.StatusOK)
	reached := put(nil)
	for reached {
		began := time.Now()
		now, err := host.Ended(r, c, hookBeat)
		switch {
		case err == nil && now.State != tools.StatePending:
			_ = put(h.hookOutput(r, call, &now))
			return
		case err != nil, time.Since(began) < hookBeat: // the gateway is shutting down, or the caller's access has ended
			reached = false
		default:
			reached = put([]byte(" "))
		}
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(r.Context()), host.WriteTimeout)
	defer done()
	if err := h.withdrawn(ctx, r, c.ID); err != nil {
		r.Logger().Warn("cannot withdraw a hook's question; it stays open", "clarification", c.ID, "error", err)
	}
	_ = put([]byte("{}\n"))
}

// hookOutput returns what the hook prints for a closed question.
func (h Hooks) hookOutput(r *host.Request, call *hook.Call, c *chat.Clarification) []byte {
	kept, err := json.Marshal(host.Kept(r, c))
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
