package chat

import (
	"time"

	"github.com/askgate/askgate/tools"
)

// File is a file that a person uploaded to a chat. Its bytes are in package gateway/files, by
// its ID.
type File struct {
	ID string
	tools.Attachment
	ClarificationID string // of the question that it answers, "" before
	CreatedAt       time.Time
}
