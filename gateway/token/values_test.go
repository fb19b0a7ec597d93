package token_test

import (
	"encoding/json"
	"maps"
	"testing"

	jose "github.com/go-jose/go-jose/v4"
)

// Texts and numbers are what the token has, digit for digit; nothing else is a value.
func TestValuesAreThoseOfTheToken(t *testing.T) {
	k := newKey(t, "k", jose.ES256)
	c, err := newKeys(t, fileOf(t, set(t, k.public())), nil).Verify(t.Context(), k.sign(t, map[string]any{
		"email": "a@example.org", "empty": "", "n": json.RawMessage(`12345678901234567890.10`), "e": json.RawMessage(`1e5`),
		"address": map[string]any{"country": "DE", "deep": map[string]any{"n": 7}}, "https://example.org/id": "x", "https://example": "y",
		"list": []string{"a"}, "yes": true, "none": nil, "a.b": "dotted", "a": map[string]any{"b": "inside"},
	}), rules)
	if err != nil {
		t.Fatal(err)
	}
	got := c.Values([]string{"email", "empty", "n", "e", "address", "address.country", "address.deep.n", "https://example.org/id", "list", "yes", "none", "a.b", "missing", "email.x"})
	want := map[string]string{"email": "a@example.org", "empty": "", "n": "12345678901234567890.10", "e": "1e5", "address.country": "DE", "address.deep.n": "7", "https://example.org/id": "x", "a.b": "dotted"}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if c.Values(nil) != nil {
		t.Error("values without names")
	}
}
