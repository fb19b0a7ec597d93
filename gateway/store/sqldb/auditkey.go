package sqldb

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strconv"
	"strings"
)

// auditKey makes the HMACs of the audit. They supplement the hashes, which anyone can compute:
// someone who can write to the database but lacks the secret cannot make them.
type auditKey struct {
	id  string // names the key in its chains without revealing anything about it; "": none
	key []byte
}

func newAuditKey(secret string) auditKey {
	if secret == "" {
		return auditKey{}
	}
	derived := func(purpose string, bytes int) []byte {
		key, err := hkdf.Key(sha256.New, []byte(secret), nil, purpose, bytes)
		if err != nil {
			panic("sqldb: " + err.Error()) // only if a key is too long
		}
		return key
	}
	return auditKey{hex.EncodeToString(derived("askgate audit key id 1", 8)), derived("askgate audit key 1", sha256.Size)}
}

// These say what an HMAC covers.
const (
	macOfRecord = "askgate audit record 1"
	macOfHead   = "askgate audit head 1"
)

// mac binds a hash, which covers the content, to its place. It returns "" without a key.
func (k auditKey) mac(of, chain string, seq int64, hash string) string {
	if k.id == "" {
		return ""
	}
	h := hmac.New(sha256.New, k.key)
	bind(h, of, chain, strconv.FormatInt(seq, 10), hash)
	return "hmac-sha256:" + hex.EncodeToString(h.Sum(nil))
}

// bind writes parts, each preceded by its length in bytes, so that different lists always differ.
func bind(h hash.Hash, parts ...string) {
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
}

// newChainName begins the names of chains: a random text, then "." and the id of the key if there
// is one. "/" and a number follow.
func newChainName(key string) string {
	name := strings.ToLower(rand.Text())
	if key != "" {
		name += "." + key
	}
	return name
}

// keyOf returns the id of a chain's key, or "".
func keyOf(chain string) string {
	name, _, _ := strings.Cut(chain, "/")
	_, key, _ := strings.Cut(name, ".")
	return key
}
