package config_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
)

// logged collects log lines. It is safe for concurrent use.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

type watched struct {
	*config.Watcher
	dir     string
	log     *logged
	results chan string
}

type watchFunc func(context.Context, config.Options, *slog.Logger, func(string)) (*config.Watcher, error)

func startWatch(t *testing.T, watch watchFunc, dir string) watched {
	t.Helper()
	w := watched{dir: dir, log: &logged{}, results: make(chan string, 1000)}
	var err error
	w.Watcher, err = watch(t.Context(), config.Options{Dir: dir, Env: env{}.Lookup, Tools: fakeTypes},
		slog.New(slog.NewTextHandler(w.log, nil)), func(result string) { w.results <- result })
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// until waits for a reload after which the condition is true. The contract
// allows 5 s; the test waits longer, for busy machines.
func (w watched) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	giveUp := time.After(30 * time.Second)
	for !holds() {
		select {
		case <-w.results:
		case <-giveUp:
			t.Fatalf("never: %s\n%s", what, w.log)
		}
	}
}

// result waits for a reload with this result. The watcher may also have noticed the
// change, so there may be other reloads before.
func (w watched) result(t *testing.T, want string) {
	t.Helper()
	giveUp := time.After(30 * time.Second)
	for {
		select {
		case got := <-w.results:
			if got == want {
				return
			}
		case <-giveUp:
			t.Fatalf("no reload was reported as %q\n%s", want, w.log)
		}
	}
}

func (w watched) burst() int { return w.Current().Gateway.Limits.Burst }

func burst(n string) string { return `{"limits": {"burst": ` + n + `}}` }

// A changed file takes effect, no matter how it was changed. If it is faulty, the
// fault is logged with its position, and the previous configuration stays active.
func TestWatch(t *testing.T) {
	for name, watch := range map[string]watchFunc{"notified": config.Watch, "polling": config.WatchPolling} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			gateway(burst("1")).Write(t, dir)
			w := startWatch(t, watch, dir)
			old := w.Current()

			gateway(burst("2")).Write(t, dir)
			w.until(t, "a file written in place", func() bool { return w.burst() == 2 })
			if old.Gateway.Limits.Burst != 1 {
				t.Error("a snapshot changed")
			}

			gateway("{\n \"limits\": {\"burst\": -1}}").Write(t, dir)
			w.until(t, "a fault with its place", func() bool {
				f := w.LastReload().Faults
				return len(f) == 1 && f[0].Line == 2 && f[0].Col == 22
			})
			if w.burst() != 2 {
				t.Errorf("the previous configuration is no longer active: burst %d", w.burst())
			}
			if want := "gateway.json:2:22: limits.burst: -1 is out of range"; !strings.Contains(w.log.String(), want) {
				t.Errorf("the log lacks %q:\n%s", want, w.log)
			}

			temp := filepath.Join(dir, ".gateway.json.tmp")
			if err := os.WriteFile(temp, []byte(burst("33")), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(temp, filepath.Join(dir, "gateway.json")); err != nil {
				t.Fatal(err)
			}
			w.until(t, "a file renamed into place", func() bool { return w.burst() == 33 && len(w.LastReload().Faults) == 0 })

			tree{"apps/x/app.json": `{"id": "x"}`}.Write(t, dir)
			w.until(t, "an app in a new folder", func() bool { _, ok := w.Current().App("x"); return ok })
			tree{"apps/x/app.json": `{"id": "x", "name": "New"}`}.Write(t, dir)
			w.until(t, "a file in the new folder", func() bool {
				a, ok := w.Current().App("x")
				return ok && a.Name.In("en") == "New"
			})

			if err := os.RemoveAll(filepath.Join(dir, "apps")); err != nil {
				t.Fatal(err)
			}
			w.until(t, "a removed folder", func() bool { _, ok := w.Current().App("assistant"); return ok })
		})
	}
}

// Kubernetes mounts a config map as symbolic links through ..data, which it replaces.
func TestWatchFollowsSwappedLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := func(old, name string) {
		t.Helper()
		if err := os.Symlink(old, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	tree{"..1/gateway.json": burst("1"), "..2/gateway.json": burst("2")}.Write(t, dir)
	link("..1", "..data")
	link("..data/gateway.json", "gateway.json")
	w := startWatch(t, config.Watch, dir)
	if w.burst() != 1 {
		t.Fatal("the link was not read")
	}
	link("..2", "..data_tmp")
	if err := os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	w.until(t, "the swapped link", func() bool { return w.burst() == 2 })
}

func TestReload(t *testing.T) {
	dir := t.TempDir()
	gateway(`{"store": "sqlite:a.db"}`).Write(t, dir)
	begin := time.Now()
	w := startWatch(t, config.WatchPolling, dir)
	started := w.LastReload()
	if started.At.Before(begin) || started.At != started.Loaded || started.Faults != nil {
		t.Errorf("at the start: %+v", started)
	}
	gateway(`{"store": "sqlite:b.db"}`).Write(t, dir)
	if err := w.Reload(); err != nil || w.Current().Gateway.Store != "sqlite:b.db" {
		t.Errorf("%v, %q", err, w.Current().Gateway.Store)
	}
	w.result(t, config.ReloadOK)
	good := w.LastReload()
	if !good.At.After(started.At) || good.At != good.Loaded || good.Faults != nil {
		t.Errorf("after a good reload: %+v", good)
	}
	if want := `needs a restart to take effect" key=store`; !strings.Contains(w.log.String(), want) || strings.Contains(w.log.String(), "b.db") {
		t.Errorf("want %q and no value in the log:\n%s", want, w.log)
	}
	gateway(`{"store": 1}`).Write(t, dir)
	var faults config.Faults
	if err := w.Reload(); !errors.As(err, &faults) || len(w.LastReload().Faults) != 1 || w.Current().Gateway.Store != "sqlite:b.db" {
		t.Errorf("%v, %q", err, w.Current().Gateway.Store)
	}
	w.result(t, config.ReloadError)
	if last := w.LastReload(); !last.At.After(good.At) || last.Loaded.Before(good.Loaded) || !last.Loaded.Before(last.At) || len(last.Faults) != 1 {
		t.Errorf("after a faulty reload: %+v", last)
	}
}

func TestAConfigurationThatIsNotTakenIsRejected(t *testing.T) {
	dir := t.TempDir()
	gateway(`{"store": "sqlite:a.db"}`).Write(t, dir)
	w := startWatch(t, config.WatchPolling, dir)
	var taken []string
	err := w.Follow(func(s *config.Snapshot) error {
		if s.Gateway.Store == "sqlite:bad.db" {
			return errors.New("cannot be set up")
		}
		taken = append(taken, s.Gateway.Store)
		return nil
	})
	if err != nil || len(taken) != 1 {
		t.Fatalf("%v, taken %q", err, taken)
	}
	gateway(`{"store": "sqlite:bad.db"}`).Write(t, dir)
	if err := w.Reload(); err == nil || w.Current().Gateway.Store != "sqlite:a.db" {
		t.Errorf("%v, active %q", err, w.Current().Gateway.Store)
	}
	w.result(t, config.ReloadError)
	if f := w.LastReload().Faults; len(f) != 1 || f[0].Message != "cannot be set up" {
		t.Errorf("%v", f)
	}
	gateway(`{"store": "sqlite:b.db"}`).Write(t, dir)
	if err := w.Reload(); err != nil || len(taken) != 2 || w.Current().Gateway.Store != taken[1] {
		t.Errorf("%v, taken %q, active %q", err, taken, w.Current().Gateway.Store)
	}
	w.result(t, config.ReloadOK)
}

func TestWatchRefusesAFaultyStart(t *testing.T) {
	dir := t.TempDir()
	gateway(`{`).Write(t, dir)
	w, err := config.Watch(t.Context(), config.Options{Dir: dir, Env: env{}.Lookup, Tools: fakeTypes}, slog.New(slog.DiscardHandler), nil)
	var faults config.Faults
	if w != nil || !errors.As(err, &faults) {
		t.Errorf("%v, %v", w, err)
	}
}

func TestWatchOfTheBuiltin(t *testing.T) {
	w, err := config.Watch(t.Context(), config.Options{Env: env{}.Lookup, Tools: fakeTypes}, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Reload(); err != nil || len(w.Current().Apps()) != 3 {
		t.Error(err)
	}
}
