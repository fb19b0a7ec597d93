package token

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// MaxSize bounds, in bytes, what is parsed for a caller that is not authenticated yet. Tokens
// with many groups have a few thousand bytes.
const MaxSize = 16 << 10

// These are the reasons for refusing a token. None contains any part of the token.
var (
	ErrMalformed = errors.New("token: no signed token, or one of an algorithm that is not allowed")
	ErrKey       = errors.New("token: signed with a key that is not in the key set")
	ErrSignature = errors.New("token: the signature is wrong")
	ErrIssuer    = errors.New("token: wrong issuer")
	ErrAudience  = errors.New("token: wrong audience")
	ErrExpired   = errors.New("token: expired, or without an expiry time")
	ErrTooEarly  = errors.New("token: not valid yet")
	ErrType      = errors.New("token: wrong type for a caller")
	ErrBound     = errors.New("token: needs proof of possession, which is not supported")
)

// Rules are the conditions that a token must meet.
type Rules struct {
	Issuer   string   // exactly this
	Audience []string // at least one of these
}

// skew is the tolerated difference of the issuer's clock.
const skew = time.Minute

// algorithms are the signature algorithms that a token may use. All use a public key, because a
// party that only checks must not be able to sign.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA}

// Claims are the claims of a verified token.
type Claims struct {
	// Expires is when the token stops being valid, the skew included.
	Expires time.Time
	// Key is the thumbprint of the key that signed the token, for Keys.Has.
	Key    string
	values map[string]any
	raw    json.RawMessage // all of them
}

// Verify checks a token in its compact form. The error is one of those above,
// ErrUnavailable if there are no keys, or ctx's.
func (k *Keys) Verify(ctx context.Context, raw string, rules Rules) (Claims, error) {
	if len(raw) > MaxSize {
		return Claims{}, ErrMalformed
	}
	t, err := jwt.ParseSigned(raw, algorithms)
	if err != nil || len(t.Headers) != 1 {
		return Claims{}, ErrMalformed
	}
	head := t.Headers[0]
	if !forCallers(head) {
		return Claims{}, ErrType
	}
	keys, err := k.find(ctx, head.KeyID, jose.SignatureAlgorithm(head.Algorithm))
	switch {
	case err != nil:
		return Claims{}, err
	case len(keys) == 0:
		return Claims{}, ErrKey
	}
	var registered jwt.Claims
	var values map[string]any
	var payload json.RawMessage
	signed := slices.IndexFunc(keys, func(key published) bool { return t.Claims(key.Key) == nil })
	if signed < 0 {
		return Claims{}, ErrSignature
	}
	if t.UnsafeClaimsWithoutVerification(&registered, &values, &payload) != nil { // verified just above
		return Claims{}, ErrMalformed
	}
	if _, event := values["events"].(map[string]any); event { // RFC 8417: the token is for an event, such as a logout, whatever its type says
		return Claims{}, ErrType
	}
	if err := rules.check(registered); err != nil {
		return Claims{}, err
	}
	if _, bound := values["cnf"]; bound { // RFC 7800: a bearer must also prove possession of a key, and no such proof is checked here
		return Claims{}, ErrBound
	}
	return Claims{registered.Expiry.Time().Add(skew), keys[signed].thumbprint, values, payload}, nil
}

// forCallers reports whether the token's type is one for callers (RFC 8725, 3.11): the same
// issuer and audience also have logout tokens and others.
func forCallers(head jose.Header) bool {
	given, ok := head.ExtraHeaders[jose.HeaderType]
	if !ok {
		return true
	}
	text, _ := given.(string)
	switch strings.TrimPrefix(strings.ToLower(text), "application/") {
	case "jwt", "at+jwt":
		return true
	}
	return false
}

// check compares the claims that every token has with the rules.
func (r Rules) check(c jwt.Claims) error {
	if c.Expiry == nil {
		return ErrExpired
	}
	if r.Issuer == "" || c.Issuer != r.Issuer {
		return ErrIssuer
	}
	if !slices.ContainsFunc(c.Audience, func(a string) bool { return slices.Contains(r.Audience, a) }) {
		return ErrAudience
	}
	switch err := c.ValidateWithLeeway(jwt.Expected{}, skew); {
	case errors.Is(err, jwt.ErrExpired):
		return ErrExpired
	case err != nil:
		return ErrTooEarly
	}
	return nil
}

// at finds a claim by its name, or else by a path of names separated by dots: names may
// themselves contain dots, as URLs do.
func (c Claims) at(name string) any { return find(c.values, name) }

func find(values map[string]any, name string) any {
	if v, ok := values[name]; ok {
		return v
	}
	var v any = values
	for part := range strings.SplitSeq(name, ".") {
		object, _ := v.(map[string]any)
		v = object[part]
	}
	return v
}

// Text returns a claim that is a text, or "" if it is not one.
func (c Claims) Text(name string) string {
	text, _ := c.at(name).(string)
	return text
}

// True reports whether a claim is true.
func (c Claims) True(name string) bool {
	is, _ := c.at(name).(bool)
	return is
}

// Values returns those of the claims that are a text or a number, by name: a number as the token writes
// it.
func (c Claims) Values(names []string) map[string]string {
	if len(names) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(c.raw))
	d.UseNumber() // a number of many digits stays what it is
	var values map[string]any
	if d.Decode(&values) != nil {
		return nil // it was read before
	}
	found := map[string]string{}
	for _, name := range names {
		switch v := find(values, name).(type) {
		case string:
			found[name] = v
		case json.Number:
			found[name] = v.String()
		}
	}
	return found
}

// Words returns a claim that is a list of texts, or a text of words separated by spaces.
func (c Claims) Words(name string) []string {
	switch v := c.at(name).(type) {
	case string:
		return strings.Fields(v)
	case []any:
		var words []string
		for _, item := range v {
			if word, ok := item.(string); ok && word != "" {
				words = append(words, word)
			}
		}
		return words
	}
	return nil
}
