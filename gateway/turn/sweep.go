package turn

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/run"
	"github.com/askgate/askgate/gateway/turn/uploads"
)

const (
	heartbeatEvery = leaseTTL / 3
	expireEvery    = time.Second // the contract allows 5 s (6.9)
	takeOverEvery  = time.Second
	retainEvery    = 10 * time.Second
	forgetEvery    = time.Minute
	// meterLife is how long a meter is kept after its window: nodes' clocks may differ.
	meterLife = time.Hour
	// newsLife is how long news are kept for readers who come back.
	newsLife = 24 * time.Hour
)

// Sweep keeps the leases of this node's runs, closes questions that have expired,
// takes over turns whose run died, begins turns with queued messages, tells what programs asked
// while a turn ran, deletes chats that
// are passing or past their retention, drops meters, news and what is no longer remembered, and
// deletes files that nobody has any more. What is due by the time waits while the node's clock
// is far from the store's. It returns when ctx ends.
func (e *Engine) Sweep(ctx context.Context) {
	var duties sync.WaitGroup
	for _, duty := range []struct {
		every time.Duration
		carry func(context.Context)
	}{
		{heartbeatEvery, e.heartbeat}, // each of its own: none may keep the leases waiting
		{expireEvery, e.inTime(e.expire, false)},
		{takeOverEvery, e.takeOver},
		{takeOverEvery, e.reconcile},
		{takeOverEvery, e.takeQueues},
		{takeOverEvery, e.tellUntold},
		{takeOverEvery, e.allPassed},
		{retainEvery, e.inTime(e.retain, true)},
		{forgetEvery, e.inTime(e.forget, true)},
		{uploads.SweepEvery, e.inTime(e.Uploads.Sweep, true)},
	} {
		duties.Go(func() {
			tick := time.NewTicker(duty.every)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
					duty.carry(ctx)
				}
			}
		})
	}
	duties.Wait()
}

// heartbeat holds the leases of all runs of this node. Where they had lapsed, or
// that could not be known, the runs whose turn was taken in the meantime end.
func (e *Engine) heartbeat(ctx context.Context) {
	beat, cancel := context.WithTimeout(ctx, heartbeatEvery)
	defer cancel()
	lapsed, err := e.Store.Heartbeat(beat, e.Node, leaseTTL)
	e.watchClock()
	if err != nil {
		e.Log.Warn("leases not held", "error", err)
		e.node.Doubt.Store(true) // a server that crashed may have lost an end that was not on its disk yet
		e.unsure = true          // the store may have said that they had lapsed
		return
	}
	if lapsed {
		e.Log.Warn("the leases of this node had lapsed: it was paused, or the store was away")
	} else if e.Hub.Complete() && !e.unsure {
		return // a node that takes a turn stops its run by the hub
	}
	e.unsure = false
	look, cancel := context.WithTimeout(ctx, heartbeatEvery) // the heartbeat may have taken all of its time
	defer cancel()
	for _, r := range e.running() {
		head, _, err := e.Store.Conversation(look, r.Conversation.Ref)
		if err != nil {
			e.unsure = true // the next heartbeat finds the leases held
		}
		if err == nil && head.Fence != r.Record.Fence || errors.Is(err, store.ErrNotFound) {
			select {
			case <-r.Done(): // it ended by itself
			default:
				r.Cancel(run.ErrLost)
			}
		}
	}
}

// retain deletes chats that are past the retention of their app.
func (e *Engine) retain(ctx context.Context) {
	for _, app := range e.Setup().Config.Apps() {
		if keep := app.Retention.Std(); keep > 0 && !e.retainApp(ctx, app.ID, keep) {
			return
		}
	}
}

// retainApp deletes an app's chats that nobody has changed for that long, and logs how
// many. One that cannot be deleted does not keep the others. False: the store failed.
func (e *Engine) retainApp(ctx context.Context, app string, keep time.Duration) bool {
	before := e.Store.Now().Add(-keep)
	chats, questions, failed := 0, 0, 0
	var failure error // the newest
	defer func() {
		if chats > 0 {
			e.Log.Info("old chats deleted", "app", app, "retention", keep, "chats", chats, "openQuestions", questions)
		}
		if failed > 0 {
			e.Log.Warn("old chats not deleted; they are tried again", "app", app, "chats", failed, "error", failure)
		}
	}()
	for ctx.Err() == nil {
		refs, err := e.Store.Stale(ctx, app, before, failed, sweepLimit)
		if err != nil {
			e.Log.Warn("old chats not read", "app", app, "error", err)
			return false
		}
		for _, ref := range refs {
			open, err := e.erase(ctx, ref, before)
			switch {
			case err == nil:
				chats++
				questions += open
			case !errors.Is(err, store.ErrNotFound): // else changed meanwhile, or deleted by another node
				failed, failure = failed+1, err
				if e.Store.Ping(ctx) != nil { // it is not the chat
					return false
				}
			}
		}
		if len(refs) < sweepLimit {
			break
		}
	}
	return true
}

// forget drops meters and news that nobody reads any more.
func (e *Engine) forget(ctx context.Context) {
	if err := e.Store.DropNews(ctx, e.Store.Now().Add(-newsLife)); err != nil {
		e.Log.Warn("old news not dropped", "error", err)
	}
	if err := e.Store.DropClaims(ctx, e.Store.Now().Add(-idempotencyLife)); err != nil {
		e.Log.Warn("old keys of askers not dropped", "error", err)
	}
	if err := e.Store.DropMemories(ctx, e.Store.Now()); err != nil {
		e.Log.Warn("expired memories not dropped", "error", err)
	}
	if err := e.Store.DropMeters(ctx, e.Store.Now().Add(-meterLife)); err != nil {
		e.Log.Warn("old meters not dropped", "error", err)
	}
}

// ended has go on what waited for a run's end.
func (e *Engine) ended(r *run.Run) {
	ref, over := r.Conversation.Ref, r.Turn.State == chat.TurnEnded
	if r.Conversation.Passing && over {
		e.passed(ref)
	}
	policy := &r.App.Clarifications
	untold, queues := r.Untold.Load(), over && (policy.OnMessageWhileRunning == config.RunningQueue || policy.OnMessageWhilePending == config.PendingQueue)
	if untold || queues {
		go func() {
			if untold {
				e.beginOne(ref, untoldAsides, (*transition).takeUntold)
			}
			if queues {
				e.beginOne(ref, "queued messages", (*transition).takeQueued)
			}
		}()
	}
}
