package tools

import (
	"crypto/sha256"
	"encoding/hex"
)

// Digest identifies what a person allows: a call with these canonical arguments, of what
// the definition identifies (see Question.Definition). It is "sha256:" and 64 hexadecimal
// digits. "" without a definition.
func Digest(definition, arguments string) string {
	if definition == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(definition + "\n" + arguments))
	return "sha256:" + hex.EncodeToString(sum[:])
}
