package store

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// Notices holds whom channels tell of questions: chat.News.Notices, as stored by RunTx.AddNews. There
// is one for each question, channel and person, until the question has ended. Safe for concurrent use.
type Notices interface {
	// ClaimNotices takes due notices of a channel for the duration of lease, after which they are due
	// again. It takes no first message while an earlier one of the same chat to the same person waits.
	ClaimNotices(ctx context.Context, channel string, lease time.Duration, limit int) ([]Notice, error)
	// MoveNotice stores what a claimed notice is about next, when that is due (zero: never), and how
	// the channel refers to its message. Of a question that has ended meanwhile, only the reference is
	// stored, and the notice is due at once.
	MoveNotice(ctx context.Context, n Notice, stage int, due time.Time, ref string) error
	// PostponeNotice makes a claimed notice due again after wait. It does not change one that has been
	// claimed again since.
	PostponeNotice(ctx context.Context, n Notice, wait time.Duration) error
	// FailNotice gives up a first message. If no other person was or may still be told by the channel,
	// the channel is added to the question's NotTold.
	FailNotice(ctx context.Context, n Notice) error
	// EndNotice removes a notice.
	EndNotice(ctx context.Context, n Notice) error
	// DropNotices removes the notices of a channel that were stored earlier than before.
	DropNotices(ctx context.Context, channel string, before time.Time) error
	// Channels returns the channels that have notices.
	Channels(ctx context.Context) ([]string, error)
	// OldestNotice returns since when the oldest message of a channel waits to be sent, or the zero
	// time if none does.
	OldestNotice(ctx context.Context, channel string) (time.Time, error)
	// SaveAddress keeps the sealed email address of a person, replacing an earlier one; "" removes it.
	SaveAddress(ctx context.Context, tenant, subject, sealed string) error
	// Address returns what SaveAddress kept, or "".
	Address(ctx context.Context, tenant, subject string) (sealed string, err error)
}

// NoticeEnded is the stage of a notice whose question has ended.
const NoticeEnded = -1

// Notice is what a channel tells a person of a question.
type Notice struct {
	Seq             int64 // the store's
	Channel         string
	ConversationID  string
	chat.Ref        // of the chat
	Language        string
	ClarificationID string
	Person          string    // the subject of who is told
	Stage           int       // 0: the question; n: the nth reminder; NoticeEnded
	MessageRef      string    // how the channel refers to its message; "": there is none
	Since           time.Time // when this stage was due first
	Attempts        int       // including the one that it is claimed for
}
