package host

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
)

// These form the principal of all callers if auth.mode is none.
const (
	defaultTenant    = "default"
	anonymousSubject = "anonymous"
)

// MetricsRole is the role that a key needs to read /metrics on the main listener.
const MetricsRole = "metrics"

// maxKey bounds, in bytes, what is hashed for a caller that is not authenticated yet. Keys made
// by the gateway have some 30 characters.
const maxKey = 512

// Caller is a principal as the API sees it.
type Caller struct {
	chat.Principal
	Key        string // id of the API key, "" if there is none
	mayActAs   bool
	Asks       []string  // whom its programs may ask, as in config.APIKey.MayAsk
	Unattended bool      // no one answers what its messages lead to, whatever they say
	session    bool      // authenticated by a cookie
	signedBy   string    // thumbprint of the key of its token, "" if there is none
	claimed    claimed   // of its token; nil: it has none
	email      string    // verified, of its token; "" if there is none
	expires    time.Time // when it must authenticate again; zero: never
}

// MayUse reports whether an app is open to the caller: to all callers, or to one of the caller's
// roles.
func (c Caller) MayUse(app *config.App) bool {
	if len(app.Access.Roles) == 0 {
		return true
	}
	return slices.ContainsFunc(c.Roles, func(role string) bool { return slices.Contains(app.Access.Roles, role) })
}

// authority authenticates callers. It is safe for concurrent use.
type authority struct {
	log      *slog.Logger
	metrics  *metrics
	csrf     *http.CrossOriginProtection
	keyring  keyring
	sealer   sealer // of sessions
	tooLarge told   // of claims
}

func newAuthority(log *slog.Logger, m *metrics) *authority {
	return &authority{log: log, metrics: m, csrf: http.NewCrossOriginProtection(), sealer: sealer{purpose: purposeSession}}
}

// unauthenticated refuses an unknown caller; because is the error code of RFC 6750, 3.1, or "".
func unauthenticated(because string) error {
	challenge := "Bearer"
	if because != "" {
		challenge += ` error="` + because + `"`
	}
	return &Fault{Code: chat.CodeUnauthenticated, challenge: challenge}
}

// bearer returns the key or token in Authorization: Bearer KEY, or "" if there is none or it has
// more than most bytes.
func bearer(r *http.Request, most int) string {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || len(key) > most {
		return ""
	}
	return strings.TrimSpace(key)
}

// findKey compares the hash of a key with all entries, in a time that does not depend on how
// close a wrong one is.
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

// presents reports whether a request has a key or token of its own. A password for a proxy on the
// way does not count.
func presents(r *http.Request) bool {
	scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer")
}

// foreign reports whether a request that changes something comes from the page of another site
// that the admin has not listed.
func (u *authority) foreign(r *http.Request, conf config.CORS) bool {
	return u.csrf.Check(r) != nil && !slices.Contains(conf.Origins, r.Header.Get("Origin"))
}
