package limit

import (
	"container/list"
	"context"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxBuckets bounds the memory of a Local to some 20 MB, however many callers there are. Beyond
// it, the least recently used bucket is dropped, which makes it full again.
const maxBuckets = 100_000

// Local limits within this process. It drops unused buckets, has no goroutine and needs no
// closing.
type Local struct {
	mu      sync.Mutex
	buckets map[name]*list.Element // of *bucket
	recent  *list.List             // buckets, last used first
	places  map[name]int           // places taken, never 0
}

var _ Limiter = (*Local)(nil)

// name identifies a bucket.
type name struct{ scope, key string }

type bucket struct {
	name
	*rate.Limiter
	full time.Time // from then on it has all its tokens, like a new bucket
}

// NewLocal returns an unused limiter.
func NewLocal() *Local {
	return &Local{
		buckets: make(map[name]*list.Element),
		recent:  list.New(),
		places:  make(map[name]int),
	}
}

// Allow implements Limiter. It never returns an error.
func (l *Local) Allow(_ context.Context, rule Rule) (Decision, error) {
	if rule.PerMinute <= 0 {
		return Decision{Allowed: true}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.forget(now)
	b := l.bucket(rule, now)
	d := Decision{Scope: rule.Scope, Limit: rule.PerMinute, Window: Window}
	if rule.Peek {
		d.Allowed = b.TokensAt(now) >= 1
	} else {
		d.Allowed = b.AllowN(now, 1)
	}
	tokens := b.TokensAt(now)
	// Just under a whole token counts as one: the difference is rounding.
	d.Remaining = max(0, int(tokens+1e-9))
	d.Reset = tokenTime(math.Floor(tokens+1e-9)+1-tokens, b.Limit())
	if !d.Allowed {
		d.RetryAfter = d.Reset
	}
	b.full = now.Add(tokenTime(float64(b.Burst())-tokens, b.Limit()))
	return d, nil
}

// Acquire implements Limiter.
func (l *Local) Acquire(_ context.Context, scope, key string, places int) (release func(), d Decision) {
	if places <= 0 {
		return func() {}, Decision{Allowed: true}
	}
	n := name{scope, key}
	l.mu.Lock()
	defer l.mu.Unlock()
	d = Decision{Scope: scope, Limit: places}
	if l.places[n] >= places {
		d.RetryAfter = BusyRetry
		return func() {}, d
	}
	l.places[n]++
	d.Allowed, d.Remaining = true, places-l.places[n]
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.places[n]--; l.places[n] == 0 {
			delete(l.places, n)
		}
	}), d
}

// bucket finds or makes the bucket of a rule, and makes it the most recently used. If a rule has
// changed (the configuration was reloaded), its bucket changes, too.
func (l *Local) bucket(rule Rule, now time.Time) *bucket {
	burst := rule.AtOnce()
	limit := rate.Limit(float64(rule.PerMinute) / Window.Seconds())
	n := name{rule.Scope, rule.Key}
	if e, ok := l.buckets[n]; ok {
		l.recent.MoveToFront(e)
		b := e.Value.(*bucket)
		if b.Limit() != limit {
			b.SetLimitAt(now, limit)
		}
		if b.Burst() != burst {
			b.SetBurstAt(now, burst)
		}
		return b
	}
	b := &bucket{name: n, Limiter: rate.NewLimiter(limit, burst), full: now}
	l.buckets[n] = l.recent.PushFront(b)
	return b
}

// forget drops buckets from the end of the list: at most two of those that are full again, so
// that a single request does not do all the work, and all those over the bound.
func (l *Local) forget(now time.Time) {
	for range 2 {
		e := l.recent.Back()
		if e == nil || now.Before(e.Value.(*bucket).full) {
			break
		}
		l.drop(e)
	}
	for l.recent.Len() >= maxBuckets {
		l.drop(l.recent.Back())
	}
}

func (l *Local) drop(e *list.Element) {
	delete(l.buckets, e.Value.(*bucket).name)
	l.recent.Remove(e)
}

// tokenTime returns how long it takes to gain tokens, rounded up to the millisecond, so that a
// caller that waits that long is not refused because of a rounding error.
func tokenTime(tokens float64, limit rate.Limit) time.Duration {
	const longest = 100 * 365 * 24 * time.Hour // more would overflow
	ms := math.Ceil(tokens / float64(limit) * 1000)
	return time.Duration(min(ms, float64(longest.Milliseconds()))) * time.Millisecond
}
