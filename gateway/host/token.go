package host

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/token"
)

// maxName bounds, in bytes, tenants and subjects that other issuers assign. OpenID Connect allows
// 255 for a subject (Core 1.0, 2).
const maxName = 255

// goodName reports whether a tenant or subject from another issuer can own chats: it must be
// printable text of at most maxName bytes, without white space at its ends.
func goodName(name string) bool {
	return name != "" && len(name) <= maxName && utf8.ValidString(name) && strings.TrimSpace(name) == name &&
		!strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

func (u *authority) keySet(conf *config.JWT) (*token.Keys, error) {
	keys, err := u.keyring.at(conf.JWKS, u.log, u.metrics.keySetFetched)
	if err != nil { // the configuration is checked, so this is an address that is valid but cannot be reached by any client
		return nil, &chat.Error{Code: codeAuthUnavailable, Err: err}
	}
	return keys, nil
}

// stillPublished reports whether the key that signed a session's token is still published.
func (u *authority) stillPublished(r *http.Request, conf *config.JWT, thumbprint string) (bool, error) {
	keys, err := u.keySet(conf)
	if err != nil {
		return false, err
	}
	has, err := keys.Has(r.Context(), thumbprint)
	if err != nil {
		return false, &chat.Error{Code: codeAuthUnavailable, Err: err}
	}
	return has, nil
}

// byToken returns the caller that a signed token names.
func (u *authority) byToken(r *http.Request, conf *config.JWT) (Caller, error) {
	raw := bearer(r, token.MaxSize)
	if raw == "" {
		return Caller{}, unauthenticated("")
	}
	keys, err := u.keySet(conf)
	if err != nil {
		return Caller{}, err
	}
	claims, err := keys.Verify(r.Context(), raw, token.Rules{Issuer: conf.Issuer, Audience: conf.Audience})
	switch {
	case errors.Is(err, token.ErrUnavailable), errors.Is(err, context.Canceled):
		return Caller{}, &chat.Error{Code: codeAuthUnavailable, Err: err}
	case err != nil:
		return Caller{}, u.badToken(r, err)
	}
	p := chat.Principal{Tenant: conf.Tenant, Subject: claims.Text(conf.Claims.Subject)}
	if conf.Claims.Tenant != "" {
		p.Tenant = claims.Text(conf.Claims.Tenant)
	}
	if conf.Claims.Roles != "" {
		p.Roles = claims.Words(conf.Claims.Roles)
	}
	if !goodName(p.Tenant) || !goodName(p.Subject) {
		return Caller{}, u.badToken(r, errors.New("token: its claims name no tenant or no subject"))
	}
	c := Caller{Principal: p, expires: claims.Expires, signedBy: claims.Key, claimed: claims.Values}
	if conf.Claims.Email != "" && claims.True("email_verified") {
		c.email = claims.Text(conf.Claims.Email)
	}
	return c, nil
}

// badToken refuses a token. It logs the reason for the operator, and does not send it to the
// caller.
func (u *authority) badToken(r *http.Request, why error) error {
	u.log.LogAttrs(r.Context(), slog.LevelDebug, "token refused", slog.Any("error", why))
	return unauthenticated("invalid_token")
}
