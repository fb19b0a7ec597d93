package doctor

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/askgate/askgate/gateway/limit"
)

// lastEventID is sent to see whether it arrives. No chat has such an id.
const lastEventID = "doctor-1"

// stream listens to one stream from its beginning to its end.
func (e *examination) stream(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, e.Quiet+patience)
	defer cancel()
	a := &arrivals{asked: time.Now()}
	resp, err := e.do(ctx, http.MethodPost, Path+"?quiet="+strconv.Itoa(limit.Seconds(e.Quiet)), "{}", "Last-Event-ID", lastEventID)
	if err != nil {
		e.broken("headers", "proxy_buffering off; (nginx)", "no headers of a stream: %v", err)
		return
	}
	defer resp.Body.Close()
	a.headers = time.Now()
	if !isStream(resp) {
		e.broken("headers", "see the gateway's log", "POST %s: %s", Path, resp.Status)
		return
	}
	a.read(ctx, resp.Body, func() bool { return !a.end.IsZero() })
	e.headersAtOnce(a)
	e.spacing(a)
	e.silence(a)
	if a.seen != nil {
		e.upstream(a.seen)
	}
}

func (e *examination) headersAtOnce(a *arrivals) {
	if took := a.headers.Sub(a.asked); took > e.trip+slack {
		e.broken("headers", "proxy_buffering off; (nginx)", "a stream's headers arrive after %s", round(took))
		return
	}
	e.ok("headers", "streams begin at once")
}

// spacing counts the pauses between the ticks: a stream that was held back has none.
func (e *examination) spacing(a *arrivals) {
	const hint = "proxy_buffering off; and no proxy_ignore_headers X-Accel-Buffering (nginx), and nothing that rewrites responses"
	if len(a.ticks) < ticks {
		e.broken("buffering", hint, "only %d of %d events arrived before the stream ended", len(a.ticks), ticks)
		return
	}
	pauses := 0
	for i, t := range a.ticks[1:] {
		if t.Sub(a.ticks[i]) >= tickEvery/2 {
			pauses++
		}
	}
	if pauses < (ticks-1)/2 {
		e.broken("buffering", hint, "%d events, sent %s apart, arrived with %d pauses between them", ticks, tickEvery, pauses)
		return
	}
	e.ok("buffering", "%d events, sent %s apart, arrived one by one", ticks, tickEvery)
}

// silence judges how the stream ended: by itself, or cut off because it was quiet.
func (e *examination) silence(a *arrivals) {
	const hint = "proxy_read_timeout 60s; (nginx), and the same for idle timeouts of load balancers"
	quiet := a.closed.Sub(a.last)
	switch {
	case !a.end.IsZero():
		e.ok("idle", "a stream may be silent for %s", round(e.Quiet))
	case a.gaveUp:
		e.broken("idle", "find out what holds streams back", "the end of the stream never arrived")
	case a.last.IsZero() || a.heartbeat.IsZero() || quiet < Promise:
		e.broken("idle", hint, "a stream is cut off after %s of silence; the gateway may be silent for %s", round(quiet), Promise)
	default:
		e.ok("idle", "a stream is cut off after %s of silence; the gateway is never silent for more than %s", round(quiet), Promise)
	}
}

// upstream judges what reached the gateway.
func (e *examination) upstream(s *seen) {
	if s.LastEventID == lastEventID {
		e.ok("last event id", "Last-Event-ID reaches the gateway")
	} else {
		e.broken("last event id", "pass Last-Event-ID on; without it, clients that reconnect begin with a snapshot", "Last-Event-ID reaches the gateway as %q", s.LastEventID)
	}
	if s.Authorization {
		e.ok("authorization", "Authorization reaches the gateway")
	} else {
		e.broken("authorization", "pass Authorization on; remove what clears or replaces it", "Authorization does not reach the gateway")
	}
	if s.Protocol == "HTTP/1.0" {
		e.broken("upstream", `proxy_http_version 1.1; proxy_set_header Connection ""; (nginx)`, "the last hop speaks %s: a stream that ends and one that is cut off look the same, and connections are not reused", s.Protocol)
	} else {
		e.ok("upstream", "the last hop speaks %s", s.Protocol)
	}
}
