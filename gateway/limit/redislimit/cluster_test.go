package redislimit_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/limit/limittest"
	"github.com/askgate/askgate/gateway/limit/redislimit"
	"github.com/askgate/askgate/gateway/prove/redistest"
)

func TestCluster(t *testing.T) {
	c := redistest.NewCluster(t)
	suites(t, c.URL)
	t.Run("WrongAddress", func(t *testing.T) {
		redistest.Run(t, func(t *testing.T, server string) {
			attempt := 0
			redistest.Await(t, "the error says that it is a cluster", func(context.Context) bool {
				_, err := open(t, "redis://"+c.Nodes[0].Addr, fmt.Sprint("askgate-test-", attempt, ":")).Status()
				attempt++ // until the node does not have the key
				return err != nil && strings.Contains(err.Error(), "add ?addr=")
			})
			u, err := url.Parse(server)
			if err != nil {
				t.Fatal(err)
			}
			u.Path, u.RawQuery = "", "addr="+u.Host
			if _, err := open(t, u.String(), "askgate-test-").Status(); err == nil || !strings.Contains(err.Error(), "remove addr") {
				t.Errorf("a single server as a cluster: %v", err)
			}
		})
	})
	t.Run("FailOver", func(t *testing.T) {
		amidRequests(t, c.URL, func(t *testing.T, l *redislimit.Limiter) { c.FailOver(t, l.Places("turns", "alice")) })
	})
	t.Run("KilledMaster", func(t *testing.T) {
		amidRequests(t, c.URL, func(t *testing.T, l *redislimit.Limiter) {
			master, _ := c.Of(t, l.Places("turns", "alice"))
			master.Kill()
			c.Settled(t)
		})
	})
}

func TestSentinel(t *testing.T) {
	s := redistest.NewSentinel(t)
	suites(t, s.URL)
	s.Fail(t, func(t *testing.T, fails func()) {
		amidRequests(t, s.URL, func(*testing.T, *redislimit.Limiter) { fails() })
	})
}

// suites runs the suites of limiters on a server. A cluster has the buckets of a suite in several
// slots.
func suites(t *testing.T, server string) {
	shared := func(t *testing.T, n int) []limit.Limiter {
		prefix := redistest.Prefix(t, server)
		list := make([]limit.Limiter, n)
		for i := range list {
			l := open(t, server, prefix)
			l.Await(t, true)
			list[i] = l
		}
		return list
	}
	t.Run("Limiter", func(t *testing.T) {
		limittest.Run(t, func(t *testing.T) limit.Limiter { return shared(t, 1)[0] })
	})
	t.Run("Nodes", func(t *testing.T) { limittest.RunShared(t, shared) })
}

// amidRequests lets happen something to Redis, which has the counts of all callers, while nodes decide.
// No node allows a caller more than the whole limit, and afterwards they share again.
func amidRequests(t *testing.T, server string, happen func(*testing.T, *redislimit.Limiter)) {
	const nodes, callers, burst = 3, 12, 30
	prefix := redistest.Prefix(t, server)
	list := make([]*redislimit.Limiter, nodes)
	for i := range list {
		list[i] = open(t, server, prefix)
		list[i].Await(t, true)
	}
	rule := func(caller int) limit.Rule {
		return limit.Rule{Scope: "requests", Key: fmt.Sprint(caller), PerMinute: 1, Burst: burst}
	}
	var allowed [nodes][callers]atomic.Int64
	for c := range callers { // on all masters of a cluster
		for n := range nodes - 1 {
			for range burst / nodes {
				if limittest.Allow(t, list[n], rule(c)).Allowed {
					allowed[n][c].Add(1)
				}
			}
		}
		allowed[nodes-1][c].Add(int64(limittest.Drain(t, list[nodes-1], rule(c))))
	}
	redistest.Replicated(t, server)
	over := make(chan struct{})
	var asking sync.WaitGroup
	for n, l := range list {
		for c := range callers {
			asking.Go(func() {
				for ended := false; !ended; {
					if limittest.Allow(t, l, rule(c)).Allowed {
						allowed[n][c].Add(1)
					}
					select {
					case <-over:
						ended = true
					default:
					}
				}
			})
		}
	}
	happen(t, list[0])
	close(over)
	asking.Wait()
	for n := range allowed {
		for c := range allowed[n] {
			if got := allowed[n][c].Load(); got > burst {
				t.Errorf("node %d allowed caller %d %d of %d", n, c, got, burst)
			}
		}
	}

	for _, l := range list {
		l.Await(t, true)
	}
	for attempt := 0; ; attempt++ { // until the nodes agree which server is the master
		last, total := limit.Rule{Scope: "after", Key: fmt.Sprint(attempt), PerMinute: 1, Burst: burst}, 0
		for _, l := range list {
			total += limittest.Drain(t, l, last)
		}
		if total == burst {
			break
		}
		if attempt == 1000 {
			t.Fatalf("%d were allowed of %d", total, burst)
		}
		for _, l := range list {
			l.Await(t, true)
		}
	}
}
