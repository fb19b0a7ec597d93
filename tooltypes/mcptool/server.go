package mcptool

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/gateway/outage"
)

const (
	// firstWait is how long turns wait for the first list of a server whose entry is new.
	firstWait = 5 * time.Second
	// The wait between attempts to connect doubles from at most firstBackoff up to lastBackoff. A
	// call to the server starts an attempt earlier, after leastBackoff.
	firstBackoff = time.Second
	lastBackoff  = time.Minute
	leastBackoff = 500 * time.Millisecond
	// stable is how long a connection must last to reset the wait between attempts.
	stable = 10 * time.Second
	// The list is read again when the server notifies of a change, but not more often than every
	// leastRefresh, and after each refresh in case the server does not notify.
	leastRefresh = time.Second
	refresh      = 5 * time.Minute
	// legacy is the newest protocol with the old handshake, for servers that do not answer the
	// new one at all, not even to refuse it.
	legacy = "2025-11-25"
)

// server is the connection to one MCP server.
type server struct {
	o      Options
	log    *slog.Logger
	outage *outage.Log
	client *mcp.Client
	dial   func() (mcp.Transport, func(), error) // the func cleans up if connecting fails
	speech speech
	pace   pace
	knock  func(context.Context) error // checks that a stateless server answers; nil: it is pinged

	ctx     context.Context //nolint:containedctx // the server's own life, which close ends
	cancel  context.CancelFunc
	done    chan struct{} // the loop has ended
	first   chan struct{} // closed when the first attempt has ended, or firstWait is over
	settle  func()        // closes first
	wake    chan struct{} // a call needs an attempt
	changed chan struct{} // the server's tools have changed
	doubted chan struct{} // a call got no answer
	offer   catalog
	calls   *flights
	relay   Relay // nil: there are no other nodes
	// relayPace is the time between two requests to the relay.
	relayPace time.Duration
	// timedOut is set after an attempt that timed out. Only the loop uses it.
	timedOut bool

	mu      sync.Mutex
	session *mcp.ClientSession // nil while there is none
	attempt chan struct{}      // closed when the current or next attempt has ended
}

// poke sends to a channel with room for one value, unless it is full.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// connected stores the result of an attempt, and wakes all that wait for it.
func (s *server) connected(session *mcp.ClientSession, err error) {
	if err == nil {
		attrs := []any{"protocol", session.InitializeResult().ProtocolVersion, "tools", len(s.offer.roster.Load().definitions)}
		if !s.outage.Works(attrs...) {
			s.log.Info("mcp server connected", attrs...)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session = session
	close(s.attempt)
	s.attempt = make(chan struct{})
	s.settle()
}

// lost drops a session that has ended.
func (s *server) lost(session *mcp.ClientSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == session {
		s.session = nil
	}
}

// live returns the session. If there is none, it waits for one attempt to connect.
func (s *server) live(ctx context.Context) (*mcp.ClientSession, error) {
	s.mu.Lock()
	session, attempt := s.session, s.attempt
	s.mu.Unlock()
	if session != nil {
		return session, nil
	}
	poke(s.wake)
	select {
	case <-attempt:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.ctx.Done():
		return nil, errDown
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		return nil, errDown
	}
	return s.session, nil
}

func (s *server) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := Status{ID: s.o.ID, Up: s.session != nil}
	if r := s.offer.roster.Load(); r != nil {
		status.Tools = len(r.definitions)
	}
	return status
}

// doubt has the server checked after a call that got no answer. timedOut means that the call ran
// out of time, which also happens if the server is only slow. Then a program is not checked, since
// it may still be busy with the call, and neither is a server with other calls under way.
func (s *server) doubt(timedOut bool) {
	if timedOut {
		if !s.calls.idle() || s.o.Command != "" {
			return
		}
	}
	poke(s.doubted)
}
