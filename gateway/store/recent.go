package store

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// RunReader reads what runs need, regardless of the length of their chat.
type RunReader interface {
	// Recent returns the newest part of a chat, or ErrUnreadable if one of its rows cannot be read.
	// span decides how much, given the chat's fits; it has no effect on the store.
	Recent(ctx context.Context, ref chat.Ref, span func(fits []chat.Fit) Span) (*Recent, error)
	// KnownCalls returns those of the ids that the conversation's calls already have.
	KnownCalls(ctx context.Context, conversationID string, ids []string) ([]string, error)
	// Extent returns how many turns begin between two positions of a conversation, and how many
	// bytes of text the messages there have, with their calls and results.
	Extent(ctx context.Context, conversationID string, from, end int64) (turns, bytes int64, err error)
}

// Span says how much of a chat a run reads: the newest turns, whole, that together have at most
// Bytes and begin at From or later, but always at least the two newest.
type Span struct {
	From       int64 // position of a message; 0: of the first
	Bytes      int64 // 0: no limit
	PerMessage int64 // bytes that each message counts in addition to its texts
	// ClientTools asks for the tools of the turn's client.
	ClientTools bool
	// Caller asks for what is kept of the turn's caller.
	Caller bool
	// Known is what the run knows of the chat, and need not read again; nil for nothing.
	Known *Known
}

// Known are messages of a chat as Recent returned them once, at consecutive positions, when all of their
// calls had results.
type Known struct {
	// At is the chat's last event, up to which nothing of the messages has changed.
	At       chat.EventID
	First    int64 // position of the first
	Messages []chat.Message
}

// From returns those of the messages that a run can take for what the store has from a position on:
// none if the chat has gone on since, if an answer of it was deleted (which sets Unpublished at once),
// or if they begin later. Recent may append to them.
func (k *Known) From(position int64, c *chat.Conversation) []chat.Message {
	if k == nil || c.LastEvent != k.At || c.Unpublished || position < k.First || position > k.First+int64(len(k.Messages)) {
		return nil
	}
	return k.Messages[position-k.First:]
}

// Recent is the part of a chat that a run reads.
type Recent struct {
	// View has the messages of the span, with MadeBy and State and without Thinking. Its
	// clarifications are those of turns with calls without a result, those of the newest turn, and
	// the remembered approvals.
	View
	First int64 // position of the first of the messages; 1 if there are none
	// Last is the position of the last message, 0 if there are none. Between them, a position is free
	// where a text was dropped (RunTx.DropText) behind which a program had said something.
	Last int64
	// StateBefore is the total bytes of state of the messages before the first.
	StateBefore int64
	// Questions are all clarifications of kind question, in order.
	Questions []chat.Clarification
	Fits      []chat.Fit
	Basis     *chat.Basis // of the newest turn; nil: none is stored, or the stored one is of another turn
	// ClientTools are those of the newest turn, where the span asks for them.
	ClientTools []tools.Definition
	// Caller is what is kept of the newest turn's caller (chat.KeptCaller.Claims), where the span asks
	// for it; "" for nothing.
	Caller string
	Ran    []chat.Ran // behind the point where the chat was forked
}
