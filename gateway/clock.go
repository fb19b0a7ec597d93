package gateway

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/gateway/admin"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
)

// skew is the metric of how this node's clock compares with the store's.
func skew(clock store.Clock) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "askgate_clock_skew_seconds", Help: "How far the clock of this node is ahead of the store's; negative: behind it.",
	}, func() float64 { return clock.Skew().Ahead.Seconds() })
}

// liveParts are those of the options, and the clock.
func (g *Gateway) liveParts() []Part {
	var parts []Part
	if g.o.LiveParts != nil {
		parts = g.o.LiveParts()
	}
	return append(parts, clockPart(g.engine.Clock()))
}

// errClock says that the clock has a fault; its part's Hint says which.
var errClock = errors.New("gateway: the clocks differ")

// clockPart is what /readyz?verbose says of a fault of the clock, and since when it has it.
func clockPart(fault turn.ClockFault, since time.Time) Part {
	p, err := Part{Name: "clock"}, errClock
	switch fault {
	case turn.ClockRight:
		err = nil
	case turn.ClockOff:
		err = admin.Warning{Err: errClock}
		p.Hint = "this node's clock is more than 2 seconds off the store's, and tokens and sessions depend on it; synchronize both by NTP"
	case turn.ClockBad:
		p.Hint = "this node's clock is more than 10 seconds off the store's, so tokens and sessions may be refused; set it, and synchronize both by NTP"
	case turn.ClockUnusable:
		p.Hint = "this node's clock is more than a minute off the store's, so this node closes no expired questions and deletes nothing; set the clock that is wrong, and synchronize both by NTP"
	case turn.ClockJumped:
		p.Hint = "the machine's clock was changed by more than a minute, or the machine slept, so nothing is deleted any more; check the clock, and restart the gateway"
	}
	p.Status = func() (time.Time, error) { return since, err }
	return p
}
