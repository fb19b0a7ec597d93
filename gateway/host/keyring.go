package host

import (
	"log/slog"
	"sync"

	"github.com/askgate/askgate/gateway/token"
)

// keyring holds the key set of the current configuration. Safe for concurrent use.
type keyring struct {
	mu    sync.Mutex
	where string
	keys  *token.Keys
}

// at returns the key set of a place, which is the previous one if the place is the same.
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
