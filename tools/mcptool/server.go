package mcptool

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/outgoing"
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
	// stateless is the first protocol whose servers ask by input_required.
	stateless = "2026-07-28"
)

// server is the connection to one MCP server.
type server struct {
	o        Options
	log      *slog.Logger
	client   *mcp.Client
	dial     func() (mcp.Transport, func(), error) // and what to do after a failure
	redactor outgoing.Redactor
	pace     pace
	knock    func(context.Context) error // whether the stateless server answers; nil: it is pinged

	ctx     context.Context //nolint:containedctx // the server's own life, which close ends
	cancel  context.CancelFunc
	done    chan struct{} // the loop has ended
	first   chan struct{} // the first attempt has ended, or firstWait is over
	settle  func()        // closes first
	wake    chan struct{} // a call wants an attempt
	changed chan struct{} // the server's tools have changed
	doubted chan struct{} // a call came to no answer
	roster  atomic.Pointer[roster]
	reports reports
	// timedOut says that the last attempt did. The loop's own.
	timedOut bool

	mu      sync.Mutex
	session *mcp.ClientSession             // nil while there is none
	attempt chan struct{}                  // closed when the present or next attempt has ended
	flights map[*flight]bool               // calls under way on the session
	private map[*mcp.ClientSession]*flight // those with a session of their own
	parked  map[string]*flight             // of them, those that wait for a user
	parking sync.WaitGroup                 // sessions of their own, and those that end
}

// errDown says that the server cannot be connected to.
var errDown = errors.New("mcptool: the server cannot be reached")

func newServer(o Options, version string, log *slog.Logger, changes ...func(*server)) (*server, error) {
	s := &server{
		o: o, log: log.With("server", o.ID), redactor: outgoing.NewRedactor(o.Secrets),
		done: make(chan struct{}), first: make(chan struct{}), wake: make(chan struct{}, 1), changed: make(chan struct{}, 1), doubted: make(chan struct{}, 1),
		attempt: make(chan struct{}), flights: map[*flight]bool{}, private: map[*mcp.ClientSession]*flight{}, parked: map[string]*flight{},
	}
	s.settle = sync.OnceFunc(func() { close(s.first) })
	s.pace = programPace
	if o.Command == "" {
		s.pace = remotePace
	}
	for _, change := range changes {
		change(s)
	}
	if s.dial == nil {
		var err error
		if s.dial, err = s.transport(); err != nil {
			return nil, err
		}
	}
	s.client = mcp.NewClient(&mcp.Implementation{Name: "askgate", Version: version}, &mcp.ClientOptions{
		Logger:                 slog.New(slog.DiscardHandler), // it would log what servers say
		Capabilities:           &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}},
		ElicitationHandler:     s.elicited,
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { poke(s.changed) },
		MultiRoundTrip:         &mcp.MultiRoundTripOptions{Disabled: true},
		KeepAlive:              30 * time.Second, KeepAliveFailureThreshold: 2,
	})
	s.client.AddReceivingMiddleware(s.asked)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	time.AfterFunc(min(firstWait, o.Timeout), s.settle)
	go s.loop()
	return s, nil
}

// poke sends to a channel that has room for one value, unless one is there already.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// close ends the connection once the calls under way are over.
func (s *server) close() {
	s.cancel()
	<-s.done
	s.dropAll()
	s.parking.Wait()
}

// loop connects, keeps what it connected to, and begins again, until close.
func (s *server) loop() {
	defer close(s.done)
	defer s.settle()
	waits := newBackoff()
	for first := true; s.ctx.Err() == nil; first = false {
		begin := time.Now()
		session, err := s.connect()
		s.connected(session, err)
		switch {
		case err == nil:
			s.keep(session)
			if time.Since(begin) > stable {
				waits.Reset()
			}
		case first:
			s.log.Warn("mcp server cannot be reached, it is tried again", "error", cause(err))
		default:
			s.log.Debug("mcp server cannot be reached", "error", cause(err))
		}
		s.rest(waits.NextBackOff())
	}
}

// newBackoff gives the waits between attempts to connect, half of each by chance.
func newBackoff() backoff.BackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier, b.RandomizationFactor = firstBackoff*3/4, lastBackoff*3/4, 2, 1./3
	return b
}

// rest waits before the next attempt; a call that wants one shortens it.
func (s *server) rest(d time.Duration) {
	timer, least := time.NewTimer(d), time.NewTimer(min(d, leastBackoff))
	defer timer.Stop()
	defer least.Stop()
	select {
	case <-s.ctx.Done():
		return
	case <-least.C:
	}
	select {
	case <-s.ctx.Done():
	case <-timer.C:
	case <-s.wake:
	}
}

// connect makes a session, and reads the list of tools.
func (s *server) connect() (*mcp.ClientSession, error) {
	ctx, cancel := context.WithTimeout(s.ctx, s.o.Timeout)
	defer cancel()
	session, err := s.open(ctx)
	if err == nil {
		if err = s.list(ctx, session); err != nil {
			s.hangUp(session)
		}
	}
	s.timedOut = errors.Is(err, context.DeadlineExceeded) && !s.timedOut
	if err != nil {
		return nil, err
	}
	return session, nil
}

// open makes a session.
func (s *server) open(ctx context.Context) (*mcp.ClientSession, error) {
	transport, failed, err := s.dial()
	if err != nil {
		return nil, err
	}
	options := &mcp.ClientSessionOptions{}
	if s.timedOut {
		options.ProtocolVersion = legacy
	}
	session, err := s.client.Connect(ctx, transport, options)
	if err != nil {
		failed()
	}
	return session, err
}

// hangUp ends a session. Whether the server learns of it does not matter.
func (s *server) hangUp(session *mcp.ClientSession) { _ = session.Close() }

// connected keeps the result of an attempt, for all that wait for it.
func (s *server) connected(session *mcp.ClientSession, err error) {
	if err == nil {
		s.log.Info("mcp server connected", "protocol", session.InitializeResult().ProtocolVersion, "tools", len(s.roster.Load().definitions))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session = session
	close(s.attempt)
	s.attempt = make(chan struct{})
	s.settle()
}

// keep looks after a session until it ends, or the server is gone.
func (s *server) keep(session *mcp.ClientSession) {
	life, end := context.WithCancelCause(s.ctx)
	defer end(nil)
	s.parking.Go(func() {
		_ = session.Wait() // why it ended is in the errors of its calls
		end(errEnded)
	})
	go s.watch(life, end, session)
	again := time.NewTicker(refresh)
	defer again.Stop()
	for {
		select {
		case <-life.Done():
			s.lost(session)
			if why := context.Cause(life); s.ctx.Err() == nil {
				s.log.Warn("mcp server lost, it is connected to again", "error", cause(why))
			}
			s.parking.Go(func() { s.hangUp(session) }) // which takes as long as its calls do
			return
		case <-s.changed:
		case <-again.C:
		}
		ctx, cancel := context.WithTimeout(life, s.o.Timeout)
		if err := s.list(ctx, session); err != nil && life.Err() == nil {
			s.log.Warn("mcp server's tools cannot be listed, those of before stay", "error", cause(err))
			s.doubt(errors.Is(err, context.DeadlineExceeded))
		}
		cancel()
		select {
		case <-life.Done():
		case <-time.After(leastRefresh):
		}
	}
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
	if r := s.roster.Load(); r != nil {
		status.Tools = len(r.definitions)
	}
	return status
}

// cause is what the log may say of an error: nothing that a server said.
func cause(err error) error {
	var toolErr *tools.Error
	switch {
	case errors.As(err, &toolErr):
		return errors.New(toolErr.Cause)
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("it did not answer in time")
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, errGone), errors.Is(err, errEnded):
		return err
	}
	var local *localError
	if errors.As(err, &local) {
		return local
	}
	_, why := outgoing.Cause(err)
	return why
}
