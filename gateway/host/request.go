package host

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
	"github.com/gin-gonic/gin"
)

// Native is the label of the gateway's own protocol, among the formats' names.
const Native = "native"

// Format is a wire format, as far as refusals need it.
type Format interface {
	// Name returns the label for metrics: "ai-sdk".
	Name() string
	// Refuse returns the body of a response that refuses a request, in the format's own shape. It
	// may set headers, but not the type and length, and not those that the host has set.
	Refuse(h http.Header, p Problem) (contentType string, body []byte)
}

// Request is one request on its way through the API.
type Request struct {
	Host   *Host
	c      *gin.Context
	Caller Caller
	App    *config.App
	Ref    chat.Ref
	// locale is the language that the body asks for, accepted the one that Accept-Language asks for;
	// "" if there is none.
	locale, accepted string
	// ChatKnown means that the engine was asked about ref, so that the chat's own language may be
	// looked up.
	ChatKnown bool
	Format    Format // nil: the gateway's own
	// ClientTools are the tools that the client brings to the turn of its command; nil: the request
	// was not examined for any.
	ClientTools []tools.Definition
	// changes says which limit counts the request, counted that it was counted, and paid that the
	// first command need not be counted any more.
	changes, counted, paid bool
	bodyRead, withFiles    bool
	size                   int64 // of the body
	ends                   []func()
	told                   Outlet // a run whose response is not written yet; nil: none
}

// NewRequest returns a request that has no route yet.
func (h *Host) NewRequest(c *gin.Context) *Request {
	r := &Request{Host: h, c: c}
	for _, wanted := range c.Request.Header.Values("Accept-Language") {
		if lang, ok := h.Catalog.Match(wanted); ok {
			r.accepted = lang
			break
		}
	}
	return r
}

// Context returns the context of the HTTP request.
func (r *Request) Context() context.Context { return r.c.Request.Context() }

// Outlive makes Context go on when the client has gone.
func (r *Request) Outlive() {
	r.c.Request = r.c.Request.WithContext(context.WithoutCancel(r.Context()))
}

// HTTP returns the request as received.
func (r *Request) HTTP() *http.Request { return r.c.Request }

// Header returns the response's header; it goes out with the first byte.
func (r *Request) Header() http.Header { return r.Response().Header() }

// Param returns a parameter of the route, Query one of the address.
func (r *Request) Param(name string) string { return r.c.Param(name) }

func (r *Request) Query(name string) (string, bool) { return r.c.GetQuery(name) }

// QueryOr returns a parameter of the address, or none if it is missing.
func (r *Request) QueryOr(name, none string) string { return r.c.DefaultQuery(name, none) }

// Response returns the writer below gin's, which would flush twice.
func (r *Request) Response() *Response { return ResponseOf(r.c.Writer) }

// Setup returns the configuration that applies to the whole request.
func (r *Request) Setup() *turn.Setup { return r.Response().setup }

// Conf returns the gateway's own part of the configuration.
func (r *Request) Conf() *config.Gateway { return &r.Setup().Config.Gateway }

// Written reports whether the response has begun.
func (r *Request) Written() bool { return r.Response().status != 0 }

// ID returns the request's id, for logs and support.
func (r *Request) ID() string { return r.Response().requestID }

// Principal returns the holder of limits that span all apps.
func (r *Request) Principal() string { return r.Caller.Tenant + "\x00" + r.Caller.Subject }

// owner returns the holder of limits within an app.
func owner(r *Request) string { return r.Principal() + "\x00" + r.App.ID }

// FormatName returns the label of the request's format for metrics.
func (r *Request) FormatName() string {
	if r.Format == nil {
		return Native
	}
	return r.Format.Name()
}

func (r *Request) Logger() *slog.Logger {
	return slog.New(r.Host.Log.Handler().WithAttrs(r.Response().attrs()))
}

// Release gives back what the body takes, when it is no longer needed.
func (r *Request) Release() {
	for _, end := range r.ends {
		end()
	}
	r.ends = nil
}

func (r *Request) atEnd(end func()) { r.ends = append(r.ends, end) }

// appID returns the label of the app, or "" before it is known.
func appID(r *Request) string {
	if r.App == nil {
		return ""
	}
	return r.App.ID
}
