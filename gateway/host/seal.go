package host

import (
	"sync"

	"github.com/askgate/askgate/gateway/seal"
)

// sealer has the box of the current secret, for one purpose. Safe for concurrent use.
type sealer struct {
	purpose string
	mu      sync.Mutex
	secret  string
	box     *seal.Box
}

// These are the purposes of sealers. What one has sealed, another cannot open.
const (
	purposeSession = "askgate session 1"
	purposeFront   = "askgate front 1"
)

func (s *sealer) of(secret string) (*seal.Box, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.box == nil || s.secret != secret {
		box, err := seal.New(secret, s.purpose)
		if err != nil {
			return nil, err
		}
		s.secret, s.box = secret, box
	}
	return s.box, nil
}
