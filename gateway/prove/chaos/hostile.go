package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// hostileOptions are the options of the hostile command.
type hostileOptions struct {
	common
	seed     int64
	requests int
	parallel int
	talks    int
	slow     int    // of each kind
	streams  int    // unread views that one key opens; as many snapshots and huge answers are a fraction of that
	rounds   int    // for the effect of one key on memory, each with good conversations during it and without
	only     string // part of the name of an attack by one key; "": all
}

const (
	// maxGrowth limits how much memory the attack may take at its peak: all that arrives at once,
	// several times over, and garbage that was not collected yet.
	maxGrowth = 256 << 20
	// answerTime is how long a hostile request may wait for its response, on a busy machine.
	answerTime = 45 * time.Second
)

// attack is a gateway under hostile requests, and their results.
type attack struct {
	o       hostileOptions
	world   *world
	address string
	peak    atomic.Int64 // bytes of unreclaimable memory

	mu      sync.Mutex
	answers map[int]int // by status, hangup included
	faults  []error
}

// hostile sends requests of all shapes to the real binary, while good conversations are in
// progress: all of these must be complete, no response may be a fault of the gateway, and memory
// must be bounded.
func hostile(ctx context.Context, o hostileOptions, out io.Writer) error {
	p, err := newPlant(ctx, o.common)
	if err != nil {
		return err
	}
	defer p.close()
	w, err := p.world(ctx, 1, nil)
	if err != nil {
		return err
	}
	defer w.close()
	if o.requests == 0 {
		return exhaust(ctx, o, p, out)
	}
	a := &attack{o: o, world: w, address: strings.TrimPrefix(w.front(), "http://"), answers: map[int]int{}}
	if err := a.run(ctx, out); err != nil {
		return err
	}
	return exhaust(ctx, o, p, out)
}

func (a *attack) run(ctx context.Context, out io.Writer) error {
	life := a.world.nodes[0].present()
	before, err := life.cost(ctx)
	if err != nil {
		return err
	}
	started := time.Now()
	attacking, over := context.WithCancel(ctx)
	defer over()
	var others, hostiles, holds sync.WaitGroup
	var talks atomic.Int64
	for i := range a.o.talks {
		others.Go(func() { a.converse(ctx, attacking, i, &talks) })
	}
	others.Go(func() { a.weigh(attacking, life) })
	for i := range a.o.slow {
		for kind, bytes := range slowKinds {
			holds.Go(func() { a.hold(ctx, kind, bytes, i) })
		}
	}
	var next atomic.Int64
	kinds := shapes()
	request := func(n int64) error {
		return a.send(ctx, kinds[int(n)%len(kinds)], rand.New(rand.NewPCG(uint64(a.o.seed), uint64(n))))
	}
	judged := func(n int64, err error) {
		if err != nil {
			a.failed(fmt.Errorf("%s (request %d of seed %d): %w", kinds[int(n)%len(kinds)].name, n, a.o.seed, err))
		}
	}
	again := make(chan int64, a.o.requests)
	for range a.o.parallel {
		hostiles.Go(func() {
			for n := next.Add(1) - 1; n < int64(a.o.requests) && ctx.Err() == nil; n = next.Add(1) - 1 {
				if err := request(n); errors.Is(err, errOverloaded) {
					again <- n
				} else {
					judged(n, err)
				}
			}
		})
	}
	hostiles.Wait()
	close(again)
	for n := range again { // alone, it gets the response to its content
		judged(n, request(n))
	}
	took := time.Since(started)
	holds.Wait()
	over()
	others.Wait()
	after, err := a.calm(ctx, life, before)
	if err != nil {
		return err
	}
	a.report(out, took, talks.Load(), before, after)
	return a.judge(ctx, talks.Load(), before)
}

func (a *attack) failed(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.faults = append(a.faults, err)
}

// converse runs one good conversation after another, until the attack is over and at least one has
// ended. It leaves out those whose questions expire within a second, and those that need holders of
// roles: this world has callers without keys, and so without roles.
func (a *attack) converse(ctx, attacking context.Context, number int, talks *atomic.Int64) {
	luck := rand.New(rand.NewPCG(uint64(a.o.seed), uint64(number)))
	good := slices.DeleteFunc(slices.Clone(scenes), func(s scene) bool { return s.app == appHasty || s.name == sceneQuorum })
	for i := 0; i == 0 || attacking.Err() == nil; i++ {
		s := good[luck.IntN(len(good))]
		t := a.world.talk(ctx, s.app, fmt.Sprintf("good%d-%d", number, i))
		err := s.drive(t, luck)
		if err == nil {
			var shot *snapshot
			if shot, err = t.look(ctx); err == nil {
				_, _, err = a.world.ran(shot.picture())
			}
		}
		t.end()
		if err != nil {
			a.failed(fmt.Errorf("the conversation %s (%s) is incomplete: %w", t.chat, s.name, err))
			return
		}
		talks.Add(1)
	}
}

// errOverloaded refuses a body, whatever is in it, while other bodies of the same caller take all
// the memory that they may: how many depends on the speed of the machine.
var errOverloaded = errors.New("503 overloaded, with nothing else in flight")

// send is one hostile request.
func (a *attack) send(ctx context.Context, s shape, luck *rand.Rand) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", a.address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(answerTime)); err != nil {
		return err
	}
	raw := s.raw(luck)
	if s.leave {
		_, _ = io.WriteString(conn, raw)
		a.count(hangup)
		return nil
	}
	go func() { _, _ = io.WriteString(conn, raw) }() // it may hang up before it has sent everything
	return a.answer(s, bufio.NewReader(conn))
}

// harmless matches the id of a response, whatever the request's was.
var harmless = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// answer checks the response against what the shape requires.
func (a *attack) answer(s shape, r *bufio.Reader) error {
	res, err := http.ReadResponse(r, nil) // its body is left: Close would read it to its end
	if err != nil {
		if isTimeout(err) {
			return errors.New("no response arrived")
		}
		a.count(hangup)
		if !slices.Contains(s.want, hangup) {
			return fmt.Errorf("it hung up, want %v", s.want)
		}
		return nil
	}
	a.count(res.StatusCode)
	id := res.Header.Get("X-Request-Id")
	switch {
	case !slices.Contains(s.want, res.StatusCode):
		body, _ := io.ReadAll(io.LimitReader(res.Body, 300))
		if res.StatusCode == http.StatusServiceUnavailable && res.Header.Get("Retry-After") != "" && bytes.Contains(body, []byte(`"code":"overloaded"`)) {
			return errOverloaded
		}
		return fmt.Errorf("%s, want %v: %s", res.Status, s.want, body)
	case res.Header.Get(injected) != "" || id != "" && !harmless.MatchString(id):
		return fmt.Errorf("a header was injected: %v", res.Header)
	case !s.last:
		return nil
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return nil //nolint:nilerr // it hung up: nothing behind was taken
	}
	if second, err := http.ReadResponse(r, nil); err == nil {
		return fmt.Errorf("the request after it was answered with %s", second.Status)
	} else if isTimeout(err) {
		return errors.New("the connection is left open")
	}
	return nil
}

func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

func (a *attack) count(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers[status]++
}

// slowKinds are beginnings of requests that never continue. The gateway ends them: after
// 10 s without complete headers, after 30 s without a complete body.
var slowKinds = map[string]string{
	"half a header": "POST " + hostileChat + "/messages HTTP/1.1\r\nHost: localhost\r\nX-A: ",
	"half a body": "POST " + hostileChat + "/messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
		"Content-Length: 1000\r\n\r\n{\"message\":\"",
	"half a body that is never read": "POST " + hostileChat + "/stop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx",
}

// hold keeps a slow connection open until the gateway closes it.
func (a *attack) hold(ctx context.Context, kind, bytes string, number int) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", a.address)
	if err == nil {
		defer conn.Close()
		_, err = io.WriteString(conn, bytes)
	}
	if err == nil {
		err = conn.SetReadDeadline(time.Now().Add(2 * patience))
	}
	if err == nil {
		_, err = io.Copy(io.Discard, conn) // an answer, and the end
		if !isTimeout(err) {
			return
		}
		err = errors.New("it is still open")
	}
	a.failed(fmt.Errorf("%s, connection %d: %w", kind, number, err))
}

// weigh records the peak of the process's memory.
func (a *attack) weigh(ctx context.Context, life *life) {
	for ctx.Err() == nil {
		if c, err := life.cost(ctx); err == nil && c.memory > a.peak.Load() {
			a.peak.Store(c.memory)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// calm waits until the process has no more goroutines than before, apart from a few of connections
// that are kept for the next request.
func (a *attack) calm(ctx context.Context, life *life, before cost) (after cost, err error) {
	web.CloseIdleConnections()
	err = wait(ctx, "the process has recovered", func(ctx context.Context) (bool, error) {
		var err error
		after, err = life.cost(ctx)
		return err == nil && after.goroutines <= before.goroutines+20, err
	})
	return after, err
}

func (a *attack) report(out io.Writer, took time.Duration, talks int64, before, after cost) {
	t := newTable(out, "store", "hostile requests", "shapes", "slow connections", "time", "good conversations", "not whole or not right",
		"memory before", "at most", "after", "goroutines before", "after")
	t.row(a.o.store, a.o.requests, len(shapes()), a.o.slow*len(slowKinds), took.Round(100*time.Millisecond), talks, len(a.faults),
		mib(before.memory), mib(a.peak.Load()), mib(after.memory), before.goroutines, after.goroutines)
	t.end()
	statuses := slices.SortedFunc(func(yield func(int) bool) {
		for s := range a.answers {
			if !yield(s) {
				return
			}
		}
	}, cmp.Compare[int])
	heads, counts := []any{"answered with"}, []any{""}
	for _, s := range statuses {
		head := fmt.Sprint(s)
		if s == hangup {
			head = "hung up"
		}
		heads, counts = append(heads, head), append(counts, a.answers[s])
	}
	t = newTable(out, heads...)
	t.row(counts...)
	t.end()
}

// ours reports whether a status is the gateway's own fault. 503 is handled separately: it is a
// fault if the response did not report an overload.
var (
	ours    = regexp.MustCompile(`(?m)^askgate_http_request_duration_seconds_count\{code="5(?:[1-9]\d|0[^3])".*$`)
	with503 = regexp.MustCompile(`(?m)^askgate_http_request_duration_seconds_count\{code="503".* (\d+)$`)
)

// refused503 returns the number of requests that the metrics count with 503.
func refused503(metrics string) (n int) {
	for _, m := range with503.FindAllStringSubmatch(metrics, -1) {
		count, _ := strconv.Atoi(m[1])
		n += count
	}
	return n
}

func (a *attack) judge(ctx context.Context, talks int64, before cost) error {
	if len(a.faults) > 0 {
		const most = 10
		return fmt.Errorf("hostile: %d faults: %w", len(a.faults), errors.Join(a.faults[:min(most, len(a.faults))]...))
	}
	resp, err := request(ctx, "GET", a.world.front()+"/metrics", "")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	metrics, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	switch found, grown := ours.FindAllString(string(metrics), -1), a.peak.Load()-before.memory; {
	case refused503(string(metrics)) > a.answers[http.StatusServiceUnavailable]+a.answers[hangup]: // a client that hung up may have been sent one as well
		return fmt.Errorf("hostile: %d requests were refused with 503, of which the attack received %d", refused503(string(metrics)), a.answers[http.StatusServiceUnavailable])
	case len(found) > 0:
		return fmt.Errorf("hostile: answers that are the gateway's fault: %s", strings.Join(found, ", "))
	case a.world.nodes[0].errors() > 0:
		return fmt.Errorf("hostile: errors in the log\n%s", a.world.nodes[0].tail())
	case talks == 0:
		return errors.New("hostile: there was no good conversation")
	case grown > maxGrowth:
		return fmt.Errorf("hostile: memory grew by %s, at most %s are allowed", mib(grown), mib(maxGrowth))
	}
	return errors.Join(a.world.failure(), a.world.audit())
}
