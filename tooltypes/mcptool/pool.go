package mcptool

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
)

// Pool holds the servers in use, each once. It is safe for concurrent use.
type Pool struct {
	log     *slog.Logger
	version string // of this program, sent to servers
	relay   Relay  // nil: this is the only node

	changes []func(*server) // for tests

	mu      sync.Mutex
	servers map[string]*shared
	closing sync.WaitGroup
}

// backend is what the tools of one entry share: a server, or the sessions of one.
type backend interface {
	close()
	status() Status
}

type shared struct {
	backend
	users int
}

// NewPool makes a pool without servers. relay reaches the gateway's other nodes, and is nil if
// there are none.
func NewPool(version string, relay Relay, log *slog.Logger) *Pool {
	return &Pool{log: log, version: version, relay: relay, servers: map[string]*shared{}}
}

// Tool returns a server's tools for one app. Tools with the same options share a server, which
// ends when the last of them is closed.
func (p *Pool) Tool(o Options, a Asking) (*Tool, error) {
	s, release, err := hold(p, o, func() (*server, error) { return p.open(o) })
	if err != nil {
		return nil, err
	}
	return &Tool{server: s, asking: a, release: release}, nil
}

// Personal is Tool for a server whose headers have placeholders of the caller.
func (p *Pool) Personal(o Options, a Asking) (*Personal, error) {
	s, release, err := hold(p, o, func() (*sessions, error) { return newSessions(o, p.relay, p.log, p.open) })
	if err != nil {
		return nil, err
	}
	return &Personal{sessions: s, asking: a, caller: identity{err: errNoCaller}, release: release}, nil
}

func (p *Pool) open(o Options, changes ...func(*server)) (*server, error) {
	return newServer(o, p.version, p.relay, p.log, append(changes, p.changes...)...)
}

// hold returns what the tools with these options share, for one more of them, and makes it if this is
// the first.
func hold[T backend](p *Pool, o Options, made func() (T, error)) (of T, release func(), err error) {
	raw, err := json.Marshal(o)
	if err != nil {
		return of, nil, err
	}
	key := string(raw)
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.servers[key]
	if s == nil {
		b, err := made()
		if err != nil {
			return of, nil, err
		}
		s = &shared{backend: b}
		p.servers[key] = s
	}
	s.users++
	return s.backend.(T), sync.OnceFunc(func() { p.release(key, s) }), nil //nolint:forcetypeassert // the options decide which
}

// release ends a server after its last tool is closed, once its calls are over.
func (p *Pool) release(key string, s *shared) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.users--; s.users > 0 {
		return
	}
	delete(p.servers, key)
	p.closing.Go(s.close)
}

// Wait waits until the released servers have ended, or until ctx ends. Programs that still run
// then see the end of their input.
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

// Statuses returns the status of each server in use. Several may have the same id, because apps
// can have entries of their own.
func (p *Pool) Statuses() []Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]Status, 0, len(p.servers))
	for _, s := range p.servers {
		list = append(list, s.status())
	}
	return list
}
