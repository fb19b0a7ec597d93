package documents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/documents/index"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

const (
	// look is how often a folder is looked at. Where that takes long, it is rested in
	// between, up to rest.
	look = 2 * time.Second
	rest = 4 * time.Second
	// again is when an index that cannot be opened is tried once more.
	again = 15 * time.Second
	// firstWait is how long a search waits for the first pass to end.
	firstWait = 15 * time.Second
	// stepTime is how much processor time the searches of one step share: 128 calls, which a step
	// may have, took a minute of both processors from everybody.
	stepTime = 10 * time.Second
	// searches run at the same time, so many as the index has readers: those that wait for one see
	// what the others took.
	searches = index.Readers
	// tell is how often the log says how far a long pass is.
	tell = 10 * time.Second
)

// passage is what the index found.
type passage = index.Found

// library is one folder with its index.
type library struct {
	o      Options
	file   string // of the index; "": in memory
	reader *passages.Reader
	look   time.Duration
	log    *slog.Logger

	ctx    context.Context //nolint:containedctx // the library's own life, which close ends
	cancel context.CancelFunc
	done   chan struct{} // the loop has ended
	first  chan struct{} // the first pass has ended
	settle func()        // closes first
	broken chan struct{} // the index turned out to be damaged

	turns chan struct{}        // places of searches
	clock func() time.Duration // processor time of the thread that calls it

	open sync.RWMutex // held for writing while the index is replaced
	x    *index.Index // nil: it cannot be opened

	mu sync.Mutex
	st Status

	// The loop's own.
	told  map[string]string      // what the log was told of files
	known map[string]index.Stamp // what the index has; nil: it is to be asked
}

func newLibrary(o Options, file string, reader *passages.Reader, look time.Duration, log *slog.Logger) *library {
	l := &library{
		o: o, file: file, reader: reader, look: look, log: log.With("tool", o.ID), done: make(chan struct{}), first: make(chan struct{}), broken: make(chan struct{}, 1),
		st: Status{ID: o.ID, Since: time.Now()}, told: map[string]string{},
	}
	l.turns, l.clock = make(chan struct{}, searches), threadTime
	l.settle = sync.OnceFunc(func() { close(l.first) })
	l.ctx, l.cancel = context.WithCancel(context.Background())
	go l.loop()
	return l
}

// close ends the loop, and waits for searches under way.
func (l *library) close() {
	l.cancel()
	<-l.done
	l.open.Lock()
	defer l.open.Unlock()
	if l.x != nil {
		l.x.Close()
		l.x = nil
	}
}

func (l *library) loop() {
	defer close(l.done)
	defer l.settle()
	for l.ctx.Err() == nil {
		err := l.ready()
		wait := again
		if err == nil {
			began := time.Now()
			err = l.pass()
			wait = min(rest, max(l.look, 10*time.Since(began)))
		}
		if l.ctx.Err() != nil {
			return
		}
		if index.Damaged(err) {
			err = l.replace(err)
			wait = 0
		}
		l.outcome(err)
		if l.o.Folder.Built != nil && err == nil && wait > 0 {
			wait = 365 * 24 * time.Hour // it does not change
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-l.ctx.Done():
		case <-l.broken:
			l.check()
		}
		timer.Stop()
	}
}

// ready opens the index where it is not open.
func (l *library) ready() error {
	l.open.RLock()
	there := l.x != nil
	l.open.RUnlock()
	if there {
		return nil
	}
	x, err := index.Open(l.file, l.o.ID+fmt.Sprintf("-%p", l))
	if index.Damaged(err) {
		l.log.Warn("the index of documents is damaged, it is made anew", "error", err)
		if err := index.Remove(l.file); err != nil {
			return err
		}
		x, err = index.Open(l.file, "")
	}
	if err != nil {
		return &unusable{err}
	}
	l.open.Lock()
	l.x = x
	l.open.Unlock()
	return nil
}

// unusable says that the index cannot be opened.
type unusable struct{ error }

func (e *unusable) Unwrap() error { return e.error }

// check looks at an index of which a search says that it is damaged.
func (l *library) check() {
	l.open.RLock()
	x := l.x
	l.open.RUnlock()
	if x == nil {
		return
	}
	if err := x.Check(l.ctx); err != nil && l.ctx.Err() == nil {
		l.outcome(l.replace(err))
	}
}

// replace throws the index away: the next pass makes it anew.
func (l *library) replace(why error) error {
	l.log.Warn("the index of documents is damaged, it is made anew", "error", why)
	l.open.Lock()
	defer l.open.Unlock()
	err := l.x.Discard()
	l.x, l.known = nil, nil
	l.set(func(st *Status) { st.Ready, st.Since = false, time.Now() })
	return err
}

// outcome notes how a pass went, and tells the log of what is new.
func (l *library) outcome(err error) {
	l.mu.Lock()
	before := l.st.Err
	l.st.Err, l.st.Read, l.st.Of = err, 0, 0
	changed := (before == nil) != (err == nil) || err != nil && before.Error() != err.Error()
	if changed {
		l.st.Since = time.Now()
	}
	l.mu.Unlock()
	var no *unusable
	switch {
	case !changed:
	case err == nil:
		l.log.Info("the folder of documents can be read again")
	case errors.As(err, &no):
		l.log.Error("the index of documents cannot be opened; let the gateway write its folder, or choose another with documents.cache in gateway.json", "error", err)
	default:
		l.log.Error("the folder of documents cannot be read; what was indexed stays", "folder", l.o.Folder.Path, "error", err)
	}
	l.settle() // with what there is
}

func (l *library) set(change func(*Status)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.st)
}

func (l *library) status() Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.st
}

// use calls f with the index, once there is something in it.
func (l *library) use(ctx context.Context, f func(*index.Index) error) error {
	timer := time.NewTimer(firstWait)
	defer timer.Stop()
	select {
	case <-l.first:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	l.open.RLock()
	defer l.open.RUnlock()
	if l.x == nil {
		return errNoIndex
	}
	err := f(l.x)
	if index.Damaged(err) {
		select {
		case l.broken <- struct{}{}:
		default:
		}
		return errNoIndex
	}
	return err
}

// search calls f with the index when it is its turn, and counts the processor time that f takes;
// errTooLong: the step has none left.
func (l *library) search(ctx context.Context, taken *tools.Processor, f func(*index.Index) error) error {
	return l.use(ctx, func(x *index.Index) error {
		select {
		case l.turns <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-l.turns }()
		if taken.Taken() >= stepTime {
			return errTooLong
		}
		runtime.LockOSThread() // whose time is counted: SQLite searches on the thread that calls it
		defer runtime.UnlockOSThread()
		began := l.clock()
		defer func() { taken.Add(l.clock() - began) }()
		return f(x)
	})
}

var errTooLong = errors.New("the searches of the step took too long")

var errNoIndex = errors.New("the index of the documents cannot be used")
