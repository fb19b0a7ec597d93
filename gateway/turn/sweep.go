package turn

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

const (
	expireEvery  = time.Second // the contract allows 5 s (6.9)
	abandonEvery = 3 * time.Second
	sweepLimit   = 100 // rows of one look
)

// Sweep keeps the leases of this process's runs, closes questions that have
// expired and takes over turns whose run died. It returns when ctx ends.
func (e *Engine) Sweep(ctx context.Context) {
	expire, abandon, renew := time.NewTicker(expireEvery), time.NewTicker(abandonEvery), time.NewTicker(leaseTTL/3)
	defer expire.Stop()
	defer abandon.Stop()
	defer renew.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-renew.C:
			e.renew(ctx)
		case <-expire.C:
			e.expire(ctx)
		case <-abandon.C:
			e.takeOver(ctx)
		}
	}
}

func (e *Engine) renew(ctx context.Context) {
	for _, r := range e.running() {
		mine, err := e.Store.RenewLease(ctx, r.conversation.ID, r.record.Fence, time.Now().Add(leaseTTL))
		if err == nil && !mine {
			select {
			case <-r.ended: // it ended in the meantime
			default:
				r.cancel(errLost)
			}
		}
	}
}

func (e *Engine) expire(ctx context.Context) {
	due, err := e.Store.Expired(ctx, time.Now(), sweepLimit)
	if err != nil {
		e.Log.Warn("expired questions not read", "error", err)
		return
	}
	for _, c := range due {
		e.begin(c.Ref, func(s *submission) error { return s.expire(c.ID) })
	}
}

func (e *Engine) takeOver(ctx context.Context) {
	refs, err := e.Store.Abandoned(ctx, time.Now(), sweepLimit)
	if err != nil {
		e.Log.Warn("abandoned turns not read", "error", err)
		return
	}
	for _, ref := range refs {
		e.begin(ref, (*submission).takeOver)
	}
}

// errNothing says that what was due no longer is.
var errNothing = errors.New("turn: nothing to do")

// begin starts a run that nobody asked for, unless there is nothing to do after
// all, and drives it beside the sweeper; at most cap(swept) at a time.
func (e *Engine) begin(ref chat.Ref, change func(*submission) error) {
	setup := e.Setup()
	app, ok := setup.Config.App(ref.App)
	if !ok || e.draining.Load() {
		return // it waits until the app is back
	}
	select {
	case e.swept <- struct{}{}:
	default:
		return // the next look finds it again
	}
	lane := e.lane(ref)
	lane.Lock()
	defer lane.Unlock()
	var s *submission
	err := e.update(ref, false, func(tx store.Tx) error {
		s = &submission{engine: e, setup: setup, app: app, cmd: &Command{Ref: ref}, tx: tx, now: time.Now()}
		s.before = tx.Conversation().LastEvent
		tx.Conversation().Fence++
		if err := change(s); err != nil {
			return err
		}
		return s.save()
	})
	if err != nil {
		<-e.swept
		if !errors.Is(err, errNothing) {
			e.Log.Warn("turn not taken up", "app", ref.App, "error", err)
		}
		return
	}
	for i := range s.closed {
		e.metrics.closed(&s.closed[i])
	}
	r := s.run()
	if s.remaining {
		<-e.swept
		r.announce()
		return
	}
	r.takeover = !s.record.Resumed
	e.register(r)
	go func() {
		defer func() { <-e.swept }()
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
			c.State = tools.StateExpired
			if err := s.finish(c); err != nil {
				return err
			}
			return s.goOn(s.tx.Turn())
		}
	}
	return errNothing
}

// takeOver gives a turn whose lease has lapsed to a new run.
func (s *submission) takeOver() error {
	turn := s.tx.Turn()
	if turn == nil || turn.State != chat.TurnRunning || s.now.Before(turn.LeaseUntil) {
		return errNothing
	}
	return turn.Move(chat.TurnRunning)
}
