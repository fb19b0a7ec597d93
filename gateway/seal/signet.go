package seal

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"sync"
)

// Signet seals texts that others keep for the gateway and may read, but not make or change:
// rows of a database, messages between nodes. A seal is an HMAC-SHA256, as 43 characters of
// base64url. What a signet has sealed fits another's with the same secret and purpose, and
// no Box. Safe for concurrent use.
type Signet struct {
	purpose string
	secrets func() Secrets
	refused func(id string, unsealed bool)
	keys    sync.Map // of secrets
}

// Secrets are what a signet works with.
type Secrets struct {
	Own    string   // seals; "": nothing is sealed, and everything fits
	Others []string // what they have sealed fits, too
}

// NewSignet makes a signet. secrets is asked each time, so that they may change; refused,
// which is optional, is told of each text that does not fit.
func NewSignet(purpose string, secrets func() Secrets, refused func(id string, unsealed bool)) *Signet {
	return &Signet{purpose: purpose, secrets: secrets, refused: refused}
}

// Seal makes the seal of a text with an id, in its parts; "" without a secret.
func (s *Signet) Seal(id string, parts ...string) string {
	own := s.secrets().Own
	if own == "" {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(s.mac(own, id, parts))
}

// Fits says whether a text may be taken for what the gateway made. seal is "" for one that
// has none.
func (s *Signet) Fits(seal, id string, parts ...string) bool {
	secrets := s.secrets()
	if secrets.Own == "" {
		return true
	}
	if mac, err := base64.RawURLEncoding.Strict().DecodeString(seal); err == nil && seal != "" {
		if hmac.Equal(mac, s.mac(secrets.Own, id, parts)) {
			return true
		}
		for _, other := range secrets.Others {
			if hmac.Equal(mac, s.mac(other, id, parts)) {
				return true
			}
		}
	}
	if s.refused != nil {
		s.refused(id, seal == "")
	}
	return false
}

// mac is over each part with its length before it: no two lists of parts are one text.
func (s *Signet) mac(secret, id string, parts []string) []byte {
	h := hmac.New(sha256.New, s.key(secret))
	part := func(text string) {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(text)))
		h.Write(size[:])
		h.Write([]byte(text))
	}
	part(id)
	for _, text := range parts {
		part(text)
	}
	return h.Sum(nil)
}

func (s *Signet) key(secret string) []byte {
	if key, ok := s.keys.Load(secret); ok {
		return key.([]byte)
	}
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, s.purpose, sha256.Size)
	if err != nil {
		panic("seal: " + err.Error()) // only of a key that is too long
	}
	s.keys.Store(secret, key)
	return key
}
