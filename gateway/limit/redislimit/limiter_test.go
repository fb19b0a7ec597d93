package redislimit_test

import (
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/limit/limittest"
	"github.com/askgate/askgate/gateway/limit/redislimit"
	"github.com/askgate/askgate/gateway/prove/redistest"
)

// open opens a limiter whose decisions wait for Redis longer than a busy machine may stall.
func open(t testing.TB, server, prefix string) *redislimit.Limiter {
	t.Helper()
	return opened(t, server, prefix, time.Minute)
}

func opened(t testing.TB, server, prefix string, decide time.Duration) *redislimit.Limiter {
	t.Helper()
	l, err := redislimit.Open(t.Context(), redislimit.Options{
		URL: server, Prefix: prefix, Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
	}.Deciding(decide))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func TestLimiter(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		limittest.Run(t, func(t *testing.T) limit.Limiter {
			l := open(t, server, redistest.Prefix(t, server))
			l.Await(t, true)
			return l
		})
	})
}

func TestNodes(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		limittest.RunShared(t, func(t *testing.T, n int) []limit.Limiter {
			prefix := redistest.Prefix(t, server)
			list := make([]limit.Limiter, n)
			for i := range list {
				list[i] = open(t, server, prefix)
			}
			return list
		})
	})
}

// Without Redis, a node limits on its own.
func TestAlone(t *testing.T) {
	limittest.Run(t, func(t *testing.T) limit.Limiter {
		l := open(t, "redis://127.0.0.1:1", "")
		if _, err := l.Status(); err == nil {
			t.Error("the outage is not logged")
		}
		return l
	})
}

func TestOutage(t *testing.T) {
	for name, breaks := range map[string]func(*redistest.Proxy){"cut": (*redistest.Proxy).Cut, "silent": (*redistest.Proxy).Mute} {
		t.Run(name, func(t *testing.T) {
			redistest.Run(t, func(t *testing.T, server string) { outage(t, server, breaks) })
		})
	}
}

func outage(t *testing.T, server string, breaks func(*redistest.Proxy)) {
	prefix := redistest.Prefix(t, server)
	way, through := redistest.NewProxy(t, server)
	a, b := opened(t, through, prefix, 3*time.Second), open(t, server, prefix) // a waits this long for a silent server
	rule := limit.Rule{Scope: "requests", Key: "alice", PerMinute: 1, Burst: 5}
	limittest.Drain(t, b, rule)
	if d := limittest.Allow(t, a, rule); d.Allowed {
		t.Errorf("the nodes do not share: %+v", d)
	}
	held, _ := a.Acquire(t.Context(), "turns", "alice", 2)
	defer held()

	breaks(way)
	if n := limittest.Drain(t, a, rule); n != 5 {
		t.Errorf("%d requests during the outage, want the node's own 5", n)
	}
	if _, err := a.Status(); err == nil {
		t.Error("the outage is not logged")
	}
	second, d := a.Acquire(t.Context(), "turns", "alice", 2)
	if !d.Allowed {
		t.Errorf("a place during the outage: %+v", d)
	}
	if _, d := a.Acquire(t.Context(), "turns", "alice", 2); d.Allowed {
		t.Error("a node forgets the places it had before the outage")
	}

	way.Heal()
	a.Await(t, true)
	if d := limittest.Allow(t, a, rule); d.Allowed {
		t.Errorf("the outage is over, and the nodes do not share: %+v", d)
	}
	if _, d := b.Acquire(t.Context(), "turns", "alice", 2); d.Allowed {
		t.Error("the place that was taken during the outage is not counted by others")
	}
	second()
	third, d := b.Acquire(t.Context(), "turns", "alice", 2)
	if !d.Allowed {
		t.Errorf("after a release: %+v", d)
	}
	third()
}

// Requests that a node allowed with Redis still count when it decides alone.
func TestAnOutageGivesANodeNoSecondBucket(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		prefix := redistest.Prefix(t, server)
		way, through := redistest.NewProxy(t, server)
		a, b := open(t, through, prefix), open(t, server, prefix)
		a.Await(t, true)
		rule := limit.Rule{Scope: "requests", Key: "alice", PerMinute: 1, Burst: 5}
		for range 2 {
			limittest.Allow(t, a, rule)
		}
		limittest.Allow(t, b, rule)
		way.Cut()
		if n := limittest.Drain(t, a, rule); n != 3 {
			t.Errorf("%d requests during the outage, want the 3 that are left of the node's own 5", n)
		}
		if n := limittest.Drain(t, b, rule); n != 2 {
			t.Errorf("%d requests of the node that still shares, want 2", n)
		}
	})
}

// The places of a killed node expire, and a live node keeps its own.
func TestPlacesOfAKilledNodeComeBack(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		prefix := redistest.Prefix(t, server)
		client := redistest.Client(t, server)
		killed, alive, other := open(t, server, prefix), open(t, server, prefix), open(t, server, prefix)
		killed.Acquire(t.Context(), "turns", "alice", 2)
		killed.Close()
		release, _ := alive.Acquire(t.Context(), "turns", "alice", 2)
		defer release()
		set := alive.Places("turns", "alice")
		if ttl := client.PTTL(t.Context(), set).Val(); ttl <= 0 || ttl > redislimit.Lapse {
			t.Fatalf("the places expire in %v", ttl)
		}
		// Instead of waiting: all of them expired a second ago.
		for _, member := range client.ZRange(t.Context(), set, 0, -1).Val() {
			client.ZIncrBy(t.Context(), set, -float64((redislimit.Lapse + time.Second).Milliseconds()), member)
		}
		if err := alive.Hold(t.Context()); err != nil {
			t.Fatal(err)
		}
		back, d := other.Acquire(t.Context(), "turns", "alice", 2)
		defer back()
		if !d.Allowed {
			t.Errorf("the killed node's place: %+v", d)
		}
		if _, d := other.Acquire(t.Context(), "turns", "alice", 2); d.Allowed {
			t.Error("the living node's place expired")
		}
	})
}

// No place stays taken that is released while it is being renewed.
func TestAReleasedPlaceStaysReleased(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		prefix := redistest.Prefix(t, server)
		l := open(t, server, prefix)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 100 {
					release, _ := l.Acquire(t.Context(), "turns", "alice", 10)
					release()
				}
			})
		}
		for range 50 {
			if err := l.Hold(t.Context()); err != nil {
				t.Error(err)
			}
		}
		wg.Wait()
		if n := redistest.Client(t, server).ZCard(t.Context(), l.Places("turns", "alice")).Val(); n != 0 {
			t.Errorf("%d places are left", n)
		}
	})
}

func TestKeysTellNobody(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		prefix := redistest.Prefix(t, server)
		l := open(t, server, prefix)
		limittest.Allow(t, l, limit.Rule{Scope: "requests", Key: "alice", PerMinute: 1})
		release, _ := l.Acquire(t.Context(), "turns", "alice", 2)
		defer release()
		keys := redistest.Client(t, server).Keys(t.Context(), "*"+prefix+"*").Val()
		if len(keys) < 3 || strings.Contains(strings.Join(keys, " "), "alice") {
			t.Errorf("%q", keys)
		}
	})
}

func TestAURLThatIsNoneIsRefusedWithoutItsPassword(t *testing.T) {
	for _, u := range []string{"redis://:secret@host:port", "http://:secret@host", "redis://:sec%ret@host"} {
		l, err := redislimit.Open(t.Context(), redislimit.Options{URL: u})
		if err == nil {
			l.Close()
			t.Errorf("%s was taken", u)
		} else if strings.Contains(err.Error(), "secret@") || strings.Contains(err.Error(), ":sec") {
			t.Errorf("%v", err)
		}
	}
}

func BenchmarkAllow(b *testing.B) {
	redistest.Run(b, func(b *testing.B, server string) {
		l := open(b, server, redistest.Prefix(b, server))
		rule := limit.Rule{Scope: "requests", Key: "alice", PerMinute: 6_000_000}
		for b.Loop() {
			limittest.Allow(b, l, rule)
		}
	})
}
