package main

import (
	"bytes"
	"context"
	"time"

	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

// sealedRelay carries messages between nodes through their store. Each message has a seal; a message
// that another program wrote there is ignored.
type sealedRelay struct {
	store  sqldb.Relay
	signer *seal.HMAC
}

// between returns a relay to the nodes that share the store, or nil if there are no other nodes.
func between(nodes *shared, db *sqldb.DB, s *seals) mcptool.Relay {
	if !nodes.others {
		return nil
	}
	return sealedRelay{db.Relay(), s.relay}
}

// Put implements mcptool.Relay.
func (r sealedRelay) Put(ctx context.Context, key string, message []byte, ttl time.Duration) error {
	sealed := append([]byte(r.signer.Sign(key, string(message))), '\n')
	return r.store.Put(ctx, key, append(sealed, message...), ttl)
}

// Take implements mcptool.Relay.
func (r sealedRelay) Take(ctx context.Context, key string) ([]byte, error) {
	sealed, err := r.store.Take(ctx, key)
	if err != nil || sealed == nil {
		return nil, err
	}
	seal, message, _ := bytes.Cut(sealed, []byte("\n"))
	if !r.signer.Verify(string(seal), key, string(message)) {
		return nil, nil
	}
	return message, nil
}
