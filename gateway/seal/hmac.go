package seal

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"sync"
)

// HMAC signs texts that others keep for the gateway and may read, but not make or change:
// rows of a database, messages between nodes. A signature is an HMAC-SHA256, as 43 characters
// of base64url, and verifies with the same secret and purpose. A nil *HMAC is one without a secret.
// Safe for concurrent use.
type HMAC struct {
	purpose string
	secrets func() Secrets
	refused func(id string, unsigned bool)
	keys    sync.Map // of secrets
}

// Secrets are the secrets of an HMAC.
type Secrets struct {
	Own    string   // signs; "": nothing is signed, and everything verifies
	Others []string // texts signed with these verify, too
}

// NewHMAC returns an HMAC. secrets is called each time, so that they may change. refused, which is
// optional, is called for each text that does not verify.
func NewHMAC(purpose string, secrets func() Secrets, refused func(id string, unsigned bool)) *HMAC {
	return &HMAC{purpose: purpose, secrets: secrets, refused: refused}
}

// Sign makes the signature of a text with an id, in its parts; "" without a secret.
func (h *HMAC) Sign(id string, parts ...string) string {
	if h == nil {
		return ""
	}
	own := h.secrets().Own
	if own == "" {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(h.mac(own, id, parts))
}

// Verify says whether a text may be taken for what the gateway made. signature is "" for one
// that has none.
func (h *HMAC) Verify(signature, id string, parts ...string) bool {
	if h == nil {
		return true
	}
	secrets := h.secrets()
	if secrets.Own == "" {
		return true
	}
	if mac, err := base64.RawURLEncoding.Strict().DecodeString(signature); err == nil && signature != "" {
		if hmac.Equal(mac, h.mac(secrets.Own, id, parts)) {
			return true
		}
		for _, other := range secrets.Others {
			if hmac.Equal(mac, h.mac(other, id, parts)) {
				return true
			}
		}
	}
	if h.refused != nil {
		h.refused(id, signature == "")
	}
	return false
}

// mac is over each part with its length before it: no two lists of parts are one text.
func (h *HMAC) mac(secret, id string, parts []string) []byte {
	sum := hmac.New(sha256.New, h.key(secret))
	part := func(text string) {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(text)))
		sum.Write(size[:])
		sum.Write([]byte(text))
	}
	part(id)
	for _, text := range parts {
		part(text)
	}
	return sum.Sum(nil)
}

func (h *HMAC) key(secret string) []byte {
	if key, ok := h.keys.Load(secret); ok {
		return key.([]byte)
	}
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, h.purpose, sha256.Size)
	if err != nil {
		panic("seal: " + err.Error()) // only of a key that is too long
	}
	h.keys.Store(secret, key)
	return key
}
