package api

import (
	"context"
	"net/http"
	"regexp"

	"github.com/gin-gonic/gin"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn"
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

// request is one request on its way through the API.
type request struct {
	host   *Host
	c      *gin.Context
	caller caller
	app    *config.App
	ref    chat.Ref
	// locale is the language that the body asks for, accepted the one that
	// Accept-Language asks for; "" where there is none.
	locale, accepted string
	// chatKnown says that the engine was asked about ref, so that the chat's own
	// language may be looked up.
	chatKnown bool
	format    Format // nil: the gateway's own
	bodyRead  bool
}

func (h *Host) newRequest(c *gin.Context) *request {
	r := &request{host: h, c: c}
	for _, wanted := range c.Request.Header.Values("Accept-Language") {
		if lang, ok := h.Catalog.Match(wanted); ok {
			r.accepted = lang
			break
		}
	}
	return r
}

func (r *request) ctx() context.Context { return r.c.Request.Context() }

// http is the request as it came.
func (r *request) http() *http.Request { return r.c.Request }

// param is a parameter of the route, query one of the address.
func (r *request) param(name string) string         { return r.c.Param(name) }
func (r *request) query(name string) (string, bool) { return r.c.GetQuery(name) }

// queryOr is a parameter of the address, or what stands for none.
func (r *request) queryOr(name, none string) string { return r.c.DefaultQuery(name, none) }

// response is the writer below gin's: gin's own would flush twice.
func (r *request) response() *response { return responseOf(r.c.Writer) }

// setup is the configuration that the whole request goes by.
func (r *request) setup() *turn.Setup { return r.response().setup }

func (r *request) conf() *config.Gateway { return &r.setup().Config.Gateway }

func (r *request) written() bool { return r.response().status != 0 }

func (r *request) id() string { return r.response().requestID }

// json answers with status 200.
func (r *request) json(body any) error {
	_ = r.write(http.StatusOK, "application/json", body) // the client's loss only
	return nil
}

func (r *request) noContent() error {
	r.response().Header().Set("Cache-Control", "no-store")
	r.response().WriteHeader(http.StatusNoContent)
	return nil
}

// signedIn finds out who the caller is.
func (r *request) signedIn() error {
	caller, err := r.host.auth.authenticate(r.http(), r.conf())
	if err != nil {
		return err
	}
	r.caller, r.response().about.keyID = caller, caller.key
	return perReader(r)
}

// inApp finds the caller and the app, which must be enabled and allowed to the
// caller: else it does not exist for them.
func (r *request) inApp() error {
	if err := r.signedIn(); err != nil {
		return err
	}
	return r.enter(r.param("app"))
}

// enter finds the app for a caller who is known.
func (r *request) enter(id string) error {
	app, ok := r.setup().Config.App(id)
	if !ok || !r.caller.mayUse(app) {
		return notFound("app")
	}
	r.app, r.response().about.app = app, app.ID
	return nil
}

// principal is whose limits count that go over all apps.
func (r *request) principal() string { return r.caller.Tenant + "\x00" + r.caller.Subject }

// owner is whose limits count that go by app.
func (r *request) owner() string { return r.principal() + "\x00" + r.app.ID }

var chatID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// inChat finds the caller, the app and the name of the chat, which need not exist.
func (r *request) inChat() error {
	if err := r.inApp(); err != nil {
		return err
	}
	id := r.param("chatId")
	if !chatID.MatchString(id) {
		return invalid("chat_id", "chatId")
	}
	r.response().about.chatID = id
	r.ref = chat.Ref{Tenant: r.caller.Tenant, Subject: r.caller.Subject, App: r.app.ID, ChatID: id}
	return nil
}

// frontName is the label of metrics for how a request came.
func (r *request) frontName() string {
	if r.format == nil {
		return Native
	}
	return r.format.Name()
}
