package turn

import (
	"context"
	"errors"
	"sync"
	"time"

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
// are ephemeral or past their retention, drops meters, news and what is no longer remembered, and
// deletes files that no caller has any more. What is due by the time waits while the node's clock
// is far from the store's. It returns when ctx ends.
func (e *Engine) Sweep(ctx context.Context) {
	s := &sweeper{engine: e}
	var duties sync.WaitGroup
	for _, duty := range []struct {
		every time.Duration
		carry func(context.Context)
	}{
		{heartbeatEvery, s.heartbeat}, // each of its own: none may keep the leases waiting
		{expireEvery, s.inTime(s.expire, false)},
		{takeOverEvery, s.takeOver},
		{takeOverEvery, s.reconcile},
		{takeOverEvery, s.takeQueues},
		{takeOverEvery, s.tellUntold},
		{takeOverEvery, s.dropEndedEphemeral},
		{retainEvery, s.inTime(s.retain, true)},
		{forgetEvery, s.inTime(s.forget, true)},
		{uploads.SweepEvery, s.inTime(e.Uploads.Sweep, true)},
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
func (s *sweeper) heartbeat(ctx context.Context) {
	beat, cancel := context.WithTimeout(ctx, heartbeatEvery)
	defer cancel()
	lapsed, err := s.engine.Store.Heartbeat(beat, s.engine.Node, leaseTTL)
	s.engine.clock.compare()
	if err != nil {
		s.engine.Log.Warn("leases not held", "error", err)
		s.engine.node.Doubt.Store(true) // a server that crashed may have lost an end that was not on its disk yet
		s.unsure = true                 // the store may have said that they had lapsed
		return
	}
	if lapsed {
		s.engine.Log.Warn("the leases of this node had lapsed: it was paused, or the store was away")
	} else if s.engine.Hub.Complete() && !s.unsure {
		return // a node that takes a turn stops its run by the hub
	}
	s.unsure = false
	look, cancel := context.WithTimeout(ctx, heartbeatEvery) // the heartbeat may have taken all of its time
	defer cancel()
	for _, r := range s.engine.runs.running() {
		head, _, err := s.engine.Store.Conversation(look, r.Conversation.Ref)
		if err != nil {
			s.unsure = true // the next heartbeat finds the leases held
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
func (s *sweeper) retain(ctx context.Context) {
	for _, app := range s.engine.Setup().Config.Apps() {
		if keep := app.Retention.Std(); keep > 0 && !s.retainApp(ctx, app.ID, keep) {
			return
		}
	}
}

// retainApp deletes an app's chats that nobody has changed for that long, and logs how
// many. One that cannot be deleted does not keep the others. False: the store failed.
func (s *sweeper) retainApp(ctx context.Context, app string, keep time.Duration) bool {
	before := s.engine.Store.Now().Add(-keep)
	chats, questions, failed := 0, 0, 0
	var failure error // the newest
	defer func() {
		if chats > 0 {
			s.engine.Log.Info("old chats deleted", "app", app, "retention", keep, "chats", chats, "openQuestions", questions)
		}
		if failed > 0 {
			s.engine.Log.Warn("old chats not deleted; they are tried again", "app", app, "chats", failed, "error", failure)
		}
	}()
	for ctx.Err() == nil {
		refs, err := s.engine.Store.Due().Stale(ctx, app, before, failed, sweepLimit)
		if err != nil {
			s.engine.Log.Warn("old chats not read", "app", app, "error", err)
			return false
		}
		for _, ref := range refs {
			open, err := s.engine.erase(ctx, ref, before)
			switch {
			case err == nil:
				chats++
				questions += open
			case !errors.Is(err, store.ErrNotFound): // else changed meanwhile, or deleted by another node
				failed, failure = failed+1, err
				if s.engine.Store.Ping(ctx) != nil { // it is not the chat
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
func (s *sweeper) forget(ctx context.Context) {
	if err := s.engine.Store.Feed().DropNews(ctx, s.engine.Store.Now().Add(-newsLife)); err != nil {
		s.engine.Log.Warn("old news not dropped", "error", err)
	}
	if err := s.engine.Store.Due().DropKeys(ctx, s.engine.Store.Now().Add(-idempotencyLife)); err != nil {
		s.engine.Log.Warn("old keys of askers not dropped", "error", err)
	}
	if err := s.engine.Store.Memory().DropMemories(ctx, s.engine.Store.Now()); err != nil {
		s.engine.Log.Warn("expired memories not dropped", "error", err)
	}
	if err := s.engine.Store.Due().DropMeters(ctx, s.engine.Store.Now().Add(-meterLife)); err != nil {
		s.engine.Log.Warn("old meters not dropped", "error", err)
	}
}

// inTime is a duty that depends on what time it is, and perhaps deletes: it waits while the
// node's clock is far from the store's, or has jumped.
func (s *sweeper) inTime(duty func(context.Context), deletes bool) func(context.Context) {
	return func(ctx context.Context) {
		switch fault, _ := s.engine.clock.compare(); {
		case fault == ClockUnusable, fault == ClockJumped && deletes:
		default:
			duty(ctx)
		}
	}
}
