package chat

import (
	"strings"
	"time"

	"github.com/askgate/askgate/tools"
)

// File is a file that a person uploaded to a chat. Its bytes are in package gateway/files, under its
// ID.
type File struct {
	ID string
	tools.Attachment
	UsedBy    string // id of the clarification that it answers, or of its message; "" before
	CreatedAt time.Time
}

// SentFile is a file as its message has it.
type SentFile struct {
	ID string `json:"fileId"`
	tools.Attachment
	// Sum is the SHA-256 of its content, in hexadecimal, if the content came in the request of its
	// message.
	Sum string `json:"-"`
}

// Unsent returns the conversation in which files wait for the first message of a chat. It has no
// owner and never begins. Its subject cannot be a caller's, because subjects have no control
// characters.
func (r Ref) Unsent() Ref {
	r.Subject = UnsentSubject(r.Subject)
	return r
}

// Linked returns the conversation in which files wait that were uploaded by a question's answer link,
// until an answer names them. It is like Unsent. No client's chat has an id with a colon.
func (r Ref) Linked(clarificationID string) Ref {
	r.ChatID += linked + clarificationID
	return r.Unsent()
}

// AllLinked returns the ids between which those of a chat's Linked are.
func (r Ref) AllLinked() (after, before string) {
	return r.ChatID + linked, r.ChatID + string(linked[0]+1)
}

// UnsentSubject returns the subject of the conversations in which files of a subject wait.
func UnsentSubject(subject string) string { return unsent + subject }

// Owner returns the subject whose files wait in the conversation; for a chat, that is its own
// subject.
func (r Ref) Owner() string { return strings.TrimPrefix(r.Subject, unsent) }

// IsUnsent reports whether the conversation is one in which files wait.
func (r Ref) IsUnsent() bool { return strings.HasPrefix(r.Subject, unsent) }

const (
	unsent = "\x1funsent\x1f"
	linked = ":"
)
