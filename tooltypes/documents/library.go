package documents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/extract"
	"github.com/askgate/askgate/tooltypes/documents/index"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

const (
	// look is the wait between two passes over a folder. After a long pass the wait is ten times
	// its duration, but at most rest.
	look = 2 * time.Second
	rest = 4 * time.Second
	// again is the wait after a pass that failed.
	again = 15 * time.Second
	// firstWait is how long a search waits for the first pass to end.
	firstWait = 15 * time.Second
	// stepTime is the processor time that the searches of one step share. Without this limit, the
	// 128 calls that a step may have kept both processors busy for a minute, at the expense of all
	// users.
	stepTime = 10 * time.Second
	// searches is how many searches run at the same time: as many as the index has readers. The
	// others wait, and know by then how much time has been used.
	searches = index.Readers
	// tell is how often the progress of a long pass is logged.
	tell = 10 * time.Second
)

// passage is a passage that the index found.
type passage = index.Found

// library is one folder with its index.
type library struct {
	o       Options
	file    string // of the index; "": in memory
	reader  *passages.Reader
	extract *extract.Reader
	look    time.Duration
	log     *slog.Logger

	ctx    context.Context //nolint:containedctx // the library's own life, which close ends
	cancel context.CancelFunc
	done   chan struct{} // the loop has ended
	first  chan struct{} // the first pass has ended
	settle func()        // closes first
	broken chan struct{} // a search found the index damaged
	teller *teller       // nil: changes are not reported

	telling sync.WaitGroup

	turns chan struct{}        // has one place for each search that runs
	clock func() time.Duration // processor time of the calling thread

	open sync.RWMutex // held for writing while the index is replaced
	x    *index.Index // nil: it cannot be opened

	now func() time.Time // of the day that it is

	words atomic.Pointer[index.Words] // what searches know of words

	mu    sync.Mutex
	st    Status
	named map[string][]string // values of fields that are told

	// Only the loop uses these.
	synonyms synonymsFile
	told     map[string]string      // faults that were logged, by file
	vague    map[string]string      // faults of validity that were logged, by file
	known    map[string]index.Stamp // files in the index; nil: not yet read
}

// newLibrary opens a library of a shelf, whose index is in a file; "": in memory.
func newLibrary(s *Shelf, o Options, file string, reader *passages.Reader) *library {
	l := &library{
		o: o, file: file, reader: reader, extract: s.Extract, look: s.look, log: s.log.With("tool", o.ID), done: make(chan struct{}), first: make(chan struct{}), broken: make(chan struct{}, 1),
		st: Status{ID: o.ID, Since: time.Now()}, told: map[string]string{}, vague: map[string]string{},
	}
	l.turns, l.clock, l.now = make(chan struct{}, searches), threadTime, s.now
	if s.Changed != nil && o.Folder.Built == nil {
		l.teller = newTeller(s.Changed)
	}
	l.settle = sync.OnceFunc(func() { close(l.first) })
	l.ctx, l.cancel = context.WithCancel(context.Background())
	go l.loop()
	if l.teller != nil {
		l.telling.Go(func() { l.teller.run(l) })
	}
	return l
}

// close ends the loop, and waits for searches under way.
func (l *library) close() {
	l.cancel()
	<-l.done
	l.telling.Wait()
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
		l.readWords()
		err := l.ready()
		wait := again
		if err == nil {
			began := time.Now()
			if err = l.pass(); err == nil {
				l.teller.looked()
			}
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
			wait = 365 * 24 * time.Hour // built-in texts do not change
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

// ready opens the index if it is not open.
func (l *library) ready() error {
	l.open.RLock()
	there := l.x != nil
	l.open.RUnlock()
	if there {
		return nil
	}
	x, err := index.Open(l.file, l.o.ID+fmt.Sprintf("-%p", l))
	if index.Damaged(err) {
		l.log.Warn("the index of documents is damaged, rebuilding it", "error", err)
		if err := index.Remove(l.file); err != nil {
			return err
		}
		x, err = index.Open(l.file, "")
	}
	if err != nil {
		return &unusable{err}
	}
	l.readValues(l.ctx, x)
	l.open.Lock()
	l.x = x
	l.open.Unlock()
	return nil
}

// unusable is the error of an index that cannot be opened.
type unusable struct{ error }

func (e *unusable) Unwrap() error { return e.error }

// check examines an index that a search found damaged, and replaces it if it is.
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

// replace discards the index. The next pass rebuilds it.
func (l *library) replace(why error) error {
	l.log.Warn("the index of documents is damaged, rebuilding it", "error", why)
	l.open.Lock()
	defer l.open.Unlock()
	err := l.x.Discard()
	l.x, l.known = nil, nil
	l.set(func(st *Status) { st.Ready, st.Since = false, time.Now() })
	return err
}

// outcome notes the outcome of a pass, and logs it if it has changed.
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
		l.log.Error("the index of documents cannot be opened; make its folder writable for the gateway, or set another with documents.cache in gateway.json", "error", err)
	default:
		l.log.Error("the folder of documents cannot be read, the index stays as it is", "folder", l.o.Folder.Path, "error", err)
	}
	l.settle() // searches find what has been indexed so far
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

// use calls f with the index. It waits for the first pass, for at most firstWait.
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

// search calls f with the index when it is its turn, and counts the processor time that f uses. It
// returns errTooLong if the step has none left.
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
		runtime.LockOSThread() // the clock is the thread's: SQLite searches on the calling thread
		defer runtime.UnlockOSThread()
		began := l.clock()
		defer func() { taken.Add(l.clock() - began) }()
		return f(x)
	})
}

var errTooLong = errors.New("the searches of the step have no processor time left")

var errNoIndex = errors.New("the index of the documents cannot be used")
