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

// ErrNotFound means that the conversation, turn, run or clarification does not exist. It is a
// *chat.Error, so that clients get not_found.
var ErrNotFound error = &chat.Error{Code: chat.CodeNotFound, Err: errors.New("store: no such row")}

// ErrUnavailable is wrapped by the errors of a store that cannot be read or written at the
// moment: unreachable, full, read-only, busy for too long. Nothing was changed.
var ErrUnavailable = errors.New("store: unavailable")

// ErrUnreadable means that a row cannot be read by this version: it is damaged, or a newer
// version wrote it. It is a *chat.Error, so that clients get not_readable.
var ErrUnreadable error = &chat.Error{Code: chat.CodeNotReadable, Err: errors.New("store: a row that this version cannot read")}

// ErrUnknown is wrapped by the error of a change that may or may not have been made: the store
// went away during the commit and did not come back in time to report the outcome. Only reading
// the chat shows it now; what the caller knows of the chat may be out of date.
var ErrUnknown = errors.New("store: outcome unknown")

// ErrFenced means that another run has the turn, or that the chat is not as the run left it.
var ErrFenced = errors.New("store: the chat is not as the run knows it")

// Store keeps conversations. Implementations are safe for concurrent use.
type Store interface {
	Updater
	Reader
	RunReader
	PositionReader
	CallerReader
	Clock
	// These cover several chats, or none.
	Outbox() Outbox
	Feed() Feed
	Audit() Auditor
	Overview() Overseer
	Memory() Keeper
	Files() Files
	Due() Sweeper
	// Ping returns an error if the store cannot be used at the moment.
	Ping(ctx context.Context) error
	Close() error
}

// Timeout bounds one use of a store where the caller sets no bound. Stores have shorter bounds of
// their own; this one also leaves time for a process that was paused in the middle.
const Timeout = 30 * time.Second

// Updater changes conversations.
type Updater interface {
	// Update runs fn in one transaction that holds the conversation of ref exclusively. If the
	// conversation does not exist, fn finds tx.Conversation().Fence 0 and a new ID, and the commit
	// creates it; nothing is created if fn fails. An error of fn rolls everything back and is
	// returned unchanged; a panic rolls back and passes on. fn runs on the caller's goroutine. It
	// may be called again after a serialization failure, so it must have no effects except through
	// tx. Updates of different conversations may share a commit: fn must not wait for another Update
	// to return.
	Update(ctx context.Context, ref chat.Ref, fn func(tx Tx) error) error
	// UpdateLazily is Update without waiting for the disk: once it returns, the change
	// survives the death of the process, but a power cut within the next second may undo it.
	UpdateLazily(ctx context.Context, ref chat.Ref, fn func(tx Tx) error) error
	// UpdateAs is Update by a run, or UpdateLazily if lazy. It first writes what the run holds of
	// its chat. If the chat is gone, its newest run is another one, or its last event is not
	// held.Known, it returns ErrFenced and writes nothing; fn may have been called.
	UpdateAs(ctx context.Context, held Held, lazy bool, fn func(tx RunTx) error) error
	// Heartbeat extends the leases of a node's turns to ttl from now, by the store's clock. A ttl of
	// 0 gives the leases up.
	Heartbeat(ctx context.Context, node string, ttl time.Duration) (Lease, error)
	// SaveDraft keeps a draft, which may be any JSON, with a pending clarification in a chat of this
	// subject; nil removes it. It returns ErrNotFound if no such clarification is pending, and
	// ErrFull if the drafts of its chat would exceed MaxOpen bytes. The draft need not survive a
	// power cut.
	SaveDraft(ctx context.Context, tenant, subject, id string, draft json.RawMessage) error
	// SaveSeen records when a screen first showed a clarification. first reports that none had
	// before and that it is pending. The record need not survive a power cut.
	SaveSeen(ctx context.Context, id string, at time.Time) (first bool, err error)
	// SaveDelivered records that a run's response reached its client whole. If the run does not
	// exist, it does nothing. The record need not survive a power cut.
	SaveDelivered(ctx context.Context, ref chat.Ref, fence int64) error
	// SaveInWords records that a pending clarification is asked in words from now on. If it has been
	// closed meanwhile, SaveInWords does nothing.
	SaveInWords(ctx context.Context, id string) error
	// Delete erases the conversation and every row about it if its UpdatedAt is earlier than before;
	// the zero time deletes it in any case. It returns ErrNotFound if it deletes nothing. The same
	// transaction adds the records to the audit, where they stay. The places of the chat's own
	// erased records go into the last of them, or into a separate record if there is none. The
	// transaction also stores news of the end of each question that was open, see chat.News.
	Delete(ctx context.Context, ref chat.Ref, before time.Time, records ...chat.AuditRecord) error
}

// Lease is what a node learns when it renews its leases.
type Lease struct {
	// Lapsed reports that they were not held before: other nodes may have taken the turns over.
	Lapsed bool
	// Others is how many other nodes hold theirs; unknown if the node gave its own up.
	Others int
}

// Held is the state that the run of a chat's newest turn holds and writes with each update.
type Held struct {
	Ref            chat.Ref
	ConversationID string
	Fence          int64        // the run's
	Known          chat.EventID // the last event that the run knows to be stored; compared, not written
	LastEvent      chat.EventID
	UpdatedAt      time.Time
	Turn           chat.Turn // written, except for what no run changes: id, language, interactive, start
	// GoesOn says that the run keeps the turn: UpdatedAt, and the state, owner and end of Turn, are as
	// they were when the run began, and are not written. So a step writes to no index of the chats.
	GoesOn bool
}

// RunTx is the transaction that UpdateAs passes to fn. It is valid only until fn returns. The
// error of a failed write may be returned by a later call or by UpdateAs, which fails in any
// case.
type RunTx interface {
	// SaveRun inserts the run, or overwrites the one with the same fence. The end of a turn's run is news,
	// see Feed.
	SaveRun(r chat.Run) error
	// Run returns the run with this fence, or ErrNotFound.
	Run(fence int64) (chat.Run, error)
	// AppendMessage adds a message at the end, with its tool calls and any results they have.
	AppendMessage(m chat.Message) error
	// DropState removes the state of the messages of all turns except one; "" means of all messages.
	DropState(but string) error
	// StartCall records that the run with this fence has begun to execute a call; 0 removes the
	// record. It returns ErrNotFound if there is no such call.
	StartCall(callID string, fence int64) error
	// SetResult stores the only result of a call, with the bytes that have an id. A second result
	// for the same call is an error. It returns ErrNotFound if this conversation has no such call.
	SetResult(callID string, r chat.ToolResult) error
	// IsDeleted reports whether the answer to a clarification was deleted.
	IsDeleted(clarificationID string) (bool, error)
	// AddClarification stores a question.
	AddClarification(c chat.Clarification) error
	// OpenBytes returns the total size of the conversation's pending clarifications, and of what
	// programs asked and said that no run has announced yet. OpenFrom returns that of the
	// clarifications asked by this asker ("" for turns) that wait for the holders of the role (""
	// for the owner), in all chats of the conversation's subject.
	OpenBytes() (int64, error)
	OpenFrom(role, asker string) (int64, error)
	// Remembered returns the conversation's remembered approvals.
	Remembered() ([]chat.Clarification, error)
	// SaveFit stores which part of the conversation a model is sent.
	SaveFit(w chat.Fit) error
	// SaveBasis stores the beginning of a turn's prompts, replacing that of any other turn; nil
	// removes it. It returns an error if the basis has more than chat.MaxBasis bytes.
	SaveBasis(b *chat.Basis) error
	// Instruct stores the Instructions of a message, queued or not. DropInstructions removes those
	// of all other messages that are not queued.
	Instruct(messageID, text string) error
	DropInstructions(but string) error
	// SaveClientTools stores the tools of a turn's client, replacing those of any other turn; nil
	// removes them.
	SaveClientTools(c *chat.ClientTools) error
	// DropCaller removes what SaveCaller kept.
	DropCaller(of string) error
	// Meters returns the part of the transaction that counts use.
	Meters() Meters
	// Audit adds a record about this conversation to the audit. The record never changes, and is
	// deleted with the conversation.
	Audit(r chat.AuditRecord) error
	// AddNews stores news of this update for Feed. The store sets ID, Ref and ConversationID. The news
	// are dropped after some time, and with the conversation. Their Hooks are for Outbox. Of EventDone only
	// these are stored: SaveRun stores the news.
	AddNews(n chat.News) error
}

// Tx is the transaction that Update passes to fn: a RunTx that can also begin, resume and end
// turns.
type Tx interface {
	RunTx
	// Clarifications, Answers, Files, Keys and Forks return parts of the transaction, valid as long as it is.
	Clarifications() ClarificationTx
	Answers() AnswerTx
	Files() FileTx
	Keys() KeyTx
	Forks() Forks
	// Conversation returns the head. Changes in place are saved by the commit.
	Conversation() *chat.Conversation
	// Turn returns the newest turn, or nil before the first. Changes in place are saved by the
	// commit.
	Turn() *chat.Turn
	// BeginTurn makes t the newest turn.
	BeginTurn(t chat.Turn) error
	// DropText removes the newest message of a turn if it is the assistant's, has no calls and was
	// stored by the run with this fence. It reports whether it removed one.
	DropText(fence int64) (bool, error)
	// LastRun returns the newest stored run of a turn, or ErrNotFound.
	LastRun(turnID string) (chat.Run, error)
	// Abandoned reports whether Sweeper.Abandoned would list the conversation as it is stored now.
	Abandoned(node string, held time.Duration) (bool, error)
	// Stored returns how many bytes of texts and files a subject of the conversation's tenant has in
	// all apps. Changes made by this update may or may not be included. A program's questions count
	// towards its asker; a file that forks share counts once.
	Stored(subject string) (int64, error)
	// Queue returns the waiting messages, in the order of Enqueue.
	Queue() ([]chat.Queued, error)
	// Enqueue adds a message at the end of the queue.
	Enqueue(q chat.Queued) error
	// Dequeue removes a message from the queue. It returns ErrNotFound if the queue does not have
	// it.
	Dequeue(messageID string) error
	// PutFirst moves a message of the queue before all others. It returns ErrNotFound if the queue does
	// not have it.
	PutFirst(messageID string) error
	// SaveCaller keeps the claims of who tools are called for, replacing what was kept under the same
	// name, until DropCaller. MoveCaller gives them, if there are any, to something else.
	SaveCaller(c chat.KeptCaller) error
	MoveCaller(from, to string) error
	// CountSaid counts bytes that an asker's program says in the conversation towards what the asker
	// has stored.
	CountSaid(asker string, bytes int64) error
	// Defer keeps what a program said while a turn runs.
	Defer(m chat.Message) error
	// Remember keeps an answer of the chat's owner in its app, replacing an earlier answer to the
	// same question. Beyond chat.MaxMemories answers, the oldest are removed.
	Remember(m chat.Memory) error
	// TakeDeferred removes and returns the deferred messages, in order.
	TakeDeferred() ([]chat.Message, error)
}

// ClarificationTx is the part of a Tx that handles the questions of the chat's turns and
// programs. For a question of another chat, its methods return ErrNotFound.
type ClarificationTx interface {
	// Find looks up a clarification by id.
	Find(id string) (chat.Clarification, error)
	// Pending returns the pending clarifications asked by turns, in the order in which they were
	// asked; PendingAsync returns up to limit of those asked by programs.
	Pending() ([]chat.Clarification, error)
	PendingAsync(limit int) ([]chat.Clarification, error)
	// OfCall returns the clarifications of a call, AskedBy those that a run asked, both ordered by
	// Number, then id. Newest returns the one asked last, if there is one.
	OfCall(callID string) ([]chat.Clarification, error)
	AskedBy(fence int64) ([]chat.Clarification, error)
	Newest() ([]chat.Clarification, error)
	// Unpublished returns what programs asked, and which of it was closed, without a fence yet.
	Unpublished() ([]chat.Clarification, error)
	// Save overwrites state, answer, AnsweredBy, Decisions, Remembered, fences and times (except SeenAt and WaitedAt) of a
	// stored clarification, and removes its draft.
	Save(c chat.Clarification) error
	// SaveEscalated overwrites only Escalated of a stored clarification, which waits.
	SaveEscalated(c chat.Clarification) error
	// SavePublished overwrites only the fences of a stored clarification.
	SavePublished(id string, askedFence, doneFence int64) error
}

// KeyTx is the part of a Tx that handles idempotency keys.
type KeyTx interface {
	// Find returns what a person began with the key in the conversation. It returns ErrNotFound if
	// there is nothing, or only something from before notBefore.
	Find(key string, notBefore time.Time) (chat.Key, error)
	// Save stores a key, replacing an older one.
	Save(k chat.Key) error
	// Claim is Save, but only if no key from notBefore or later is stored; it returns the key that
	// is stored afterwards. Of several updates with the same key of an asker, in any chats, only one
	// stores it. A key is deleted with the conversation in which it was stored.
	Claim(k chat.Key, notBefore time.Time) (chat.Key, error)
}

// Reader reads committed state.
type Reader interface {
	// Conversation returns the head and the newest turn (nil before the first).
	Conversation(ctx context.Context, ref chat.Ref) (*chat.Conversation, *chat.Turn, error)
	// View returns a consistent picture of one chat: head, newest turn, all messages with results
	// (without MadeBy and State), all clarifications, and the queue. It may be of any size, so
	// nothing that serves requests reads it.
	View(ctx context.Context, ref chat.Ref) (*View, error)
	// ViewPart is View with only a part of the messages. Of the clarifications it has those that
	// wait, those in the part or of calls in the part, the remembered approvals, and those that
	// part.Closed adds. It returns ErrCursor if the chat has no message with the id part.Before.
	ViewPart(ctx context.Context, ref chat.Ref, part Part) (*View, error)
	// ViewRuns is View limited to what the runs with fences greater than after and up to through
	// stored, settled, asked and closed, plus the first pending clarification of turns, the first of
	// programs, and the newest step before these runs. It returns ErrTooLarge if the texts exceed
	// bytes.
	ViewRuns(ctx context.Context, ref chat.Ref, after, through, bytes int64) (*View, error)
	// NextEnd returns the fence of the first run after the given one whose end is stored, or
	// math.MaxInt64.
	NextEnd(ctx context.Context, conversationID string, after int64) (int64, error)
	Run(ctx context.Context, conversationID string, fence int64) (chat.Run, error)
	// LastRun returns the newest stored run of a turn, or ErrNotFound.
	LastRun(ctx context.Context, conversationID, turnID string) (chat.Run, error)
	// Clarification looks up a question by id, regardless of owner. It returns ErrUnreadable if this
	// version cannot read the row; lists leave such rows out.
	Clarification(ctx context.Context, id string) (chat.Clarification, error)
	// Claimed returns the ids of the pending clarifications that an asker asked in an app with a key
	// that begins with prefix, at most 1000 of them.
	Claimed(ctx context.Context, tenant, asker, app, prefix string) ([]string, error)
	// Contents returns the contents of the parts of a chat's results, by id; ids that it does not
	// have are left out. It returns ErrNotFound if the chat does not exist.
	Contents(ctx context.Context, ref chat.Ref, ids []string) (map[string]chat.Bytes, error)
	// Message returns one message of a conversation, deferred ones included, without its calls. It
	// returns ErrNotFound if there is none with that id.
	Message(ctx context.Context, conversationID, id string) (chat.Message, error)
	// IsQueued reports whether a message waits in the queue of a conversation.
	IsQueued(ctx context.Context, conversationID, messageID string) (bool, error)
	// ContentSize returns the total bytes that a conversation's results hold.
	ContentSize(ctx context.Context, conversationID string) (int64, error)
	// Conversations lists a subject's chats in an app, except Lasting ones, by UpdatedAt, newest
	// first.
	Conversations(ctx context.Context, tenant, subject, app string, page Page) ([]Listed, string, error)
	// Search lists those of them whose title, messages and questions contain all of the words: of a
	// question its words, options and answer, unless it asks for a secret, and never a call's
	// arguments. Each call looks through a limited part: a page may have fewer than Limit items, or none, and still be followed
	// by others.
	Search(ctx context.Context, tenant, subject, app string, words textsearch.Words, page Page) ([]Match, string, error)
	// Clarifications lists those of a subject's clarifications that match which, oldest first:
	// pending ones by the time they were asked, others by the time they were asked or closed. A page
	// has at most MaxPageBytes.
	Clarifications(ctx context.Context, tenant, subject string, which Which, page Page) ([]chat.Clarification, string, error)
	BranchReader
}

// CallerReader reads what Tx.SaveCaller kept.
type CallerReader interface {
	// Caller returns chat.KeptCaller.Claims of something in a conversation, or "" if nothing is kept.
	Caller(ctx context.Context, conversationID, of string) (claims string, err error)
}

// ErrTooLarge means that the requested data exceeds the requested size.
var ErrTooLarge = errors.New("store: more bytes than asked for")

// View is a whole chat, or one with a part of its messages.
type View struct {
	Conversation   chat.Conversation
	Turn           *chat.Turn
	Messages       []chat.Message
	Clarifications []chat.Clarification
	Queue          []chat.Queued
	More           bool // there are older messages than these
	Older          int  // how many
	// Unreadable reports that this version cannot read some rows. Messages are marked, others left
	// out.
	Unreadable bool
	Questions  int // of a part: how many of kind question turns have asked people in the chat
	// Family is set in a part that asks for it: the chat and all others of its family, as
	// BranchReader.Family returns them; always with this one.
	Family []chat.Conversation
}

// Part selects the newest messages of a chat: at most Limit, and at most Bytes of text including
// their calls, results and questions, but at least one message. A Limit or Bytes of 0 or less
// counts as 1.
type Part struct {
	Limit  int
	Bytes  int64
	Closed int64  // the newest closed clarifications of turns, wherever they are in the chat: at most so many bytes
	Before string // only those older than the message with this id; "": all
	Family bool   // the view has the chat's family
}

// Size returns about how many bytes the texts of the chat have.
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

// Status returns the chat's status, which also covers waiting for answers to programs' questions.
func (v *View) Status() chat.Status {
	status := chat.StatusOf(v.Turn)
	if status == chat.StatusIdle && len(v.Pending()) > 0 {
		return chat.StatusAwaitingInput
	}
	return status
}

// Pending returns the pending clarifications, in order.
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

// Asked returns what the newest turn waits for and the owner of the chat may answer, in order. It
// leaves out what programs ask and what others decide.
func (v *View) Asked() []chat.Clarification {
	return slices.DeleteFunc(v.Pending(), func(c chat.Clarification) bool { return c.Asker != "" || c.For != "" })
}

// Listed is a chat as a list of chats shows it.
type Listed struct {
	chat.Conversation
	Beginning string // the first line of its first message, at most 100 code points; for a program's question, the asker's title or name
}

func (l *Listed) Name() string { return cmp.Or(l.Title, l.Beginning) }

// Match is a chat that was searched for.
type Match struct {
	Listed
	Snippet []textsearch.Piece // of the message or question that has most of the words; nil if only the title has any
	// ClarificationID is the question that the snippet is from; "" if it is from a message.
	ClarificationID string
}

// Page asks for at most Limit items of a list after Cursor, which is opaque, and "" for the
// start. The string returned with the items is the next cursor, "" at the end.
type Page struct {
	Limit  int
	Cursor string
}

// ErrCursor means that a cursor does not belong to this list.
var ErrCursor = errors.New("store: not a cursor of this list")

// Sweeper finds what is due.
type Sweeper interface {
	// Expired lists pending clarifications whose ExpiresAt has passed, oldest first, without texts.
	Expired(ctx context.Context, now time.Time, limit int) ([]chat.Clarification, error)
	// Gone lists, like Expired, those whose GoneAt has passed.
	Gone(ctx context.Context, now time.Time, limit int) ([]chat.Clarification, error)
	// Escalating lists, like Expired, those with a step of their escalation that is due.
	Escalating(ctx context.Context, now time.Time, limit int) ([]chat.Clarification, error)
	// SaveWaited records that the asker of a pending clarification waited for it at that time, unless
	// a later time is stored. If a turn asked, or it is closed, it does nothing. The record need not
	// survive a power cut.
	SaveWaited(ctx context.Context, id string, at time.Time) error
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
	// DropCallers removes what SaveCaller kept of turns that have ended, of messages that are no longer
	// queued and of questions that are closed, up to limit of them, and returns how many it removed.
	// Whatever ends them removes it at once; this is for what an older version, or one with another
	// configuration, has ended.
	DropCallers(ctx context.Context, limit int) (dropped int, err error)
	// Pending counts the pending clarifications per app.
	Pending(ctx context.Context) ([]PendingCount, error)
}

// PendingCount is the number of pending clarifications of an app.
type PendingCount struct {
	App    string
	Count  int
	Oldest time.Time // when the oldest of them was asked
}
