package agui

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// markLength is the length of the part of a message's id that identifies its turn.
const markLength = 8

// turnMark returns how the ids of a turn's messages begin.
func turnMark(turnID string) string {
	sum := sha256.Sum256([]byte(turnID))
	return hex.EncodeToString(sum[:markLength/2])
}

// marked returns a function that reports whether the id of an assistant's message is of a turn;
// nil if it is of none.
func marked(id string) func(turnID string) bool {
	mark, ok := strings.CutPrefix(id, "m")
	if !ok || len(mark) < markLength+4 {
		return nil
	}
	return func(turnID string) bool { return mark[:markLength] == turnMark(turnID) }
}
