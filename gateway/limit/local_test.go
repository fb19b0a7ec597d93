package limit_test

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/limit/limittest"
)

// rule allows 60 a minute, 5 at once.
func rule(scope, key string) limit.Rule {
	return limit.Rule{Scope: scope, Key: key, PerMinute: 60, Burst: 5}
}

func TestLocal(t *testing.T) {
	limittest.Run(t, func(*testing.T) limit.Limiter { return limit.NewLocal() })
}

func TestReleasedPlacesAreForgotten(t *testing.T) {
	l := limit.NewLocal()
	one, _ := l.Acquire(t.Context(), "turns", "k", 2)
	two, _ := l.Acquire(t.Context(), "turns", "k", 2)
	one()
	two()
	if n := l.Places(); n != 0 {
		t.Errorf("%d keys are still kept", n)
	}
}

func TestBurstThenRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, r := limit.NewLocal(), rule("requests", "alice")
		for i := range 5 {
			d := limittest.Allow(t, l, r)
			want := limit.Decision{Allowed: true, Scope: "requests", Limit: 60, Remaining: 4 - i, Window: time.Minute, Reset: time.Second}
			if d != want {
				t.Errorf("request %d: %+v, want %+v", i, d, want)
			}
		}
		d := limittest.Allow(t, l, r)
		want := limit.Decision{Scope: "requests", Limit: 60, Window: time.Minute, RetryAfter: time.Second, Reset: time.Second}
		if d != want {
			t.Errorf("after the burst: %+v, want %+v", d, want)
		}
		time.Sleep(time.Second)
		if n := limittest.Drain(t, l, r); n != 1 {
			t.Errorf("%d requests a second later, want 1", n)
		}
		time.Sleep(time.Hour)
		if n := limittest.Drain(t, l, r); n != 5 {
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
					d := limittest.Allow(t, l, r)
					if !d.Allowed {
						if d.RetryAfter <= 0 || d.RetryAfter > time.Minute+time.Millisecond {
							t.Fatalf("%d a minute: wait %s", perMinute, d.RetryAfter)
						}
						time.Sleep(d.RetryAfter)
						break
					}
				}
				if !limittest.Allow(t, l, r).Allowed {
					t.Fatalf("%d a minute: refused after waiting for the reported time", perMinute)
				}
			}
		})
	}
}

func TestAChangedRuleCountsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, r := limit.NewLocal(), rule("s", "k")
		limittest.Drain(t, l, r)
		r.PerMinute, r.Burst = 6000, 50
		if n := limittest.Drain(t, l, r); n != 0 {
			t.Errorf("%d requests at the moment of change, want 0: a change grants no tokens", n)
		}
		time.Sleep(100 * time.Millisecond)
		if n := limittest.Drain(t, l, r); n != 10 {
			t.Errorf("%d requests at the new rate, want 10", n)
		}
		time.Sleep(time.Hour)
		if n := limittest.Drain(t, l, r); n != 50 {
			t.Errorf("%d requests with the new burst, want 50", n)
		}
		time.Sleep(time.Hour)
		r.Burst = 2
		if n := limittest.Drain(t, l, r); n != 2 {
			t.Errorf("%d requests with the smaller burst, want 2", n)
		}
	})
}

func TestMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := runtime.NumGoroutine()
		l := limit.NewLocal()
		for i := range limit.MaxBuckets + 1000 {
			limittest.Allow(t, l, rule("s", strconv.Itoa(i)))
		}
		if n := l.Buckets(); n != limit.MaxBuckets {
			t.Errorf("%d buckets, want at most %d", n, limit.MaxBuckets)
		}
		// The most recently used are kept, the others are forgotten.
		if d := limittest.Allow(t, l, rule("s", strconv.Itoa(limit.MaxBuckets+999))); d.Remaining != 3 {
			t.Errorf("a bucket just used has %d left, want 3", d.Remaining)
		}
		if d := limittest.Allow(t, l, rule("s", "0")); d.Remaining != 4 {
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
			limittest.Drain(t, l, rule("s", strconv.Itoa(i)))
		}
		time.Sleep(4 * time.Second)
		if limittest.Allow(t, l, rule("s", "one more")); l.Buckets() != 1001 {
			t.Errorf("%d buckets, want 1001: none is full yet", l.Buckets())
		}
		time.Sleep(time.Minute)
		for range 1000 { // each later request forgets a few
			limittest.Allow(t, l, rule("s", "one more"))
		}
		if n := l.Buckets(); n != 1 {
			t.Errorf("%d buckets, want 1", n)
		}
	})
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
				limittest.Allow(b, l, rules[i%keys])
				i++
			}
		})
	}
}
