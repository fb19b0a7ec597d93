package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/textsearch"
)

// ErrNotFound says that there is no such conversation, turn, run or clarification. It is
// a *chat.Error, so that clients are told not_found.
var ErrNotFound error = &chat.Error{Code: chat.CodeNotFound, Err: errors.New("store: no such row")}

// ErrUnavailable is wrapped by the errors of a store that cannot be read or written now:
// unreachable, full, read-only, busy for too long. Nothing was changed.
var ErrUnavailable = errors.New("store: unavailable")

// ErrUnreadable says that a row cannot be read by this version: it is damaged, or a newer version
// wrote it. It is a *chat.Error, so that clients are told not_readable.
var ErrUnreadable error = &chat.Error{Code: chat.CodeNotReadable, Err: errors.New("store: a row that this version cannot read")}

// ErrUnknown is wrapped by the errors of a change that may have been made or not: the store went
// away during the commit and has not been back since. Where it was, it has told which. Only
// reading the chat tells now; what the caller knows of it may no longer be so.
var ErrUnknown = errors.New("store: outcome unknown")

// ErrFenced says that another run has the turn, or that the chat is not what the run left it as.
var ErrFenced = errors.New("store: the chat is not as the run knows it")

// Store keeps conversations. Implementations are safe for concurrent use.
type Store interface {
	Updater
	Reader
	RunReader
	Clock
	// The parts that are about more than one chat, or none.
	Outbox() Outbox
	Feed() Feed
	Audit() Auditor
	Overview() Overseer
	Memory() Keeper
	Files() Files
	Due() Sweeper
	// Ping returns an error where the store cannot be used now.
	Ping(ctx context.Context) error
	Close() error
}

// Timeout bounds one use of a store that nobody else bounds. Stores have shorter bounds of their
// own; this one also has to leave time to a process that was paused in the middle of it.
const Timeout = 30 * time.Second

// Updater changes conversations.
type Updater interface {
	// Update runs fn in one transaction that holds the conversation of ref
	// exclusively. Where there is none, fn finds tx.Conversation().Fence 0 and a new ID,
	// and the commit creates the conversation; nothing is created if fn fails. An error of
	// fn rolls everything back and is returned unchanged; so does a panic, which passes on.
	// fn runs on the caller's goroutine. It may be called again after a serialization
	// failure, so it must have no effects except through tx. Updates of different
	// conversations may share a commit: fn must not wait for another Update to return.
	Update(ctx context.Context, ref chat.Ref, fn func(tx Tx) error) error
	// UpdateLazily is Update without waiting for the disk: once it returns, the change
	// survives the death of the process, but a power cut within the next second may undo it.
	UpdateLazily(ctx context.Context, ref chat.Ref, fn func(tx Tx) error) error
	// UpdateAs is Update by a run, or with lazy UpdateLazily. It first writes what the run
	// holds of its chat; where that is gone, its newest run is another, or its last event is
	// not held.Known, the error is ErrFenced and fn is not called.
	UpdateAs(ctx context.Context, held Held, lazy bool, fn func(tx RunTx) error) error
	// Heartbeat extends the leases of a node's turns to ttl from now, by the store's clock.
	// lapsed says that they were not held before: others may have taken the turns over. A
	// ttl of 0 gives the leases up.
	Heartbeat(ctx context.Context, node string, ttl time.Duration) (lapsed bool, err error)
	// SaveDraft keeps a draft, any JSON, with a pending clarification in a chat of this subject; nil
	// removes it. ErrNotFound where there is none that is pending, ErrFull where the drafts of its
	// chat would have more than MaxOpen bytes. The draft need not survive a power cut.
	SaveDraft(ctx context.Context, tenant, subject, id string, draft json.RawMessage) error
	// SaveSeen keeps when a screen first showed a clarification; first: nothing did before, and
	// it is pending. It need not survive a power cut.
	SaveSeen(ctx context.Context, id string, at time.Time) (first bool, err error)
	// SaveDelivered keeps that a run's response reached its client whole; nothing where there is no
	// such run. It need not survive a power cut.
	SaveDelivered(ctx context.Context, ref chat.Ref, fence int64) error
	// SaveInWords keeps that a pending clarification is asked in words from now on. Where it is
	// closed meanwhile, nothing is kept.
	SaveInWords(ctx context.Context, id string) error
	// Delete erases the conversation and every row about it, if its UpdatedAt is earlier
	// than before; the zero time deletes it in any case. It returns ErrNotFound where it
	// deletes nothing. The same transaction adds the records to the audit, where they stay, the
	// last one with the places of the chat's records that went, or one of its own with them, and
	// news of the end of each question that was open, see chat.News.
	Delete(ctx context.Context, ref chat.Ref, before time.Time, records ...chat.AuditRecord) error
}

// Held is what the run of a chat's newest turn holds of it, and writes with each update.
type Held struct {
	Ref            chat.Ref
	ConversationID string
	Fence          int64        // the run's
	Known          chat.EventID // the last event that the run knows to be stored; compared, not written
	LastEvent      chat.EventID
	UpdatedAt      time.Time
	Turn           chat.Turn // written but for what no run changes: id, language, interactive, start
}

// RunTx is what fn of UpdateAs works with, and valid only until fn returns. The error of a
// failed write may be returned by a later call or by UpdateAs, which fails in any case.
type RunTx interface {
	// SaveRun inserts the run, or overwrites the one with the same fence.
	SaveRun(r chat.Run) error
	// Run is the run with this fence, ErrNotFound where there is none.
	Run(fence int64) (chat.Run, error)
	// AppendMessage adds a message at the end, with its tool calls and the results they have.
	AppendMessage(m chat.Message) error
	// DropState removes the state of the messages of all turns but one; "": of all messages.
	DropState(but string) error
	// StartCall records that the run with this fence has begun to execute a call; 0 removes
	// the record. ErrNotFound where there is no such call.
	StartCall(callID string, fence int64) error
	// SetResult stores the only result of a call, with the bytes that have an id; a second
	// one for the same call is an error, and ErrNotFound where this conversation has no such call.
	SetResult(callID string, r chat.ToolResult) error
	// AddClarification stores a question.
	AddClarification(c chat.Clarification) error
	// OpenBytes is how many bytes the pending clarifications of the conversation have, and what
	// programs asked and said that no run has told of. OpenFrom is that of the clarifications that
	// wait for the holders of the role, or with "" for the owner, in all chats of the conversation's
	// subject, and that this asker asked; "": that turns did.
	OpenBytes() (int64, error)
	OpenFrom(role, asker string) (int64, error)
	// Remembered is the approvals of the conversation that are remembered.
	Remembered() ([]chat.Clarification, error)
	// SaveFit stores what a model is sent of the conversation.
	SaveFit(w chat.Fit) error
	// SaveBasis stores what the prompts of a turn begin with, in place of that of any other; nil
	// removes it. An error where it has more than chat.MaxBasis bytes.
	SaveBasis(b *chat.Basis) error
	// Instruct stores the Instructions of a message, be it queued. DropInstructions removes those of
	// all other messages that are not.
	Instruct(messageID, text string) error
	DropInstructions(but string) error
	// SaveClientTools stores the tools of a turn's client, in place of those of any other turn; nil
	// removes them.
	SaveClientTools(c *chat.ClientTools) error
	// Meters is the part of the transaction that counts use.
	Meters() Meters
	// Audit adds a record about this conversation to the audit. It is never changed, and is
	// deleted with the conversation.
	Audit(r chat.AuditRecord) error
	// Tell stores what Feed will tell of this update. The store sets ID, Ref and
	// ConversationID. It is dropped after some time, and with the conversation. Its Hooks are
	// for Outbox.
	Tell(n chat.News) error
}

// Tx is what fn of Update works with: as RunTx, with what begins, resumes and ends turns.
type Tx interface {
	RunTx
	// Clarifications, Files, Keys and Forks are parts of the transaction, valid as long as it is.
	Clarifications() ClarificationTx
	Files() FileTx
	Keys() KeyTx
	Forks() Forks
	// Conversation is the head. Changes in place are saved by the commit.
	Conversation() *chat.Conversation
	// Turn is the newest turn, nil before the first. Changes in place are saved by the commit.
	Turn() *chat.Turn
	// BeginTurn makes t the newest turn.
	BeginTurn(t chat.Turn) error
	// DropText removes the newest message of a turn, if it is the assistant's, has no calls and
	// was stored by the run with this fence; it says whether there was one.
	DropText(fence int64) (bool, error)
	// LastRun is the newest stored run of a turn, ErrNotFound where there is none.
	LastRun(turnID string) (chat.Run, error)
	// Abandoned says whether Sweeper.Abandoned lists the conversation, as it is stored now.
	Abandoned(node string, held time.Duration) (bool, error)
	// Stored is how many bytes of texts and files a subject of the conversation's tenant has in all
	// apps; what this update has changed may count or not. What programs ask is their asker's; a file that forks share
	// counts once.
	Stored(subject string) (int64, error)
	// Queue is the waiting messages, in the order of Enqueue.
	Queue() ([]chat.Queued, error)
	// Enqueue adds a message at the end of the queue.
	Enqueue(q chat.Queued) error
	// Dequeue removes a message from the queue. ErrNotFound where it is not in it.
	Dequeue(messageID string) error
	// CountSaid counts bytes that the asker's program says in the conversation as stored by the asker.
	CountSaid(asker string, bytes int64) error
	// Defer keeps what a program said while a turn runs.
	Defer(m chat.Message) error
	// Remember keeps an answer of the chat's owner in its app, in place of that to the same. Of
	// more than chat.MaxMemories answers, the oldest go.
	Remember(m chat.Memory) error
	// TakeDeferred removes and returns what was deferred, in order.
	TakeDeferred() ([]chat.Message, error)
}

// ClarificationTx is the part of a Tx that is about what the chat's turns and programs asked. That of
// another chat is ErrNotFound.
type ClarificationTx interface {
	// Find is one by its id.
	Find(id string) (chat.Clarification, error)
	// Pending is the pending ones that turns asked, in the order in which they were asked;
	// PendingAsync some of those of programs.
	Pending() ([]chat.Clarification, error)
	PendingAsync(limit int) ([]chat.Clarification, error)
	// OfCall is those of a call, AskedBy those that a run asked, both in order of Number then id;
	// Newest is the one that was asked last, where there is one.
	OfCall(callID string) ([]chat.Clarification, error)
	AskedBy(fence int64) ([]chat.Clarification, error)
	Newest() ([]chat.Clarification, error)
	// Unpublished is what programs asked, and what of it was closed, that has no fence yet.
	Unpublished() ([]chat.Clarification, error)
	// Save overwrites state, answer, AnsweredBy, Remembered, fences and times (but SeenAt) of a
	// stored one, and removes its draft.
	Save(c chat.Clarification) error
	// SaveTold overwrites the fences of a stored one, and nothing else of it.
	SaveTold(id string, askedFence, doneFence int64) error
}

// KeyTx is the part of a Tx that is about idempotency keys.
type KeyTx interface {
	// Find is what was begun with a person's key in the conversation, ErrNotFound where there is none,
	// or only one made before notBefore.
	Find(key string, notBefore time.Time) (chat.Key, error)
	// Save stores a key, in place of an older one.
	Save(k chat.Key) error
	// Claim is Save where none is stored from no earlier than notBefore, and returns the one
	// that is stored then. Of several updates with one key of an asker, in whatever chats, one stores it.
	// A key goes with the conversation in which it was stored.
	Claim(k chat.Key, notBefore time.Time) (chat.Key, error)
}

// Reader reads committed state.
type Reader interface {
	// Conversation is the head and the newest turn (nil before the first).
	Conversation(ctx context.Context, ref chat.Ref) (*chat.Conversation, *chat.Turn, error)
	// View is a consistent picture of one chat: head, newest turn, all messages with results, but
	// without MadeBy and State, all clarifications, the queue. It may be of any size: nothing that
	// serves requests reads it.
	View(ctx context.Context, ref chat.Ref) (*View, error)
	// ViewPart is View with a part of the messages, and of the clarifications those that wait, that
	// stand in the part or whose calls do, the approvals that are remembered, and what part.Closed
	// adds. ErrCursor: the chat has no message with the id part.Before.
	ViewPart(ctx context.Context, ref chat.Ref, part Part) (*View, error)
	// ViewRuns is View with what its runs after one fence and up to another stored, settled, asked
	// and closed, and the first that waits; and with the newest step before them. ErrTooLarge: its
	// texts have more than so many bytes.
	ViewRuns(ctx context.Context, ref chat.Ref, after, through, bytes int64) (*View, error)
	// NextEnd is the fence of the first run after one whose end is stored, math.MaxInt64 where none
	// is.
	NextEnd(ctx context.Context, conversationID string, after int64) (int64, error)
	// Run is one run of a conversation.
	Run(ctx context.Context, conversationID string, fence int64) (chat.Run, error)
	// LastRun is the newest stored run of a turn, ErrNotFound where there is none.
	LastRun(ctx context.Context, conversationID, turnID string) (chat.Run, error)
	// Clarification is one question by its id, of whichever principal. ErrUnreadable where its row
	// cannot be read by this version: lists leave such rows out.
	Clarification(ctx context.Context, id string) (chat.Clarification, error)
	// Claimed are the ids of the pending clarifications that an asker asked in an app with a key that
	// begins with prefix, at most 1000 of them.
	Claimed(ctx context.Context, tenant, asker, app, prefix string) ([]string, error)
	// Contents are what the parts of a chat's results hold, by id; those that it does not have
	// are left out. ErrNotFound where there is no such chat.
	Contents(ctx context.Context, ref chat.Ref, ids []string) (map[string]chat.Bytes, error)
	// Message is one message of a conversation, or one that was deferred, without its calls. ErrNotFound where it has none
	// with that id.
	Message(ctx context.Context, conversationID, id string) (chat.Message, error)
	// IsQueued says whether a message waits in the queue of a conversation.
	IsQueued(ctx context.Context, conversationID, messageID string) (bool, error)
	// ContentSize is how many bytes the results of a conversation hold together.
	ContentSize(ctx context.Context, conversationID string) (int64, error)
	// Conversations lists a subject's chats in an app, but those that are Lasting, by UpdatedAt,
	// newest first.
	Conversations(ctx context.Context, tenant, subject, app string, page Page) ([]Listed, string, error)
	// Search lists those of them in whose title and texts all of the words occur. It looks
	// through a part of them at most: a page may have fewer than Limit, or none, and others
	// after it.
	Search(ctx context.Context, tenant, subject, app string, words textsearch.Words, page Page) ([]Match, string, error)
	// Clarifications lists those of a subject's clarifications that fit, oldest first: those
	// that are pending by when they were asked, others by when they were asked or closed. A page has
	// at most MaxPageBytes.
	Clarifications(ctx context.Context, tenant, subject string, which Which, page Page) ([]chat.Clarification, string, error)
	BranchReader
}

// ErrTooLarge says that what was to be read has more bytes than were asked for.
var ErrTooLarge = errors.New("store: more bytes than asked for")

// View is a whole chat, or one with a part of its messages.
type View struct {
	Conversation   chat.Conversation
	Turn           *chat.Turn
	Messages       []chat.Message
	Clarifications []chat.Clarification
	Queue          []chat.Queued
	More           bool // there are older messages than these
	// Unreadable: some rows cannot be read by this version. Messages are marked, others left out.
	Unreadable bool
	Questions  int // of a part: how many of kind question people were asked in the chat by turns
	// Family is of a part that wants it: the chat and all others of its family, as
	// BranchReader.Branches has them, and this one in any case.
	Family []chat.Conversation
}

// Part is the newest messages of a chat: at most Limit, and no more than have Bytes of text
// with their calls, results and questions, but at least one. Limits of 0 or less are 1.
type Part struct {
	Limit  int
	Bytes  int64
	Closed int64  // the newest closed clarifications of turns, wherever they stand: at most so many bytes
	Before string // only those older than the message with this id; "": all
	Family bool   // the view has the chat's family
}

// Size is about how many bytes the texts of the chat have.
func (v *View) Size() (bytes int64) {
	for i := range v.Messages {
		bytes += int64(len(v.Messages[i].Content) + len(v.Messages[i].Thinking))
		for _, c := range v.Messages[i].ToolCalls {
			bytes += int64(len(c.Arguments))
			if c.Result != nil {
				bytes += int64(len(c.Result.Content))
				for _, s := range c.Result.Shown {
					bytes += int64(len(s.Part) + len(s.Bytes)/3*4)
				}
			}
		}
	}
	for i := range v.Clarifications {
		bytes += v.Clarifications[i].Size()
	}
	for i := range v.Queue {
		bytes += int64(len(v.Queue[i].Content))
	}
	return bytes
}

// Status is the chat's: it also waits for answers to what programs ask.
func (v *View) Status() chat.Status {
	status := chat.StatusOf(v.Turn)
	if status == chat.StatusIdle && len(v.Pending()) > 0 {
		return chat.StatusAwaitingInput
	}
	return status
}

// Pending is the pending clarifications, in order.
func (v *View) Pending() []chat.Clarification {
	var open []chat.Clarification
	for _, c := range v.Clarifications {
		if c.State == tools.StatePending {
			open = append(open, c)
		}
	}
	slices.SortStableFunc(open, func(a, b chat.Clarification) int { return a.AskedAt.Compare(b.AskedAt) })
	return open
}

// Asked is what the newest turn waits for and the owner of the chat may answer, in order:
// neither what programs ask nor what others decide.
func (v *View) Asked() []chat.Clarification {
	return slices.DeleteFunc(v.Pending(), func(c chat.Clarification) bool { return c.Asker != "" || c.For != "" })
}

// Listed is a chat as a list of chats shows it.
type Listed struct {
	chat.Conversation
	Beginning string // the first line of its first message, at most 100 code points; the asker's title or name where that is a program's question
}

// Name is what the chat is called.
func (l *Listed) Name() string { return cmp.Or(l.Title, l.Beginning) }

// Match is a chat that was searched for.
type Match struct {
	Listed
	Snippet []textsearch.Piece // of the message that has most of the words; nil where only the title has any
}

// Page asks for at most Limit items of a list after Cursor, which is opaque, and "" for the
// start. The string returned with the items is the next cursor, "" at the end.
type Page struct {
	Limit  int
	Cursor string
}

// ErrCursor says that a cursor does not belong to this list.
var ErrCursor = errors.New("store: not a cursor of this list")

// Sweeper finds what is due.
type Sweeper interface {
	// Expired lists pending clarifications whose ExpiresAt has passed, oldest first, without texts.
	Expired(ctx context.Context, now time.Time, limit int) ([]chat.Clarification, error)
	// Abandoned lists conversations whose newest turn is running without an
	// owner, or with one other than the node whose leases were given up, or have lapsed by the
	// store's clock. That they have lapsed counts only where the node has held its own without a
	// gap for so long: after the store was away from all, none says anything.
	Abandoned(ctx context.Context, node string, held time.Duration, limit int) ([]chat.Ref, error)
	// Owned lists conversations whose newest turn is running and owned by the node.
	Owned(ctx context.Context, node string, limit int) ([]chat.Ref, error)
	// Waiting lists conversations that have queued messages, and whose newest turn has ended.
	Waiting(ctx context.Context, limit int) ([]chat.Ref, error)
	// Stale lists conversations of an app that do not run and whose UpdatedAt is earlier
	// than before, oldest first, without the first skip of them.
	Stale(ctx context.Context, app string, before time.Time, skip, limit int) ([]chat.Ref, error)
	// EndedEphemeral lists conversations that are Ephemeral, whose newest turn has ended, and that have no
	// queued messages; those that are Lasting only where UpdatedAt is earlier than before.
	EndedEphemeral(ctx context.Context, before time.Time, limit int) ([]chat.Ref, error)
	// Unpublished lists conversations that are Unpublished and do not run.
	Unpublished(ctx context.Context, limit int) ([]chat.Ref, error)
	// DropKeys deletes the keys of askers that were made before.
	DropKeys(ctx context.Context, before time.Time) error
	// DropMeters deletes the meters whose window ended earlier than before.
	DropMeters(ctx context.Context, before time.Time) error
	// Pending counts the pending clarifications per app.
	Pending(ctx context.Context) ([]PendingCount, error)
}

// PendingCount is the number of pending clarifications of an app.
type PendingCount struct {
	App    string
	Count  int
	Oldest time.Time // when the oldest of them was asked
}
