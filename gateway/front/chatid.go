package front

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"unicode/utf8"
)

// MaxChatID is how many bytes a client's id for a chat may have.
const MaxChatID = 200

var nativeID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// ChatID returns the chat that a client's id means: the id itself if it is valid, or else one
// derived from it, the same on every node. It returns "" if the id is empty or too long.
func ChatID(id string) string {
	switch {
	case nativeID.MatchString(id):
		return id
	case id == "" || len(id) > MaxChatID || !utf8.ValidString(id):
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return "x-" + hex.EncodeToString(sum[:16]) // 128 bits, so that two ids for one cannot be found
}
