package api

import (
	"context"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Engine is what the API needs of the turn engine; ForEngine makes one of
// *turn.Engine. Errors are *chat.Error, *tools.AnswerError, *turn.SpentError or the store's.
type Engine interface {
	// Submit begins a run, or refuses and changes nothing.
	Submit(ctx context.Context, cmd turn.Command) (Run, error)
	Snapshot(ctx context.Context, ref chat.Ref, app *config.App) (*chat.Snapshot, error)
	// Follow opens a view of a chat after the event id ("" for the start of a new view).
	Follow(ctx context.Context, ref chat.Ref, app *config.App, after string) (Following, error)
	Cancel(ctx context.Context, ref chat.Ref) error
	Delete(ctx context.Context, ref chat.Ref) error
	// Revoke forgets that calls of the tool were allowed for the rest of the chat.
	Revoke(ctx context.Context, ref chat.Ref, tool string) error
	// SearchOptions finds options of a pending question; total is how many fit.
	SearchOptions(ctx context.Context, ref chat.Ref, app *config.App, q turn.OptionQuery) (found []tools.Option, total int, err error)
	// CancelClarification closes a pending question, whoever it belongs to.
	CancelClarification(ctx context.Context, id string, by chat.Actor) error
}

// Store is what the API reads by itself.
type Store interface {
	store.Reader
	store.Overseer
	store.Auditor
}

// Run is a run that was begun; it must be driven.
type Run interface {
	// Drive works until the run's done was written. A sink that fails does not stop it; nil is no sink.
	Drive(ctx context.Context, sink stream.Sink)
	// Watches says that Drive only shows a run that another request, or the queue, starts.
	Watches() bool
	// Budgets are the principal's when the run began.
	Budgets() []turn.Budget
	// Result is what the run came to, after Drive.
	Result() turn.Result
}

// Following is one viewer's stream of a chat.
type Following interface {
	// Stream writes events until ctx ends, the sink fails, the chat is erased or the viewer is too slow.
	Stream(ctx context.Context, sink stream.Sink) error
	Close()
}

// ForEngine is e as this package sees it.
func ForEngine(e *turn.Engine) Engine { return engine{e} }

// engine turns concrete results into interfaces; without it a nil *turn.Run
// would be an interface that is not nil.
type engine struct{ *turn.Engine }

func (e engine) Submit(ctx context.Context, cmd turn.Command) (Run, error) {
	run, err := e.Engine.Submit(ctx, cmd)
	if err != nil {
		return nil, err
	}
	return run, nil
}

func (e engine) Follow(ctx context.Context, ref chat.Ref, app *config.App, after string) (Following, error) {
	f, err := e.Engine.Follow(ctx, ref, app, after)
	if err != nil {
		return nil, err
	}
	return f, nil
}
