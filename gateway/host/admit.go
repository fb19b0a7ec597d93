package host

import (
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/limit"
)

// Admit refuses requests while the gateway is shutting down, or beyond the limits of requests. It
// also counts the first command of the request.
func (r *Request) Admit() error {
	if r.Host.IsDraining() {
		return &Fault{Code: chat.CodeDraining}
	}
	return r.Allowed()
}

// pay counts a command, unless it was counted with the request.
func pay(r *Request) error {
	if r.paid {
		r.paid = false
		return nil
	}
	err := r.Admit()
	r.paid = false
	return err
}

// Allowed refuses requests beyond the limits of requests.
func (r *Request) Allowed() error {
	if err := Count(r, scopeRequests); err != nil {
		return err
	}
	perTenant := r.Conf().Limits.RequestsPerMinutePerTenant
	err := allow(r, limit.Rule{Scope: scopeTenant, Key: r.Caller.Tenant, PerMinute: perTenant})
	r.counted, r.paid = err == nil, err == nil
	return err
}

// Body returns the request's JSON, at most MaxBody. The request has been counted; Release gives
// back what the body takes.
func (r *Request) Body() ([]byte, error) { return r.read(MaxBody) }

// BodyOf is Body for a format's request, which is counted once its app is known: before the body
// is read, or by Enter if the body names the app. With withFiles, it may be larger by the size of
// an app's attachments.
func (r *Request) BodyOf(withFiles bool) ([]byte, error) {
	if err := r.SignIn(); err != nil {
		return nil, err
	}
	if r.Host.IsDraining() {
		return nil, &Fault{Code: chat.CodeDraining}
	}
	count := MayRead
	if r.App != nil {
		count = countOnce
	}
	if err := count(r); err != nil {
		return nil, err
	}
	r.withFiles = withFiles
	return r.read(mostOf(r))
}

func countOnce(r *Request) error {
	switch {
	case r.counted:
		return nil
	case r.changes:
		return Count(r, ScopeChanges)
	}
	return r.Allowed()
}

// read reads a body of up to most bytes.
func (r *Request) read(most int64) (data []byte, err error) {
	size := r.HTTP().ContentLength
	if size < 0 || size > most {
		size = most
	}
	release, err := Take(r, costOfBody*min(size, MaxBody)+costOfFiles*max(size-MaxBody, 0))
	r.atEnd(release)
	if err != nil {
		return nil, err
	}
	data, err = ReadBody(r.Response(), r.HTTP(), most)
	r.bodyRead, r.size = true, int64(len(data))
	return data, err
}

// maxFilesBody is the maximum size of a body with files, however many an app takes.
const maxFilesBody = 32 << 20

// bodyWith returns the maximum size of a body with an app's attachments.
func bodyWith(app *config.App) int64 {
	takes := &app.Attachments
	if takes.MaxFiles == 0 {
		return MaxBody
	}
	each := min(takes.MaxBytes, maxFilesBody) // so that the product fits
	return min(MaxBody+int64(takes.MaxFiles)*each*4/3, maxFilesBody)
}

// mostOf returns the maximum size of the body of a format's request. If the body names the app,
// it is the largest that any of the caller's apps takes.
func mostOf(r *Request) int64 {
	most := int64(MaxBody)
	switch {
	case !r.withFiles:
	case r.App != nil:
		most = bodyWith(r.App)
	default:
		for _, app := range r.Apps() {
			most = max(most, bodyWith(app))
		}
	}
	return most
}

// SignIn authenticates the caller, unless that was done before.
func (r *Request) SignIn() error {
	if r.Caller.Tenant != "" {
		return nil
	}
	caller, err := r.Host.auth.authenticate(r.HTTP(), r.Conf())
	if err != nil {
		return err
	}
	if caller.email != "" && r.Host.Address != nil {
		r.Host.Address(r.Context(), r.Conf(), caller.Principal, caller.email)
	}
	r.Caller, r.Response().About.keyID = caller, caller.Key
	return perReader(r)
}

// InApp finds the caller and the app, which must be enabled and allowed to the caller; otherwise,
// it does not exist for the caller.
func (r *Request) InApp() error { return r.Enter(r.Param("app")) }

// Apps returns the apps that the caller may use.
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
		return NoApp(id, r.Apps())
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

// ChatID matches valid chat ids.
var ChatID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// IdempotencyKey returns the key of a request that a client may repeat: the one in the body or,
// if there is none, the one in the header, which proxies can set.
func IdempotencyKey(r *Request, inBody string) (string, error) {
	const name = "Idempotency-Key"
	values := r.HTTP().Header.Values(name)
	if inBody != "" || len(values) == 0 {
		return inBody, nil
	}
	if len(values) > 1 || !utf8.ValidString(values[0]) || !Printable(values[0]) {
		return "", &Fault{Code: chat.CodeInvalidRequest, Detail: "idempotency_key", Field: name, Params: map[string]any{"Max": MaxKeyLen}}
	}
	return values[0], nil
}
