package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/askgate/askgate/gateway/sse"
)

const (
	settling = 15 * time.Second // until the server has counted what came before
	resting  = 5 * time.Second  // how long nodes are watched at rest, each of
	looks    = 7                // times
	reads    = 200              // lists, and as many searches
	speakers = 16               // people who talk at the same time
	talking  = 20 * time.Second
	openers  = 64              // streams that are opened at the same time
	allBack  = 2 * time.Minute // until all viewers are back, at the latest
)

// stream is one viewer of a chat, who comes back.
type stream struct {
	tenant, subject, app, id string
	node                     atomic.Int64
	up                       atomic.Bool
	last                     atomic.Pointer[string] // event id
	cut                      atomic.Int64           // streams that ended without a retry
}

// open opens the streams, spread over the nodes and the people.
func (f *fleet) open(ctx context.Context) error {
	ctx, f.leave = context.WithCancel(ctx)
	people := f.o.chats / templateChats
	room := make(chan struct{}, openers)
	for i := range f.o.streams {
		s := &stream{}
		s.tenant, s.subject = person(1 + i%max(1, people-1))
		s.app, s.id = chatOf(i / max(1, people-1) % templateChats)
		s.node.Store(int64(i % nodes))
		f.streams = append(f.streams, s)
		room <- struct{}{}
		f.watching.Go(func() { f.watch(ctx, s, func() { <-room }) })
	}
	return f.until(ctx, "streams open", func(s *stream) bool { return s.up.Load() })
}

// until waits until all streams are as they should be.
func (f *fleet) until(ctx context.Context, what string, is func(*stream) bool) error {
	for begun := time.Now(); ; {
		missing := 0
		for _, s := range f.streams {
			if !is(s) {
				missing++
			}
		}
		switch {
		case missing == 0:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case time.Since(begun) > allBack:
			return fmt.Errorf("%d of %d are missing after %s: %s", missing, len(f.streams), allBack, what)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// watch reads one stream after the other. opened is called once, after the first attempt.
func (f *fleet) watch(ctx context.Context, s *stream, opened func()) {
	once := sync.OnceFunc(opened)
	defer once()
	for ctx.Err() == nil {
		retry, err := f.follow(ctx, s, once)
		s.up.Store(false)
		once()
		wait := 500*time.Millisecond + rand.N(time.Second)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil: // nothing listens there
		case retry == 0:
			s.cut.Add(1)
		default:
			wait = retry
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		s.node.Store((s.node.Load() + 1) % nodes)
	}
}

// follow reads one stream to its end, and returns when it said to come back.
func (f *fleet) follow(ctx context.Context, s *stream, opened func()) (retry time.Duration, err error) {
	var header []string
	if last := s.last.Load(); last != nil {
		header = []string{"Last-Event-ID", *last}
	}
	resp, err := f.request(ctx, int(s.node.Load()), http.MethodGet, chatPath(s.app, s.id)+"/events", s.tenant, s.subject, "", header...)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if header != nil { // nothing has happened, so nothing comes
		s.up.Store(true)
		opened()
	}
	for ev, err := range sse.Read(resp.Body) {
		if err != nil {
			break
		}
		if ev.ID != "" {
			s.last.Store(&ev.ID)
			s.up.Store(true)
			opened()
		}
		retry = max(retry, ev.Retry)
	}
	return retry, nil
}

// alone counts what the nodes ask of the database without streams.
func (f *fleet) alone(ctx context.Context, d *database) (err error) {
	f.idle, _, err = f.watchIdle(ctx, d)
	f.empty = f.memory()
	return err
}

// watchIdle returns transactions and processor time of a node in each second at rest: the median of some
// looks, because the server's own work counts, too.
func (f *fleet) watchIdle(ctx context.Context, d *database) (transactions float64, cpu time.Duration, err error) {
	pause := func(t time.Duration) {
		select {
		case <-time.After(t):
		case <-ctx.Done():
		}
	}
	pause(settling)
	var made []float64
	var spent []time.Duration
	for range looks {
		before, err := d.transactions(ctx)
		if err != nil {
			return 0, 0, err
		}
		busy := f.cpu(0, 1, 2)
		pause(resting)
		after, err := d.transactions(ctx)
		if err != nil {
			return 0, 0, err
		}
		made = append(made, (after-before)/nodes/resting.Seconds())
		spent = append(spent, (f.cpu(0, 1, 2)-busy)/nodes/time.Duration(resting.Seconds()))
	}
	return median(made), median(spent), ctx.Err()
}

// rest measures what open streams cost at rest.
func (f *fleet) rest(ctx context.Context, d *database, got results) error {
	transactions, cpu, err := f.watchIdle(ctx, d)
	got[idleBase] = f.idle
	got[idleStreams] = max(0, transactions-f.idle)
	got[idleCPU] = cpu.Seconds() * 100
	got[memoryPerStream] = (f.memory() - f.empty) / float64(f.o.streams)
	return err
}

// read times lists and searches of people whose chats were not read lately.
func (f *fleet) read(ctx context.Context, got results) error {
	for name, query := range map[figure]string{list: "?limit=50", search: "?limit=20&q=offers+prefer"} {
		var times []time.Duration
		for i := range reads {
			tenant, subject := person(1 + rand.IntN(max(1, f.o.chats/templateChats-1)))
			begun := time.Now()
			if _, err := f.fetch(ctx, i%nodes, http.MethodGet, "/v1/apps/"+apps[i%len(apps)]+"/chats"+query, tenant, subject, ""); err != nil {
				return err
			}
			times = append(times, time.Since(begun))
		}
		got[name] = median(times).Seconds() * 1000
	}
	return nil
}

func median[T cmp.Ordered](list []T) T {
	slices.Sort(list)
	return list[len(list)/2]
}

// talk measures turns of new chats in the full database.
func (f *fleet) talk(ctx context.Context, d *database, got results) error {
	var turns atomic.Int64
	var failed atomic.Pointer[error]
	server, err := d.cpu(ctx)
	if err != nil {
		return err
	}
	hub, err := f.redisCPU(ctx)
	if err != nil {
		return err
	}
	own, begun := f.cpu(0, 1, 2), time.Now()
	var all sync.WaitGroup
	for i := range speakers {
		all.Go(func() {
			for n := 0; time.Since(begun) < talking && ctx.Err() == nil; n++ {
				tenant, subject := person(1 + rand.IntN(max(1, f.o.chats/templateChats-1)))
				if err := f.say(ctx, i%nodes, tenant, subject, apps[0], fmt.Sprintf("new-%d-%d", i, n), sayTalk); err != nil {
					failed.Store(&err)
					return
				}
				turns.Add(1)
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	took := time.Since(begun)
	own = f.cpu(0, 1, 2) - own
	after, err := d.cpu(ctx)
	n := float64(turns.Load())
	got[turnsPerSecond] = n / took.Seconds()
	got[turnCPU] = own.Seconds() * 1000 / n
	got[turnPostgres] = max(0, (after-server).Seconds()) * 1000 / n
	if err != nil {
		return err
	}
	used, err := f.redisCPU(ctx)
	got[turnRedis] = (used - hub) * 1000 / n
	return err
}

// redisCPU returns the seconds of processor time that Redis has taken.
func (f *fleet) redisCPU(ctx context.Context) (seconds float64, err error) {
	o, err := redis.ParseURL(f.o.redis)
	if err != nil {
		return 0, err
	}
	client := redis.NewClient(o)
	defer client.Close()
	info, err := client.Info(ctx, "cpu").Result()
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "used_cpu_user" || name == "used_cpu_sys" {
			n, _ := strconv.ParseFloat(value, 64)
			seconds += n
		}
	}
	return seconds, err
}

// kill kills the first node with turns, and measures when the last of them goes on.
func (f *fleet) kill(ctx context.Context, got results) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var begun, restarted sync.WaitGroup
	var died atomic.Pointer[time.Time]
	var latest atomic.Int64
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	for i := range f.o.turns {
		tenant, subject := person(1 + i%max(1, f.o.chats/templateChats-1))
		id := fmt.Sprint("lost-", i)
		begun.Add(1)
		restarted.Add(1)
		all.Go(func() { _ = f.say(ctx, 0, tenant, subject, apps[0], id, saySlow) })
		all.Go(func() {
			began, restarts := sync.OnceFunc(begun.Done), sync.OnceFunc(restarted.Done)
			defer began()
			defer restarts()
			resp, err := f.request(ctx, 1+i%(nodes-1), http.MethodGet, chatPath(apps[0], id)+"/events", tenant, subject, "")
			if err != nil {
				return
			}
			defer resp.Body.Close()
			for ev, err := range sse.Read(resp.Body) {
				switch {
				case err != nil:
					return
				case ev.Name == "chunk" && died.Load() == nil:
					began()
				case ev.Name == "step.restart" && died.Load() != nil:
					took := time.Since(*died.Load()).Milliseconds()
					for old := latest.Load(); took > old && !latest.CompareAndSwap(old, took); old = latest.Load() {
					}
					restarts()
					return
				}
			}
		})
	}
	if err := waited(ctx, &begun, "turns have begun"); err != nil {
		return err
	}
	now := time.Now()
	died.Store(&now)
	f.nodes[0].Load().Kill()
	if err := waited(ctx, &restarted, "turns go on"); err != nil {
		return err
	}
	got[takeover] = float64(latest.Load()) / 1000
	cancel()
	all.Wait()
	if err := f.launch(context.WithoutCancel(ctx), 0); err != nil {
		return err
	}
	return f.until(context.WithoutCancel(ctx), "viewers of the node that was killed", func(s *stream) bool { return s.up.Load() })
}

// waited waits for a group.
func waited(ctx context.Context, group *sync.WaitGroup, what string) error {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(allBack):
		return fmt.Errorf("not all %s after %s", what, allBack)
	}
}

// replace replaces each node. Its viewers are told to come back, and cost the other two little.
func (f *fleet) replace(ctx context.Context, got results) error {
	cut := func() (n int64) {
		for _, s := range f.streams {
			n += s.cut.Load()
		}
		return n
	}
	before := cut()
	var cost, longest time.Duration
	viewers := 0
	for i := range nodes {
		others := []int{(i + 1) % nodes, (i + 2) % nodes}
		for _, s := range f.streams {
			if s.node.Load() == int64(i) {
				viewers++
			}
		}
		busy, begun := f.cpu(others...), time.Now()
		p := f.nodes[i].Load()
		p.Signal(syscall.SIGTERM)
		if err := p.Wait(); err != nil {
			return fmt.Errorf("a node ended with %w\n%s", err, p.Log())
		}
		back := func(s *stream) bool { return s.up.Load() && s.node.Load() != int64(i) }
		if err := f.until(ctx, "viewers of a node that was replaced", back); err != nil {
			return err
		}
		longest = max(longest, time.Since(begun))
		cost += f.cpu(others...) - busy
		if err := f.launch(ctx, i); err != nil {
			return err
		}
	}
	got[restartSeconds] = longest.Seconds()
	got[restartCPU] = cost.Seconds() * 1000 / float64(max(1, viewers))
	if n := cut() - before; n > 0 {
		return errors.New(fmt.Sprint(n, " streams ended without telling their viewers to come back"))
	}
	return nil
}
