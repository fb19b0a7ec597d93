package chat

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"

	"github.com/askgate/askgate/tools"
)

// Fork says where a chat was forked from another one of the same owner in the same app: at a message
// of the person, which is repeated or replaced, or at a question, whose answer is replaced.
// Everything before that was copied; the other chat stays as it is.
type Fork struct {
	ChatID          string `json:"chatId"`
	MessageID       string `json:"messageId,omitempty"`
	ClarificationID string `json:"clarificationId,omitempty"`
	// TurnID is the fork's own first turn.
	TurnID string `json:"-"`
	// Own is what this chat has at the point: the id of the new message, or of the call that asked the
	// question. Copies of either keep it.
	Own string `json:"-"`
	// Known is the id by which clients of other wire formats know the chat, if that is not Root.
	Known string `json:"-"`
}

// Ran is a call that ran in the chat that was forked, behind the point.
type Ran struct {
	Tool   string
	Digest string // of the tool's name and the canonical arguments, see NewRan
}

// NewRan returns the Ran of a tool that ran with canonical arguments.
func NewRan(tool, arguments string) Ran {
	return Ran{Tool: tool, Digest: tools.Digest(tool, arguments)}
}

// ForkedFrom returns the fork as clients see it, or nil if the chat is not one.
func (c *Conversation) ForkedFrom() *Fork {
	if c.Fork.ChatID == "" {
		return nil
	}
	f := c.Fork
	return &f
}

// KnownAs returns the id by which clients of other wire formats know the chat. The branches that they
// make share the name of the chat that they branched off. A fork made with the native API has its
// own id as its name: a client that knows another chat of the family does not see it.
func (c *Conversation) KnownAs() string { return cmp.Or(c.Fork.Known, c.Root, c.ChatID) }

// ClientID returns a client's own id of a message in its stored form: of fixed length, and without
// the text of the id.
func ClientID(id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}

// ForkChatID returns the id of a new fork of a chat if its sender names none. It is the same for the
// same idempotency key.
func ForkChatID(of, key string) string {
	sum := sha256.Sum256([]byte(of + "\x00" + key))
	return "fork-" + hex.EncodeToString(sum[:10])
}
