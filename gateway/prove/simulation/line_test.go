package simulation

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// perSecond is how many calls the store answers: a large PostgreSQL server. A thousand idle nodes take
// a third of it.
const perSecond = 20_000

// line is the way of all nodes to the store. Calls are answered in order.
type line struct {
	mu      sync.Mutex
	free    time.Time // when the store has answered all calls so far
	longest time.Duration
	calls   int

	quiet  atomic.Pointer[time.Time] // no answers before; nil or past: there are
	refuse atomic.Bool               // while quiet, calls fail at once
}

// silence lets the store answer nothing for a while. Calls wait or, with refuse, fail.
func (l *line) silence(d time.Duration, refuse bool) {
	until := time.Now().Add(d)
	l.refuse.Store(refuse)
	l.quiet.Store(&until)
}

// taken returns how many calls there were since the last time, and the longest wait of one.
func (l *line) taken() (calls int, longest time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	calls, longest = l.calls, l.longest
	l.calls, l.longest = 0, 0
	return calls, longest
}

// wait returns when the store takes the call up. Its errors wrap store.ErrUnavailable.
func (l *line) wait(ctx context.Context) error {
	if until := l.quiet.Load(); until != nil && time.Now().Before(*until) {
		if l.refuse.Load() {
			return fmt.Errorf("%w: silent", store.ErrUnavailable)
		}
		if err := pause(ctx, time.Until(*until)); err != nil {
			return err
		}
	}
	return pause(ctx, l.turn())
}

// turn returns when it is the call's turn.
func (l *line) turn() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.free.Before(now) {
		l.free = now
	}
	wait := l.free.Sub(now)
	l.free = l.free.Add(time.Second / perSecond)
	l.longest = max(l.longest, wait)
	l.calls++
	return wait
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 && ctx.Err() == nil {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return errors.Join(store.ErrUnavailable, ctx.Err())
	}
}

// link is the store as one node reaches it: by the line, until the node is lost.
type link struct {
	store.Store
	line *line
	lost atomic.Bool
}

var errLost = fmt.Errorf("%w: the node is lost", store.ErrUnavailable)

// call makes a call to the store.
func (l *link) call(ctx context.Context, do func() error) error {
	if l.lost.Load() {
		return errLost
	}
	if err := l.line.wait(ctx); err != nil {
		return err
	}
	if l.lost.Load() {
		return errLost
	}
	return do()
}

// read is call for what returns something.
func read[T any](ctx context.Context, l *link, do func() (T, error)) (got T, err error) {
	err = l.call(ctx, func() error {
		got, err = do()
		return err
	})
	return got, err
}

func (l *link) Update(ctx context.Context, ref chat.Ref, fn func(store.Tx) error) error {
	return l.call(ctx, func() error { return l.Store.Update(ctx, ref, fn) })
}

func (l *link) UpdateLazily(ctx context.Context, ref chat.Ref, fn func(store.Tx) error) error {
	return l.call(ctx, func() error { return l.Store.UpdateLazily(ctx, ref, fn) })
}

func (l *link) UpdateAs(ctx context.Context, held store.Held, lazy bool, fn func(store.RunTx) error) error {
	return l.call(ctx, func() error { return l.Store.UpdateAs(ctx, held, lazy, fn) })
}

func (l *link) Heartbeat(ctx context.Context, node string, ttl time.Duration) (store.Lease, error) {
	return read(ctx, l, func() (store.Lease, error) { return l.Store.Heartbeat(ctx, node, ttl) })
}

func (l *link) Conversation(ctx context.Context, ref chat.Ref) (head *chat.Conversation, newest *chat.Turn, err error) {
	err = l.call(ctx, func() error {
		head, newest, err = l.Store.Conversation(ctx, ref)
		return err
	})
	return head, newest, err
}

func (l *link) ViewPart(ctx context.Context, ref chat.Ref, part store.Part) (*store.View, error) {
	return read(ctx, l, func() (*store.View, error) { return l.Store.ViewPart(ctx, ref, part) })
}

func (l *link) ViewRuns(ctx context.Context, ref chat.Ref, after, through, bytes int64) (*store.View, error) {
	return read(ctx, l, func() (*store.View, error) { return l.Store.ViewRuns(ctx, ref, after, through, bytes) })
}

func (l *link) NextEnd(ctx context.Context, conversationID string, after int64) (int64, error) {
	return read(ctx, l, func() (int64, error) { return l.Store.NextEnd(ctx, conversationID, after) })
}

func (l *link) Run(ctx context.Context, conversationID string, fence int64) (chat.Run, error) {
	return read(ctx, l, func() (chat.Run, error) { return l.Store.Run(ctx, conversationID, fence) })
}

func (l *link) Recent(ctx context.Context, ref chat.Ref, span func([]chat.Fit) store.Span) (*store.Recent, error) {
	return read(ctx, l, func() (*store.Recent, error) { return l.Store.Recent(ctx, ref, span) })
}

func (l *link) Due() store.Sweeper { return &dueLink{l.Store.Due(), l} }

// dueLink is the part of a link that finds what is due.
type dueLink struct {
	store.Sweeper
	link *link
}

func (d *dueLink) refs(ctx context.Context, list func() ([]chat.Ref, error)) ([]chat.Ref, error) {
	return read(ctx, d.link, list)
}

func (d *dueLink) Abandoned(ctx context.Context, node string, held time.Duration, limit int) ([]chat.Ref, error) {
	return d.refs(ctx, func() ([]chat.Ref, error) { return d.Sweeper.Abandoned(ctx, node, held, limit) })
}

func (d *dueLink) Owned(ctx context.Context, node string, limit int) ([]chat.Ref, error) {
	return d.refs(ctx, func() ([]chat.Ref, error) { return d.Sweeper.Owned(ctx, node, limit) })
}

func (d *dueLink) Waiting(ctx context.Context, limit int) ([]chat.Ref, error) {
	return d.refs(ctx, func() ([]chat.Ref, error) { return d.Sweeper.Waiting(ctx, limit) })
}

func (d *dueLink) EndedEphemeral(ctx context.Context, before time.Time, limit int) ([]chat.Ref, error) {
	return d.refs(ctx, func() ([]chat.Ref, error) { return d.Sweeper.EndedEphemeral(ctx, before, limit) })
}

func (d *dueLink) Unpublished(ctx context.Context, limit int) ([]chat.Ref, error) {
	return d.refs(ctx, func() ([]chat.Ref, error) { return d.Sweeper.Unpublished(ctx, limit) })
}

func (d *dueLink) Expired(ctx context.Context, now time.Time, limit int) ([]chat.Clarification, error) {
	return d.asked(ctx, func() ([]chat.Clarification, error) { return d.Sweeper.Expired(ctx, now, limit) })
}

func (d *dueLink) Gone(ctx context.Context, now time.Time, limit int) ([]chat.Clarification, error) {
	return d.asked(ctx, func() ([]chat.Clarification, error) { return d.Sweeper.Gone(ctx, now, limit) })
}

func (d *dueLink) Escalating(ctx context.Context, now time.Time, limit int) ([]chat.Clarification, error) {
	return d.asked(ctx, func() ([]chat.Clarification, error) { return d.Sweeper.Escalating(ctx, now, limit) })
}

func (d *dueLink) asked(ctx context.Context, list func() ([]chat.Clarification, error)) ([]chat.Clarification, error) {
	return read(ctx, d.link, list)
}
