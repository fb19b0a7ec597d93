package limit_test

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/limit"
)

// rule is 60 a minute, 5 at once.
func rule(scope, key string) limit.Rule {
	return limit.Rule{Scope: scope, Key: key, PerMinute: 60, Burst: 5}
}

func allow(t testing.TB, l limit.Limiter, rules ...limit.Rule) limit.Decision {
	t.Helper()
	d, err := l.Allow(context.Background(), rules...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// drain takes what the bucket holds and says how many there were.
func drain(t testing.TB, l limit.Limiter, r limit.Rule) int {
	t.Helper()
	for n := range 1_000_000 {
		if !allow(t, l, r).Allowed {
			return n
		}
	}
	t.Fatal("the bucket has no bottom")
	return 0
}

func TestBurstThenRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, r := limit.NewLocal(), rule("requests", "alice")
		for i := range 5 {
			d := allow(t, l, r)
			want := limit.Decision{Allowed: true, Scope: "requests", Limit: 60, Remaining: 4 - i, Window: time.Minute, Reset: time.Second}
			if d != want {
				t.Errorf("request %d: %+v, want %+v", i, d, want)
			}
		}
		d := allow(t, l, r)
		want := limit.Decision{Scope: "requests", Limit: 60, Window: time.Minute, RetryAfter: time.Second, Reset: time.Second}
		if d != want {
			t.Errorf("after the burst: %+v, want %+v", d, want)
		}
		time.Sleep(time.Second)
		if n := drain(t, l, r); n != 1 {
			t.Errorf("%d requests a second later, want 1", n)
		}
		time.Sleep(time.Hour)
		if n := drain(t, l, r); n != 5 {
			t.Errorf("%d requests an hour later, want the burst of 5", n)
		}
	})
}

func TestWhoWaitsRetryAfterIsAllowed(t *testing.T) {
	for _, perMinute := range []int{1, 7, 13, 59, 60, 61, 999, 100_000} {
		synctest.Test(t, func(t *testing.T) {
			l, r := limit.NewLocal(), limit.Rule{Scope: "s", Key: "k", PerMinute: perMinute, Burst: 3}
			for range 50 {
				for {
					d := allow(t, l, r)
					if !d.Allowed {
						if d.RetryAfter <= 0 || d.RetryAfter > time.Minute+time.Millisecond {
							t.Fatalf("%d a minute: wait %s", perMinute, d.RetryAfter)
						}
						time.Sleep(d.RetryAfter)
						break
					}
				}
				if !allow(t, l, r).Allowed {
					t.Fatalf("%d a minute: refused after waiting as told", perMinute)
				}
			}
		})
	}
}

func TestNoBurstMeansAMinutesWorth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if n := drain(t, limit.NewLocal(), limit.Rule{Scope: "s", Key: "k", PerMinute: 30}); n != 30 {
			t.Errorf("%d at once, want 30", n)
		}
	})
}

func TestARefusedRequestTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limit.NewLocal()
		wide, narrow := rule("requests", "alice"), limit.Rule{Scope: "app", Key: "alice/a", PerMinute: 6, Burst: 1}
		if d := allow(t, l, wide, narrow); !d.Allowed || d.Scope != "app" || d.Remaining != 0 {
			t.Errorf("the first: %+v, want the scope with the least left", d)
		}
		for _, rules := range [][]limit.Rule{{wide, narrow}, {narrow, wide}} {
			for range 100 {
				if d := allow(t, l, rules...); d.Allowed || d.Scope != "app" || d.RetryAfter != 10*time.Second {
					t.Fatalf("%+v, want a refusal by app for 10 s", d)
				}
			}
		}
		if n := drain(t, l, wide); n != 4 {
			t.Errorf("%d requests left, want 4: refused ones take none", n)
		}
	})
}

func TestOfSeveralRefusalsTheLongestWaitCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limit.NewLocal()
		slow := limit.Rule{Scope: "slow", Key: "k", PerMinute: 2, Burst: 1}
		quick := limit.Rule{Scope: "quick", Key: "k", PerMinute: 600, Burst: 1}
		allow(t, l, slow, quick)
		for _, rules := range [][]limit.Rule{{slow, quick}, {quick, slow}} {
			if d := allow(t, l, rules...); d.Scope != "slow" || d.RetryAfter != 30*time.Second {
				t.Errorf("%+v, want slow, 30 s", d)
			}
		}
	})
}

func TestBucketsAreSeparate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limit.NewLocal()
		drain(t, l, rule("a", "alice"))
		for _, r := range []limit.Rule{rule("a", "bob"), rule("b", "alice"), rule("aa", "lice"), rule("", "aalice")} {
			if n := drain(t, l, r); n != 5 {
				t.Errorf("%s of %s has %d", r.Scope, r.Key, n)
			}
		}
	})
}

func TestARuleGivenTwiceCountsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, r := limit.NewLocal(), rule("s", "k")
		allow(t, l, r, r, r)
		if n := drain(t, l, r); n != 4 {
			t.Errorf("%d left, want 4", n)
		}
	})
}

func TestNoRuleNoLimit(t *testing.T) {
	l := limit.NewLocal()
	for _, rules := range [][]limit.Rule{nil, {{Scope: "s", Key: "k"}}, {{Scope: "s", Key: "k", PerMinute: -1, Burst: 5}}} {
		if d := allow(t, l, rules...); d != (limit.Decision{Allowed: true}) {
			t.Errorf("%+v: %+v", rules, d)
		}
	}
}

func TestAChangedRuleCountsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, r := limit.NewLocal(), rule("s", "k")
		drain(t, l, r)
		r.PerMinute, r.Burst = 6000, 50
		if n := drain(t, l, r); n != 0 {
			t.Errorf("%d requests at the moment of change, want 0: it gives nothing away", n)
		}
		time.Sleep(100 * time.Millisecond)
		if n := drain(t, l, r); n != 10 {
			t.Errorf("%d requests at the new rate, want 10", n)
		}
		time.Sleep(time.Hour)
		if n := drain(t, l, r); n != 50 {
			t.Errorf("%d requests with the new burst, want 50", n)
		}
		time.Sleep(time.Hour)
		r.Burst = 2
		if n := drain(t, l, r); n != 2 {
			t.Errorf("%d requests with the smaller burst, want 2", n)
		}
	})
}

func TestAbsurdRulesDoNoHarm(t *testing.T) {
	const most = int(^uint(0) >> 1)
	l := limit.NewLocal()
	for _, r := range []limit.Rule{
		{Scope: "s", Key: "1", PerMinute: most, Burst: most},
		{Scope: "s", Key: "2", PerMinute: 1, Burst: most},
		{Scope: "s", Key: "3", PerMinute: most, Burst: 1},
	} {
		for range 10 {
			if d := allow(t, l, r); d.Remaining < 0 || d.RetryAfter < 0 || d.Reset < 0 {
				t.Errorf("%+v: %+v", r, d)
			}
		}
	}
}

// Of a storm of requests in one moment exactly the burst passes, in every bucket.
func TestStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const callers, each = 50, 40
		l := limit.NewLocal()
		var passed [3]atomic.Int64
		var wg sync.WaitGroup
		for c := range callers {
			wg.Go(func() {
				key := c % len(passed)
				all := limit.Rule{Scope: "all", Key: "all", PerMinute: 60, Burst: 100}
				for range each {
					d, err := l.Allow(t.Context(), rule("s", strconv.Itoa(key)), all)
					if err != nil {
						t.Error(err)
					}
					if d.Allowed {
						passed[key].Add(1)
					}
				}
			})
		}
		wg.Wait()
		for key := range passed {
			if n := passed[key].Load(); n != 5 {
				t.Errorf("bucket %d: %d passed, want 5", key, n)
			}
		}
		if n := drain(t, l, limit.Rule{Scope: "all", Key: "all", PerMinute: 60, Burst: 100}); n != 100-15 {
			t.Errorf("the shared bucket has %d left, want 85", n)
		}
	})
}

func TestMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := runtime.NumGoroutine()
		l := limit.NewLocal()
		for i := range limit.MaxBuckets + 1000 {
			allow(t, l, rule("s", strconv.Itoa(i)))
		}
		if n := l.Buckets(); n != limit.MaxBuckets {
			t.Errorf("%d buckets, want at most %d", n, limit.MaxBuckets)
		}
		// The last used are kept, the others are forgotten.
		if d := allow(t, l, rule("s", strconv.Itoa(limit.MaxBuckets+999))); d.Remaining != 3 {
			t.Errorf("a bucket just used has %d left, want 3", d.Remaining)
		}
		if d := allow(t, l, rule("s", "0")); d.Remaining != 4 {
			t.Errorf("a forgotten bucket has %d left, want 4", d.Remaining)
		}
		if after := runtime.NumGoroutine(); after > before {
			t.Errorf("%d goroutines, %d before", after, before)
		}
	})
}

func TestFullBucketsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limit.NewLocal()
		for i := range 1000 {
			drain(t, l, rule("s", strconv.Itoa(i)))
		}
		time.Sleep(4 * time.Second)
		if allow(t, l, rule("s", "one more")); l.Buckets() != 1001 {
			t.Errorf("%d buckets, want 1001: none is full yet", l.Buckets())
		}
		time.Sleep(time.Minute)
		for range 1000 { // forgetting is shared among the requests that follow
			allow(t, l, rule("s", "one more"))
		}
		if n := l.Buckets(); n != 1 {
			t.Errorf("%d buckets, want 1", n)
		}
	})
}

func TestAcquire(t *testing.T) {
	l := limit.NewLocal()
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
	if _, d := acquire("bob"); !d.Allowed {
		t.Errorf("bob: %+v", d)
	}
	refused() // gives nothing back
	if _, d := acquire("alice"); d.Allowed {
		t.Error("a refused release makes room")
	}
	first()
	first() // gives one place back, not two
	if _, d := acquire("alice"); !d.Allowed {
		t.Errorf("after a release: %+v", d)
	}
	if _, d := acquire("alice"); d.Allowed {
		t.Error("releasing twice makes room for two")
	}
	second()
	for _, max := range []int{0, -1} {
		release, d := l.Acquire(t.Context(), "turns", "alice", max)
		if d != (limit.Decision{Allowed: true}) {
			t.Errorf("max %d: %+v", max, d)
		}
		release()
	}
}

func TestAcquireStorm(t *testing.T) {
	const places = 4
	l := limit.NewLocal()
	var held, most, passed atomic.Int64
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for range 500 {
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
	if n := l.Places(); n != 0 {
		t.Errorf("%d keys are still kept", n)
	}
}

func BenchmarkAllow(b *testing.B) {
	for _, keys := range []int{1, 100_000} {
		b.Run(fmt.Sprint(keys), func(b *testing.B) {
			l, i := limit.NewLocal(), 0
			rules := make([]limit.Rule, keys)
			for k := range rules {
				rules[k] = limit.Rule{Scope: "requests", Key: strconv.Itoa(k), PerMinute: 60, Burst: 20}
			}
			b.ReportAllocs()
			for b.Loop() {
				allow(b, l, rules[i%keys])
				i++
			}
		})
	}
}
