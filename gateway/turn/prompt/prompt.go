// Package prompt makes the requests that models are sent of a chat. It knows the stored chat,
// the app and the tools; it asks no model, and stores nothing but what fits (Save).
//
//	Span ── how much of the chat is read ── Read
//	                                          │
//	Request  system     the app's prompt, filled, and what is remembered of the person (system.go)
//	         messages   the history, as the strictest provider accepts it (messages.go), with
//	                    what files hold (files.go) and what may still be asked (notes.go)
//	         as much of it as fits the model (fit.go), with the state that its maker still takes (state.go)
//	            │
//	            └─ refused for its length ── Shrink ── Request again
//
// # Long chats
//
// What no longer fits is left out as turns (trim), before the model is asked or after it refused.
// Where the prompt begins is stored with whatever the run commits next, so that the next run,
// wherever it is, reads from there.
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

// Source is what the prompts of a run are made of, beside the history.
type Source struct {
	Config       *config.Snapshot
	Catalog      *toolexec.Catalog
	App          *config.App
	Conversation *chat.Conversation
	Turn         *chat.Turn
	// Memories is what is kept of the chat's owner beyond chats.
	Memories func() []chat.Memory
	// File opens what a file holds.
	File func(ctx context.Context, id string) (io.ReadCloser, error)
	// Extent measures turns that were not read, as store.Reader does.
	Extent func(ctx context.Context, conversationID string, from, end int64) (turns, bytes int64, err error)
	// LeftOut is told of turns that are left out from now on, and about how many tokens they have.
	LeftOut func(turns, tokens int64)
	// Brought: the turn has tools of its client, which are dropped with it.
	Brought bool
	Log     *slog.Logger
}

// Builder makes the prompts of one run. Said and Stood alone may be called while another
// goroutine waits for tools.
type Builder struct {
	Source
	history *history.History
	shown   transcript
	fits    map[string]*fitting // by the name of the model
	files   attachments
	basis   *chat.Basis     // what the turn's prompts begin with; nil until a request is made, where none is stored
	key     string          // of the chat, for caches of prompts; "" before it is made
	said    *grounding.Said // what was said until Said was called last

	settled  bool // basis is that of this run's requests
	stored   bool // so is it in the store
	tooLarge bool // to be stored
}
