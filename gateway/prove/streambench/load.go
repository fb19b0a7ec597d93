package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
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

// grow gives the chat of the workload the turns that it has before.
func (l *load) grow() {
	for n := 0; n < l.w.grown && l.ctx.Err() == nil && l.failed == nil; n++ {
		l.turn()
	}
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

// take returns the measurements since the last call.
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
	n := l.n
	l.mu.Unlock()
	start := time.Now()
	resp, err := l.post(n)
	n = 0
	if err == nil {
		n, err = chunks(resp, l.server.dialect, func(content []byte) {
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

// post begins the n-th turn.
func (l *load) post(n int) (*http.Response, error) {
	url, body := l.server.turn(l.w, n)
	req, err := http.NewRequestWithContext(l.ctx, http.MethodPost, url, strings.NewReader(body))
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

// chunks reads a stream to its end, which must have been told; seen is given the content
// of each chunk.
func chunks(resp *http.Response, d dialect, seen func(content []byte)) (int, error) {
	defer resp.Body.Close()
	n, in, done := 0, false, false
	chunk, content, end := []byte(d.chunk), []byte(d.content), []byte(d.done)
	lines := bufio.NewReaderSize(resp.Body, 16<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) { // of a whole response at the end
			if !done {
				return n, fmt.Errorf("the stream ends before it is done: %w", err)
			}
			return n, nil
		}
		done = done || bytes.Contains(line, end)
		in = in || bytes.Contains(line, chunk)
		if !in {
			continue
		}
		if i := bytes.Index(line, content); i >= 0 {
			in = false
			if text := line[i+len(content):]; text[0] != '"' { // some begin with an empty one
				n++
				seen(text)
			}
		} else if bytes.HasPrefix(line, []byte("data:")) {
			in = false
		}
	}
}

// memory measures the server at rest, and the addition of each of many open streams.
func (l *load) memory(streams int, rest time.Duration) (sample, error) {
	l.wait(time.After(rest))
	idle := l.server.memory()
	open := func(n int) error { // its first chunks have come, and then no more
		resp, err := l.post(n)
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
