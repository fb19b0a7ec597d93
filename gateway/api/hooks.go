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

// hooked answers a coding agent whose hooks are HTTP requests.
func (a *API) hooked(agent hook.Agent) func(r *request) error {
	return func(r *request) error {
		if err := a.signedIn(r); err != nil {
			return err
		}
		if err := a.mayRead(r); err != nil {
			return err
		}
		if err := a.enter(r, a.appWanted(r)); err != nil {
			return err
		}
		call, q, err := a.readHook(r, agent)
		switch {
		case err != nil:
			a.readInVain(r)
			return err
		case call.Over != "":
			return a.overBy(r, call.Over)
		case q == nil:
			return r.json(struct{}{})
		}
		if err := a.admit(r); err != nil {
			return err
		}
		leave, d := a.Limiter.Acquire(r.ctx(), scopeWaits, r.principal(), waitsPerStream*r.app.Limits.Streams)
		defer leave()
		if err := a.decided(r, d); err != nil {
			return err
		}
		c, _, err := a.ask(r, q)
		if err != nil {
			return err
		}
		a.answerHook(r, call, c)
		return nil
	}
}

// appWanted is the app that the query names, or else the only one of the caller.
func (a *API) appWanted(r *request) string {
	id, named := r.c.GetQuery("app")
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
func (a *API) readHook(r *request, agent hook.Agent) (*hook.Call, *asking, error) {
	data, read, err := a.bodyOf(r)
	defer read()
	if err != nil {
		return nil, nil, err
	}
	call, err := agent.Read(data)
	if err != nil {
		return nil, nil, invalid("malformed_json", "")
	}
	if call.Asking == nil {
		return call, nil, nil
	}
	own := call.Asking
	query := func(to *string, name string) {
		if s, given := r.c.GetQuery(name); given {
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
	if _, given := r.c.GetQuery("to"); given && own.To == "" && own.ToRole == "" { // of a variable that is empty
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
func (a *API) overBy(r *request, prefix string) error {
	if err := a.counted(r, scopeStops); err != nil {
		return err
	}
	ids, err := a.Store.Claimed(r.ctx(), r.caller.Tenant, r.caller.Subject, r.app.ID, prefix)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := a.withdrawn(r.ctx(), r, id); err != nil {
			return err
		}
	}
	return r.json(struct{}{})
}

// withdrawn closes a question of the caller's, if it is open still.
func (a *API) withdrawn(ctx context.Context, r *request, id string) error {
	err := a.Engine.Withdraw(turn.WithLog(ctx, a.logger(r)), id, a.whoever(r, chat.ActorProgram))
	switch chat.CodeOf(err) {
	case chat.CodeAlreadyAnswered, chat.CodeClarificationClosed, chat.CodeNotFound:
		return nil
	}
	return err
}

// answerHook waits for the answer, and sends it; {} where there is none. The response begins at
// once. A question whose caller goes away is withdrawn, as the terminal asks then.
func (a *API) answerHook(r *request, call *hook.Call, c chat.Clarification) {
	w := r.response()
	h := w.Header()
	h.Set("Content-Type", typeJSON)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
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
		now, err := a.ended(r, c, hookBeat)
		switch {
		case err == nil && now.State != tools.StatePending:
			_ = put(a.hookOutput(r, call, &now))
			return
		case err != nil, time.Since(began) < hookBeat: // the gateway shuts down, or the caller's access has ended
			reached = false
		default:
			reached = put([]byte(" "))
		}
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(r.ctx()), writeTimeout)
	defer done()
	if err := a.withdrawn(ctx, r, c.ID); err != nil {
		a.logger(r).Warn("a hook's question is left open", "clarification", c.ID, "error", err)
	}
	_ = put([]byte("{}\n"))
}

// hookOutput is what the hook prints for a question that is closed.
func (a *API) hookOutput(r *request, call *hook.Call, c *chat.Clarification) []byte {
	kept, err := json.Marshal(r.kept(c))
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
