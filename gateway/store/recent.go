package store

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// RunReader reads what runs need, however long their chat is.
type RunReader interface {
	// Recent is the newest part of a chat, ErrUnreadable where a row of it cannot be read. span says
	// how much, by the fits of the chat; what it does has no effect on the store.
	Recent(ctx context.Context, ref chat.Ref, span func(fits []chat.Fit) Span) (*Recent, error)
	// KnownCalls are those of the ids that calls of the conversation have.
	KnownCalls(ctx context.Context, conversationID string, ids []string) ([]string, error)
	// Extent is how many turns begin between two positions of a conversation, and how many
	// bytes of text, with their calls and results, the messages have there.
	Extent(ctx context.Context, conversationID string, from, end int64) (turns, bytes int64, err error)
}

// Span says how much of a chat a run reads: the newest turns, whole, that together have at
// most Bytes, and begin at From or later; but the two newest in any case.
type Span struct {
	From       int64 // position of a message; 0: of the first
	Bytes      int64 // 0: whatever it comes to
	PerMessage int64 // bytes that a message counts beside its texts
	// ClientTools says that the tools of the turn's client are read.
	ClientTools bool
}

// Recent is what a run reads of a chat.
type Recent struct {
	// View has the messages of the span, with MadeBy and State and without Thinking, and of the clarifications those of turns that have
	// calls without a result, of the newest turn, and the approvals that are remembered.
	View
	First int64 // position of the first of the messages, which follow one another; 1 where there are none
	// StateBefore is how many bytes of state the messages before the first have together.
	StateBefore int64
	// Questions are all clarifications of kind question, in order.
	Questions []chat.Clarification
	Fits      []chat.Fit
	Basis     *chat.Basis // of the newest turn; nil: none is stored, or it is that of another
	// ClientTools are those of the newest turn, where the span asks for them.
	ClientTools []tools.Definition
	Ran         []chat.Ran // behind the point where the chat was forked
}
