package host

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/seal"
)

// The session's cookie. The prefix makes browsers refuse one that was not set for this
// host alone, over TLS (RFC 6265bis, 4.1.3.2); below a path, over TLS.
const (
	sessionCookie     = "askgate"
	secureCookie      = "__Host-askgate"
	secureCookieBelow = "__Secure-askgate"
	// maxCookie bounds its value, in bytes: browsers keep 4096 with the name and what
	// stands beside it.
	maxCookie = 3800
)

// ticket is what a session's cookie holds, sealed. The key or token itself is not in it.
type ticket struct {
	Until int64 `json:"u"` // Unix seconds
	// By is what the caller was authenticated with: the hash of a key, or of the rules for
	// tokens. The ticket is valid only as long as that is in force.
	By string `json:"b"`
	// Key is the thumbprint of what its token was signed with: the issuer may withdraw it.
	Key string `json:"k,omitempty"`
	// Who the caller is, if it had a token. For a key, the configuration has it.
	Tenant  string   `json:"t,omitempty"`
	Subject string   `json:"s,omitempty"`
	Roles   []string `json:"r,omitempty"`
	MayAsk  []string `json:"a,omitempty"`
	Nobody  bool     `json:"n,omitempty"` // answers
}

// secure says whether the browser uses TLS: with the gateway, or with a proxy according to
// its header. A forged header only gets its sender a cookie that works over TLS alone.
func secure(r *http.Request) bool {
	first, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Proto"), ",") // of several proxies
	return r.TLS != nil || strings.TrimSpace(first) == "https"
}

func cookieName(r *http.Request) string {
	switch {
	case !secure(r):
		return sessionCookie
	case Below(r) != "": // what is for the host alone has no path
		return secureCookieBelow
	}
	return secureCookie
}

// bySession is the caller that a cookie speaks of; known is false where there is none
// that holds. Cookies come with what any page sends, so what changes something must
// come from the gateway's own.
func (u *authority) bySession(r *http.Request, auth *config.Auth) (c Caller, known bool, err error) {
	value := cookieOf(r)
	if value == "" {
		return Caller{}, false, nil
	}
	box, err := u.sealer.of(auth.Session.Secret)
	if err != nil {
		return Caller{}, false, err
	}
	t, ok := open(box, value)
	if !ok {
		return Caller{}, false, nil
	}
	c, known = t.caller(auth)
	if !known || !time.Now().Before(c.expires) {
		return Caller{}, false, nil
	}
	if auth.Mode == config.AuthJWT {
		if known, err = u.stillPublished(r, &auth.JWT, t.Key); !known || err != nil {
			return Caller{}, false, err
		}
	}
	if u.csrf.Check(r) != nil {
		return Caller{}, false, &Fault{Code: chat.CodeForbidden}
	}
	return c, true, nil
}

// cookieOf is the session's cookie, "" where there is none that the gateway made.
func cookieOf(r *http.Request) string {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil || len(cookie.Value) > maxCookie {
		return ""
	}
	return cookie.Value
}

func open(box *seal.Box, value string) (t ticket, ok bool) {
	data, ok := box.Open(value)
	return t, ok && json.Unmarshal(data, &t) == nil
}

// caller is the ticket's caller under the rules in force. It cannot act for others: that is
// for backends, which have no cookies.
func (t *ticket) caller(auth *config.Auth) (Caller, bool) {
	c := Caller{expires: time.Unix(t.Until, 0), session: true}
	switch auth.Mode {
	case config.AuthAPIKeys:
		i := slices.IndexFunc(auth.Keys, func(k config.APIKey) bool { return k.Hash == t.By && !k.MayActAs })
		if i < 0 {
			return Caller{}, false
		}
		k := &auth.Keys[i]
		c.Principal = chat.Principal{Tenant: k.Tenant, Subject: k.Subject, Roles: k.Roles}
		c.Key, c.Nobody, c.Asks = k.ID, !k.Interactive, slices.Clone(k.MayAsk)
		return c, true
	case config.AuthJWT:
		c.Principal, c.Nobody = chat.Principal{Tenant: t.Tenant, Subject: t.Subject, Roles: t.Roles}, t.Nobody
		c.Asks = t.MayAsk
		return c, t.By == rulesHash(&auth.JWT)
	}
	return Caller{}, false
}

// rulesHash changes when the rules for tokens do.
func rulesHash(conf *config.JWT) string {
	data, err := json.Marshal(conf)
	if err != nil { // values of our own types marshal
		panic(err)
	}
	sum := sha256.Sum256(data)
	return "jwt:" + hex.EncodeToString(sum[:])
}

// sessionLasts is how long a session lasts at most.
const sessionLasts = 12 * time.Hour

// newTicket is for a caller who presents a key or token.
func (u *authority) newTicket(r *http.Request, auth *config.Auth) (ticket, error) {
	until := time.Now().Add(sessionLasts)
	switch auth.Mode {
	case config.AuthAPIKeys:
		key, ok := findKey(auth.Keys, bearer(r, maxKey))
		switch {
		case !ok:
			return ticket{}, unauthenticated("")
		case key.MayActAs:
			return ticket{}, &Fault{Code: chat.CodeForbidden}
		}
		return ticket{Until: until.Unix(), By: key.Hash}, nil
	case config.AuthJWT:
		c, err := u.byToken(r, &auth.JWT)
		if err != nil {
			return ticket{}, err
		}
		if c.expires.Before(until) {
			until = c.expires
		}
		return ticket{Until: until.Unix(), By: rulesHash(&auth.JWT), Key: c.signedBy, Tenant: c.Tenant, Subject: c.Subject, Roles: c.Roles, MayAsk: c.Asks, Nobody: c.Nobody}, nil
	}
	return ticket{}, NotFound("no_session")
}
