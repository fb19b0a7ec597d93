package sqldb

import (
	"context"
	"fmt"
	"time"
)

// maxRelayed is the limit of one message, in bytes.
const maxRelayed = 16 << 20

// Relay carries messages between the nodes that share a store. Each message is taken once, or
// dropped.
type Relay struct{ h *handle }

// Relay returns the relay of the store's nodes.
func (d *DB) Relay() Relay { return Relay{d.h} }

// Put keeps a message under a key for ttl, replacing an earlier one.
func (r Relay) Put(ctx context.Context, key string, message []byte, ttl time.Duration) error {
	if len(message) > maxRelayed {
		return fmt.Errorf("store: refused: a message of %d bytes to another node (limit %d)", len(message), maxRelayed)
	}
	return r.h.write(ctx, false, func(s session) error {
		now := r.h.Now()
		_, err := s.exec(q.dropRelayed, toMillis(now))
		if err == nil {
			_, err = s.exec(q.putRelayed, key, message, toMillis(now.Add(ttl)))
		}
		return r.h.fail(err)
	})
}

// Take removes a message and returns it. Of several concurrent callers, one gets it; nil means
// that there is none.
func (r Relay) Take(ctx context.Context, key string) (message []byte, err error) {
	args := []any{key, toMillis(r.h.Now())}
	there := false
	err = r.h.read(ctx, func(s session) error { // most calls find nothing, and write nothing
		there, err = one(s, func(scan scanner) error { return scan(new(int)) }, q.relayed, args...)
		return err
	})
	if err != nil || !there {
		return nil, err
	}
	err = r.h.write(ctx, false, func(s session) error {
		_, err := one(s, func(scan scanner) error { return scan(&message) }, q.takeRelayed, args...)
		return r.h.fail(err)
	})
	return message, err
}
