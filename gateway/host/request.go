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

// Native is the label of the gateway's own protocol beside the formats' names.
const Native = "native"

// Format is a wire format as far as requests that are refused come in it.
type Format interface {
	// Name is the label of metrics: "ai-sdk".
	Name() string
	// Refuse is the body of a response that refuses a request, in the format's own shape; it
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
	// locale is the language that the body asks for, accepted the one that
	// Accept-Language asks for; "" where there is none.
	locale, accepted string
	// ChatKnown says that the engine was asked about ref, so that the chat's own
	// language may be looked up.
	ChatKnown bool
	Format    Format // nil: the gateway's own
	// ClientTools are those that the client brings to what its command begins; nil: it was not asked.
	ClientTools []tools.Definition
	// changes says which limit counts the request, counted that it has, and paid that the
	// first command needs not be counted any more.
	changes, counted, paid bool
	bodyRead, withFiles    bool
	size                   int64 // of the body
	ends                   []func()
	told                   Outlet // a run whose response is not written yet; nil: none
}

// NewRequest is a request that has no route yet.
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

// Context is that of the HTTP request.
func (r *Request) Context() context.Context { return r.c.Request.Context() }

// HTTP is the request as it came.
func (r *Request) HTTP() *http.Request { return r.c.Request }

// Header is the response's; it goes out with the first byte.
func (r *Request) Header() http.Header { return r.Response().Header() }

// Param is a parameter of the route, Query one of the address.
func (r *Request) Param(name string) string { return r.c.Param(name) }

func (r *Request) Query(name string) (string, bool) { return r.c.GetQuery(name) }

// QueryOr is a parameter of the address, or what stands for none.
func (r *Request) QueryOr(name, none string) string { return r.c.DefaultQuery(name, none) }

// Response is the writer below gin's: gin's own would flush twice.
func (r *Request) Response() *Response { return ResponseOf(r.c.Writer) }

// Setup is the configuration that the whole request goes by.
func (r *Request) Setup() *turn.Setup { return r.Response().setup }

// Conf is the gateway's own part of the configuration.
func (r *Request) Conf() *config.Gateway { return &r.Setup().Config.Gateway }

// Written says that the response has begun.
func (r *Request) Written() bool { return r.Response().status != 0 }

// ID is the request's, for logs and support.
func (r *Request) ID() string { return r.Response().requestID }

// Principal is whose limits count that go over all apps.
func (r *Request) Principal() string { return r.Caller.Tenant + "\x00" + r.Caller.Subject }

// owner is whose limits count that go by app.
func owner(r *Request) string { return r.Principal() + "\x00" + r.App.ID }

// FormatName is the label of metrics for how a request came.
func (r *Request) FormatName() string {
	if r.Format == nil {
		return Native
	}
	return r.Format.Name()
}

// Logger is the log of a request.
func (r *Request) Logger() *slog.Logger {
	return slog.New(r.Host.Log.Handler().WithAttrs(r.Response().attrs()))
}

// Release gives back what the body takes, when it is not needed any more.
func (r *Request) Release() {
	for _, end := range r.ends {
		end()
	}
	r.ends = nil
}

func (r *Request) atEnd(end func()) { r.ends = append(r.ends, end) }

// appID is the label of the app, "" before it is known.
func appID(r *Request) string {
	if r.App == nil {
		return ""
	}
	return r.App.ID
}
