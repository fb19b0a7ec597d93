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

// Engine is what the host needs of the turn engine. Errors are *chat.Error, *tools.AnswerError,
// *budget.SpentError or the store's.
type Engine interface {
	// Submit takes a command, or refuses it and changes nothing.
	Submit(ctx context.Context, cmd turn.Command) (Run, error)
	// Running is the run that goes on in a chat, to be watched from its start; nil: none does.
	Running(ctx context.Context, ref chat.Ref) (Run, error)
	// Again is the newest run of a chat's newest turn, to be watched from its start: a
	// nothing_to_resume where there is none.
	Again(ctx context.Context, ref chat.Ref) (Run, error)
	// Delivered keeps that a response with a run reached its client whole.
	Delivered(ctx context.Context, ref chat.Ref, fence int64) error
	// Upload keeps a file for a message or a pending question; Discard deletes one that nothing uses.
	Upload(ctx context.Context, u uploads.Upload) (chat.File, error)
	Discard(ctx context.Context, ref chat.Ref, id string) error
	// SaveDraft keeps what was typed so far with a pending question, any JSON; nil removes it.
	SaveDraft(ctx context.Context, c chat.Clarification, draft json.RawMessage) error
	// Question makes the question of a program out of the arguments of a call, by a tool.
	Question(ctx context.Context, setup *turn.Setup, app *config.App, call tools.Call) (tool string, out tools.Outcome)
	// Ask stores a question without a turn; again: it had been, with the same key.
	Ask(ctx context.Context, a turn.Asking) (c chat.Clarification, again bool, err error)
	// AnswerByID closes a clarification for one who may; a turn that waits for it goes on.
	AnswerByID(ctx context.Context, setup *turn.Setup, id string, a turn.Answer, by chat.Actor, channel chat.Channel) (chat.Clarification, error)
	// Tell stores what an asker's program says in a chat.
	Tell(ctx context.Context, setup *turn.Setup, ref chat.Ref, asker string, by tools.Asker, text string) (chat.Message, error)
	// Coded keeps that a question of the chat went out with a code, and Known says that a command with
	// that key was taken there.
	Coded(ctx context.Context, ref chat.Ref, of *chat.Clarification, code string) error
	Known(ctx context.Context, ref chat.Ref, key string) (bool, error)
	// InWords keeps that a client's result for a clarification was no answer.
	InWords(ctx context.Context, c chat.Clarification) error
}

// Store is what the API reads by itself, and changes where no chat is concerned.
type Store interface {
	store.Reader
	store.Keeper
	store.Overseer
	store.Auditor
	store.Clock
}

// Run is the run of a command that was taken; it must be driven.
type Run interface {
	// Drive works, or watches, until the run's done was written, and says what the run came
	// to. A sink that fails does not stop it; nil is no sink. ctx ends only the watching.
	Drive(ctx context.Context, sink stream.Sink) chat.Result
	// Watches says that Drive only shows a run that another request, or the queue, starts.
	Watches() bool
	// Budgets are the principal's when the run began.
	Budgets() []budget.Budget
}

// Following is one viewer's stream of a chat.
type Following interface {
	// Begin writes the snapshot, where the view begins with one.
	Begin(sink stream.Sink) error
	// Stream writes the events after it until ctx ends, the sink fails, the chat is erased or the viewer is too slow.
	Stream(ctx context.Context, sink stream.Sink) error
	Close()
}

// Outlet is how a run is told to its client. Its methods are safe for concurrent use.
type Outlet interface {
	stream.Sink
	// Left ends a stream whose run goes on elsewhere, as message says to a person.
	Left(message string) error
	// Whole is the number of the run, if its client is known to have all of it; else 0.
	Whole() int64
}
