package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/gatewaytest"
)

type options struct {
	askgate, other, store, only string
	rounds, open                int
	seconds                     float64
	fronts                      bool
	front                       string // names of those that are measured; "true": all
}

// side is one of those that are compared. The first is the floor.
type side struct {
	name  string
	start func() (*server, error)
}

// server is a fresh process of a side.
type server struct {
	*process
	dialect dialect
	turn    func(w workload, n int) (url, body string) // what to post where for the n-th turn
}

// bench is what all measurements share.
type bench struct {
	o        options
	dir      string // for stores and configurations
	upstream *process
	pinned   bool
	stores   int
}

func measure(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "streambench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.askgate == "" {
		o.askgate = filepath.Join(dir, "askgate")
		if err := gatewaytest.Build(ctx, o.askgate, "-trimpath", "-tags", "nomsgpack,grpcnotrace", "-ldflags", "-s -w"); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	b := &bench{o: o, dir: dir, pinned: pin(ctx)}
	if b.upstream, err = spawn(ctx, "/", nil, self, "--role", "upstream"); err != nil {
		return err
	}
	defer b.upstream.stop()
	if err := configure(filepath.Join(dir, "config"), b.upstream.url); err != nil {
		return err
	}
	sides := []side{{"floor", func() (*server, error) {
		p, err := spawn(ctx, "/", b.alone(), self, "--role", "floor", "--upstream", b.upstream.url)
		return &server{p, native, func(w workload, _ int) (url, body string) { return p.url + w.path(), native.body("", "") }}, err
	}}}
	if o.fronts { // in addition to the native one
		sides = []side{{native.name, func() (*server, error) { return b.gateway(ctx, o.askgate, native) }}}
		for _, d := range fronts {
			if o.front != "true" && !slices.Contains(strings.Split(o.front, ","), d.name) {
				continue
			}
			sides = append(sides, side{d.name, func() (*server, error) { return b.gateway(ctx, o.askgate, d) }})
			if o.other != "" {
				sides = append(sides, side{d.name + ", other", func() (*server, error) { return b.gateway(ctx, o.other, d) }})
			}
		}
		if len(sides) == 1 {
			return fmt.Errorf("there is no front %q", o.front)
		}
		return b.run(ctx, sides)
	}
	for _, binary := range []struct{ name, path string }{{"askgate", o.askgate}, {"other", o.other}} {
		if binary.path != "" {
			sides = append(sides, side{binary.name, func() (*server, error) { return b.gateway(ctx, binary.path, native) }})
		}
	}
	return b.run(ctx, sides)
}

func (b *bench) gateway(ctx context.Context, binary string, d dialect) (*server, error) {
	b.stores++
	store := cmp.Or(b.o.store, fmt.Sprintf("sqlite:%s/%d.db", b.dir, b.stores))
	p, err := spawn(ctx, "/healthz", b.alone(), binary, "serve", "--config", filepath.Join(b.dir, "config"), "--store", store)
	run := time.Now().UnixNano() // a store that was given has the chats of earlier measurements
	return &server{p, d, func(w workload, n int) (url, body string) {
		chat := fmt.Sprintf("c%d-%d", run, n)
		return p.url + d.at(w.name, chat), d.body(w.name, chat)
	}}, err
}

// alone is the command before a server's that gives it a processor to itself.
func (b *bench) alone() []string {
	if !b.pinned {
		return nil
	}
	return []string{"taskset", "-c", "1"}
}

// pin keeps this process, and all that it starts, on the first processor.
func pin(ctx context.Context) bool {
	if runtime.NumCPU() < 2 {
		return false
	}
	self := fmt.Sprint(os.Getpid())
	if exec.CommandContext(ctx, "taskset", "-a", "-c", "-p", "0", self).Run() != nil { //nolint:gosec // our own id
		return false
	}
	runtime.GOMAXPROCS(1)
	return true
}

func (b *bench) run(ctx context.Context, sides []side) error {
	var chosen []workload
	for _, w := range workloads {
		if b.o.only == "" && (!b.o.fronts || w.name != held) || slices.Contains(strings.Split(b.o.only, ","), w.name) {
			chosen = append(chosen, w)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("there is no workload %q", b.o.only)
	}
	samples := map[string][][]sample{} // by workload and side
	for _, w := range chosen {
		samples[w.name] = make([][]sample, len(sides))
	}
	for round := range b.o.rounds {
		for _, w := range chosen {
			for i := range sides {
				i = (i + round) % len(sides) // no side is always the first
				s, err := b.one(ctx, sides[i], w)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", w.name, sides[i].name, err)
				}
				samples[w.name][i] = append(samples[w.name][i], s)
			}
		}
	}
	if !b.pinned {
		fmt.Println("not pinned: taskset or a second processor is missing, so client and server disturb each other")
	}
	report(sides, chosen, samples)
	return nil
}

// one measures one workload on a fresh server.
func (b *bench) one(ctx context.Context, s side, w workload) (sample, error) {
	server, err := s.start()
	if err != nil {
		return sample{}, err
	}
	defer server.stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	load := newLoad(ctx, w, server)
	if w.name == held {
		return load.memory(b.o.open, seconds(b.o.seconds/2))
	}
	load.begin()
	time.Sleep(seconds(b.o.seconds / 2))
	result := load.window(seconds(b.o.seconds))
	cancel()
	return result, load.end()
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
