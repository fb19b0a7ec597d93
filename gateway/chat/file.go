package chat

import (
	"strings"
	"time"

	"github.com/askgate/askgate/tools"
)

// File is a file that a person uploaded to a chat. Its bytes are in package gateway/files, by
// its ID.
type File struct {
	ID string
	tools.Attachment
	UsedBy    string // id of the clarification that it answers, or of the message it came with; "" before
	CreatedAt time.Time
}

// SentFile is a file as the message that it came with has it.
type SentFile struct {
	ID string `json:"fileId"`
	tools.Attachment
	// Sum is the SHA-256 of what it holds, hexadecimal, where it came in the request of its message.
	Sum string `json:"-"`
}

// Unsent is where files wait for the first message of a chat: a conversation that is nobody's,
// and never begins. No caller has its subject: subjects have no control characters.
func (r Ref) Unsent() Ref {
	r.Subject = UnsentSubject(r.Subject)
	return r
}

// UnsentSubject is the subject of the conversations in which files of a subject wait.
func UnsentSubject(subject string) string { return unsent + subject }

// Owner is the subject whose files wait in the conversation; that of the chat itself.
func (r Ref) Owner() string { return strings.TrimPrefix(r.Subject, unsent) }

// IsUnsent says that the conversation is one of those.
func (r Ref) IsUnsent() bool { return strings.HasPrefix(r.Subject, unsent) }

const unsent = "\x1funsent\x1f"
