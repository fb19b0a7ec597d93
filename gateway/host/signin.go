package host

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// SignIn gives a browser a cookie in exchange for a key or token, so that no script of the page
// has to keep either.
func SignIn(r *Request) error {
	req := r.HTTP()
	if r.Host.auth.csrf.Check(req) != nil {
		return &Fault{Code: chat.CodeForbidden}
	}
	auth := &r.Conf().Auth
	t, err := r.Host.auth.newTicket(req, r.Setup().Config)
	if err != nil {
		return err
	}
	if err := r.SignIn(); err != nil { // whatever else may be wrong with the request
		return err
	}
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	box, err := r.Host.auth.sealer.of(auth.Session.Secret)
	if err != nil {
		return err
	}
	value := box.Seal(data)
	if len(value) > maxCookie {
		return &Fault{Code: chat.CodeTooLarge, Detail: "session_too_large"}
	}
	setSession(r, value, int(time.Until(time.Unix(t.Until, 0)).Seconds()))
	return r.Nothing()
}

// SignOut deletes the cookie.
func SignOut(r *Request) error {
	if r.Host.auth.csrf.Check(r.HTTP()) != nil {
		return &Fault{Code: chat.CodeForbidden}
	}
	setSession(r, "", -1)
	return r.Nothing()
}

func setSession(r *Request, value string, maxAge int) {
	http.SetCookie(r.Response(), &http.Cookie{ //nolint:gosec // Secure wherever the browser speaks TLS
		Name: cookieName(r.HTTP()), Value: value, Path: Below(r.HTTP()) + "/", MaxAge: max(maxAge, -1),
		HttpOnly: true, Secure: secure(r.HTTP()), SameSite: http.SameSiteStrictMode,
	})
}

// ShowSession reports who the caller is.
func ShowSession(r *Request) error {
	if err := r.SignIn(); err != nil {
		return err
	}
	roles := r.Caller.Roles
	if roles == nil {
		roles = []string{}
	}
	return r.JSON(struct {
		Tenant    string     `json:"tenant"`
		Subject   string     `json:"subject"`
		Roles     []string   `json:"roles"`
		SignedIn  bool       `json:"signedIn"` // by a cookie
		ExpiresAt *chat.Time `json:"expiresAt"`
		Admin     bool       `json:"admin"` // may use /v1/admin
		Version   string     `json:"version"`
	}{r.Caller.Tenant, r.Caller.Subject, roles, r.Caller.session, OptionalTime(r.Caller.expires), IsAdmin(r), r.Host.Version})
}
