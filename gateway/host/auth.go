package host

import (
	"net/http"
	"regexp"
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
)

// actAs matches valid subjects of X-Askgate-User: ids and mail addresses.
var actAs = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@:+/=-]{0,127}$`)

// authenticate finds out who sends a request.
func (u *authority) authenticate(r *http.Request, conf *config.Gateway) (Caller, error) {
	c, err := u.identify(r, conf)
	if err != nil {
		return Caller{}, err
	}
	for _, role := range c.Roles {
		c.Asks = append(c.Asks, conf.Auth.Roles[role].MayAsk...)
	}
	users, acts := r.Header["X-Askgate-User"]
	if !acts {
		return c, nil
	}
	if !c.mayActAs {
		return Caller{}, &Fault{Code: chat.CodeForbidden}
	}
	// An empty one is a mistake of the backend: its users would share a principal.
	if len(users) != 1 || !actAs.MatchString(users[0]) {
		return Caller{}, Invalid("", "X-Askgate-User")
	}
	c.Subject = users[0]
	return c, nil
}

func (u *authority) identify(r *http.Request, conf *config.Gateway) (Caller, error) {
	auth := &conf.Auth
	if !presents(r) && (auth.Mode == config.AuthAPIKeys || auth.Mode == config.AuthJWT) {
		if c, known, err := u.bySession(r, auth); known || err != nil {
			return c, err
		}
	}
	switch auth.Mode {
	case config.AuthNone:
		// Without a key, any page open in a browser on this machine could send requests; other sites'
		// pages are recognized by what browsers add.
		if u.foreign(r, conf.CORS) {
			return Caller{}, &Fault{Code: chat.CodeForbidden, Detail: "other_site"}
		}
		return Caller{Principal: chat.Principal{Tenant: defaultTenant, Subject: anonymousSubject}}, nil
	case config.AuthAPIKeys:
		if key, ok := findKey(auth.Keys, bearer(r, maxKey)); ok {
			return Caller{
				Principal:  chat.Principal{Tenant: key.Tenant, Subject: key.Subject, Roles: key.Roles},
				Key:        key.ID,
				mayActAs:   key.MayActAs,
				Unattended: !key.Interactive,
				Asks:       slices.Clone(key.MayAsk),
			}, nil
		}
	case config.AuthJWT:
		return u.byToken(r, &auth.JWT)
	case config.AuthProxy:
		// The proxy may recognize its users by cookies, which browsers send for any page.
		if u.foreign(r, conf.CORS) {
			return Caller{}, &Fault{Code: chat.CodeForbidden, Detail: "other_site"}
		}
		if p, ok := byProxy(r, &auth.Proxy); ok {
			return Caller{Principal: p}, nil
		}
	}
	return Caller{}, unauthenticated("")
}
