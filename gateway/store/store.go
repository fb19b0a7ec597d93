package store

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// ErrNotFound says that there is no such conversation, turn, run or clarification.
var ErrNotFound = errors.New("store: not found")

// ErrUnavailable is wrapped by errors of a store that cannot be read or written
// now: unreachable, full, read-only, busy for too long. Nothing was changed.
var ErrUnavailable = errors.New("store: unavailable")

// Store keeps conversations. Implementations are safe for concurrent use.
type Store interface {
	Updater
	Reader
	Sweeper
	Overseer
	Auditor
	// Ping says whether the store can be used now.
	Ping(ctx context.Context) error
	Close() error
}

// Updater changes conversations.
type Updater interface {
	// Update runs fn in one transaction that holds the conversation of ref
	// exclusively. Where there is none, fn finds tx.Conversation().Fence 0 and ID
	// freshly minted, and the conversation is created on commit; nothing is
	// created if fn fails. An error of fn rolls everything back and is returned as
	// it is. fn may be called again after a serialization failure: it must
	// not have effects of its own, but for such as it takes back then.
	Update(ctx context.Context, ref chat.Ref, fn func(tx Tx) error) error
	// UpdateLazily is Update that does not wait for the disk: the change survives the death
	// of the process at once, but a power cut in the next second or so may undo it.
	UpdateLazily(ctx context.Context, ref chat.Ref, fn func(tx Tx) error) error
	// Heartbeat holds the leases of a node's turns for ttl from now, by the store's
	// clock. lapsed says that they were not held when it came: others may have taken the
	// turns over. A ttl of 0 gives them up.
	Heartbeat(ctx context.Context, node string, ttl time.Duration) (lapsed bool, err error)
	// Delete erases the conversation and every row about it, unless it was changed
	// (UpdatedAt) since before; the zero time deletes it in any case. ErrNotFound where
	// there is none to delete. The records are added to the audit with it, and stay.
	Delete(ctx context.Context, ref chat.Ref, before time.Time, records ...chat.AuditRecord) error
}

// Tx is what fn of Update works with. It is valid only during fn. A write that fails
// may say so with a later call, or as the error of Update; Update fails in any case.
type Tx interface {
	// Conversation is the head, to be changed in place; saved on commit.
	Conversation() *chat.Conversation
	// Turn is the newest turn, to be changed in place and saved on commit; nil before the first.
	Turn() *chat.Turn
	// BeginTurn makes t the newest turn.
	BeginTurn(t chat.Turn) error
	// SaveRun inserts the run or overwrites it (by its fence).
	SaveRun(r chat.Run) error
	// Run is the run with this fence.
	Run(fence int64) (chat.Run, error)
	// AppendMessage adds a message at the end, with its tool calls and the results they have.
	AppendMessage(m chat.Message) error
	// StartCall notes that the run with this fence begins to carry a call out; 0 takes the
	// note back.
	// ErrNotFound where there is no such call.
	StartCall(callID string, fence int64) error
	// SetResult stores the only result of a call of this conversation; a second one for
	// the same call is refused with an error.
	SetResult(callID string, r chat.ToolResult) error
	// AddClarification stores a question.
	AddClarification(c chat.Clarification) error
	// SaveClarification overwrites state, answer, Remembered, fences and times of a stored question.
	SaveClarification(c chat.Clarification) error
	// Clarifications of the conversation, in order of Number then id; all states.
	Clarifications() ([]chat.Clarification, error)
	// Asked counts the stored clarifications of kind question: in the conversation and in one turn.
	Asked(turnID string) (conversation, turn int, err error)
	// Queue is the messages that wait, in the order in which they came.
	Queue() ([]chat.Queued, error)
	// Enqueue adds a message at the end of the queue.
	Enqueue(q chat.Queued) error
	// Dequeue takes a message out of the queue. ErrNotFound where it is not there.
	Dequeue(messageID string) error
	// Idempotency is the record of a key, ErrNotFound where there is none or it was made before notBefore.
	Idempotency(key string, notBefore time.Time) (chat.Idempotency, error)
	// SaveIdempotency stores a record, over an older one of the same key.
	SaveIdempotency(i chat.Idempotency) error
	Meters
	// Audit adds a record about this conversation to the audit. It goes with the
	// conversation, and is never changed.
	Audit(r chat.AuditRecord) error
}

// Reader reads committed state.
type Reader interface {
	// Conversation is the head and the newest turn (nil before the first).
	Conversation(ctx context.Context, ref chat.Ref) (*chat.Conversation, *chat.Turn, error)
	// View is a consistent picture of one chat: head, newest turn, all messages with results,
	// all clarifications, the queue.
	View(ctx context.Context, ref chat.Ref) (*View, error)
	// Run is one run of a conversation.
	Run(ctx context.Context, conversationID string, fence int64) (chat.Run, error)
	// Clarification is one question by its id, whoever it belongs to.
	Clarification(ctx context.Context, id string) (chat.Clarification, error)
	// Conversations lists a subject's chats in an app, newest (UpdatedAt) first.
	Conversations(ctx context.Context, tenant, subject, app string, page Page) ([]Listed, string, error)
	// PendingClarifications lists a subject's pending questions over all chats, oldest first.
	PendingClarifications(ctx context.Context, tenant, subject string, page Page) ([]chat.Clarification, string, error)
}

// View is a whole chat.
type View struct {
	Conversation   chat.Conversation
	Turn           *chat.Turn
	Messages       []chat.Message
	Clarifications []chat.Clarification
	Queue          []chat.Queued
}

// Pending are the open clarifications, in order.
func (v *View) Pending() []chat.Clarification {
	var open []chat.Clarification
	for _, c := range v.Clarifications {
		if c.State == tools.StatePending {
			open = append(open, c)
		}
	}
	return open
}

// Listed is a chat as a list of chats shows it.
type Listed struct {
	chat.Conversation
	Beginning string // of its first message, 100 code points at most
}

// Page asks for a part of a list: at most Limit items after Cursor (opaque, ""
// for the start). The string returned beside the items is the next cursor, "" at the end.
type Page struct {
	Limit  int
	Cursor string
}

// ErrCursor says that a cursor is none of this list's.
var ErrCursor = errors.New("store: not a cursor of this list")

// Sweeper finds what is due.
type Sweeper interface {
	// Expired lists pending clarifications whose ExpiresAt has passed, oldest first.
	Expired(ctx context.Context, now time.Time, limit int) ([]chat.Clarification, error)
	// Abandoned lists conversations whose newest turn is running and owned by nobody, or
	// by a node whose leases have lapsed by the store's clock.
	Abandoned(ctx context.Context, limit int) ([]chat.Ref, error)
	// Owned lists conversations whose newest turn is running and owned by the node.
	Owned(ctx context.Context, node string, limit int) ([]chat.Ref, error)
	// Waiting lists conversations that have queued messages, and whose newest turn has ended.
	Waiting(ctx context.Context, limit int) ([]chat.Ref, error)
	// Stale lists conversations of an app that do not run and were not changed since
	// before (UpdatedAt), oldest first.
	Stale(ctx context.Context, app string, before time.Time, limit int) ([]chat.Ref, error)
	// DropMeters forgets the meters whose window ended before.
	DropMeters(ctx context.Context, before time.Time) error
	// Pending counts the pending clarifications per app, and since when the oldest waits.
	Pending(ctx context.Context) ([]PendingCount, error)
}

// PendingCount is the number of pending clarifications of an app.
type PendingCount struct {
	App    string
	Count  int
	Oldest time.Time
}
