package host

import (
	"context"
	"net/http"
	"regexp"
	"slices"

	"github.com/gin-gonic/gin"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
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

func (r *Request) Context() context.Context { return r.c.Request.Context() }

// HTTP is the request as it came.
func (r *Request) HTTP() *http.Request { return r.c.Request }

// Header is the response's; it goes out with the first byte.
func (r *Request) Header() http.Header { return r.Response().Header() }

// Param is a parameter of the route, query one of the address.
func (r *Request) Param(name string) string         { return r.c.Param(name) }
func (r *Request) Query(name string) (string, bool) { return r.c.GetQuery(name) }

// QueryOr is a parameter of the address, or what stands for none.
func (r *Request) QueryOr(name, none string) string { return r.c.DefaultQuery(name, none) }

// Response is the writer below gin's: gin's own would flush twice.
func (r *Request) Response() *response { return ResponseOf(r.c.Writer) }

// Setup is the configuration that the whole request goes by.
func (r *Request) Setup() *turn.Setup { return r.Response().setup }

func (r *Request) Conf() *config.Gateway { return &r.Setup().Config.Gateway }

func (r *Request) Written() bool { return r.Response().status != 0 }

func (r *Request) ID() string { return r.Response().requestID }

// JSON answers with status 200.
func (r *Request) JSON(body any) error {
	_ = r.Write(http.StatusOK, "application/json", body) // the client's loss only
	return nil
}

func (r *Request) Nothing() error {
	r.Response().Header().Set("Cache-Control", "no-store")
	r.Response().WriteHeader(http.StatusNoContent)
	return nil
}

// SignIn finds out who the caller is, unless that is known.
func (r *Request) SignIn() error {
	if r.Caller.Tenant != "" {
		return nil
	}
	caller, err := r.Host.auth.authenticate(r.HTTP(), r.Conf())
	if err != nil {
		return err
	}
	r.Caller, r.Response().About.keyID = caller, caller.Key
	return perReader(r)
}

// InApp finds the caller and the app, which must be enabled and allowed to the
// caller: else it does not exist for them.
func (r *Request) InApp() error { return r.Enter(r.Param("app")) }

// Apps are those that the caller may use.
func (r *Request) Apps() []*config.App {
	return slices.DeleteFunc(slices.Clone(r.Setup().Config.Apps()), func(app *config.App) bool { return !r.Caller.MayUse(app) })
}

// Enter finds an app for the caller. A body that was read before is counted now.
func (r *Request) Enter(id string) error {
	if err := r.SignIn(); err != nil {
		return err
	}
	app, ok := r.Setup().Config.App(id)
	if !ok || !r.Caller.MayUse(app) {
		return NotFound("app")
	}
	r.App, r.Response().About.App = app, app.ID
	if !r.bodyRead {
		return nil
	}
	if err := countOnce(r); err != nil {
		return err
	}
	if most := mostOf(r); r.size > most {
		return TooLarge(most)
	}
	return nil
}

// Principal is whose limits count that go over all apps.
func (r *Request) Principal() string { return r.Caller.Tenant + "\x00" + r.Caller.Subject }

// owner is whose limits count that go by app.
func owner(r *Request) string { return r.Principal() + "\x00" + r.App.ID }

var ChatID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// InChat finds the caller, the app and the name of the chat, which need not exist.
func (r *Request) InChat() error {
	if err := r.InApp(); err != nil {
		return err
	}
	id := r.Param("chatId")
	if !ChatID.MatchString(id) {
		return Invalid("chat_id", "chatId")
	}
	r.Response().About.ChatID = id
	r.Ref = chat.Ref{Tenant: r.Caller.Tenant, Subject: r.Caller.Subject, App: r.App.ID, ChatID: id}
	return nil
}

// FormatName is the label of metrics for how a request came.
func (r *Request) FormatName() string {
	if r.Format == nil {
		return Native
	}
	return r.Format.Name()
}
