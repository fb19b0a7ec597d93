package config

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
)

// How soon a change is live: contract section 2 allows 5 s.
const (
	// settle is how long the files must be unchanged before they are read, so that an editor
	// or a copy can finish. If they keep changing, the wait is repeated at most maxRounds times.
	settle    = 100 * time.Millisecond
	maxRounds = 10
	// pollEvery is the interval of looking at the files. That finds changes without a
	// notification: on network file systems, behind a symbolic link to a directory that was
	// replaced, and after a lost event.
	pollEvery = 2 * time.Second
)

// Results of a reload, as passed to the onReload of Watch.
const (
	ReloadOK    = "ok"
	ReloadError = "error"
)

// Reload describes the newest reading of the files, and since when the active configuration is loaded.
type Reload struct {
	At     time.Time // of that reading
	Faults Faults    // found by that reading; if there are none, what was read is active
	Loaded time.Time // when the active configuration was read
}

// Watcher is a Source that follows the files. Safe for concurrent use.
type Watcher struct {
	opts     Options
	log      *slog.Logger
	onReload func(result string)

	reloading sync.Mutex // one reload at a time
	take      func(*Snapshot) error
	current   atomic.Pointer[Snapshot]
	last      atomic.Pointer[Reload]
	others    atomic.Pointer[stamps] // files outside the directory that the newest reading read
	started   Gateway                // the configuration with which the process was started
}

var _ Source = (*Watcher)(nil)

// Watch loads the configuration, and again whenever a file changes, until ctx
// ends. If the first load finds faults, they are the error (Faults). Faults of a
// later load are logged, and the previous snapshot stays active. onReload, which
// may be nil, is called after each reload with ReloadOK or ReloadError.
func Watch(ctx context.Context, opts Options, log *slog.Logger, onReload func(result string)) (*Watcher, error) {
	return watch(ctx, opts, log, onReload, true, pollEvery)
}

func watch(ctx context.Context, opts Options, log *slog.Logger, onReload func(string), notify bool, every time.Duration) (*Watcher, error) {
	w := &Watcher{opts: opts, log: log, onReload: onReload}
	seen := stampFiles(opts.Dir) // before loading: a change in between is found later
	now := time.Now()
	s, others, err := load(opts)
	if err != nil {
		return nil, err
	}
	w.others.Store(&others)
	w.last.Store(&Reload{At: now, Loaded: now})
	w.started = s.Gateway
	w.current.Store(s)
	w.logWarnings(s)
	if opts.Dir == "" && len(others) == 0 {
		return w, nil // the built-in configuration: no file can change
	}
	seen.add(others)
	f := &follower{watcher: w, seen: seen, every: every}
	if notify && opts.Dir != "" {
		if f.notifier, err = fsnotify.NewWatcher(); err != nil {
			log.Warn("file changes are not notified; polling instead", "every", every, "error", err)
			f.notifier = nil
		}
	}
	f.subscribe()
	go f.run(ctx)
	return w, nil
}

// Follow implements Source, for one follower.
func (w *Watcher) Follow(take func(*Snapshot) error) error {
	w.reloading.Lock()
	defer w.reloading.Unlock()
	w.take = take
	return take(w.Current())
}

// Current returns the active configuration: the newest that had no faults.
func (w *Watcher) Current() *Snapshot { return w.current.Load() }

// LastReload returns the newest reading. The first one is that at the start.
func (w *Watcher) LastReload() Reload {
	r := *w.last.Load()
	r.Faults = slices.Clone(r.Faults)
	return r
}

// Reload loads the files now, changed or not. The error is Faults; the previous
// configuration then stays active.
func (w *Watcher) Reload() error {
	w.reloading.Lock()
	defer w.reloading.Unlock()
	opts := w.opts
	opts.serving = w.started.Listen
	now := time.Now()
	s, others, err := load(opts)
	w.others.Store(&others)
	if err == nil && w.take != nil {
		if rejected := w.take(s); rejected != nil {
			err = Faults{{Message: rejected.Error()}}
		}
	}
	if err != nil {
		var faults Faults
		errors.As(err, &faults)
		w.last.Store(&Reload{At: now, Faults: faults, Loaded: w.last.Load().Loaded})
		w.log.Error("the configuration on disk was not loaded; the previous one stays active", "faults", len(faults))
		const most = 20
		for i, f := range faults {
			if i == most {
				w.log.Error("more faults are not logged; run: askgate check", "more", len(faults)-most)
				break
			}
			w.log.Error("configuration fault", "fault", f.Error())
		}
		w.report(ReloadError)
		return err
	}
	before := w.current.Swap(s)
	w.last.Store(&Reload{At: now, Loaded: now})
	w.log.Info("configuration reloaded", "apps", len(s.apps))
	w.logWarnings(s)
	w.logRestart(&before.Gateway, &s.Gateway)
	w.report(ReloadOK)
	return nil
}

func (w *Watcher) report(result string) {
	if w.onReload != nil {
		w.onReload(result)
	}
}

func (w *Watcher) logWarnings(s *Snapshot) {
	for _, f := range s.Warnings {
		w.log.Warn("configuration warning", "warning", f.Error())
	}
}

// logRestart logs the changed keys that a running process cannot apply. Values
// are not logged, because the address of a store may contain a password.
func (w *Watcher) logRestart(before, now *Gateway) {
	for _, v := range []struct{ name, started, before, now string }{
		{"listen", w.started.Listen, before.Listen, now.Listen},
		{"adminListen", w.started.AdminListen, before.AdminListen, now.AdminListen},
		{"tls", onOff(w.started.TLS), onOff(before.TLS), onOff(now.TLS)},
		{"store", w.started.Store, before.Store, now.Store},
		{"files.store", w.started.FilesStore(), before.FilesStore(), now.FilesStore()},
		{"redis", w.started.Redis, before.Redis, now.Redis},
	} {
		if v.now != v.before && v.now != v.started {
			w.log.Warn("this change needs a restart to take effect", "key", v.name)
		}
	}
}

// onOff returns whether there is a certificate. A different certificate needs no restart.
func onOff(t TLS) string {
	if t.Certificate != nil {
		return "on"
	}
	return "off"
}

// follower is the goroutine that notices changes.
type follower struct {
	watcher  *Watcher
	notifier *fsnotify.Watcher // nil: polling only
	every    time.Duration     // between two checks of the stamps
	seen     stamps
}

func (f *follower) run(ctx context.Context) {
	poll := time.NewTicker(f.every)
	defer poll.Stop()
	var events chan fsnotify.Event
	var broken chan error
	if f.notifier != nil {
		defer f.notifier.Close()
		events, broken = f.notifier.Events, f.notifier.Errors
	}
	var (
		settled <-chan time.Time // set while a change settles
		noticed stamps           // the files when the change was noticed
		rounds  int
		certain bool // a notification named one of our files, so reload even if its stamp is the same
	)
	wait := func(now stamps) {
		noticed, settled = now, time.After(settle)
		rounds++
	}
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			certain = certain || ours(e)
			if settled == nil {
				wait(f.look())
			}
		case _, ok := <-broken: // events were lost
			if !ok {
				broken = nil
				continue
			}
			if settled == nil {
				wait(f.look())
			}
		case <-poll.C:
			if now := f.look(); settled == nil && !now.same(f.seen) {
				wait(now)
			}
		case <-settled:
			now := f.look()
			if !now.same(noticed) && rounds < maxRounds {
				wait(now)
				continue
			}
			if certain || !now.same(f.seen) {
				f.reload(now)
			}
			settled, rounds, certain = nil, 0, false
		}
	}
}

func (f *follower) reload(now stamps) {
	f.seen = now
	f.subscribe()          // before reading, so that no change in a new directory is missed
	_ = f.watcher.Reload() // the watcher logs and keeps the error
	f.seen.add(*f.watcher.others.Load())
}

// look returns the stamps of all files now, including those outside the directory.
func (f *follower) look() stamps {
	s := stampFiles(f.watcher.opts.Dir)
	for name := range *f.watcher.others.Load() {
		if info, err := os.Stat(name); err == nil {
			s[name] = info
		}
	}
	return s
}

// subscribe asks for the events of every directory with our files. Asking
// again is harmless, and necessary after a directory was replaced.
func (f *follower) subscribe() {
	if f.notifier == nil {
		return
	}
	dir := f.watcher.opts.Dir
	for _, d := range append([]string{dir, filepath.Join(dir, "apps"), filepath.Join(dir, "tools")}, appDirs(dir)...) {
		if info, err := os.Stat(d); err == nil && info.IsDir() {
			_ = f.notifier.Add(d) // polling finds the changes that this misses
		}
	}
}

func appDirs(dir string) []string {
	entries, _ := os.ReadDir(filepath.Join(dir, "apps"))
	var dirs []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && filepath.Ext(e.Name()) != ".json" && len(dirs) < maxApps {
			dirs = append(dirs, filepath.Join(dir, "apps", e.Name()))
		}
	}
	return dirs
}

// ours reports whether an event is about a configuration file, and not about another file in
// its directory, such as the database or an editor's own files. For those the stamps decide.
func ours(e fsnotify.Event) bool {
	name := filepath.Base(e.Name)
	return filepath.Ext(name) == ".json" && !strings.HasPrefix(name, ".")
}

func stampFiles(dir string) stamps {
	s := stamps{}
	if dir == "" {
		return s
	}
	add := func(name string) {
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			s[name] = info
		}
	}
	add("gateway.json")
	add("tools.json")
	for _, name := range ihubToolFiles(os.DirFS(dir)) {
		add(name)
	}
	found, twice, _ := listApps(os.DirFS(dir))
	for i, a := range found {
		if i == maxApps {
			break
		}
		for _, name := range []string{a.app, a.tools} {
			if name != "" {
				add(name)
			}
		}
	}
	for _, name := range twice {
		add(name)
	}
	return s
}
