package host

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
)

// The principal of all callers where auth.mode is none.
const (
	defaultTenant    = "default"
	anonymousSubject = "anonymous"
)

// MetricsRole is what a key needs to read /metrics on the main listener.
const MetricsRole = "metrics"

// maxKey bounds, in bytes, what is hashed for a caller that is not authenticated yet. Keys
// made by the gateway have some 30 characters.
const maxKey = 512

// actAs is what the subject of X-Askgate-User may look like: ids and mail addresses.
var actAs = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@:+/=-]{0,127}$`)

// Caller is a principal as the API sees it.
type Caller struct {
	chat.Principal
	Key      string // id of the API key, "" where there is none
	mayActAs bool
	Asks     []string  // whom its programs may ask, as config.APIKey.MayAsk
	Nobody   bool      // answers what its messages lead to, whatever they say
	session  bool      // known by a cookie
	signedBy string    // thumbprint of the key of its token, "" where there is none
	expires  time.Time // when it must prove again who it is; zero: never
}

// MayUse says whether an app is open to the caller: to everybody, or to one of
// the caller's roles.
func (c Caller) MayUse(app *config.App) bool {
	if len(app.Access.Roles) == 0 {
		return true
	}
	return slices.ContainsFunc(c.Roles, func(role string) bool { return slices.Contains(app.Access.Roles, role) })
}

// authority knows callers by what they present. It is safe for concurrent use.
type authority struct {
	log     *slog.Logger
	metrics *metrics
	csrf    *http.CrossOriginProtection
	keyring keyring
	sealer  sealer // of sessions
}

func newAuthority(log *slog.Logger, m *metrics) *authority {
	return &authority{log: log, metrics: m, csrf: http.NewCrossOriginProtection(), sealer: sealer{purpose: purposeSession}}
}

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
		// Without a key any page open in a browser on this machine could send
		// requests; other sites' pages are told apart by what browsers add.
		if u.foreign(r, conf.CORS) {
			return Caller{}, &Fault{Code: chat.CodeForbidden, Detail: "other_site"}
		}
		return Caller{Principal: chat.Principal{Tenant: defaultTenant, Subject: anonymousSubject}}, nil
	case config.AuthAPIKeys:
		if key, ok := findKey(auth.Keys, bearer(r, maxKey)); ok {
			return Caller{
				Principal: chat.Principal{Tenant: key.Tenant, Subject: key.Subject, Roles: key.Roles},
				Key:       key.ID,
				mayActAs:  key.MayActAs,
				Nobody:    !key.Interactive,
				Asks:      slices.Clone(key.MayAsk),
			}, nil
		}
	case config.AuthJWT:
		return u.byToken(r, &auth.JWT)
	case config.AuthProxy:
		// The proxy may know its users by cookies, which browsers send for any page.
		if u.foreign(r, conf.CORS) {
			return Caller{}, &Fault{Code: chat.CodeForbidden, Detail: "other_site"}
		}
		if p, ok := byProxy(r, &auth.Proxy); ok {
			return Caller{Principal: p}, nil
		}
	}
	return Caller{}, unauthenticated("")
}

// unauthenticated refuses an unknown caller; because is the error code of RFC 6750, 3.1,
// "" for none.
func unauthenticated(because string) error {
	challenge := "Bearer"
	if because != "" {
		challenge += ` error="` + because + `"`
	}
	return &Fault{Code: chat.CodeUnauthenticated, challenge: challenge}
}

// bearer is the key or token presented by Authorization: Bearer KEY, "" where there is
// none of up to so many bytes.
func bearer(r *http.Request, most int) string {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || len(key) > most {
		return ""
	}
	return strings.TrimSpace(key)
}

// findKey compares the hash of a key with all entries, in a time that does not depend on
// how close a wrong one is.
func findKey(keys []config.APIKey, presented string) (config.APIKey, bool) {
	if presented == "" {
		return config.APIKey{}, false
	}
	sum := sha256.Sum256([]byte(presented))
	hash := []byte("sha256:" + hex.EncodeToString(sum[:]))
	found := -1
	for i, k := range keys {
		if subtle.ConstantTimeCompare(hash, []byte(k.Hash)) == 1 {
			found = i
		}
	}
	if found < 0 {
		return config.APIKey{}, false
	}
	return keys[found], true
}
