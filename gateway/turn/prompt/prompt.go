// Package prompt makes the requests in which models are sent a chat. It knows the stored chat, the
// app and the tools. It asks no model, and stores only how much of the chat fits (Save).
//
//	Span ── how much of the chat is read ── Read
//	                                          │
//	Request  system     the app's prompt, filled, and what is remembered of the person (system.go)
//	         messages   the history, as the strictest provider accepts it (messages.go), with
//	                    the contents of files (files.go) and what may still be asked (notes.go)
//	         as much of it as fits the model (fit.go), with the state that the model still accepts (state.go)
//	            │
//	            └─ refused for its length ── Shrink ── Request again
//
// # Long chats
//
// If a chat no longer fits, whole turns are left out (trim), before the model is asked or after it
// refused. The position at which the prompt begins is stored with the run's next commit, so that the
// next run, on whatever node, reads from there.
package prompt

import (
	"context"
	"io"
	"log/slog"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn/history"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools/grounding"
)

// Source has the inputs for the prompts of a run, in addition to the history.
type Source struct {
	Config       *config.Snapshot
	Catalog      *toolexec.Catalog
	App          *config.App
	Conversation *chat.Conversation
	Turn         *chat.Turn
	// Memories returns what is remembered of the chat's owner beyond chats.
	Memories func() []chat.Memory
	// File opens the content of a file.
	File func(ctx context.Context, id string) (io.ReadCloser, error)
	// Extracted returns the text of a PDF or DOCX file (uploads.Keeper.Text); nil: they have none.
	Extracted func(ctx context.Context, f *chat.SentFile) (text string, whole bool, err error)
	// Extent measures turns that were not read, as store.Reader does.
	Extent func(ctx context.Context, conversationID string, from, end int64) (turns, bytes int64, err error)
	// LeftOut is called with the number of turns that are left out from now on, and about how many
	// tokens they have.
	LeftOut func(turns, tokens int64)
	// Brought: the turn has tools of its client, which are dropped when the turn is over.
	Brought bool
	Log     *slog.Logger
}

// Builder makes the prompts of one run. Only Said and Stood may be called while another goroutine
// waits for tools.
type Builder struct {
	Source
	history *history.History
	shown   transcript
	fits    map[string]*fitting // by the name of the model
	files   attachments
	basis   *chat.Basis     // what the turn's prompts begin with; nil until the first request if none is stored
	key     string          // identifies the chat to prompt caches; "" until it is made
	said    *grounding.Said // what was said until the last call of Said

	settled  bool // basis is the one of this run's requests
	stored   bool // basis is in the store
	tooLarge bool // basis is too large to be stored
}
