package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/tools"
)

// Engine is what the API needs of the turn engine and of the reader beside it; ForEngine
// makes one of both. Errors are *chat.Error, *tools.AnswerError, *budget.SpentError or the
// store's.
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
	// Snapshot is a chat with its newest messages, or those before one, as far as ctx admits them;
	// maxQuestions is the cap that it tells.
	Snapshot(ctx context.Context, ref chat.Ref, maxQuestions, messages int, before string) (*chat.Snapshot, error)
	// Content is what a part of a tool's result holds.
	Content(ctx context.Context, ref chat.Ref, id string) (chat.Bytes, error)
	// Follow opens a view of a chat after the event id ("" for the start of a new view), as far as
	// ctx admits what it begins with.
	Follow(ctx context.Context, ref chat.Ref, maxQuestions int, after string) (Following, error)
	Cancel(ctx context.Context, ref chat.Ref) error
	Delete(ctx context.Context, ref chat.Ref) error
	// Rename gives a chat a title.
	Rename(ctx context.Context, ref chat.Ref, title string) (chat.Conversation, error)
	// DeleteBranches and RenameBranches do the same with all branches of the chat.
	DeleteBranches(ctx context.Context, ref chat.Ref) error
	RenameBranches(ctx context.Context, ref chat.Ref, title string) (chat.Conversation, error)
	// Revoke forgets that calls of the tool were allowed for the rest of the chat.
	Revoke(ctx context.Context, ref chat.Ref, tool string) error
	// SearchOptions finds options of a pending question; total is how many fit.
	SearchOptions(ctx context.Context, setup *turn.Setup, ref chat.Ref, app *config.App, q turn.OptionQuery) (found []tools.Option, total int, err error)
	// Upload keeps a file for a pending question; OpenFile is one of a chat, and what it holds.
	Upload(ctx context.Context, u uploads.Upload) (chat.File, error)
	Discard(ctx context.Context, ref chat.Ref, id string) error
	OpenFile(ctx context.Context, ref chat.Ref, id, clarificationID string) (chat.File, io.ReadCloser, error)
	// SaveDraft keeps what was typed so far with a pending question, any JSON; nil removes it.
	SaveDraft(ctx context.Context, c chat.Clarification, draft json.RawMessage) error
	// Question makes the question of a program out of the arguments of a call, by a tool.
	Question(ctx context.Context, setup *turn.Setup, app *config.App, call tools.Call) (tool string, out tools.Outcome)
	// Ask stores a question without a turn; again: it had been, with the same key.
	Ask(ctx context.Context, a turn.Asking) (c chat.Clarification, again bool, err error)
	// AnswerByID closes a clarification for one who may; a turn that waits for it goes on.
	AnswerByID(ctx context.Context, setup *turn.Setup, id string, a turn.Answer, by chat.Actor, channel chat.Channel) (chat.Clarification, error)
	// Withdraw closes a question for its asker.
	Withdraw(ctx context.Context, id string, by chat.Actor) error
	// Tell stores what an asker's program says in a chat.
	Tell(ctx context.Context, setup *turn.Setup, ref chat.Ref, asker string, by tools.Asker, text string) (chat.Message, error)
	// Coded keeps that a question of the chat went out with a code, and Known says that a command with
	// that key was taken there.
	Coded(ctx context.Context, ref chat.Ref, of *chat.Clarification, code string) error
	Known(ctx context.Context, ref chat.Ref, key string) (bool, error)
	// Seen keeps that a screen has shown a clarification.
	Seen(ctx context.Context, c chat.Clarification) error
	// InWords keeps that a client's result for a clarification was no answer.
	InWords(ctx context.Context, c chat.Clarification) error
	// CancelClarification closes a pending question, whoever it belongs to.
	CancelClarification(ctx context.Context, id string, by chat.Actor) error
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

// ForEngine is an engine and its reader as this package sees them.
func ForEngine(e *turn.Engine, r *follow.Reader) Engine { return engine{e, r, e.Uploads} }

type engine struct {
	*turn.Engine
	*follow.Reader
	*uploads.Keeper
}

func (e engine) Submit(ctx context.Context, cmd turn.Command) (Run, error) {
	accepted, err := e.Engine.Submit(ctx, cmd)
	if err != nil {
		return nil, err
	}
	switch a := accepted.(type) {
	case turn.Begun:
		return driven{a}, nil
	case turn.Over:
		return over(a), nil
	case turn.Repeated:
		return watched(func(ctx context.Context, sink stream.Sink) chat.Result {
			return e.Run(ctx, a.Conversation, a.Fence, sink)
		}), nil
	default:
		q := a.(turn.Queued)
		return watched(func(ctx context.Context, sink stream.Sink) chat.Result {
			return e.Queued(ctx, q.Conversation, q.MessageID, sink)
		}), nil
	}
}

func (e engine) Running(ctx context.Context, ref chat.Ref) (Run, error) {
	of, newest, err := e.Reader.Store.Conversation(ctx, ref)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil //nolint:nilnil // there is no run
	case err != nil:
		return nil, err
	case chat.StatusOf(newest) != chat.StatusRunning:
		return nil, nil //nolint:nilnil // likewise
	}
	return watched(func(ctx context.Context, sink stream.Sink) chat.Result {
		return e.Run(ctx, *of, of.Fence, sink)
	}), nil
}

func (e engine) Again(ctx context.Context, ref chat.Ref) (Run, error) {
	if run, err := e.Running(ctx, ref); run != nil || err != nil {
		return run, err
	}
	of, newest, err := e.Reader.Store.Conversation(ctx, ref)
	if err == nil && newest == nil || errors.Is(err, store.ErrNotFound) {
		return nil, &chat.Error{Code: chat.CodeNothingToResume, Detail: "nothing_new"}
	} else if err != nil {
		return nil, err
	}
	last, err := e.Reader.Store.LastRun(ctx, of.ID, newest.ID)
	if err != nil {
		return nil, err
	}
	return watched(func(ctx context.Context, sink stream.Sink) chat.Result { return e.Run(ctx, *of, last.Fence, sink) }), nil
}

func (e engine) Question(ctx context.Context, setup *turn.Setup, app *config.App, call tools.Call) (string, tools.Outcome) {
	return e.Executor.Ask(ctx, setup.Catalog, app, call)
}

func (e engine) Follow(ctx context.Context, ref chat.Ref, maxQuestions int, after string) (Following, error) {
	return e.Reader.Follow(ctx, ref, maxQuestions, after)
}

// driven is a run that began with the command.
type driven struct{ turn.Begun }

func (d driven) Drive(_ context.Context, sink stream.Sink) chat.Result {
	d.Begun.Drive(sink)
	return d.Result()
}

func (driven) Watches() bool { return false }

// over is a run that was over as it began.
type over turn.Over

func (o over) Drive(_ context.Context, sink stream.Sink) chat.Result {
	if sink != nil {
		_ = sink.Write(o.Frames) // the client's loss only
	}
	return o.Result
}

func (over) Watches() bool { return false }

func (over) Budgets() []budget.Budget { return nil }

// watched is a run that goes on without this request.
type watched func(ctx context.Context, sink stream.Sink) chat.Result

func (w watched) Drive(ctx context.Context, sink stream.Sink) chat.Result { return w(ctx, sink) }

func (watched) Watches() bool { return true }

func (watched) Budgets() []budget.Budget { return nil }
