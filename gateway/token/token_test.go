package token_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/askgate/askgate/gateway/token"
)

// key is a key pair of an issuer.
type key struct {
	id     string
	alg    jose.SignatureAlgorithm
	secret crypto.Signer
}

func newKey(t testing.TB, id string, alg jose.SignatureAlgorithm) key {
	t.Helper()
	k := key{id: id, alg: alg}
	var err error
	switch alg {
	case jose.ES256:
		k.secret, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case jose.EdDSA:
		_, k.secret, err = ed25519.GenerateKey(rand.Reader)
	default:
		k.secret, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (k key) public() jose.JSONWebKey {
	return jose.JSONWebKey{Key: k.secret.Public(), KeyID: k.id, Use: "sig", Algorithm: string(k.alg)}
}

// sign creates a token with the claims of good, changed by claims; nil removes a claim.
func (k key) sign(t testing.TB, claims map[string]any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: k.alg, Key: jose.JSONWebKey{Key: k.secret, KeyID: k.id}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := jwt.Signed(signer).Claims(good(claims)).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func good(change map[string]any) map[string]any {
	now := time.Now()
	claims := map[string]any{"iss": "https://issuer", "aud": "askgate", "sub": "alice", "exp": now.Add(time.Hour).Unix(), "iat": now.Unix()}
	maps.Copy(claims, change)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	return claims
}

func set(t testing.TB, keys ...jose.JSONWebKey) []byte {
	t.Helper()
	data, err := json.Marshal(jose.JSONWebKeySet{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// issuer serves a key set and counts requests.
type issuer struct {
	*httptest.Server
	asked atomic.Int64
	mu    sync.Mutex
	set   []byte // nil: 500
}

func newIssuer(t testing.TB, keys ...key) *issuer {
	i := &issuer{}
	i.publish(t, keys...)
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		i.asked.Add(1)
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.set == nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
		_, _ = w.Write(i.set)
	}))
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) publish(t testing.TB, keys ...key) {
	var public []jose.JSONWebKey
	for _, k := range keys {
		public = append(public, k.public())
	}
	data := set(t, public...)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.set = data
}

func (i *issuer) fail() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.set = nil
}

var rules = token.Rules{Issuer: "https://issuer", Audience: []string{"askgate", "other"}}

func newKeys(t testing.TB, where string, log *bytes.Buffer) *token.Keys {
	t.Helper()
	if log == nil {
		log = new(bytes.Buffer)
	}
	k, err := token.NewKeys(where, slog.New(slog.NewTextHandler(log, nil)), func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func fileOf(t testing.TB, data []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAGoodTokenSaysWhoCalls(t *testing.T) {
	for _, alg := range []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.ES256, jose.EdDSA} {
		k := newKey(t, "k1", alg)
		keys := newKeys(t, newIssuer(t, newKey(t, "k0", jose.ES256), k).URL, nil)
		claims, err := keys.Verify(t.Context(), k.sign(t, map[string]any{
			"aud": []string{"billing", "askgate"}, "https://example.org/tenant": "acme", "scope": "chat  metrics", "n": 5,
			"realm_access": map[string]any{"roles": []any{"user", 7, "", "staff"}},
		}), rules)
		if err != nil {
			t.Fatalf("%s: %v", alg, err)
		}
		if claims.Text("sub") != "alice" || claims.Text("https://example.org/tenant") != "acme" || claims.Text("n") != "" || claims.Text("sub.x.y") != "" {
			t.Errorf("%s: texts", alg)
		}
		if got := claims.Words("realm_access.roles"); !slices.Equal(got, []string{"user", "staff"}) {
			t.Errorf("roles %v", got)
		}
		if got := claims.Words("scope"); !slices.Equal(got, []string{"chat", "metrics"}) || claims.Words("nothing") != nil {
			t.Errorf("scope %v", got)
		}
	}
}

// confused is a token whose algorithm is HMAC and whose secret is the public key, in a publicly
// available form.
func confused(t *testing.T, k key, secret []byte) string {
	t.Helper()
	encode := base64.RawURLEncoding.EncodeToString
	claims, err := json.Marshal(good(nil))
	if err != nil {
		t.Fatal(err)
	}
	input := encode([]byte(`{"alg":"HS256","typ":"JWT","kid":"`+k.id+`"}`)) + "." + encode(claims)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(input))
	return input + "." + encode(mac.Sum(nil))
}

func TestBadTokensAreRefused(t *testing.T) {
	k, stranger, curve := newKey(t, "k1", jose.RS256), newKey(t, "k1", jose.RS256), newKey(t, "k2", jose.ES256)
	unknown := newKey(t, "k9", jose.RS256)
	symmetric := jose.JSONWebKey{Key: []byte("0123456789abcdef0123456789abcdef"), KeyID: "oct", Algorithm: "HS256"}
	forEncryption := newKey(t, "enc", jose.RS256)
	enc := forEncryption.public()
	enc.Use, enc.Algorithm = "enc", ""
	keys := newKeys(t, fileOf(t, set(t, k.public(), curve.public(), symmetric, enc)), nil)

	der, err := x509.MarshalPKIXPublicKey(k.secret.Public())
	if err != nil {
		t.Fatal(err)
	}
	own := k.sign(t, nil)
	head, rest, _ := strings.Cut(own, ".")
	body, signature, _ := strings.Cut(rest, ".")
	encode := base64.RawURLEncoding.EncodeToString
	none := encode([]byte(`{"alg":"none"}`)) + "." + body + "."
	otherClaims, err := json.Marshal(good(map[string]any{"sub": "root"}))
	if err != nil {
		t.Fatal(err)
	}
	asCurve := k
	asCurve.id = "k2" // RSA under the name of a key on a curve
	now := time.Now()
	at := func(d time.Duration) int64 { return now.Add(d).Unix() }

	for name, c := range map[string]struct {
		raw  string
		want error
	}{
		"empty":              {"", token.ErrMalformed},
		"a word":             {"abc", token.ErrMalformed},
		"dots":               {"..", token.ErrMalformed},
		"four parts":         {own + ".x", token.ErrMalformed},
		"JSON form":          {`{"payload":"` + body + `","protected":"` + head + `","signature":"` + signature + `"}`, token.ErrMalformed},
		"huge":               {strings.Repeat("a", 1<<20), token.ErrMalformed},
		"one byte too much":  {k.sign(t, map[string]any{"x": strings.Repeat("x", token.MaxSize)}), token.ErrMalformed},
		"none":               {none, token.ErrMalformed},
		"NONE":               {encode([]byte(`{"alg":"NONE"}`)) + "." + body + "." + signature, token.ErrMalformed},
		"HMAC of DER":        {confused(t, k, der), token.ErrMalformed},
		"HMAC of PEM":        {confused(t, k, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), token.ErrMalformed},
		"HMAC of the set":    {confused(t, key{id: "oct"}, symmetric.Key.([]byte)), token.ErrMalformed},
		"another algorithm":  {key{"k1", jose.PS256, k.secret}.sign(t, nil), token.ErrKey}, // the key is for RS256
		"kind of key":        {asCurve.sign(t, nil), token.ErrKey},
		"for encryption":     {forEncryption.sign(t, nil), token.ErrKey},
		"unknown key":        {unknown.sign(t, nil), token.ErrKey},
		"another's key":      {stranger.sign(t, nil), token.ErrSignature},
		"other claims":       {head + "." + encode(otherClaims) + "." + signature, token.ErrSignature},
		"no signature":       {head + "." + body + ".", token.ErrSignature},
		"issuer":             {k.sign(t, map[string]any{"iss": "https://issuer/"}), token.ErrIssuer},
		"no issuer":          {k.sign(t, map[string]any{"iss": nil}), token.ErrIssuer},
		"audience":           {k.sign(t, map[string]any{"aud": "billing"}), token.ErrAudience},
		"audiences":          {k.sign(t, map[string]any{"aud": []string{"askgate2", "ASKGATE"}}), token.ErrAudience},
		"no audience":        {k.sign(t, map[string]any{"aud": nil}), token.ErrAudience},
		"expired":            {k.sign(t, map[string]any{"exp": at(-2 * time.Minute)}), token.ErrExpired},
		"never expires":      {k.sign(t, map[string]any{"exp": nil}), token.ErrExpired},
		"not yet":            {k.sign(t, map[string]any{"nbf": at(2 * time.Minute)}), token.ErrTooEarly},
		"from the future":    {k.sign(t, map[string]any{"iat": at(2 * time.Minute)}), token.ErrTooEarly},
		"a logout token":     {typed(t, k, "logout+jwt"), token.ErrType},
		"one without a type": {k.sign(t, map[string]any{"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}}), token.ErrType},
		"any event's":        {k.sign(t, map[string]any{"events": map[string]any{}}), token.ErrType},
		"an event token":     {typed(t, k, "secevent+jwt"), token.ErrType},
		"a type of its own":  {typed(t, k, "application/dpop+jwt"), token.ErrType},
		"no type":            {typed(t, k, ""), token.ErrType},
		"a type that is one": {typed(t, k, 1), token.ErrType},
		"bound to a key":     {k.sign(t, map[string]any{"cnf": map[string]any{"jkt": "x"}}), token.ErrBound},
		"time as text":       {k.sign(t, map[string]any{"exp": "tomorrow"}), token.ErrMalformed},
	} {
		if _, err := keys.Verify(t.Context(), c.raw, rules); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for name, raw := range map[string]string{"JWT": typed(t, k, "JWT"), "jwt": typed(t, k, "jwt"), "at+jwt": typed(t, k, "at+jwt"),
		"AT+JWT in full": typed(t, k, "application/AT+JWT"), "none": own, "none, with a claim of the issuer's own": k.sign(t, map[string]any{"events": []string{"fair"}})} {
		if _, err := keys.Verify(t.Context(), raw, rules); err != nil {
			t.Errorf("a valid one of type %s: %v", name, err)
		}
	}
}

// A key in the token itself (jwk, jku, x5c) is not a key of the issuer.
func TestATokenCannotBringItsKey(t *testing.T) {
	k, own := newKey(t, "k1", jose.ES256), newKey(t, "k1", jose.ES256)
	keys := newKeys(t, fileOf(t, set(t, k.public())), nil)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: own.alg, Key: jose.JSONWebKey{Key: own.secret, KeyID: "k1"}},
		(&jose.SignerOptions{EmbedJWK: true}).WithHeader("jku", "https://evil.example/keys"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := jwt.Signed(signer).Claims(good(nil)).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Verify(t.Context(), raw, rules); !errors.Is(err, token.ErrSignature) && !errors.Is(err, token.ErrKey) {
		t.Errorf("%v", err)
	}
}

func TestATokenWithoutAKeyIDIsTriedWithAll(t *testing.T) {
	a, b := newKey(t, "a", jose.ES256), newKey(t, "b", jose.ES256)
	keys := newKeys(t, fileOf(t, set(t, a.public(), b.public())), nil)
	b.id = ""
	if _, err := keys.Verify(t.Context(), b.sign(t, nil), rules); err != nil {
		t.Error(err)
	}
}

func TestClocksMayBeApartByTheSkew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKey(t, "k1", jose.ES256)
		keys := newKeys(t, fileOf(t, set(t, k.public())), nil)
		exp := time.Now().Add(time.Minute)
		raw := k.sign(t, map[string]any{"exp": exp.Unix(), "nbf": time.Now().Add(50 * time.Second).Unix()})
		claims, err := keys.Verify(t.Context(), raw, rules)
		if err != nil || !claims.Expires.Equal(exp.Add(time.Minute)) {
			t.Fatalf("%v, until %v", err, claims.Expires)
		}
		time.Sleep(2 * time.Minute)
		if _, err := keys.Verify(t.Context(), raw, rules); err != nil {
			t.Errorf("at the edge: %v", err)
		}
		time.Sleep(time.Second)
		if _, err := keys.Verify(t.Context(), raw, rules); !errors.Is(err, token.ErrExpired) {
			t.Errorf("beyond: %v", err)
		}
	})
}

func TestRotatedKeysAreFetched(t *testing.T) {
	a, b := newKey(t, "a", jose.ES256), newKey(t, "b", jose.ES256)
	i := newIssuer(t, a)
	synctest.Test(t, func(t *testing.T) {
		keys := newKeys(t, i.URL, nil)
		verify := func(k key, want error, asked int64) {
			t.Helper()
			if _, err := keys.Verify(t.Context(), k.sign(t, nil), rules); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
			synctest.Wait()
			if got := i.asked.Load(); got != asked {
				t.Errorf("%d requests, want %d", got, asked)
			}
		}
		verify(a, nil, 1)
		verify(a, nil, 1)
		i.publish(t, a, b)
		verify(b, token.ErrKey, 1) // too soon after the last attempt
		time.Sleep(10 * time.Second)
		verify(b, nil, 2)
		verify(a, nil, 2)
		// A withdrawn key is gone with the next fetch.
		i.publish(t, b)
		time.Sleep(15 * time.Minute)
		verify(b, nil, 3)
		verify(a, token.ErrKey, 3)
		// After a long pause, an old set admits no one.
		i.publish(t, a)
		time.Sleep(time.Hour)
		verify(b, token.ErrKey, 4)
		verify(a, nil, 4)
	})
}

func TestMadeUpKeysDoNotStormTheIssuer(t *testing.T) {
	k, stranger := newKey(t, "k", jose.ES256), newKey(t, "x", jose.ES256)
	i := newIssuer(t, k)
	synctest.Test(t, func(t *testing.T) {
		keys := newKeys(t, i.URL, nil)
		for range 60 {
			var group sync.WaitGroup
			for range 20 {
				group.Go(func() {
					if _, err := keys.Verify(t.Context(), stranger.sign(t, nil), rules); !errors.Is(err, token.ErrKey) {
						t.Error(err)
					}
				})
			}
			group.Wait()
			time.Sleep(time.Second)
		}
		if got := i.asked.Load(); got > 6 {
			t.Errorf("1200 tokens in a minute caused %d requests", got)
		}
	})
}

func TestKeysStayWhileTheIssuerIsAway(t *testing.T) {
	k := newKey(t, "k", jose.ES256)
	private, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: k.secret, KeyID: "k"}}})
	if err != nil {
		t.Fatal(err)
	}
	i := newIssuer(t, k)
	i.fail()
	synctest.Test(t, func(t *testing.T) {
		log := new(bytes.Buffer)
		keys := newKeys(t, i.URL, log)
		verify := func(want error) {
			t.Helper()
			if _, err := keys.Verify(t.Context(), k.sign(t, nil), rules); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
			synctest.Wait()
		}
		verify(token.ErrUnavailable)
		i.publish(t, k)
		time.Sleep(10 * time.Second)
		verify(nil)
		for _, broken := range [][]byte{nil, []byte(`not JSON`), []byte(`{"keys": []}`), []byte(`{"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}`), private, bytes.Repeat([]byte("x"), 2<<20)} {
			i.mu.Lock()
			i.set = broken
			i.mu.Unlock()
			time.Sleep(3 * time.Hour)
			verify(nil)
		}
		// Not forever: an attacker who cuts off the issuer could keep a withdrawn key alive.
		time.Sleep(6 * time.Hour)
		verify(token.ErrUnavailable)
		i.publish(t, k)
		time.Sleep(10 * time.Second)
		verify(nil)
		if strings.Contains(log.String(), "c2VjcmV0") || strings.Count(log.String(), "level=WARN") != 8 {
			t.Errorf("%s", log)
		}
	})
}

func TestAChangedFileIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newKey(t, "a", jose.ES256), newKey(t, "b", jose.ES256)
		name := fileOf(t, set(t, a.public()))
		keys := newKeys(t, name, nil)
		if _, err := keys.Verify(t.Context(), a.sign(t, nil), rules); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, set(t, b.public()), 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		if _, err := keys.Verify(t.Context(), a.sign(t, nil), rules); !errors.Is(err, token.ErrKey) {
			t.Errorf("the old key: %v", err)
		}
		if _, err := keys.Verify(t.Context(), b.sign(t, nil), rules); err != nil {
			t.Errorf("the new key: %v", err)
		}
	})
}

func TestWhoWaitsForKeysCanLeave(t *testing.T) {
	hung := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer hung.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	k := newKey(t, "k", jose.ES256)
	if _, err := newKeys(t, hung.URL, nil).Verify(ctx, k.sign(t, nil), rules); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	hung.CloseClientConnections()
}

func TestWeakKeysAreLeftOut(t *testing.T) {
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	k := newKey(t, "k", jose.ES256)
	weak := key{"weak", jose.RS256, small}
	keys := newKeys(t, fileOf(t, set(t, k.public(), weak.public())), nil)
	if _, err := keys.Verify(t.Context(), weak.sign(t, nil), rules); !errors.Is(err, token.ErrKey) {
		t.Error(err)
	}
}

// Only tokens that the issuer signed are accepted, and an error contains no part of a token.
func FuzzVerify(f *testing.F) {
	k := newKey(f, "k", jose.ES256)
	keys := newKeys(f, fileOf(f, set(f, k.public())), nil)
	own := k.sign(f, map[string]any{"exp": time.Now().Add(24 * time.Hour).Unix()})
	f.Add(own)
	for _, raw := range []string{"", ".", "..", "eyJhbGciOiJub25lIn0.e30.", own[:len(own)-2], own + "A", strings.ToUpper(own), `{"signatures":[]}`} {
		f.Add(raw)
	}
	known := []error{token.ErrMalformed, token.ErrKey, token.ErrSignature, token.ErrIssuer, token.ErrAudience, token.ErrExpired, token.ErrTooEarly}
	signed := own[:strings.LastIndexByte(own, '.')]
	f.Fuzz(func(t *testing.T, raw string) {
		claims, err := keys.Verify(t.Context(), raw, rules)
		switch {
		case err == nil && !strings.HasPrefix(raw, signed):
			t.Errorf("accepted: %q", raw)
		case err == nil && claims.Text("sub") != "alice":
			t.Errorf("other claims: %q", raw)
		case err != nil && !slices.Contains(known, err):
			t.Errorf("%v", err)
		}
	})
}
