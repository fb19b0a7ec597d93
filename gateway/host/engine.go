package host

import (
	"context"
	"encoding/json"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/tools"
)

// Engine is the part of the turn engine that the host needs. Errors are *chat.Error,
// *tools.AnswerError, *budget.SpentError or the store's.
type Engine interface {
	// Submit takes a command, or refuses it and changes nothing.
	Submit(ctx context.Context, cmd turn.Command) (Run, error)
	// Running returns the run that is under way in a chat, to be watched from its start, or nil.
	Running(ctx context.Context, ref chat.Ref) (Run, error)
	// Again returns the newest run of a chat's newest turn, to be watched from its start, or a
	// nothing_to_resume error.
	Again(ctx context.Context, ref chat.Ref) (Run, error)
	// Delivered records that a response with a run reached its client whole.
	Delivered(ctx context.Context, ref chat.Ref, fence int64) error
	// Upload keeps a file for a message or a pending question; Discard deletes one that nothing uses.
	Upload(ctx context.Context, u uploads.Upload) (chat.File, error)
	Discard(ctx context.Context, ref chat.Ref, id string) error
	// SaveDraft keeps a draft, any JSON, with a pending question; nil removes it.
	SaveDraft(ctx context.Context, c chat.Clarification, draft json.RawMessage) error
	// Question makes a program's question from the arguments of a call, using a tool.
	Question(ctx context.Context, setup *turn.Setup, app *config.App, call tools.Call) (tool string, out tools.Outcome)
	// Ask stores a question without a turn; again reports that the same key had already stored it.
	Ask(ctx context.Context, a turn.Asking) (c chat.Clarification, again bool, err error)
	// AnswerByID closes a clarification for a caller who may; a turn that waits for it goes on.
	AnswerByID(ctx context.Context, setup *turn.Setup, id string, a turn.Answer, by chat.Actor, channel chat.Channel) (chat.Clarification, error)
	// Attend stores that the asker of a program's question waits for it, until left is called.
	Attend(ctx context.Context, c *chat.Clarification) (left func(gone bool))
	// PostMessage stores what an asker's program says in a chat.
	PostMessage(ctx context.Context, setup *turn.Setup, ref chat.Ref, asker string, by tools.Asker, text string) (chat.Message, error)
	// Coded records that a question of the chat went out with a code; Known reports whether a
	// command with that key was taken there.
	Coded(ctx context.Context, ref chat.Ref, of *chat.Clarification, code string) error
	Known(ctx context.Context, ref chat.Ref, key string) (bool, error)
	// InWords records that a client's result for a clarification was not an answer.
	InWords(ctx context.Context, c chat.Clarification) error
}

// Store is the part of the store that the API uses directly: to read, and to change what does not
// belong to a chat.
type Store interface {
	store.Reader
	store.Keeper
	store.Overseer
	store.Auditor
	store.Clock
}

// Run is the run of a command that was taken; it must be driven.
type Run interface {
	// Drive works, or watches, until the run's done was written, and returns the result of the run.
	// A sink that fails does not stop it; nil means no sink. ctx ends only the watching.
	Drive(ctx context.Context, sink stream.Sink) *chat.Result
	// Watches reports whether Drive only shows a run that another request, or the queue, starts.
	Watches() bool
	// Budgets returns the principal's budgets as they were when the run began.
	Budgets() []budget.Budget
}

// Following is one viewer's stream of a chat.
type Following interface {
	// Begin writes the snapshot, if the view begins with one.
	Begin(sink stream.Sink) error
	// Stream writes the events after it until ctx ends, the sink fails, the chat is erased or the viewer is too slow.
	Stream(ctx context.Context, sink stream.Sink) error
	Close()
}

// Outlet sends a run to its client. Its methods are safe for concurrent use.
type Outlet interface {
	stream.Sink
	// Left ends a stream whose run goes on elsewhere, with a message for a person.
	Left(message string) error
	// Whole returns the number of the run if its client is known to have all of it, or else 0.
	Whole() int64
}
