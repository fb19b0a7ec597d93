package turn

import (
	"log/slog"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/store"
)

// ClockFault says how reliable the node's clock is.
type ClockFault int

// The faults. With the last two, the node leaves out sweeps that go by the time.
const (
	ClockRight    ClockFault = iota
	ClockOff                 // by more than store.WarnSkew
	ClockBad                 // by more than store.BadSkew
	ClockUnusable            // by more than store.MaxSkew
	ClockJumped              // the machine's clock is the store's, and was set: nothing is deleted until a restart
)

func clockFault(s store.Skew) ClockFault {
	switch {
	case s.Jumped:
		return ClockJumped
	case s.Beyond(store.MaxSkew):
		return ClockUnusable
	case s.Beyond(store.BadSkew):
		return ClockBad
	case s.Beyond(store.WarnSkew):
		return ClockOff
	}
	return ClockRight
}

// clockWatch remembers the clock's fault, and since when it has it.
type clockWatch struct {
	store store.Store
	log   *slog.Logger
	mu    sync.Mutex
	fault ClockFault
	since time.Time // by the store's clock
}

// Clock returns what is wrong with the node's clock, and since when.
func (e *Engine) Clock() (fault ClockFault, since time.Time) { return e.clock.compare() }

// compare compares the clocks, and logs a change.
func (w *clockWatch) compare() (ClockFault, time.Time) {
	skew := w.store.Skew()
	fault := clockFault(skew)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.since.IsZero() {
		w.since = w.store.Now()
	}
	if fault == w.fault {
		return w.fault, w.since
	}
	w.fault, w.since = fault, w.store.Now()
	switch log := w.log.With("ahead", skew.Ahead.Round(time.Millisecond)); fault {
	case ClockRight:
		log.Info("this node's clock agrees with the store's again")
	case ClockOff, ClockBad:
		log.Warn("this node's clock differs from the store's; synchronize both by NTP")
	case ClockUnusable:
		log.Error("this node's clock is more than a minute off the store's: this node closes no expired questions and deletes nothing until the clocks agree")
	case ClockJumped:
		w.log.Error("the machine's clock was changed by more than a minute, so this node deletes nothing more; check the clock, then restart the gateway")
	}
	return w.fault, w.since
}
