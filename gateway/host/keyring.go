package host

import (
	"log/slog"
	"sync"

	"github.com/askgate/askgate/gateway/token"
)

// keyring holds the key set of the configuration in force. Safe for concurrent use.
type keyring struct {
	mu    sync.Mutex
	where string
	keys  *token.Keys
}

// at is the key set of a place: the one from before, if the place is the same.
func (k *keyring) at(where string, log *slog.Logger, count func(error)) (*token.Keys, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keys == nil || k.where != where {
		keys, err := token.NewKeys(where, log, count)
		if err != nil {
			return nil, err
		}
		k.where, k.keys = where, keys
	}
	return k.keys, nil
}
