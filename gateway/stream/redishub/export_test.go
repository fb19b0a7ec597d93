package redishub

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/gateway/stream"
)

// Internals that the tests look at.

const (
	MaxBytes = maxBytes
	LastID   = lastID
)

var Encode = func(b stream.Batch) string {
	payload, _ := encode(nil, "topic", b, nil)
	return string(payload)
}

var Decode = func(payload string) (stream.Batch, error) { return decode("topic", payload, nil) }

// EncodeAs returns a payload as a node with the signer sends it, and DecodeAs as such a node reads
// it.
var EncodeAs = func(topic string, b stream.Batch, s *seal.HMAC) string {
	payload, _ := encode(nil, topic, b, s)
	return string(payload)
}

var DecodeAs = decode

// Holding is o with another age of pieces.
func (o Options) Holding(age time.Duration) Options {
	o.pieceAge = age
	return o
}

// Unconnected returns a hub that has no Redis and does not try to reach one.
func Unconnected() *Hub {
	return newHub(Options{Log: slog.New(slog.DiscardHandler)}, nil)
}

// Alone says that no other node follows a log's topic.
func (h *Hub) Alone(l stream.Log) { l.(*runLog).followed.Store(false) }

// Take does what the shipper does before it ships.
func (h *Hub) Take() {
	for _, l := range h.ship.take() {
		l.queued.Store(false)
		l.release()
	}
}

// Local is what the node has.
func (h *Hub) Local() *stream.Local { return h.local }

func (h *Hub) Channel(topic string) string { return h.channel(topic) }

func (h *Hub) Control() string { return h.control() }

func (h *Hub) StreamKey(topic string) string { return h.streamKey(topic) }
func (h *Hub) Client() redis.UniversalClient { return h.client }

// Queued returns the number of logs that wait for the shipper.
func (h *Hub) Queued() int {
	h.ship.mu.Lock()
	defer h.ship.mu.Unlock()
	return len(h.ship.ready)
}

// Await waits until Complete returns complete.
func (h *Hub) Await(t *testing.T, complete bool) {
	t.Helper()
	for {
		h.mu.Lock()
		changed := h.changed
		h.mu.Unlock()
		if h.Complete() == complete {
			return
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatal("the test ended")
		}
	}
}

// Flush waits until everything that is recorded is in Redis.
func (h *Hub) Flush(ctx context.Context) {
	flushed := make(chan struct{})
	select {
	case h.ship.flush <- flushed:
		<-flushed
	case <-ctx.Done():
	}
}
