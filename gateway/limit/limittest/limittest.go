// Package limittest is the suite that every limit.Limiter must pass: a storm of requests gets
// exactly what the rules allow, from one limiter (Run) and from several that share it (RunShared).
//
// It runs in real time, but no result depends on it: the rules are so slow that no token is added
// while a test runs.
package limittest

import (
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/limit"
)

// slow returns a rule whose tokens, after its burst, take ten minutes or more to arrive.
func slow(scope, key string, burst int) limit.Rule {
	return limit.Rule{Scope: scope, Key: key, PerMinute: 1, Burst: burst}
}

// Allow fails the test if the limiter cannot decide.
func Allow(t testing.TB, l limit.Limiter, r limit.Rule) limit.Decision {
	t.Helper()
	d, err := l.Allow(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Drain takes all tokens of the bucket and returns their number.
func Drain(t testing.TB, l limit.Limiter, r limit.Rule) int {
	t.Helper()
	for n := range 1_000_000 {
		if !Allow(t, l, r).Allowed {
			return n
		}
	}
	t.Fatal("the bucket never gets empty")
	return 0
}

// Run tests one limiter; open returns an unused one.
func Run(t *testing.T, open func(t *testing.T) limit.Limiter) {
	for name, test := range map[string]func(*testing.T, limit.Limiter){
		"BurstThenRefused":   burst,
		"BucketsAreSeparate": separate,
		"NoRuleNoLimit":      noLimit,
		"AbsurdRules":        absurd,
		"PeekTakesNothing":   peek,
		"Places":             places,
		"NoPlaces":           noPlaces,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
	RunShared(t, func(t *testing.T, _ int) []limit.Limiter { return []limit.Limiter{open(t)} })
}

// RunShared tests several limiters that share their counts; open returns that many.
func RunShared(t *testing.T, open func(t *testing.T, n int) []limit.Limiter) {
	for name, test := range map[string]func(*testing.T, []limit.Limiter){
		"Storm":          storm,
		"StormForPlaces": stormForPlaces,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t, 3)) })
	}
}

func burst(t *testing.T, l limit.Limiter) {
	r := slow("requests", "alice", 5)
	for i := range 5 {
		d := Allow(t, l, r)
		if !d.Allowed || d.Scope != "requests" || d.Limit != 1 || d.Window != time.Minute || d.Remaining != 4-i || d.RetryAfter != 0 {
			t.Errorf("request %d: %+v", i, d)
		}
		if d.Reset <= 0 || d.Reset > time.Minute+time.Millisecond {
			t.Errorf("request %d: the next token is %v away", i, d.Reset)
		}
	}
	d := Allow(t, l, r)
	if d.Allowed || d.Scope != "requests" || d.Remaining != 0 || d.RetryAfter <= 0 || d.RetryAfter > time.Minute+time.Millisecond || d.Reset != d.RetryAfter {
		t.Errorf("after the burst: %+v", d)
	}
	if n := Drain(t, l, limit.Rule{Scope: "requests", Key: "bob", PerMinute: 3}); n != 3 {
		t.Errorf("%d at once without a burst, want a minute's worth of 3", n)
	}
}

// A peek reports the result of the next request, and takes no token.
func peek(t *testing.T, l limit.Limiter) {
	r := slow("requests", "alice", 2)
	look := r
	look.Peek = true
	for left := 2; left >= 0; left-- {
		for range 3 {
			d := Allow(t, l, look)
			if d.Allowed != (left > 0) || d.Remaining != left || d.Scope != "requests" || d.Limit != 1 || (d.RetryAfter > 0) == d.Allowed {
				t.Errorf("%d left: %+v", left, d)
			}
		}
		if d := Allow(t, l, r); d.Allowed != (left > 0) {
			t.Errorf("with %d left: %+v", left, d)
		}
	}
}

func separate(t *testing.T, l limit.Limiter) {
	Drain(t, l, slow("a", "alice", 5))
	for _, r := range []limit.Rule{slow("a", "bob", 5), slow("b", "alice", 5), slow("aa", "lice", 5), slow("", "aalice", 5)} {
		if n := Drain(t, l, r); n != 5 {
			t.Errorf("%s of %s has %d", r.Scope, r.Key, n)
		}
	}
}

func noLimit(t *testing.T, l limit.Limiter) {
	for _, r := range []limit.Rule{{Scope: "s", Key: "k"}, {Scope: "s", Key: "k", PerMinute: -1, Burst: 5}} {
		if d := Allow(t, l, r); d != (limit.Decision{Allowed: true}) {
			t.Errorf("%+v: %+v", r, d)
		}
	}
}

func absurd(t *testing.T, l limit.Limiter) {
	const most = int(^uint(0) >> 1)
	for _, r := range []limit.Rule{
		{Scope: "s", Key: "1", PerMinute: most, Burst: most},
		{Scope: "s", Key: "2", PerMinute: 1, Burst: most},
		{Scope: "s", Key: "3", PerMinute: most, Burst: 1},
		{Scope: "s", Key: "4", PerMinute: 1, Burst: 1},
		{Scope: "s", Key: "\x00\xff\r\n ", PerMinute: 100_000},
	} {
		for range 10 {
			if d := Allow(t, l, r); d.Remaining < 0 || d.RetryAfter < 0 || d.Reset < 0 {
				t.Errorf("%+v: %+v", r, d)
			}
		}
	}
}

func places(t *testing.T, l limit.Limiter) {
	acquire := func(key string) (func(), limit.Decision) {
		return l.Acquire(t.Context(), "turns", key, 2)
	}
	first, d := acquire("alice")
	if want := (limit.Decision{Allowed: true, Scope: "turns", Limit: 2, Remaining: 1}); d != want {
		t.Errorf("first: %+v, want %+v", d, want)
	}
	second, d := acquire("alice")
	if !d.Allowed || d.Remaining != 0 {
		t.Errorf("second: %+v", d)
	}
	refused, d := acquire("alice")
	if d.Allowed || d.Scope != "turns" || d.Limit != 2 || d.RetryAfter <= 0 {
		t.Errorf("third: %+v", d)
	}
	if release, d := acquire("bob"); !d.Allowed {
		t.Errorf("bob: %+v", d)
	} else {
		release()
	}
	refused() // gives nothing back
	if _, d := acquire("alice"); d.Allowed {
		t.Error("a refused release frees a place")
	}
	first()
	first() // gives one place back, not two
	third, d := acquire("alice")
	if !d.Allowed {
		t.Errorf("after a release: %+v", d)
	}
	if _, d := acquire("alice"); d.Allowed {
		t.Error("releasing twice frees two places")
	}
	second()
	third()
}

func noPlaces(t *testing.T, l limit.Limiter) {
	for _, max := range []int{0, -1} {
		release, d := l.Acquire(t.Context(), "turns", "alice", max)
		if d != (limit.Decision{Allowed: true}) {
			t.Errorf("max %d: %+v", max, d)
		}
		release()
	}
}

// Exactly the burst of a storm of requests passes, in every bucket.
func storm(t *testing.T, limiters []limit.Limiter) {
	const callers, each, size = 24, 20, 50
	var passed [3]atomic.Int64
	var wg sync.WaitGroup
	for c := range callers {
		l, bucket := limiters[c%len(limiters)], c/len(limiters)%len(passed)
		wg.Go(func() {
			for range each {
				d, err := l.Allow(t.Context(), slow("s", strconv.Itoa(bucket), size))
				if err != nil {
					t.Error(err)
				}
				if d.Allowed {
					passed[bucket].Add(1)
				}
			}
		})
	}
	wg.Wait()
	for bucket := range passed {
		if n := passed[bucket].Load(); n != size {
			t.Errorf("bucket %d: %d passed, want %d", bucket, n, size)
		}
	}
}

func stormForPlaces(t *testing.T, limiters []limit.Limiter) {
	const places = 4
	var held, most, passed atomic.Int64
	var wg sync.WaitGroup
	for c := range 24 {
		l := limiters[c%len(limiters)]
		wg.Go(func() {
			for range 40 {
				release, d := l.Acquire(t.Context(), "turns", "k", places)
				if !d.Allowed {
					continue
				}
				passed.Add(1)
				n := held.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				runtime.Gosched()
				held.Add(-1)
				release()
			}
		})
	}
	wg.Wait()
	if most.Load() > places || passed.Load() == 0 {
		t.Errorf("%d at once, %d in all, want at most %d", most.Load(), passed.Load(), places)
	}
	// All places are free again, and no more than these.
	for i := range places + 1 {
		release, d := limiters[i%len(limiters)].Acquire(t.Context(), "turns", "k", places)
		t.Cleanup(release)
		if d.Allowed != (i < places) {
			t.Errorf("place %d afterwards: %+v", i, d)
		}
	}
}
