package chat

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/askgate/askgate/tools"
)

// Fork says where a chat left another of its owner's in the same app: at a message of the person,
// which is said again or otherwise, or at a question, which is answered otherwise. All before it
// was copied; the other chat stays as it is.
type Fork struct {
	ChatID          string `json:"chatId"`
	MessageID       string `json:"messageId,omitempty"`
	ClarificationID string `json:"clarificationId,omitempty"`
	// TurnID is the first turn of its own.
	TurnID string `json:"-"`
	// Own is what this chat has at the point: the id of the message that was said instead, or of the
	// call that asked the question. Copies of either keep it.
	Own string `json:"-"`
}

// Ran is a call that ran in the chat which was forked, behind the point.
type Ran struct {
	Tool   string
	Digest string // of the tool's name and the canonical arguments, see NewRan
}

// NewRan is that a tool ran with canonical arguments.
func NewRan(tool, arguments string) Ran {
	return Ran{Tool: tool, Digest: tools.Digest(tool, arguments)}
}

// ForkedFrom is the fork as clients see it; nil where the chat began by itself.
func (c *Conversation) ForkedFrom() *Fork {
	if c.Fork.ChatID == "" {
		return nil
	}
	f := c.Fork
	return &f
}

// ClientID is a client's own id of a message as it is stored: of one length, and without its text.
func ClientID(id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}

// ForkChatID is the chat that a fork of a chat begins where its sender names none: the same for
// one idempotency key.
func ForkChatID(of, key string) string {
	sum := sha256.Sum256([]byte(of + "\x00" + key))
	return "fork-" + hex.EncodeToString(sum[:10])
}
