package mcptool

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// firstWait is how long turns wait for the first list of a server whose entry is new.
	firstWait = 5 * time.Second
	// Between attempts to connect: the first wait, at the most, doubles up to the last. A call
	// that wants the server causes an attempt earlier.
	firstBackoff = time.Second
	lastBackoff  = time.Minute
	leastBackoff = 500 * time.Millisecond
	// stable is how long a connection must last to count as one that was made.
	stable = 10 * time.Second
	// Lists are read again when the server says that they changed, at most so often, and
	// every now and then in case it does not say.
	leastRefresh = time.Second
	refresh      = 5 * time.Minute
	// legacy is the newest protocol with the handshake of old, for servers that do not
	// even refuse the new one.
	legacy = "2025-11-25"
)

// server is the connection to one MCP server.
type server struct {
	o      Options
	log    *slog.Logger
	client *mcp.Client
	dial   func() (mcp.Transport, func(), error) // and what to do after a failure
	speech speech
	pace   pace
	knock  func(context.Context) error // whether the stateless server answers; nil: it is pinged

	ctx     context.Context //nolint:containedctx // the server's own life, which close ends
	cancel  context.CancelFunc
	done    chan struct{} // the loop has ended
	first   chan struct{} // the first attempt has ended, or firstWait is over
	settle  func()        // closes first
	wake    chan struct{} // a call wants an attempt
	changed chan struct{} // the server's tools have changed
	doubted chan struct{} // a call came to no answer
	offer   catalog
	calls   *flights
	relay   Relay // nil: there are no other nodes
	// relayPace is the time between two looks into the relay.
	relayPace time.Duration
	// timedOut says that the last attempt did. The loop's own.
	timedOut bool

	mu      sync.Mutex
	session *mcp.ClientSession // nil while there is none
	attempt chan struct{}      // closed when the present or next attempt has ended
}

// poke sends to a channel that has room for one value, unless one is there already.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// connected keeps the result of an attempt, for all that wait for it.
func (s *server) connected(session *mcp.ClientSession, err error) {
	if err == nil {
		s.log.Info("mcp server connected", "protocol", session.InitializeResult().ProtocolVersion, "tools", len(s.offer.roster.Load().definitions))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session = session
	close(s.attempt)
	s.attempt = make(chan struct{})
	s.settle()
}

// lost forgets a session.
func (s *server) lost(session *mcp.ClientSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == session {
		s.session = nil
	}
}

// live is the session, after an attempt to connect where there is none.
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

// doubt has the server looked at, since a call to it came to no answer. timedOut says that
// the call ran out of time, as it also does where the server is only slow: a program, which
// may still be busy with it, is left alone, and so is a server with other calls.
func (s *server) doubt(timedOut bool) {
	if timedOut {
		if !s.calls.idle() || s.o.Command != "" {
			return
		}
	}
	poke(s.doubted)
}
