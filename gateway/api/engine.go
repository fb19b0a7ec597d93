package api

import (
	"context"
	"errors"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/admin"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/inbox"
	"github.com/askgate/askgate/gateway/native"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/tools"
)

// Engine has everything that the API needs of the turn engine and of the reader that accompanies
// it; ForEngine makes one of both.
type Engine interface {
	host.Engine
	native.Engine
	admin.Engine
}

// ForEngine returns an engine and its reader in the form that this package needs.
func ForEngine(e *turn.Engine, r *follow.Reader) Engine { return engine{e, r, e.Uploads} }

type engine struct {
	*turn.Engine
	*follow.Reader
	*uploads.Keeper
}

func (e engine) Submit(ctx context.Context, cmd turn.Command) (host.Run, error) {
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

func (e engine) Running(ctx context.Context, ref chat.Ref) (host.Run, error) {
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

func (e engine) Again(ctx context.Context, ref chat.Ref) (host.Run, error) {
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

func (e engine) Follow(ctx context.Context, ref chat.Ref, maxQuestions int, after string) (host.Following, error) {
	return e.Reader.Follow(ctx, ref, maxQuestions, after)
}

// driven is a run that the command began.
type driven struct{ turn.Begun }

func (d driven) Drive(_ context.Context, sink stream.Sink) *chat.Result {
	d.Begun.Drive(sink)
	res := d.Result()
	return &res
}

func (driven) Watches() bool { return false }

// over is a run that was over when it began.
type over turn.Over

func (o over) Drive(_ context.Context, sink stream.Sink) *chat.Result {
	if sink != nil {
		_ = sink.Write(o.Events) // only the client loses by it
	}
	return &o.Result
}

func (over) Watches() bool { return false }

func (over) Budgets() []budget.Budget { return nil }

// watched is a run that goes on without this request.
type watched func(ctx context.Context, sink stream.Sink) chat.Result

func (w watched) Drive(ctx context.Context, sink stream.Sink) *chat.Result {
	res := w(ctx, sink)
	return &res
}

func (watched) Watches() bool { return true }

func (watched) Budgets() []budget.Budget { return nil }

// ForInbox returns an inbox in the form that this package needs.
func ForInbox(f *inbox.Inbox) host.Inbox { return inboxes{f} }

type inboxes struct{ *inbox.Inbox }

func (f inboxes) Follow(ctx context.Context, who inbox.Who, after string) (host.Following, error) {
	return f.Inbox.Follow(ctx, who, after)
}

// ForStore returns a store in the form that this package needs.
func ForStore(s store.Store) host.Store {
	return struct {
		store.Reader
		store.Keeper
		store.Overseer
		store.Auditor
		store.Clock
	}{s, s.Memory(), s.Overview(), s.Audit(), s}
}
