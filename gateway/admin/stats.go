package admin

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

const (
	defaultHours = 24
	maxHours     = 90 * 24
)

// everything is longer than the longest chart.
const everything = 2 * maxHours * time.Hour

// spans are the bar widths of charts by the hours that the chart covers, for at most about ninety
// bars.
var spans = []struct {
	hours int
	span  time.Duration
}{{1, 5 * time.Minute}, {6, 15 * time.Minute}, {72, time.Hour}, {14 * 24, 6 * time.Hour}, {maxHours, 24 * time.Hour}}

type statsReply struct {
	From        chat.Time `json:"from"`
	To          chat.Time `json:"to"`
	SpanSeconds int       `json:"spanSeconds"`
	// CapsSince is when this process began to count caps; other processes are not included.
	CapsSince chat.Time   `json:"capsSince"`
	Apps      []*appStats `json:"apps"`
}

type appStats struct {
	App string `json:"app"`
	counts
	CapsReached capsReached `json:"capsReached"`
	Spans       []spanStats `json:"spans"` // without those in which nothing was asked
}

type spanStats struct {
	Start chat.Time `json:"start"`
	counts
}

// counts are the questions asked in a period, by outcome so far.
type counts struct {
	Asked       int        `json:"asked"`
	Pending     int        `json:"pending"`
	Answered    int        `json:"answered"`
	Skipped     int        `json:"skipped"`
	Declined    int        `json:"declined"`
	Expired     int        `json:"expired"`
	Superseded  int        `json:"superseded"`
	Cancelled   int        `json:"cancelled"`
	Remembered  int        `json:"remembered"`  // decided without asking a person
	WaitSeconds *waitStats `json:"waitSeconds"` // null if no person has closed one
}

// waitStats is how long people took to answer, skip or decline.
type waitStats struct {
	Count int     `json:"count"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P99   float64 `json:"p99"`
}

type capsReached struct {
	Conversation int `json:"conversation"`
	Turn         int `json:"turn"`
	Principal    int `json:"principal"` // per day
	App          int `json:"app"`       // per minute
	Approvals    int `json:"approvals"` // of calls, per turn
}

func newCounts(t *store.Tally) counts {
	c := counts{
		Pending: t.States[tools.StatePending], Answered: t.States[tools.StateAnswered], Skipped: t.States[tools.StateSkipped],
		Declined: t.States[tools.StateDeclined], Expired: t.States[tools.StateExpired],
		Superseded: t.States[tools.StateSuperseded], Cancelled: t.States[tools.StateCancelled],
		Remembered: t.States[tools.StateRemembered],
	}
	for _, n := range t.States {
		c.Asked += n
	}
	if w := t.Waits; w.Count > 0 {
		c.WaitSeconds = &waitStats{w.Count, w.P50.Seconds(), w.P90.Seconds(), w.P99.Seconds()}
	}
	return c
}

// Stats reports the outcomes of the questions of the last hours, per app and over
// time.
func (h Admin) Stats(r *host.Request) error {
	hours := defaultHours
	if s, ok := r.Query("hours"); ok {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > maxHours {
			return host.Invalid("query", "hours")
		}
		hours = n
	}
	i := 0
	for spans[i].hours < hours {
		i++
	}
	span, now := spans[i].span, r.Host.Store.Now().UTC()
	from := now.Add(-time.Duration(hours) * time.Hour).Truncate(span) // whole spans, so that a question does not move from one to another
	totals, err := r.Host.Store.Tallies(r.Context(), from, everything)
	if err != nil {
		return err
	}
	parts, err := r.Host.Store.Tallies(r.Context(), from, span)
	if err != nil {
		return err
	}
	reply := statsReply{From: chat.Time(from), To: chat.Time(now), SpanSeconds: int(span.Seconds()), CapsSince: chat.Time(r.Host.Started), Apps: []*appStats{}}
	byApp := map[string]*appStats{}
	of := func(app string) *appStats {
		if byApp[app] == nil {
			byApp[app] = &appStats{App: app, Spans: []spanStats{}}
			reply.Apps = append(reply.Apps, byApp[app])
		}
		return byApp[app]
	}
	for i := range totals {
		of(totals[i].App).counts = newCounts(&totals[i])
	}
	for i := range parts {
		app := of(parts[i].App)
		app.Spans = append(app.Spans, spanStats{chat.Time(parts[i].Start), newCounts(&parts[i])})
	}
	h.eachCap(func(app, scope string, n int) {
		switch scope {
		case "conversation":
			of(app).CapsReached.Conversation = n
		case "turn":
			of(app).CapsReached.Turn = n
		case "principal":
			of(app).CapsReached.Principal = n
		case "app":
			of(app).CapsReached.App = n
		case "approvals":
			of(app).CapsReached.Approvals = n
		}
	})
	slices.SortFunc(reply.Apps, func(a, b *appStats) int { return strings.Compare(a.App, b.App) })
	return r.JSON(reply)
}

// eachCap reads how often models were told that a cap is reached. It reads the metric, since the
// store has no record of it.
func (h Admin) eachCap(tell func(app, scope string, n int)) {
	families, _ := h.Registry.Gather() // with an error come those that could be read
	for _, family := range families {
		if family.GetName() != "askgate_clarifications_rejected_total" {
			continue
		}
		for _, m := range family.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if scope, ok := strings.CutPrefix(labels["reason"], "limit_"); ok {
				tell(labels["app"], scope, int(m.GetCounter().GetValue()))
			}
		}
	}
}
