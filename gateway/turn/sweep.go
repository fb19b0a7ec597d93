package turn

import (
	"context"
	"errors"
	"math/rand/v2"
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
	// meterLife is how long a meter is kept after its window, because nodes' clocks may differ.
	meterLife = time.Hour
)

// Sweep keeps the leases of this node's runs, closes questions that have expired, takes over turns
// whose run died, begins turns with queued messages, announces what programs asked while a turn ran,
// deletes chats that are ephemeral or past their retention, drops meters, news and expired memories,
// and deletes files that no caller has any more. What is due by the time waits while the node's
// clock is far from the store's. Sweep returns when ctx ends.
func (e *Engine) Sweep(ctx context.Context) {
	s := &sweeper{engine: e}
	var duties sync.WaitGroup
	for _, duty := range []struct {
		every time.Duration
		carry func(context.Context)
	}{
		{heartbeatEvery, s.heartbeat}, // each duty on its own goroutine: none may delay the leases
		{takeOverEvery, s.reconcile},
		{expireEvery, s.shared(s.inTime(s.expire, false))},
		{takeOverEvery, s.shared(s.takeOver)},
		{takeOverEvery, s.shared(s.takeQueues)},
		{takeOverEvery, s.shared(s.publishUnpublished)},
		{takeOverEvery, s.shared(s.dropEndedEphemeral)},
		{retainEvery, s.shared(s.inTime(s.retain, true))},
		{forgetEvery, s.shared(s.inTime(s.forget, true))},
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

// heartbeat renews the leases of all runs of this node. If the leases had lapsed, or may have, it
// ends the runs whose turn was taken in the meantime.
func (s *sweeper) heartbeat(ctx context.Context) {
	beat, cancel := context.WithTimeout(ctx, heartbeatEvery)
	defer cancel()
	lease, err := s.engine.Store.Heartbeat(beat, s.engine.Node, leaseTTL)
	s.engine.clock.compare()
	if err != nil {
		s.engine.Log.Warn("cannot renew this node's leases", "error", err)
		s.engine.node.Doubt.Store(true) // a database server that crashed may have lost an end that was not on its disk yet
		s.unsure = true                 // the store may have reported a lapse that did not arrive
		return
	}
	s.others.Store(int64(lease.Others))
	if lease.Lapsed {
		s.engine.Log.Warn("this node's leases had lapsed: the node was paused, or the store was unavailable")
	} else if s.engine.Hub.Complete() && !s.unsure {
		return // a node that takes a turn stops its old run through the hub
	}
	s.unsure = false
	look, cancel := context.WithTimeout(ctx, heartbeatEvery) // the heartbeat may have used up all of its time
	defer cancel()
	for _, r := range s.engine.runs.running() {
		head, _, err := s.engine.Store.Conversation(look, r.Conversation.Ref)
		if err != nil {
			s.unsure = true // the next heartbeat will find the leases held, and not look
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

func (s *sweeper) retain(ctx context.Context) {
	for _, app := range s.engine.Setup().Config.Apps() {
		if keep := app.Retention.Std(); keep > 0 && !s.retainApp(ctx, app.ID, keep) {
			return
		}
	}
}

// retainApp deletes an app's chats that have not changed for that long, and logs how many. A chat
// that cannot be deleted does not hold up the others. It returns false if the store failed.
func (s *sweeper) retainApp(ctx context.Context, app string, keep time.Duration) bool {
	before := s.engine.Store.Now().Add(-keep)
	chats, questions, failed := 0, 0, 0
	var failure error // the newest
	defer func() {
		if chats > 0 {
			s.engine.Log.Info("old chats deleted", "app", app, "retention", keep, "chats", chats, "openQuestions", questions)
		}
		if failed > 0 {
			s.engine.Log.Warn("cannot delete some old chats; will retry", "app", app, "chats", failed, "error", failure)
		}
	}()
	for ctx.Err() == nil {
		refs, err := s.engine.Store.Due().Stale(ctx, app, before, failed, sweepLimit)
		if err != nil {
			s.engine.Log.Warn("cannot list old chats", "app", app, "error", err)
			return false
		}
		for _, ref := range refs {
			open, err := s.engine.erase(ctx, ref, before)
			switch {
			case err == nil:
				chats++
				questions += open
			case !errors.Is(err, store.ErrNotFound): // otherwise it has changed, or another node has deleted it
				failed, failure = failed+1, err
				if s.engine.Store.Ping(ctx) != nil { // the fault is not the chat's
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

// forget drops meters, news, keys and memories that have expired, and claims that were left behind.
func (s *sweeper) forget(ctx context.Context) {
	if err := s.engine.Store.Feed().DropNews(ctx, s.engine.Store.Now().Add(-store.NewsLife)); err != nil {
		s.engine.Log.Warn("cannot delete old news", "error", err)
	}
	if err := s.engine.Store.Due().DropKeys(ctx, s.engine.Store.Now().Add(-idempotencyLife)); err != nil {
		s.engine.Log.Warn("cannot delete askers' old idempotency keys", "error", err)
	}
	if err := s.engine.Store.Memory().DropMemories(ctx, s.engine.Store.Now()); err != nil {
		s.engine.Log.Warn("cannot delete expired memories", "error", err)
	}
	if _, err := s.engine.Store.Due().DropCallers(ctx, sweepLimit); err != nil {
		s.engine.Log.Warn("cannot delete claims of turns that have ended", "error", err)
	}
	if err := s.engine.Store.Due().DropMeters(ctx, s.engine.Store.Now().Add(-meterLife)); err != nil {
		s.engine.Log.Warn("cannot delete old meters", "error", err)
	}
}

// sweepers is how many nodes do at each interval what any node may do. Each of them takes over up to
// takeOverLimit turns a second, so these are enough for a thousand turns a second. A look at 20,000
// running turns of 1,000 nodes takes PostgreSQL 15 some 6 ms: if all nodes looked each second, they
// would keep six of its processors busy.
const sweepers = 10

// shared returns a duty that any node may do for all. Of more nodes than sweepers, that many do it at
// each interval, on average: chance chooses them.
func (s *sweeper) shared(duty func(context.Context)) func(context.Context) {
	return func(ctx context.Context) {
		if rand.Int64N(1+s.others.Load()) < sweepers {
			duty(ctx)
		}
	}
}

// inTime returns a duty that depends on the time. It is left out while the node's clock is far from
// the store's and, if it deletes, also after the clock has jumped.
func (s *sweeper) inTime(duty func(context.Context), deletes bool) func(context.Context) {
	return func(ctx context.Context) {
		switch fault, _ := s.engine.clock.compare(); {
		case fault == ClockUnusable, fault == ClockJumped && deletes:
		default:
			duty(ctx)
		}
	}
}
