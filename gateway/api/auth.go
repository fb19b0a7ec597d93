package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
)

// Who everybody is where auth.mode is none.
const (
	defaultTenant    = "default"
	anonymousSubject = "anonymous"
)

// metricsRole is what a key needs to read /metrics on the main listener.
const metricsRole = "metrics"

// maxKey bounds what is hashed for a caller that nobody knows yet. Keys made by
// the gateway have some 30 characters.
const maxKey = 512

// actAs is what the subject of X-Askgate-User may look like: ids and mail addresses.
var actAs = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@:+/=-]{0,127}$`)

// caller is a principal as the API sees it.
type caller struct {
	chat.Principal
	mayActAs bool
}

// mayUse says whether an app is open to the caller: to everybody, or to one of
// the caller's roles.
func (c caller) mayUse(app *config.App) bool {
	if len(app.Access.Roles) == 0 {
		return true
	}
	return slices.ContainsFunc(c.Roles, func(role string) bool { return slices.Contains(app.Access.Roles, role) })
}

// CheckAuth refuses authentication modes that this package cannot enforce.
func CheckAuth(auth config.Auth) error {
	switch auth.Mode {
	case config.AuthNone, config.AuthAPIKeys:
		return nil
	}
	return fmt.Errorf("auth.mode %q is not available in this version: use %q or %q", auth.Mode, config.AuthNone, config.AuthAPIKeys)
}

// authenticate finds out who sends a request.
func (a *API) authenticate(r *http.Request) (caller, error) {
	c, err := a.identify(r)
	if err != nil {
		return caller{}, err
	}
	user := r.Header.Get("X-Askgate-User")
	if user == "" {
		return c, nil
	}
	if !c.mayActAs {
		return caller{}, &fault{code: chat.CodeForbidden}
	}
	if !actAs.MatchString(user) {
		return caller{}, invalid("", "X-Askgate-User")
	}
	c.Subject = user
	return c, nil
}

func (a *API) identify(r *http.Request) (caller, error) {
	auth := a.Config.Current().Gateway.Auth
	switch auth.Mode {
	case config.AuthNone:
		// Without a key any page open in a browser on this machine could send
		// requests; other sites' pages are told apart by what browsers add.
		if a.csrf.Check(r) != nil {
			return caller{}, &fault{code: chat.CodeForbidden}
		}
		return caller{Principal: chat.Principal{Tenant: defaultTenant, Subject: anonymousSubject}}, nil
	case config.AuthAPIKeys:
		if key, ok := findKey(auth.Keys, bearer(r)); ok {
			return caller{
				Principal: chat.Principal{Tenant: key.Tenant, Subject: key.Subject, Roles: key.Roles},
				mayActAs:  key.MayActAs,
			}, nil
		}
	}
	// Also a mode that a reload brought and CheckAuth would have refused: nobody gets in.
	return caller{}, &fault{code: chat.CodeUnauthenticated, challenge: true}
}

// bearer is the key presented by Authorization: Bearer KEY, "" where there is none.
func bearer(r *http.Request) string {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || len(key) > maxKey {
		return ""
	}
	return strings.TrimSpace(key)
}

// findKey compares the hash of a key with all entries, in a time that does not
// tell which one is how near.
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
