package token

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	jose "github.com/go-jose/go-jose/v4"

	"github.com/askgate/askgate/gateway/outage"
	"github.com/askgate/askgate/tools/outgoing"
)

const (
	fetchTimeout = 5 * time.Second
	maxSet       = 1 << 20 // bytes
	maxKeys      = 64      // issuers publish a handful
	minRSA       = 2048    // bits, RFC 7518, 3.3
)

// pace says how often a set is fetched.
type pace struct {
	every time.Duration // interval while the set is in use
	old   time.Duration // the age at which a caller waits for a newer set, after a long pause
	retry time.Duration // least time between two attempts, whatever tokens arrive
}

// maxAge is how long a set that cannot be fetched again stays in use: otherwise, someone who can
// cut off the issuer could keep a withdrawn key alive.
const maxAge = 24 * time.Hour

var (
	urlPace = pace{every: 15 * time.Minute, old: time.Hour, retry: 10 * time.Second}
	// A changed file takes effect within 5 s, like other files of the configuration.
	filePace = pace{every: 3 * time.Second, old: 3 * time.Second, retry: time.Second}
)

// ErrUnavailable means that there are no keys yet to check a token with, which is not the token's
// fault.
var ErrUnavailable = errors.New("token: the key set cannot be fetched")

// Keys is a key set that keeps itself up to date. Safe for concurrent use.
type Keys struct {
	fetch  func(context.Context) ([]byte, error)
	pace   pace
	outage *outage.Log
	count  func(error)

	mu       sync.Mutex
	set      []published
	fetched  time.Time     // when set was
	tried    time.Time     // time of the last attempt
	fetching chan struct{} // closed when the current attempt is over; nil: none is under way
}

// published is a key of a set.
type published struct {
	jose.JSONWebKey
	thumbprint string // RFC 7638
}

// NewKeys returns the key set at a URL (https or http) or at the path of a file. It fetches
// nothing yet; count is called after each fetch, with its error or nil. The error of NewKeys says
// what is wrong with the URL.
func NewKeys(where string, log *slog.Logger, count func(error)) (*Keys, error) {
	if !strings.HasPrefix(where, "https://") && !strings.HasPrefix(where, "http://") {
		return &Keys{fetch: func(context.Context) ([]byte, error) { return readFile(where) }, pace: filePace, outage: fetching(log), count: count}, nil
	}
	u, err := url.Parse(where)
	if err != nil {
		return nil, errors.New("token: the address of the key set cannot be read")
	}
	// The admin chose the name, which may resolve to a private address only in their own DNS.
	client, err := outgoing.New(u, outgoing.Options{AllowPrivate: true, MaxBody: maxSet})
	if err != nil {
		return nil, fmt.Errorf("token: %w", err)
	}
	return &Keys{fetch: func(ctx context.Context) ([]byte, error) { return get(ctx, client, where) }, pace: urlPace, outage: fetching(log), count: count}, nil
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSet))
}

func get(ctx context.Context, client *http.Client, where string) ([]byte, error) {
	defer client.CloseIdleConnections() // the next fetch is far in the future
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, where, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/jwk-set+json, application/json")
	res, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", res.StatusCode)
	}
	return io.ReadAll(res.Body)
}

// find returns the keys that a token may be signed with, none if there is no such key.
func (k *Keys) find(ctx context.Context, id string, alg jose.SignatureAlgorithm) ([]published, error) {
	return k.those(ctx, func(key published) bool { return (id == "" || key.KeyID == id) && fits(key.JSONWebKey, alg) })
}

// Has reports whether a key, given by the thumbprint in Claims, is still in the set. The error is
// ErrUnavailable if there are no keys, or ctx's.
func (k *Keys) Has(ctx context.Context, thumbprint string) (bool, error) {
	found, err := k.those(ctx, func(key published) bool { return key.thumbprint == thumbprint })
	return len(found) > 0, err
}

// those returns keys of the set. It waits for a fetch if that can make a difference.
func (k *Keys) those(ctx context.Context, want func(published) bool) ([]published, error) {
	found, wait := k.look(want)
	if wait != nil {
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		found, _ = k.look(want)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if time.Since(k.fetched) >= maxAge { // or never fetched
		return nil, ErrUnavailable
	}
	return found, nil
}

// look finds keys in the set as it is, and begins a fetch if one is due. wait is not nil
// if the set does not have the key, or is too old, and a fetch is running.
func (k *Keys) look(want func(published) bool) (found []published, wait <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range k.set {
		if want(key) {
			found = append(found, key)
		}
	}
	age := time.Since(k.fetched)
	missing := len(found) == 0 || age >= k.pace.old
	if k.fetching == nil && (missing || age >= k.pace.every) && time.Since(k.tried) >= k.pace.retry {
		k.tried, k.fetching = time.Now(), make(chan struct{})
		go k.refresh()
	}
	if missing && k.fetching != nil {
		wait = k.fetching
	}
	return found, wait
}

// refresh fetches the set, or keeps the current one.
func (k *Keys) refresh() {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout) // for all waiting callers, not for one
	defer cancel()
	data, err := k.fetch(ctx)
	var set []published
	if err == nil {
		set, err = parse(data)
	}
	k.count(err)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		k.set, k.fetched = set, time.Now()
		k.outage.Works()
	} else {
		k.outage.Failed(err, "any", !k.fetched.IsZero())
	}
	close(k.fetching)
	k.fetching = nil
}

// fetching returns the log of fetches.
func fetching(log *slog.Logger) *outage.Log {
	return outage.New(log, "cannot fetch the key set of auth.jwt; the previous one stays in use for up to a day", "the key set of auth.jwt is fetched again")
}

// parse reads a key set. It leaves out keys that cannot check a signature: an issuer may publish
// kinds that this program does not know, and keys for encryption.
func parse(data []byte) ([]published, error) {
	var doc struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(data, &doc) != nil {
		return nil, errors.New("this is not a JSON key set") // without the text, which may contain a key
	}
	var set []published
	for _, raw := range doc.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(raw, &key) != nil || !checks(key) || len(set) == maxKeys {
			continue
		}
		if sum, err := key.Thumbprint(crypto.SHA256); err == nil {
			set = append(set, published{key, base64.RawURLEncoding.EncodeToString(sum)})
		}
	}
	if len(set) == 0 {
		return nil, errors.New("the key set has no public key for signatures")
	}
	return set, nil
}

// checks reports whether a key is public and can check signatures.
func checks(key jose.JSONWebKey) bool {
	if key.Use != "" && key.Use != "sig" || !key.Valid() || !key.IsPublic() {
		return false
	}
	rsaKey, ok := key.Key.(*rsa.PublicKey)
	return !ok || rsaKey.N.BitLen() >= minRSA
}

// fits reports whether a key may check signatures of an algorithm.
func fits(key jose.JSONWebKey, alg jose.SignatureAlgorithm) bool {
	if key.Algorithm != "" && key.Algorithm != string(alg) {
		return false
	}
	switch key.Key.(type) {
	case *rsa.PublicKey:
		return strings.HasPrefix(string(alg), "RS") || strings.HasPrefix(string(alg), "PS")
	case *ecdsa.PublicKey:
		return strings.HasPrefix(string(alg), "ES")
	case ed25519.PublicKey:
		return alg == jose.EdDSA
	}
	return false
}
