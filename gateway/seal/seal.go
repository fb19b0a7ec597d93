// Package seal makes values that others store for the gateway but can neither read nor change, such
// as cookies: encrypted and authenticated (AES-256-GCM), nothing more. What a value means, and how
// long it is valid, is up to the caller. It also signs (HMAC-SHA256) what others may read but must
// not forge, such as the questions in a database, or the messages between nodes.
//
//	Box.Seal ── text ──> a browser keeps it ── text ──> Box.Open ── the same bytes, or nothing
//	HMAC.Sign ── signature, with the text ───> a database keeps both ──> HMAC.Verify ── or not
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// Box seals and opens. Safe for concurrent use. What one box has sealed, another opens
// if it has the same secret and purpose. With a random nonce of 96 bits, a secret is
// safe for 2^32 values (NIST SP 800-38D, 8.3).
type Box struct{ aead cipher.AEAD }

// New makes a box. An empty secret means a random one, which is lost with the box.
func New(secret, purpose string) (*Box, error) {
	if secret == "" {
		secret = rand.Text() + rand.Text()
	}
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, purpose, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &Box{aead}, nil
}

// Seal makes a text that fits into a cookie: base64url, a third longer than data.
func (b *Box) Seal(data []byte) string {
	return base64.RawURLEncoding.EncodeToString(b.aead.Seal(nil, nil, data, nil)) //nolint:gosec // the nonce is random, and put before what it seals
}

// Open returns what was sealed; ok is false for everything that Seal did not make.
func (b *Box) Open(text string) (data []byte, ok bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") { // which the decoder ignores
		return nil, false
	}
	data, err = b.aead.Open(nil, nil, sealed, nil)
	return data, err == nil
}
