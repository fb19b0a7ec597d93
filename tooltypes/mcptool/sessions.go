package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/outage"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/outgoing"
	"github.com/askgate/askgate/tools/placeholder"
)

const (
	// maxSessions is how many callers a server is connected for at a time.
	maxSessions = 200
	// idleAfter is how long a session without calls is kept. It is closed up to that much later if a
	// call was parked at that time.
	idleAfter = 10 * time.Minute
	// maxParkedOfCaller is how many calls of one session can be held open at a time: as many as a
	// step makes together.
	maxParkedOfCaller = 4
)

// sessions holds the connections to a server whose headers have placeholders of the caller, one for
// each set of their values. Each is a server of its own, so that two callers share neither calls nor
// questions nor lists of tools. It is safe for concurrent use.
type sessions struct {
	o       Options
	headers map[string]placeholder.Text // those with placeholders
	names   []string                    // of the placeholders in them, in order
	open    func(Options, ...func(*server)) (*server, error)
	log     *slog.Logger
	outage  *outage.Log // of all sessions together: a caller is not named
	relay   Relay
	told    sync.Map // why callers are not offered the server, as logged

	mu      sync.Mutex
	byKey   map[string]*session
	uses    uint64 // counts up with each use, for the order of session.used
	closed  bool
	closing sync.WaitGroup
}

// session is the connection for one set of values.
type session struct {
	*server
	key   string
	users int    // uses under way
	used  uint64 // when it was last used, in sessions.uses
	since time.Time
	idle  *time.Timer
}

func newSessions(o Options, relay Relay, log *slog.Logger, open func(Options, ...func(*server)) (*server, error)) (*sessions, error) {
	p := &sessions{o: o, headers: map[string]placeholder.Text{}, open: open, relay: relay, log: log.With("server", o.ID), byKey: map[string]*session{}}
	p.outage = newOutage(p.log)
	for _, name := range o.Personal {
		text, err := placeholder.Parse(o.Headers[name])
		if err != nil {
			return nil, err
		}
		p.headers[name] = text
	}
	p.names = o.placeholders()
	return p, nil
}

// identity is what the connection of a caller depends on.
type identity struct {
	key     string // the same for callers with the same values
	headers map[string]string
	values  []string
	err     error // why there can be no connection
}

// identify fills the headers for a caller.
func (p *sessions) identify(who tools.Caller) identity {
	id := identity{headers: maps.Clone(p.o.Headers)}
	for _, name := range p.names {
		value, err := placeholder.Value(name, who)
		if err != nil {
			return identity{err: placeholder.Uncallable("%s", err)}
		}
		id.values = append(id.values, value)
	}
	for _, name := range p.o.Personal {
		value, err := p.headers[name].Header(name, who)
		if err != nil {
			return identity{err: placeholder.Uncallable("%s", err)}
		}
		id.headers[name] = value
	}
	key, err := json.Marshal(id.values) // not of the headers: two callers may have the same by chance
	id.key, id.err = string(key), err
	return id
}

var (
	errNoCaller = placeholder.Uncallable("the server of this tool is connected per caller, and there is no caller here")
	errFull     = &tools.Error{
		Code: tools.CodeToolFailed, Cause: "the connections for other callers are all in use",
		Message: "The server of this tool serves too many people at the moment. Try again later, or go on without it.",
	}
)

// use returns the connection for a caller, which is made if there is none. It does not block. done
// must be called after the use.
func (p *sessions) use(of identity) (s *server, done func(), err error) {
	if of.err != nil {
		return nil, nil, of.err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, unreachable(errDown)
	}
	held := p.byKey[of.key]
	if held == nil {
		if len(p.byKey) >= maxSessions && !p.makeRoom() {
			return nil, nil, errFull
		}
		made, err := p.connect(of)
		if err != nil {
			return nil, nil, err
		}
		held = &session{server: made, key: of.key}
		held.idle = time.AfterFunc(idleAfter, func() { p.expire(held) })
		p.byKey[of.key] = held
	}
	held.users++
	return held.server, sync.OnceFunc(func() { p.done(held) }), nil
}

// connect begins a connection for a caller.
func (p *sessions) connect(of identity) (*server, error) {
	o := p.o
	o.Headers, o.Personal = of.headers, nil
	secrets := append([]string{}, o.Secrets...)
	for _, name := range p.o.Personal {
		if credentials[canonical(name)] {
			secrets = append(secrets, of.headers[name])
		}
	}
	o.Secrets = secrets
	return p.open(o, func(s *server) {
		s.outage, s.pace = p.outage, callerPace
		s.calls.most = maxParkedOfCaller
		s.offer.partial = true
		s.speech.faults = outgoing.NewRedactor(append(secrets, of.values...))
	})
}

// makeRoom closes the session that has been idle the longest. It returns false if all are in use.
func (p *sessions) makeRoom() bool {
	var oldest *session
	for _, s := range p.byKey {
		if !s.busy() && (oldest == nil || s.used < oldest.used) {
			oldest = s
		}
	}
	if oldest == nil {
		return false
	}
	p.end(oldest)
	return true
}

func (s *session) busy() bool { return s.users > 0 || !s.calls.over() }

// end closes a session. p.mu is held.
func (p *sessions) end(s *session) {
	s.idle.Stop()
	delete(p.byKey, s.key)
	p.closing.Go(s.close)
}

func (p *sessions) done(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.users--
	p.uses++
	s.used, s.since = p.uses, time.Now()
	if p.byKey[s.key] == s {
		s.idle.Reset(idleAfter)
	}
}

// expire closes a session that has been idle for idleAfter.
func (p *sessions) expire(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch left := idleAfter - time.Since(s.since); {
	case p.byKey[s.key] != s:
	case s.busy():
		s.idle.Reset(idleAfter)
	case left > 0: // it was used while this waited for the lock
		s.idle.Reset(left)
	default:
		p.end(s)
	}
}

// known returns the connection for a caller, or nil if there is none at the moment.
func (p *sessions) known(of identity) *server {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.byKey[of.key]; s != nil && of.err == nil {
		return s.server
	}
	return nil
}

// drop ends a parked call, of whichever caller, on whichever node holds it.
func (p *sessions) drop(ctx context.Context, park string) {
	p.mu.Lock()
	var holder *server
	for _, s := range p.byKey {
		if s.calls.holds(park) {
			holder = s.server
		}
	}
	p.mu.Unlock()
	if holder != nil {
		holder.calls.drop(park)
		return
	}
	abandon(ctx, p.relay, park)
}

// refused logs why a caller is not offered the server, once for each reason.
func (p *sessions) refused(err error) {
	var why *tools.Error
	if !errors.As(err, &why) || why.Cause == "" {
		return
	}
	if _, before := p.told.LoadOrStore(why.Cause, true); !before {
		p.log.Warn("mcp server is not offered to a caller", "error", why.Cause)
	}
}

// close closes all sessions once the calls under way are over.
func (p *sessions) close() {
	p.mu.Lock()
	p.closed = true
	for _, s := range p.byKey {
		p.end(s)
	}
	p.mu.Unlock()
	p.closing.Wait()
}

func (p *sessions) status() Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Status{ID: p.o.ID, PerCaller: true, Sessions: len(p.byKey)}
}
