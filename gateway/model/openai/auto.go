package openai

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/responses"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// The APIs of a server, for NewAuto.
const (
	APIAuto      = "auto"
	APIChat      = "chat"
	APIResponses = "responses"
)

// NewAuto returns a model that uses Chat Completions or Responses. A base URL that ends in
// /chat/completions or /responses decides, or else api does. With APIAuto or "", it uses Responses at
// OpenAI's own address and at Azure's with the path /openai/v1, and Chat Completions elsewhere, until the
// server demands a request at Responses (see modeltest/strict).
func NewAuto(o Options, api string) model.Model {
	switch base := strings.TrimRight(path(o.BaseURL), "/"); {
	case strings.HasSuffix(base, "/chat/completions"):
		return New(o)
	case strings.HasSuffix(base, "/responses"):
		return responses.New(o)
	}
	switch {
	case api == APIChat:
		return New(o)
	case api == APIResponses || upstream.HostOf(o.BaseURL).Responses:
		return responses.New(o)
	}
	a := &auto{chat: New(o), responses: responses.New(o)}
	a.chat.leaves.Store(true)
	return a
}

// auto begins with Chat Completions, and switches to Responses permanently if the server demands it.
type auto struct {
	chat      *Client
	responses *responses.Client
	switched  atomic.Bool
}

// Stream implements model.Model.
func (a *auto) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	if a.switched.Load() {
		return a.responses.Stream(ctx, req)
	}
	chat := a.chat.Stream(ctx, req)
	return func(yield func(model.Delta, error) bool) {
		if wanted := a.try(chat, yield); wanted != nil {
			a.elsewhere(ctx, req, wanted, yield)
		}
	}
}

// try yields the answer of Chat Completions, unless the server demands Responses.
//
// Small stack: see package smallstack.
func (a *auto) try(chat iter.Seq2[model.Delta, error], yield yieldFunc) (wanted *elsewhere) {
	chat(func(d model.Delta, err error) bool {
		if err != nil {
			if wanted, _ = asElsewhere(err); wanted != nil {
				return false
			}
		}
		return yield(d, err) && err == nil
	})
	return wanted
}

// elsewhere sends a request to Responses, and after all to Chat Completions if the server has no
// Responses.
func (a *auto) elsewhere(ctx context.Context, req model.Request, wanted *elsewhere, yield yieldFunc) {
	begun, without := false, false
	for d, err := range a.responses.StreamAfter(ctx, req, wanted.asked.Sent()) {
		if without = !begun && missing(err); without {
			break
		}
		if err == nil && !begun {
			begun = true
			wanted.asked.Accepted()
			a.switched.Store(true)
		}
		if !yield(d, err) || err != nil {
			return
		}
	}
	if without {
		a.chat.leaves.Store(false)
		a.chat.streamAfter(ctx, req, wanted.asked.Sent()+1)(yield)
	}
}

// missing reports whether an error means that the server does not have an API.
func missing(err error) bool {
	var e *model.Error
	return errors.As(err, &e) && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusNotImplemented)
}

func path(base string) string {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return base
	}
	return u.Path
}
