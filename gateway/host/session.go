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

// These are for the session's cookie. The prefix makes browsers refuse one that was not set for
// this host alone, over TLS (RFC 6265bis, 4.1.3.2); below a path, over TLS.
const (
	sessionCookie     = "askgate"
	secureCookie      = "__Host-askgate"
	secureCookieBelow = "__Secure-askgate"
	// maxCookie bounds the cookie's value, in bytes: browsers keep 4096, including the name and the
	// attributes.
	maxCookie = 3800
)

// ticket is the sealed content of a session's cookie. It does not contain the key or token
// itself.
type ticket struct {
	Until int64 `json:"u"` // Unix seconds
	// By is what authenticated the caller: the hash of a key, or of the rules for tokens. The ticket
	// is valid only as long as this is in the configuration.
	By string `json:"b"`
	// Key is the thumbprint of the key that signed the caller's token. The issuer may withdraw
	// that key.
	Key string `json:"k,omitempty"`
	// These say who the caller is, if it had a token. For a key, the configuration does.
	Tenant     string   `json:"t,omitempty"`
	Subject    string   `json:"s,omitempty"`
	Roles      []string `json:"r,omitempty"`
	MayAsk     []string `json:"a,omitempty"`
	Unattended bool     `json:"n,omitempty"` // see Caller.Unattended
	// Claims are those of the token that tools of the configuration needed when the session began.
	Claims map[string]string `json:"c,omitempty"`
}

// secure reports whether the browser uses TLS, either with the gateway or, according to its
// header, with a proxy. A forged header only gets its sender a cookie that works over TLS alone.
func secure(r *http.Request) bool {
	first, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Proto"), ",") // if there are several proxies
	return r.TLS != nil || strings.TrimSpace(first) == "https"
}

func cookieName(r *http.Request) string {
	switch {
	case !secure(r):
		return sessionCookie
	case Below(r) != "": // a cookie for the host alone has no path
		return secureCookieBelow
	}
	return secureCookie
}

// bySession returns the caller that a cookie names; known is false if there is no valid one.
// Browsers send cookies with requests of any page, so requests that change something must come
// from the gateway's own.
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

// cookieOf returns the session's cookie, or "" if there is none that the gateway made.
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

// caller returns the ticket's caller under the current rules. It cannot act for others: only
// backends can, and they have no cookies.
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
		c.Key, c.Unattended, c.Asks = k.ID, !k.Interactive, slices.Clone(k.MayAsk)
		return c, true
	case config.AuthJWT:
		c.Principal, c.Unattended = chat.Principal{Tenant: t.Tenant, Subject: t.Subject, Roles: t.Roles}, t.Unattended
		c.Asks, c.claimed = t.MayAsk, t.claimed
		return c, t.By == rulesHash(&auth.JWT)
	}
	return Caller{}, false
}

// claimed implements Caller.claimed.
func (t *ticket) claimed(names []string) map[string]string {
	found := map[string]string{}
	for _, name := range names {
		if value, ok := t.Claims[name]; ok {
			found[name] = value
		}
	}
	return found
}

// rulesHash changes when the rules for tokens change.
func rulesHash(conf *config.JWT) string {
	data, err := json.Marshal(conf)
	if err != nil { // values of our own types marshal
		panic(err)
	}
	sum := sha256.Sum256(data)
	return "jwt:" + hex.EncodeToString(sum[:])
}

// sessionLasts is the maximum duration of a session.
const sessionLasts = 12 * time.Hour

// newTicket returns a ticket for a caller who presents a key or token.
func (u *authority) newTicket(r *http.Request, conf *config.Snapshot) (ticket, error) {
	auth := &conf.Gateway.Auth
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
		return ticket{Until: until.Unix(), By: rulesHash(&auth.JWT), Key: c.signedBy, Tenant: c.Tenant, Subject: c.Subject, Roles: c.Roles, MayAsk: c.Asks, Unattended: c.Unattended,
			Claims: u.within(c.claimed(conf.AllClaims()), maxCookieClaims)}, nil
	}
	return ticket{}, NotFound("no_session")
}
