package redishub

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/outage"
	"github.com/askgate/askgate/gateway/redisconn"
	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/gateway/stream"
)

const (
	// timeout bounds one exchange with Redis, and how long a caller of the hub may wait for one.
	timeout = time.Second
	// The node sends itself something every pingEvery, and gives up a connection that has been silent for
	// silence.
	pingEvery = time.Second
	silence   = 2500 * time.Millisecond
	// held is how long a session must have lasted for the next attempt to come soon.
	held = 2 * time.Second
	// ageEvery pings is longer than a message of another node may take: silence, and a write.
	ageEvery = 4
	// maxUnsent bounds the topics about which nodes must get a message when Redis is up again. Each
	// takes some 100 bytes.
	maxUnsent = 10_000
)

// Options set up a Hub.
type Options struct {
	// URL is what redisconn.Open reads.
	URL string
	// Prefix begins the names of all keys and channels; "" is "askgate:".
	Prefix   string
	Registry prometheus.Registerer
	Log      *slog.Logger
	// Signer signs everything that nodes send each other. What does not verify is not used, and is read
	// from the store instead. If it is nil, nothing is signed, and everything is accepted.
	Signer *seal.HMAC

	pieceAge time.Duration // 0: the constant
}

// Hub is a node's hub. Redis connects it with those of the other nodes.
type Hub struct {
	local  *stream.Local
	client *redisconn.Client
	prefix string
	node   string // identifies this process among the others
	log    *slog.Logger
	signer *seal.HMAC
	ship   shipper
	outage *outage.Log
	lost   prometheus.Counter
	up     atomic.Bool
	cancel context.CancelFunc
	ended  chan struct{}

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when up changes
	since   time.Time
	fault   error // why it is down, nil while it is up
	session *session
	views   map[string]*view
	missed  topicSet // followers of these on other nodes have a gap
	erased  topicSet // the streams of these still exist
	forgot  topicSet // the streams of these still exist, and their events must be deleted
}

var _ stream.Hub = (*Hub)(nil)

// Reasons to be down that are not faults of Redis.
var (
	errNew    = errors.New("not tried yet")
	errClosed = errors.New("closed")
)

// Open makes a hub and tries once to reach Redis, which need not succeed. An error means that the
// URL is invalid; it does not quote the URL. The hub must be closed.
func Open(ctx context.Context, o Options) (*Hub, error) {
	client, err := redisconn.Open(o.URL, timeout)
	if err != nil {
		return nil, err
	}
	h := newHub(o, client)
	h.lost = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "askgate_redis_dropped_total",
		Help: "Times that events of a run could not be passed on to other nodes.",
	})
	up := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "askgate_redis_up", Help: "1 while Redis is in use, 0 while this node does without it.",
		ConstLabels: prometheus.Labels{"use": "events"},
	}, func() float64 {
		if h.Complete() {
			return 1
		}
		return 0
	})
	for _, c := range []prometheus.Collector{h.lost, up} {
		if err := o.Registry.Register(c); err != nil {
			return nil, errors.Join(fmt.Errorf("redishub: %w", err), h.client.Close())
		}
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	h.cancel = cancel
	tried := make(chan struct{})
	go h.run(life, sync.OnceFunc(func() { close(tried) }))
	<-tried
	return h, nil
}

func newHub(o Options, client *redisconn.Client) *Hub {
	h := &Hub{
		local: stream.NewLocal(), client: client, prefix: o.Prefix, node: rand.Text(), log: o.Log, signer: o.Signer,
		ended: make(chan struct{}), changed: make(chan struct{}),
		since: time.Now(), fault: errNew, views: map[string]*view{},
	}
	h.outage = outage.New(o.Log, "redis is unavailable: live events of other nodes come from the store", "redis is in use again", "for", "events")
	if h.prefix == "" {
		h.prefix = "askgate:"
	}
	h.ship = shipper{
		signal: make(chan struct{}, 1), flush: make(chan chan struct{}), pieceAge: cmp.Or(o.pieceAge, pieceAge),
		open: map[*runLog]struct{}{}, forgot: map[string]struct{}{}, recent: [2]map[string]struct{}{{}, {}},
	}
	return h
}

// run keeps one session after another. It calls tried when the first one is up or has failed.
func (h *Hub) run(ctx context.Context, tried func()) {
	defer close(h.ended)
	// 50 to 100 ms at first, doubling up to 1 to 2 s.
	pauses := backoff.ExponentialBackOff{
		InitialInterval: 75 * time.Millisecond, RandomizationFactor: 1. / 3, Multiplier: 2, MaxInterval: 1500 * time.Millisecond,
	}
	for {
		began := time.Now()
		err := h.serve(ctx, tried)
		if ctx.Err() != nil {
			h.down(errClosed)
			return
		}
		h.down(err)
		tried()
		if time.Since(began) > held {
			pauses.Reset()
		}
		select {
		case <-ctx.Done():
		case <-time.After(pauses.NextBackOff()):
		}
	}
}

// Close ships what it can within a second, and ends the hub.
func (h *Hub) Close() {
	if h.Complete() {
		flushed, late := make(chan struct{}), time.After(timeout)
		select {
		case h.ship.flush <- flushed:
			<-flushed
		case <-late:
		}
	}
	h.cancel()
	<-h.ended
	_ = h.client.Close()
}

// Complete implements stream.Hub.
func (h *Hub) Complete() bool { return h.up.Load() }

// Status returns since when Redis is in use or, with an error, since when it is not.
func (h *Hub) Status() (since time.Time, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.since, h.fault
}

// turn records that the hub is up (nil) or down. The caller holds the lock.
func (h *Hub) turn(fault error) {
	if (fault == nil) != (h.fault == nil) || errors.Is(h.fault, errNew) {
		h.since = time.Now()
	}
	switch {
	case fault != nil && !errors.Is(fault, errClosed):
		h.outage.Failed(fault)
	case fault == nil && !h.outage.Works() && errors.Is(h.fault, errNew):
		h.log.Info("redis is in use", "for", "events")
	}
	h.fault = fault
	h.up.Store(fault == nil)
	close(h.changed)
	h.changed = make(chan struct{})
}

// down records that the hub is down, and goes on without Redis.
func (h *Hub) down(fault error) {
	h.mu.Lock()
	h.session = nil
	h.turn(fault)
	h.mu.Unlock()
	h.gapAll()
	h.giveUpClosed()
	h.ship.age()
}

// Record implements stream.Hub.
func (h *Hub) Record(topic string, after chat.EventID, stop func()) stream.Log {
	l := &runLog{hub: h, topic: topic, after: after, shipped: after}
	l.inner = h.local.Record(topic, after, func() {
		if !l.closed.Load() && stop != nil {
			stop()
		}
	})
	l.cursor = h.local.Follow(topic)
	l.followed.Store(true) // what is shipped first tells whether it is
	l.timer = time.AfterFunc(h.ship.pieceAge, func() { h.ship.queue(l) })
	l.timer.Stop()
	h.ship.begin(l)
	return l
}

// Stop implements stream.Hub.
func (h *Hub) Stop(topic string) {
	h.local.Stop(topic)
	if h.Complete() {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		_ = h.say(ctx, h.client, sayStop, topic).Err()
	}
}

// Erase implements stream.Hub. If Redis is down, the topic's stream is erased when Redis is up
// again, or expires.
func (h *Hub) Erase(topic string) {
	h.local.Erase(topic)
	h.reach(&h.erased, h.eraseAll, topic)
}

// Forget implements stream.Hub. If Redis is down, the topic's stream is deleted when Redis is up
// again, or expires. The stream is deleted first, and nothing is shipped meanwhile, so that neither
// followers that miss something nor the shipper bring events back.
func (h *Hub) Forget(topic string) {
	h.ship.work.Lock()
	defer h.ship.work.Unlock()
	h.reach(&h.forgot, func(ctx context.Context, topics []string) error { return h.forgetAll(ctx, topics, sayForget) }, topic)
	h.local.Forget(topic)
}

// OnForget implements stream.Hub.
func (h *Hub) OnForget(f func(topic string)) { h.local.OnForget(f) }

// reach calls what for a topic, or adds the topic to later if Redis is down or what fails.
func (h *Hub) reach(later *topicSet, what func(context.Context, []string) error, topic string) {
	h.mu.Lock()
	up := h.Complete()
	if !up {
		later.add(topic)
	}
	h.mu.Unlock()
	if !up {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if what(ctx, []string{topic}) != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		later.add(topic)
	}
}

// Nudge implements stream.Hub. The shipper sends it with its next write.
func (h *Hub) Nudge() {
	h.local.Nudge()
	h.ship.nudged.Store(true)
	h.ship.wake()
}

// Nudges implements stream.Hub.
func (h *Hub) Nudges() (nudged <-chan struct{}, stop func()) { return h.local.Nudges() }

// eraseAll erases the topics' streams and informs all nodes.
func (h *Hub) eraseAll(ctx context.Context, topics []string) error {
	pipe := h.client.Pipeline()
	for _, topic := range topics {
		eraseScript.Eval(ctx, pipe, []string{h.streamKey(topic), h.sizeKey(topic)}, lastID, maxAge.Milliseconds(), h.signer.Sign(topic, sayErase))
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return err
	}
	return h.sayAll(ctx, sayErase, topics)
}

// forgetAll deletes the topics' streams, which go on with what comes next, and then informs all nodes
// with a message: a node that hears it earlier could read a stream that is not deleted yet.
func (h *Hub) forgetAll(ctx context.Context, topics []string, message string) error {
	pipe := h.client.Pipeline()
	for _, topic := range topics {
		pipe.Eval(ctx, forgetScript, []string{h.streamKey(topic), h.sizeKey(topic)}, lastID)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return err
	}
	return h.sayAll(ctx, message, topics)
}

// topicSet is a bounded set of topics.
type topicSet struct {
	topics map[string]struct{}
	more   bool // there were more than it holds
}

func (s *topicSet) empty() bool { return len(s.topics) == 0 && !s.more }

func (s *topicSet) add(topic string) {
	if s.topics == nil {
		s.topics = map[string]struct{}{}
	}
	if len(s.topics) == maxUnsent {
		s.more = true
		return
	}
	s.topics[topic] = struct{}{}
}
