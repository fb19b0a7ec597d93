package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/askgate/askgate/gateway/sse"
)

// pollEvery is how often this command checks again for the condition it waits for.
const pollEvery = 10 * time.Millisecond

// patience is how long anything may take before it counts as lost: several consecutive takeovers,
// on a busy machine.
const patience = time.Minute

// counter is a counter that is safe for concurrent use.
type counter struct{ n atomic.Int64 }

func (c *counter) next() int64 { return c.n.Add(1) }

var web = &http.Client{Transport: &http.Transport{
	MaxIdleConnsPerHost: 1000, IdleConnTimeout: 10 * time.Second, DisableCompression: true,
}}

// refusal is a response other than 2xx.
type refusal struct {
	Status  int             `json:"status"`
	Code    string          `json:"code"`
	Outcome string          `json:"outcome"`
	State   string          `json:"state"`
	Answer  json.RawMessage `json:"answer"`
	Scope   string          `json:"scope"`
}

func (r *refusal) Error() string { return fmt.Sprintf("%d %s", r.Status, r.Code) }

var (
	errDown   = errors.New("the node is down")
	errNotYet = errors.New("not yet")
)

// request sends one request; the caller closes the body. Any response but 2xx is a *refusal.
func request(ctx context.Context, method, url, body string, header ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set(userHeader, userOwner) // only read where byProxy is set
	req.Header.Set(rolesHeader, "admin")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := web.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer resp.Body.Close()
	r := &refusal{}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	_ = json.Unmarshal(b, r) // an unknown body leaves the status
	r.Status = resp.StatusCode
	return nil, r
}

// unavailable reports whether the same request may succeed later or on another node.
func unavailable(err error) bool {
	var r *refusal
	return err != nil && (!errors.As(err, &r) || r.Status == http.StatusServiceUnavailable)
}

// chatURL is the chat's address on a node.
func chatURL(node, app, chat string) string { return node + "/v1/apps/" + app + "/chats/" + chat }

// answered is a run as its POST stream showed it.
type answered struct {
	first  string // id of its first event
	turn   string
	text   string
	finish string // "" where the stream ended without a done
	retry  bool   // the stream set a retry time
}

// read follows a POST stream to its end. seen, which may be nil, is called for each event.
func read(body io.ReadCloser, seen func(sse.Event)) (a answered, err error) {
	defer body.Close()
	p := picture{partial: true}
	defer func() { a.text = p.said() }()
	for ev, err := range sse.Read(body) {
		if err != nil {
			return a, nil // a broken stream is one without a done
		}
		if ev.Retry > 0 {
			a.retry = true
		}
		if ev.Name == "" {
			continue
		}
		if a.finish != "" {
			return a, fmt.Errorf("%s after the done", ev.Name)
		}
		if seen != nil {
			seen(ev)
		}
		var e event
		if err := json.Unmarshal(ev.Data, &e); err != nil {
			return a, fmt.Errorf("%s: %w", ev.Name, err)
		}
		if err := p.apply(ev); err != nil {
			return a, err
		}
		switch ev.Name {
		case "turn.start":
			a.first, a.turn = ev.ID, e.TurnID
		case "done":
			a.finish = e.FinishReason
		}
	}
	return a, nil
}

// wait polls until done returns true, or patience or ctx ends; done has a context that ends with
// them.
func wait(ctx context.Context, what string, done func(ctx context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var last error
	for {
		ok, err := done(ctx)
		if ok {
			return nil
		}
		if err != nil && !unavailable(err) {
			return fmt.Errorf("%s: %w", what, err)
		}
		if last = err; last == nil {
			last = errNotYet
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w (waited up to %s; last error: %w)", what, ctx.Err(), patience, last)
		case <-time.After(pollEvery):
		}
	}
}
