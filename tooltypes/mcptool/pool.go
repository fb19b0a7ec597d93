package mcptool

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
)

// Pool has the servers in use, each once. Safe for concurrent use.
type Pool struct {
	log     *slog.Logger
	version string // of this program, for servers
	relay   Relay  // nil: this is the only node

	changes []func(*server) // for tests

	mu      sync.Mutex
	servers map[string]*shared
	closing sync.WaitGroup
}

type shared struct {
	*server
	users int
}

// NewPool makes a pool without servers. relay reaches the gateway's other nodes; nil: there are none.
func NewPool(version string, relay Relay, log *slog.Logger) *Pool {
	return &Pool{log: log, version: version, relay: relay, servers: map[string]*shared{}}
}

// Tool is the server's tools for one app. A server with the same options is shared, and
// ends when the last of its tools is closed.
func (p *Pool) Tool(o Options, a Asking) (*Tool, error) {
	key, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.servers[string(key)]
	if s == nil {
		made, err := newServer(o, p.version, p.relay, p.log, p.changes...)
		if err != nil {
			return nil, err
		}
		s = &shared{server: made}
		p.servers[string(key)] = s
	}
	s.users++
	return &Tool{server: s.server, asking: a, release: sync.OnceFunc(func() { p.release(string(key), s) })}, nil
}

// release ends a server that nobody uses any more, once its calls are over.
func (p *Pool) release(key string, s *shared) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.users--; s.users > 0 {
		return
	}
	delete(p.servers, key)
	p.closing.Go(s.close)
}

// Wait waits until the servers that were let go of have ended, and until ctx ends at the
// most: then their children see the end of their input, whatever they do about it.
func (p *Pool) Wait(ctx context.Context) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.closing.Wait()
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

// Statuses are those of the servers in use. Several may have one id: apps can have
// entries of their own.
func (p *Pool) Statuses() []Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]Status, 0, len(p.servers))
	for _, s := range p.servers {
		list = append(list, s.status())
	}
	return list
}
