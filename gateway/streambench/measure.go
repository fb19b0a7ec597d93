package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

type options struct {
	askgate, store          string
	rounds, chunks, streams int
}

// side is one of the two that are compared.
type side struct {
	name    string
	process *process
	target  func(kind string) string // where to post for a stream of that kind
}

// figure is one line of the report: a value per side and round.
type figure struct {
	name, unit string
	must, aim  float64
	values     [2][]float64
}

func measure(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "streambench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.askgate == "" {
		o.askgate = filepath.Join(dir, "askgate")
		build := exec.CommandContext(ctx, "go", "build", "-o", o.askgate, "./cmd/askgate") //nolint:gosec // our own program
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("building the gateway: %w", err)
		}
	}
	if o.store == "" {
		o.store = "sqlite:" + filepath.Join(dir, "bench.db")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	up, err := spawn(ctx, "/", self, "--role", "upstream", "--chunks", strconv.Itoa(o.chunks))
	if err != nil {
		return err
	}
	defer up.stop()
	floor, err := spawn(ctx, "/", self, "--role", "floor", "--upstream", up.url)
	if err != nil {
		return err
	}
	defer floor.stop()
	if err := configure(filepath.Join(dir, "config"), up.url); err != nil {
		return err
	}
	gate, err := spawn(ctx, "/healthz", o.askgate, "serve", "--config", filepath.Join(dir, "config"), "--store", o.store)
	if err != nil {
		return err
	}
	defer gate.stop()
	chat := 0
	sides := [2]*side{
		{"floor", floor, func(kind string) string { return floor.url + "/" + kind }},
		{"askgate", gate, func(kind string) string {
			chat++
			return fmt.Sprintf("%s/v1/apps/%s/chats/c%d/messages", gate.url, kind, chat)
		}},
	}
	b := &bench{ctx: ctx, o: o, sides: sides, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}}
	return b.run()
}

type bench struct {
	ctx     context.Context
	o       options
	sides   [2]*side
	client  *http.Client
	figures []*figure
}

func (b *bench) figure(name, unit string, must, aim float64) *figure {
	f := &figure{name: name, unit: unit, must: must, aim: aim}
	b.figures = append(b.figures, f)
	return f
}

func (b *bench) run() error {
	cpu := b.figure("CPU per chunk at 20,000 chunks/s", "us", 0.85, 0.70)
	p50 := b.figure("p50 per chunk at 5,000 chunks/s", "us", 1.0, 0.90)
	p99 := b.figure("p99 per chunk at 5,000 chunks/s", "us", 1.0, 0.50)
	first := b.figure("time to first chunk", "us", 1.5, 1.2)
	memory := b.figure("memory per open stream", "KiB", 1.0, 0.8)
	flatCPU := b.figure("CPU per chunk flat out", "us", 0.60, 0.54)
	speed := b.figure("chunks per second flat out", "/s", 0, 0)
	for i, s := range b.sides { // first, while both are fresh: memory that was used once is kept
		if _, _, err := b.steady(s, 1); err != nil {
			return err
		}
		m, err := b.memory(s)
		if err != nil {
			return err
		}
		memory.values[i] = []float64{m}
	}
	for round := range b.o.rounds + 1 { // the first warms up
		for i, s := range b.sides {
			keep := func(f *figure, v float64) {
				if round > 0 {
					f.values[i] = append(f.values[i], v)
				}
			}
			c, _, err := b.steady(s, 20)
			if err != nil {
				return err
			}
			keep(cpu, c)
			_, latencies, err := b.steady(s, 5)
			if err != nil {
				return err
			}
			keep(p50, quantile(latencies, 0.50))
			keep(p99, quantile(latencies, 0.99))
			t, err := b.first(s)
			if err != nil {
				return err
			}
			keep(first, t)
			c, rate, err := b.flat(s)
			if err != nil {
				return err
			}
			keep(flatCPU, c)
			keep(speed, rate)
		}
	}
	b.report()
	return nil
}

func (b *bench) report() {
	fmt.Printf("%-36s %12s %12s %8s %6s %6s\n", "", "floor", "askgate", "ratio", "must", "aim")
	for _, f := range b.figures {
		x, y := quantile(f.values[0], 0.5), quantile(f.values[1], 0.5)
		goal := func(v float64) string {
			if v == 0 {
				return "-"
			}
			return fmt.Sprintf("%.2f", v)
		}
		fmt.Printf("%-36s %9.1f %-2s %9.1f %-2s %8.2f %6s %6s\n", f.name, x, f.unit, y, f.unit, y/x, goal(f.must), goal(f.aim))
	}
}

// quantile sorts values.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(len(values)-1, int(q*float64(len(values))))]
}

// post opens a stream.
func (b *bench) post(url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(b.ctx, http.MethodPost, url, bytes.NewReader([]byte(`{"message":"go"}`)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := b.client.Do(req)
	if err == nil && resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("%s: %s", url, resp.Status)
	}
	return resp, err
}

var contentKey = []byte(`"content":"`)

// chunks reads a stream to its end; seen is told the content of each chunk.
func chunks(resp *http.Response, seen func(content []byte)) (int, error) {
	defer resp.Body.Close()
	n := 0
	lines := bufio.NewReaderSize(resp.Body, 64<<10)
	chunk := false
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return n, nil // the end
		}
		switch {
		case bytes.HasPrefix(line, []byte("event: ")):
			chunk = bytes.Equal(line, []byte("event: chunk\n"))
		case chunk && bytes.HasPrefix(line, []byte("data: ")):
			n++
			if i := bytes.Index(line, contentKey); i >= 0 && seen != nil {
				seen(line[i+len(contentKey):])
			}
		}
	}
}

// steady runs streams at their own pace; CPU in us per chunk, and the time of
// each chunk from the upstream's hand to ours in us.
func (b *bench) steady(s *side, streams int) (float64, []float64, error) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var latencies []float64
	var failed error
	total := 0
	before := s.process.cpu()
	for range streams {
		url := s.target(steady)
		wg.Go(func() {
			var own []float64
			resp, err := b.post(url)
			n := 0
			if err == nil {
				n, err = chunks(resp, func(content []byte) {
					sent, _ := strconv.ParseInt(string(content[:19]), 10, 64)
					own = append(own, float64(time.Now().UnixNano()-sent)/1e3)
				})
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = err
			}
			total += n
			latencies = append(latencies, own...)
		})
	}
	wg.Wait()
	used := s.process.cpu() - before
	if want := streams * steadyRate * steadySeconds; failed == nil && total != want {
		failed = fmt.Errorf("%s: %d chunks, want %d", s.name, total, want)
	}
	return float64(used.Microseconds()) / float64(max(total, 1)), latencies, failed
}

// first is the median time to the first chunk of new chats, in us.
func (b *bench) first(s *side) (float64, error) {
	var times []float64
	for range 200 {
		start := time.Now()
		var at time.Duration
		resp, err := b.post(s.target(short))
		if err != nil {
			return 0, err
		}
		if _, err := chunks(resp, func([]byte) { at = time.Since(start) }); err != nil {
			return 0, err
		}
		times = append(times, float64(at.Nanoseconds())/1e3)
	}
	return quantile(times, 0.5), nil
}

// flat reads one stream as fast as it comes: CPU in us per chunk, chunks per second.
func (b *bench) flat(s *side) (float64, float64, error) {
	before, start := s.process.cpu(), time.Now()
	resp, err := b.post(s.target(flat))
	if err != nil {
		return 0, 0, err
	}
	n, err := chunks(resp, nil)
	if err == nil && n != b.o.chunks {
		err = fmt.Errorf("%s: %d chunks, want %d", s.name, n, b.o.chunks)
	}
	used := s.process.cpu() - before
	return float64(used.Nanoseconds()) / 1e3 / float64(max(n, 1)), float64(n) / time.Since(start).Seconds(), err
}

// memory is what one more open stream costs, in KiB.
func (b *bench) memory(s *side) (float64, error) {
	before := s.process.memory()
	var open []*http.Response
	defer func() {
		for _, r := range open {
			r.Body.Close()
		}
	}()
	for range b.o.streams {
		resp, err := b.post(s.target(held))
		if err != nil {
			return 0, err
		}
		open = append(open, resp)
		if _, err := resp.Body.Read(make([]byte, 512)); err != nil {
			return 0, err
		}
	}
	time.Sleep(500 * time.Millisecond)
	return float64(s.process.memory()-before) / 1024 / float64(b.o.streams), nil
}
