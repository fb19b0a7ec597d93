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
	fronts, guard               bool
	front                       string // names of those that are measured; "true": all
}

// floor is the name of the side that others are compared with.
const floor = "floor"

// side is one of those that are compared. The first is the floor.
type side struct {
	name  string
	start func(w workload) (*server, error)
}

// server is a fresh process of a side.
type server struct {
	*process
	dialect dialect
	drop    func()                                     // removes its database
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
	sides := []side{{floor, func(workload) (*server, error) {
		p, err := spawn(ctx, "/", b.alone(), self, "--role", "floor", "--upstream", b.upstream.url)
		return &server{p, native, func() {}, func(w workload, _ int) (url, body string) { return p.url + w.path(), native.body("", "") }}, err
	}}}
	if o.fronts { // in addition to the native one
		sides = []side{{native.name, func(w workload) (*server, error) { return b.gateway(ctx, w, o.askgate, native) }}}
		for _, d := range fronts {
			if o.front != "true" && !slices.Contains(strings.Split(o.front, ","), d.name) {
				continue
			}
			sides = append(sides, side{d.name, func(w workload) (*server, error) { return b.gateway(ctx, w, o.askgate, d) }})
			if o.other != "" {
				sides = append(sides, side{d.name + ", other", func(w workload) (*server, error) { return b.gateway(ctx, w, o.other, d) }})
			}
		}
		if len(sides) == 1 {
			return fmt.Errorf("there is no front %q", o.front)
		}
		return b.run(ctx, sides)
	}
	for _, binary := range []struct{ name, path string }{{"askgate", o.askgate}, {"other", o.other}} {
		if binary.path != "" {
			sides = append(sides, side{binary.name, func(w workload) (*server, error) { return b.gateway(ctx, w, binary.path, native) }})
		}
	}
	return b.run(ctx, sides)
}

func (b *bench) gateway(ctx context.Context, w workload, binary string, d dialect) (*server, error) {
	b.stores++
	args, drop := []string{"serve", "--config", filepath.Join(b.dir, "config"), "--store"}, func() {}
	if w.shared {
		url, remove, err := schema(ctx)
		if err != nil {
			return nil, err
		}
		args, drop = append(args, url, "--redis", os.Getenv(redisVariable)), remove
	} else {
		args = append(args, cmp.Or(b.o.store, fmt.Sprintf("sqlite:%s/%d.db", b.dir, b.stores)))
	}
	p, err := spawn(ctx, "/healthz", b.alone(), binary, args...)
	if err != nil {
		drop()
	}
	run := time.Now().UnixNano() // a store that was given has the chats of earlier measurements
	return &server{p, d, drop, func(w workload, n int) (url, body string) {
		if w.grown > 0 {
			n = 0
		}
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
		named := slices.Contains(strings.Split(b.o.only, ","), w.name)
		switch {
		case b.o.only != "" && !named, b.o.only == "" && b.o.fronts && w.name == held:
		case b.o.guard && !slices.ContainsFunc(w.figures, func(f figure) bool { return f.guarded }):
		case w.shared && (os.Getenv(postgresVariable) == "" || os.Getenv(redisVariable) == ""):
			if named {
				return fmt.Errorf("%s: set %s and %s", w.name, postgresVariable, redisVariable)
			}
			fmt.Printf("left out: %s; set %s and %s\n", w.title, postgresVariable, redisVariable)
		default:
			chosen = append(chosen, w)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("there is no workload %q", b.o.only)
	}
	if !b.pinned {
		fmt.Println("not pinned: taskset or a second processor is missing, so client and server disturb each other")
	}
	if b.o.guard {
		return b.compare(ctx, sides[1:], chosen)
	}
	samples, err := b.samples(ctx, sides, chosen)
	if err == nil {
		report(sides, chosen, samples)
	}
	return err
}

// samples measures the workloads, round after round, by the name of the workload and the number of the
// side.
func (b *bench) samples(ctx context.Context, sides []side, chosen []workload) (map[string][][]sample, error) {
	samples := map[string][][]sample{}
	for _, w := range chosen {
		samples[w.name] = make([][]sample, len(sides))
	}
	for round := range b.o.rounds {
		for _, w := range chosen {
			for i := range sides {
				i = (i + round) % len(sides) // no side is always the first
				s, err := b.one(ctx, sides[i], w)
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", w.name, sides[i].name, err)
				}
				samples[w.name][i] = append(samples[w.name][i], s)
			}
		}
	}
	return samples, nil
}

// one measures one workload on a fresh server.
func (b *bench) one(ctx context.Context, s side, w workload) (sample, error) {
	server, err := s.start(w)
	if err != nil {
		return sample{}, err
	}
	defer server.drop()
	defer server.stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	load := newLoad(ctx, w, server)
	if w.name == held {
		return load.memory(b.o.open, seconds(b.o.seconds/2))
	}
	if s.name != floor { // which keeps no chats
		load.grow()
	}
	load.begin()
	time.Sleep(seconds(b.o.seconds / 2))
	result := load.window(seconds(b.o.seconds))
	cancel()
	return result, load.end()
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
