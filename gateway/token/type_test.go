package token_test

import (
	"testing"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// typed is a token that declares its type.
func typed(t *testing.T, k key, typ any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: k.alg, Key: jose.JSONWebKey{Key: k.secret, KeyID: k.id}},
		(&jose.SignerOptions{}).WithHeader(jose.HeaderType, typ))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := jwt.Signed(signer).Claims(good(nil)).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
