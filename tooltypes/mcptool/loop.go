package mcptool

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/gateway/outage"
)

func newServer(o Options, version string, relay Relay, log *slog.Logger, changes ...func(*server)) (*server, error) {
	s := &server{
		o: o, relay: relay, relayPace: relayPace, log: log.With("server", o.ID), speech: newSpeech(o.Secrets), calls: newFlights(),
		done: make(chan struct{}), first: make(chan struct{}), wake: make(chan struct{}, 1), changed: make(chan struct{}, 1), doubted: make(chan struct{}, 1),
		attempt: make(chan struct{}),
	}
	s.outage = newOutage(s.log)
	s.offer = catalog{o: &s.o, log: s.log, speech: &s.speech}
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
		Logger:                 slog.New(slog.DiscardHandler), // it would log texts of servers
		Capabilities:           &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}},
		ElicitationHandler:     s.calls.elicited,
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { poke(s.changed) },
		MultiRoundTrip:         &mcp.MultiRoundTripOptions{Disabled: true},
		KeepAlive:              30 * time.Second, KeepAliveFailureThreshold: 2,
	})
	s.client.AddReceivingMiddleware(s.calls.answering)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	time.AfterFunc(min(firstWait, o.Timeout), s.settle)
	go s.loop()
	return s, nil
}

func newOutage(log *slog.Logger) *outage.Log {
	return outage.New(log, "mcp server cannot be reached, retrying", "mcp server connected")
}

// close ends the connection once the calls under way are over.
func (s *server) close() {
	s.cancel()
	<-s.done
	s.calls.dropAll()
	s.calls.parking.Wait()
}

// loop connects, keeps the session until it ends, and connects again, until close.
func (s *server) loop() {
	defer close(s.done)
	defer s.settle()
	waits := newBackoff()
	for s.ctx.Err() == nil {
		begin := time.Now()
		session, err := s.connect()
		s.connected(session, err)
		switch {
		case err == nil:
			s.keep(session)
			if time.Since(begin) > stable {
				waits.Reset()
			}
		case s.ctx.Err() == nil:
			s.outage.Failed(cause(err))
		}
		s.rest(waits.NextBackOff())
	}
}

// newBackoff returns the waits between attempts to connect. Half of each is random.
func newBackoff() backoff.BackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier, b.RandomizationFactor = firstBackoff*3/4, lastBackoff*3/4, 2, 1./3
	return b
}

// rest waits before the next attempt. A call that needs the server shortens the wait.
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

// connect makes a session and reads the list of tools.
func (s *server) connect() (*mcp.ClientSession, error) {
	ctx, cancel := context.WithTimeout(s.ctx, s.o.Timeout)
	defer cancel()
	session, err := s.open(ctx)
	if err == nil {
		if err = s.offer.list(ctx, session); err != nil {
			hangUp(session)
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

// keep watches a session and its list of tools, until the session ends or the server is lost.
func (s *server) keep(session *mcp.ClientSession) {
	life, end := context.WithCancelCause(s.ctx)
	defer end(nil)
	s.calls.parking.Go(func() {
		_ = session.Wait() // its calls return why it ended
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
				s.outage.Failed(cause(why), "lost", true)
			}
			s.calls.parking.Go(func() { hangUp(session) }) // takes as long as its calls
			return
		case <-s.changed:
		case <-again.C:
		}
		ctx, cancel := context.WithTimeout(life, s.o.Timeout)
		if err := s.offer.list(ctx, session); err != nil && life.Err() == nil {
			s.log.Warn("mcp server's tools cannot be listed, the previous list stays", "error", cause(err))
			s.doubt(errors.Is(err, context.DeadlineExceeded))
		}
		cancel()
		select {
		case <-life.Done():
		case <-time.After(leastRefresh):
		}
	}
}
