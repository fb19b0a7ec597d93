package turn

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

const (
	heartbeatEvery = leaseTTL / 3
	expireEvery    = time.Second // the contract allows 5 s (6.9)
	takeOverEvery  = time.Second
	retainEvery    = 10 * time.Second
	forgetEvery    = time.Minute
	sweepLimit     = 200 // rows of one look
	// meterLife is how long a meter is kept after its window: nodes' clocks may differ.
	meterLife = time.Hour
)

// Sweep keeps the leases of this node's runs, closes questions that have expired,
// takes over turns whose run died, begins turns with queued messages, deletes chats that
// are past their retention and drops meters. It returns when ctx ends.
func (e *Engine) Sweep(ctx context.Context) {
	var duties sync.WaitGroup
	for _, duty := range []struct {
		every time.Duration
		carry func(context.Context)
	}{
		{heartbeatEvery, e.heartbeat}, // each of its own: none may keep the leases waiting
		{expireEvery, e.expire},
		{takeOverEvery, e.takeOver},
		{takeOverEvery, e.reconcile},
		{takeOverEvery, e.takeQueues},
		{retainEvery, e.retain},
		{forgetEvery, e.forget},
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
// nobody could tell, the runs whose turn was taken in the meantime end.
func (e *Engine) heartbeat(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, heartbeatEvery)
	defer cancel()
	lapsed, err := e.Store.Heartbeat(ctx, e.Node, leaseTTL)
	if err != nil {
		e.Log.Warn("leases not held", "error", err)
		return
	}
	if lapsed {
		e.Log.Warn("the leases of this node had lapsed: it was paused, or the store was away")
	} else if e.Hub.Complete() {
		return // who takes a turn tells its run by the hub
	}
	for _, r := range e.running() {
		head, _, err := e.Store.Conversation(ctx, r.conversation.Ref)
		if err == nil && head.Fence != r.record.Fence || errors.Is(err, store.ErrNotFound) {
			select {
			case <-r.ended: // it ended by itself
			default:
				r.cancel(errLost)
			}
		}
	}
}

// expire closes what is due, and the turns go on. However many there are, they are
// closed in time; their runs wait for a place.
func (e *Engine) expire(ctx context.Context) {
	for ctx.Err() == nil && !e.draining.Load() {
		due, err := e.Store.Expired(ctx, time.Now(), sweepLimit)
		if err != nil {
			e.Log.Warn("expired questions not read", "error", err)
			return
		}
		// Several nodes do so at the same time: each begins somewhere else.
		rand.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
		closed := 0
		for _, c := range due {
			r, err := e.begin(c.Ref, func(s *submission) error { return s.expire(c.ID) })
			if err != nil {
				e.Log.Warn("question not closed", "app", c.App, "error", err)
				return
			}
			if r != nil {
				closed++
				e.drive(r)
			}
		}
		if len(due) < sweepLimit || closed == 0 {
			return
		}
	}
}

// takeOver goes on with turns whose node is dead, as many as there is room for.
func (e *Engine) takeOver(ctx context.Context) {
	e.sweep(ctx, "abandoned turns", e.Store.Abandoned, func(s *submission) error { return s.takeFrom("") })
}

// maxOwned bounds the turns of one node.
const maxOwned = 100_000

// reconcile goes on with turns of this node that nobody drives: their run could not
// store its end, or the store took a message or an answer and could not say so.
func (e *Engine) reconcile(ctx context.Context) {
	if !e.doubt.Swap(false) {
		return
	}
	refs, err := e.Store.Owned(ctx, e.Node, maxOwned)
	if err != nil {
		e.doubt.Store(true)
		return
	}
	for _, ref := range refs {
		r, err := e.begin(ref, (*submission).takeOrphan)
		if err != nil {
			e.Log.Warn("turn not taken up again", "app", ref.App, "error", err)
		} else if r != nil {
			e.drive(r)
		}
	}
}

// takeQueues begins turns with queued messages, where the node that ended the turn
// before died before it could.
func (e *Engine) takeQueues(ctx context.Context) {
	e.sweep(ctx, "queued messages", e.Store.Waiting, (*submission).takeQueued)
}

func (e *Engine) sweep(ctx context.Context, what string, find func(context.Context, int) ([]chat.Ref, error), change func(*submission) error) {
	room := cap(e.slots) - len(e.slots)
	if room == 0 || e.draining.Load() {
		return
	}
	refs, err := find(ctx, room)
	if err != nil {
		e.Log.Warn("turns to take up not read", "what", what, "error", err)
		return
	}
	for _, ref := range refs {
		r, err := e.begin(ref, change)
		if err != nil {
			e.Log.Warn("turn not taken up", "what", what, "app", ref.App, "error", err)
		} else if r != nil {
			e.drive(r)
		}
	}
}

// retain deletes chats that are past the retention of their app.
func (e *Engine) retain(ctx context.Context) {
	for _, app := range e.Setup().Config.Apps() {
		keep := app.Retention.Std()
		if keep <= 0 {
			continue
		}
		before := time.Now().Add(-keep)
		for ctx.Err() == nil {
			refs, err := e.Store.Stale(ctx, app.ID, before, sweepLimit)
			if err != nil {
				e.Log.Warn("old chats not read", "app", app.ID, "error", err)
				return
			}
			for _, ref := range refs {
				if err := e.erase(ctx, ref, before); err != nil && chat.CodeOf(err) != chat.CodeNotFound {
					e.Log.Warn("old chat not deleted", "app", app.ID, "error", err)
					return
				}
			}
			if len(refs) < sweepLimit {
				break
			}
		}
	}
}

// forget drops meters that nobody reads any more.
func (e *Engine) forget(ctx context.Context) {
	if err := e.Store.DropMeters(ctx, time.Now().Add(-meterLife)); err != nil {
		e.Log.Warn("old meters not dropped", "error", err)
	}
}

// errNothing says that what was due no longer is.
var errNothing = errors.New("turn: nothing to do")

// begin starts a run that nobody asked for; nil where there is nothing to do after
// all, or it must wait. What it returns must be driven.
func (e *Engine) begin(ref chat.Ref, change func(*submission) error) (*Run, error) {
	setup := e.Setup()
	app, ok := setup.Config.App(ref.App)
	if !ok || e.draining.Load() {
		return nil, nil // it waits until the app is back, or for another node
	}
	lane := e.lane(ref)
	lane.Lock()
	defer lane.Unlock()
	var s *submission
	err := e.update(ref, "begin", false, func(tx store.Tx) error {
		s = &submission{engine: e, setup: setup, app: app, cmd: &Command{Ref: ref}, tx: tx, now: time.Now()}
		if err := change(s); err != nil {
			return err
		}
		return s.save()
	})
	if errors.Is(err, errNothing) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	for i := range s.closed {
		e.metrics.closed(&s.closed[i])
	}
	r := s.run()
	if s.remaining {
		r.announce()
		return nil, nil
	}
	e.register(r)
	return r, nil
}

// drive drives a run that no request waits for, when there is a place.
func (e *Engine) drive(r *Run) {
	go func() {
		e.slots <- struct{}{}
		defer func() { <-e.slots }()
		r.Drive(context.Background(), nil)
	}()
}

// expire closes a question whose time is over; the turn goes on if it was the last.
func (s *submission) expire(id string) error {
	all, err := s.tx.Clarifications()
	if err != nil {
		return err
	}
	for i := range all {
		if c := &all[i]; c.ID == id && s.due(c) {
			s.open()
			c.State = tools.StateExpired
			if err := s.finish(c); err != nil {
				return err
			}
			return s.goOn(s.tx.Turn())
		}
	}
	return errNothing
}

// takeOrphan takes a turn of this node that no run of it drives. The lane is held: what
// was begun is registered.
func (s *submission) takeOrphan() error {
	e, turn := s.engine, s.tx.Turn()
	e.mu.Lock()
	driven := e.runs[s.tx.Conversation().ID] != nil
	e.mu.Unlock()
	if driven || turn == nil || turn.LeaseOwner != e.Node {
		return errNothing
	}
	return s.takeFrom(turn.ID)
}

// takeFrom gives a running turn to a new run: the turn with that id, or, for "", one
// that the caller knows to be abandoned.
func (s *submission) takeFrom(turnID string) error {
	turn := s.tx.Turn()
	if turn == nil || turn.State != chat.TurnRunning || turnID != "" && turn.ID != turnID {
		return errNothing
	}
	s.open()
	return turn.Move(chat.TurnRunning)
}
