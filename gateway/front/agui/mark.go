package agui

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// markLength is how much of a message's id says whose turn it is of.
const markLength = 8

// turnMark is by what the ids of a turn's messages begin.
func turnMark(turnID string) string {
	sum := sha256.Sum256([]byte(turnID))
	return hex.EncodeToString(sum[:markLength/2])
}

// marked says whether an id of an assistant's message says of which turn it is; nil: of none.
func marked(id string) func(turnID string) bool {
	mark, ok := strings.CutPrefix(id, "m")
	if !ok || len(mark) < markLength+4 {
		return nil
	}
	return func(turnID string) bool { return mark[:markLength] == turnMark(turnID) }
}
