package token

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// MaxSize bounds, in bytes, what is parsed for a caller that is not authenticated yet.
// Tokens with many groups in them have some thousand bytes.
const MaxSize = 16 << 10

// The reasons for which a token is refused. None contains any part of the token.
var (
	ErrMalformed = errors.New("token: no signed token, or one of an algorithm that is not allowed")
	ErrKey       = errors.New("token: signed with a key that is not in the key set")
	ErrSignature = errors.New("token: the signature is wrong")
	ErrIssuer    = errors.New("token: of another issuer")
	ErrAudience  = errors.New("token: for another audience")
	ErrExpired   = errors.New("token: expired, or without a time when it does")
	ErrTooEarly  = errors.New("token: not valid yet")
	ErrType      = errors.New("token: of a type that is not for callers")
	ErrBound     = errors.New("token: bound to a key that its bearer would have to prove")
)

// Rules are what a token must satisfy.
type Rules struct {
	Issuer   string   // exactly this
	Audience []string // at least one of these
}

// skew is how far the issuer's clock may be off.
const skew = time.Minute

// algorithms are those of signatures that a token may have: with a public key, because
// who only checks must not be able to sign.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA}

// Claims are those of a verified token.
type Claims struct {
	// Expires is when it stops being valid, the skew included.
	Expires time.Time
	// Key is the thumbprint of the key that it is signed with, for Keys.Has.
	Key    string
	values map[string]any
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
	signed := slices.IndexFunc(keys, func(key published) bool { return t.Claims(key.Key) == nil })
	if signed < 0 {
		return Claims{}, ErrSignature
	}
	if t.UnsafeClaimsWithoutVerification(&registered, &values) != nil { // verified right above
		return Claims{}, ErrMalformed
	}
	if _, event := values["events"].(map[string]any); event { // RFC 8417: of an event, such as a logout, whatever type it gives itself
		return Claims{}, ErrType
	}
	if err := rules.check(registered); err != nil {
		return Claims{}, err
	}
	if _, bound := values["cnf"]; bound { // RFC 7800: whoever has it must also have a key, and no such proof is looked at
		return Claims{}, ErrBound
	}
	return Claims{registered.Expiry.Time().Add(skew), keys[signed].thumbprint, values}, nil
}

// forCallers says whether the type that a token gives itself is that of one for callers
// (RFC 8725, 3.11): the same issuer and audience also have logout tokens and others.
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

// at finds a claim by its name, else by a path of names separated by dots: names may have
// dots themselves, such as those that are URLs.
func (c Claims) at(name string) any {
	if v, ok := c.values[name]; ok {
		return v
	}
	var v any = c.values
	for part := range strings.SplitSeq(name, ".") {
		object, _ := v.(map[string]any)
		v = object[part]
	}
	return v
}

// Text is a claim that is a text, "" if it is not one.
func (c Claims) Text(name string) string {
	text, _ := c.at(name).(string)
	return text
}

// Words is a claim that is a list of texts, or a text of words separated by spaces.
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
