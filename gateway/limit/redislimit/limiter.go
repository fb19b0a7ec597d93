package redislimit

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/outage"
	"github.com/askgate/askgate/gateway/redisconn"
)

const (
	// decide bounds the time of a decision: callers should wait for the model, not for this. A busy
	// machine may stall for a tenth of a second, which is not a reason to stop sharing.
	decide = 250 * time.Millisecond
	// Lapse is how long a place outlives the node that holds it.
	Lapse = 30 * time.Second
	// hold is how often held places are renewed: often enough for several attempts before they
	// lapse.
	hold = Lapse / 4
	// probeEvery is how often Redis is tried while the circuit is open.
	probeEvery = 500 * time.Millisecond
)

// Options set up a Limiter.
type Options struct {
	// URL is what redisconn.Open reads.
	URL string
	// Prefix begins the names of all keys; "askgate:" if it is empty.
	Prefix   string
	Registry prometheus.Registerer
	Log      *slog.Logger

	decide time.Duration // 0: the constant
}

// Limiter limits over all nodes that use the same Redis.
type Limiter struct {
	alone  *limit.Local // decides while Redis does not, and counts this node's places
	client *redisconn.Client
	decide time.Duration // bounds a decision
	rates  *redis_rate.Limiter
	prefix string
	node   string
	log    *slog.Logger
	outage *outage.Log
	cancel context.CancelFunc
	ended  chan struct{}

	mu      sync.Mutex
	since   time.Time
	fault   error             // why it decides alone; nil if it does not
	changed chan struct{}     // closed and replaced when fault changes
	held    map[string]string // members this node holds, with their keys
}

var _ limit.Limiter = (*Limiter)(nil)

var errNew = errors.New("not tried yet")

// Open returns a limiter and tries once to reach Redis, which need not be available. An error
// means that the URL is invalid; the error does not contain the URL. The limiter must be closed.
func Open(ctx context.Context, o Options) (*Limiter, error) {
	within := cmp.Or(o.decide, decide)
	client, err := redisconn.Open(o.URL, max(time.Second, within))
	if err != nil {
		return nil, err
	}
	l := &Limiter{
		alone: limit.NewLocal(), client: client, decide: within, prefix: o.Prefix, node: rand.Text(), log: o.Log,
		ended: make(chan struct{}), changed: make(chan struct{}),
		since: time.Now(), fault: errNew, held: map[string]string{},
	}
	l.outage = outage.New(o.Log, "redis is unavailable: this node limits by itself", "redis is in use again", "for", "limits")
	l.rates = redis_rate.NewLimiter(l.client)
	if l.prefix == "" {
		l.prefix = "askgate:"
	}
	up := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "askgate_redis_up", Help: "1 while Redis is in use, 0 while this node does without it.",
		ConstLabels: prometheus.Labels{"use": "limits"},
	}, func() float64 {
		if _, err := l.Status(); err != nil {
			return 0
		}
		return 1
	})
	if err := o.Registry.Register(up); err != nil {
		return nil, errors.Join(fmt.Errorf("redislimit: %w", err), l.client.Close())
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l.cancel = cancel
	l.turn(l.probe(life))
	go l.run(life)
	return l, nil
}

// Close ends the limiter. Places that are still held lapse.
func (l *Limiter) Close() {
	l.cancel()
	<-l.ended
	_ = l.client.Close()
}

// Status returns since when Redis is in use or, with an error, since when it is not.
func (l *Limiter) Status() (since time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.since, l.fault
}

// turn notes whether Redis is in use (nil) or not.
func (l *Limiter) turn(fault error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if (fault == nil) != (l.fault == nil) || errors.Is(l.fault, errNew) {
		l.since = time.Now()
	}
	if fault != nil {
		l.outage.Failed(fault)
	} else if !l.outage.Works() && errors.Is(l.fault, errNew) {
		l.log.Info("redis is in use", "for", "limits")
	}
	l.fault = fault
	close(l.changed)
	l.changed = make(chan struct{})
}

// ask asks Redis for a decision, and reports whether it got one.
func (l *Limiter) ask(ctx context.Context, what func(ctx context.Context) error) bool {
	if _, fault := l.Status(); fault != nil {
		return false
	}
	// A caller that gives up is not Redis' fault.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.decide)
	defer cancel()
	if err := what(ctx); err != nil {
		l.turn(err)
		return false
	}
	return true
}

// Allow implements limit.Limiter. It never returns an error.
func (l *Limiter) Allow(ctx context.Context, rule limit.Rule) (limit.Decision, error) {
	if rule.PerMinute <= 0 {
		return limit.Decision{Allowed: true}, nil
	}
	var r *redis_rate.Result
	bucket := redis_rate.Limit{Rate: rule.PerMinute, Burst: rule.AtOnce(), Period: limit.Window}
	if !l.ask(ctx, func(ctx context.Context) (err error) {
		cost := 1
		if rule.Peek {
			cost = 0
		}
		r, err = l.rates.AllowN(ctx, l.key("rate", rule.Scope, rule.Key), bucket, cost)
		return err
	}) {
		return l.alone.Allow(ctx, rule)
	}
	allowed := r.Allowed > 0 || rule.Peek && r.Remaining > 0
	if allowed {
		// When it decides alone, this node begins with what it has not yet allowed.
		_, _ = l.alone.Allow(ctx, rule)
	}
	d := limit.Decision{Allowed: allowed, Scope: rule.Scope, Limit: rule.PerMinute, Window: limit.Window}
	// ResetAfter is the time until the bucket is full; each token takes one interval. A token that
	// is a microsecond short counts, since Redis' clock is not more precise.
	interval := limit.Window.Seconds() / float64(bucket.Rate)
	missing := max(0, r.ResetAfter.Seconds()-1e-6) / interval
	d.Remaining = max(0, int(math.Floor(float64(bucket.Burst)-missing)))
	next := r.ResetAfter.Seconds() - interval*float64(bucket.Burst-d.Remaining-1)
	d.Reset = time.Duration(math.Ceil(min(max(0, next), 100*365*24*3600)*1000)) * time.Millisecond
	if !d.Allowed {
		d.Remaining, d.RetryAfter = 0, d.Reset
	}
	return d, nil
}

// acquireScript takes a place.
//
//	KEYS  the set    ARGV  member, places, lapse in ms
//
// It returns how many are left, or -1 if there was none. A cluster's client may run it again, so it
// does not count a place that the member has already.
var acquireScript = redis.NewScript(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZREM', KEYS[1], ARGV[1])
local left = ARGV[2] - redis.call('ZCARD', KEYS[1])
if left <= 0 then
  return -1
end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return left - 1
`)

// holdScript renews a place, even one that Redis does not know because it was taken while Redis
// was down, or because Redis has lost it.
//
//	KEYS  the set    ARGV  member, lapse in ms
var holdScript = redis.NewScript(`
local t = redis.call('TIME')
redis.call('ZADD', KEYS[1], t[1] * 1000 + math.floor(t[2] / 1000) + ARGV[2], ARGV[1])
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`)

// Acquire implements limit.Limiter.
func (l *Limiter) Acquire(ctx context.Context, scope, key string, places int) (release func(), d limit.Decision) {
	giveBack, d := l.alone.Acquire(ctx, scope, key, places)
	if !d.Allowed || places <= 0 {
		return giveBack, d
	}
	member, set := rand.Text(), l.key("places", scope, key)
	left := d.Remaining
	if l.ask(ctx, func(ctx context.Context) (err error) {
		left, err = acquireScript.Run(ctx, l.client, []string{set}, member, places, Lapse.Milliseconds()).Int()
		return err
	}) && left < 0 {
		giveBack()
		return func() {}, limit.Decision{Scope: scope, Limit: places, RetryAfter: limit.BusyRetry}
	}
	d.Remaining = min(d.Remaining, left)
	l.mu.Lock()
	l.held[member] = set
	l.mu.Unlock()
	return sync.OnceFunc(func() {
		l.mu.Lock()
		delete(l.held, member)
		l.mu.Unlock()
		giveBack()
		// If it fails, the place lapses.
		l.ask(ctx, func(ctx context.Context) error { return l.client.ZRem(ctx, set, member).Err() })
	}), d
}

// key returns the name of a bucket or a set of places. The name does not reveal the owner.
func (l *Limiter) key(what, scope, key string) string {
	sum := sha256.Sum256([]byte(scope + "\x00" + key))
	return l.prefix + what + ":{" + hex.EncodeToString(sum[:16]) + "}"
}

// run renews places, and closes the circuit.
func (l *Limiter) run(ctx context.Context) {
	defer close(l.ended)
	again := time.NewTimer(hold)
	defer again.Stop()
	for {
		l.mu.Lock()
		changed, fault := l.changed, l.fault
		l.mu.Unlock()
		pause := hold
		if fault != nil {
			pause = probeEvery
		}
		again.Reset(pause)
		select {
		case <-ctx.Done():
			return
		case <-changed:
			continue
		case <-again.C:
		}
		if err := l.probe(ctx); ctx.Err() == nil && (err == nil) != (fault == nil) {
			l.turn(err)
		} else if ctx.Err() == nil && err != nil {
			l.outage.Failed(err)
		}
	}
}

// probe renews, and explains why it cannot.
func (l *Limiter) probe(ctx context.Context) error { return l.client.Explain(l.renew(ctx)) }

// renew checks that all of Redis accepts writes, and renews this node's places.
func (l *Limiter) renew(ctx context.Context) error {
	l.mu.Lock()
	held := maps.Clone(l.held)
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	parts, err := l.client.Spread(ctx, l.prefix+"limits:"+l.node)
	if err != nil {
		return err
	}
	pipe := l.client.Pipeline()
	for _, part := range parts {
		pipe.Set(ctx, part.Key, "1", Lapse)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return err
	}
	for members := range slices.Chunk(slices.Collect(maps.Keys(held)), 1000) {
		pipe := l.client.Pipeline()
		for _, member := range members {
			holdScript.Eval(ctx, pipe, []string{held[member]}, member, Lapse.Milliseconds())
		}
		if _, err := pipe.Exec(ctx); err != nil {
			return err
		}
	}
	return l.dropReleased(ctx, held)
}

// dropReleased gives back the places that were released while they were being renewed.
func (l *Limiter) dropReleased(ctx context.Context, held map[string]string) error {
	pipe := l.client.Pipeline()
	l.mu.Lock()
	for member, set := range held {
		if _, still := l.held[member]; !still {
			pipe.ZRem(ctx, set, member)
		}
	}
	l.mu.Unlock()
	if pipe.Len() == 0 {
		return nil
	}
	_, err := pipe.Exec(ctx)
	return err
}
