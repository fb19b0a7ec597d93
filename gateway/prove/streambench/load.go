package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// load is the client of one measurement.
type load struct {
	ctx    context.Context
	w      workload
	server *server
	client *http.Client
	turns  sync.WaitGroup

	mu      sync.Mutex
	n       int // turns begun, for the names of their chats
	current sample
	failed  error
}

func newLoad(ctx context.Context, w workload, s *server) *load {
	return &load{ctx: ctx, w: w, server: s, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}}
}

// begin starts the load, which goes on until the context ends.
func (l *load) begin() {
	if l.w.perSecond > 0 {
		l.turns.Go(func() {
			tick := time.NewTicker(time.Second / time.Duration(l.w.perSecond))
			defer tick.Stop()
			for l.wait(tick.C) {
				l.turns.Go(l.turn)
			}
		})
	}
	// Streams begin one after the other, spread over the length of a turn (or a second).
	apart := time.Second / time.Duration(max(l.w.streams, 1))
	if l.w.rate == 0 {
		apart = 0
	}
	for i := range l.w.streams {
		l.turns.Go(func() {
			if !l.wait(time.After(time.Duration(i) * apart)) {
				return
			}
			for l.ctx.Err() == nil {
				l.turn()
			}
		})
	}
}

func (l *load) wait(c <-chan time.Time) bool {
	select {
	case <-c:
		return true
	case <-l.ctx.Done():
		return false
	}
}

// window is what happens from now on for a while.
func (l *load) window(length time.Duration) sample {
	before, start := l.server.cpu(), time.Now()
	l.take()
	l.wait(time.After(length))
	s := l.take()
	s.cpu = float64((l.server.cpu() - before).Nanoseconds()) / 1e3
	s.seconds = time.Since(start).Seconds()
	return s
}

// take is what was seen since the last call.
func (l *load) take() sample {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.current
	l.current = sample{}
	return s
}

// end waits for what still runs, and says what went wrong.
func (l *load) end() error {
	l.turns.Wait()
	return l.failed
}

// turn sends a message and reads the answer to its end.
func (l *load) turn() {
	l.mu.Lock()
	l.n++
	l.current.turns++
	url := l.server.turn(l.w, l.n)
	l.mu.Unlock()
	start := time.Now()
	resp, err := l.post(url)
	n := 0
	if err == nil {
		n, err = chunks(resp, func(content []byte) {
			now := time.Now()
			sent, _ := strconv.ParseInt(string(content[:19]), 10, 64)
			l.mu.Lock()
			defer l.mu.Unlock()
			n++
			l.current.chunks++
			if n == 1 {
				l.current.first = append(l.current.first, float64(now.Sub(start).Nanoseconds())/1e3)
			}
			if l.w.rate > 0 {
				l.current.latencies = append(l.current.latencies, float64(now.UnixNano()-sent)/1e3)
			}
		})
	}
	if err == nil && n != l.w.chunks {
		err = fmt.Errorf("%d chunks, want %d", n, l.w.chunks)
	}
	if err != nil && l.ctx.Err() == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.failed = err
	}
}

func (l *load) post(url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(l.ctx, http.MethodPost, url, bytes.NewReader([]byte(`{"message":"go"}`)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := l.client.Do(req)
	if err == nil && resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("%s: %s", url, resp.Status)
	}
	return resp, err
}

var contentKey = []byte(`"content":"`)

// chunks reads a stream to its end, which must be a done event; seen is given the
// content of each chunk.
func chunks(resp *http.Response, seen func(content []byte)) (int, error) {
	defer resp.Body.Close()
	n, event, done := 0, "", false
	lines := bufio.NewReaderSize(resp.Body, 16<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			if !done {
				return n, fmt.Errorf("the stream ends before its done event: %w", err)
			}
			return n, nil
		}
		switch {
		case bytes.Equal(line, []byte("event: chunk\n")):
			event = "chunk"
		case bytes.HasPrefix(line, []byte("event: ")):
			event = ""
			done = bytes.Equal(line, []byte("event: done\n"))
		case event == "chunk" && bytes.HasPrefix(line, []byte("data: ")):
			if i := bytes.Index(line, contentKey); i >= 0 {
				n++
				seen(line[i+len(contentKey):])
			}
		}
	}
}

// memory is what the server has at rest, and what each of many open streams adds.
func (l *load) memory(streams int, rest time.Duration) (sample, error) {
	l.wait(time.After(rest))
	idle := l.server.memory()
	open := func(n int) error { // its first chunks have come, and then no more
		resp, err := l.post(l.server.turn(l.w, n))
		if err != nil {
			return err
		}
		_, err = resp.Body.Read(make([]byte, 512))
		return err
	}
	if err := open(0); err != nil { // what the first stream needs, later ones find
		return sample{}, err
	}
	before := l.server.memory()
	for n := range streams {
		if err := open(n + 1); err != nil {
			return sample{}, err
		}
	}
	l.wait(time.After(rest))
	return sample{idle: float64(idle), open: float64(l.server.memory()-before) / float64(streams)}, nil
}
