package tools

import (
	"crypto/sha256"
	"encoding/hex"
)

// Digest identifies what a person allows: a call of the tool that definition identifies (see
// Question.Definition) with these canonical arguments. It is "sha256:" and 64 hexadecimal
// digits, or "" without a definition.
func Digest(definition, arguments string) string {
	if definition == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(definition + "\n" + arguments))
	return "sha256:" + hex.EncodeToString(sum[:])
}
