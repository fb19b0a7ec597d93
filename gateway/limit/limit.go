package limit

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// Window is the time that Rule.PerMinute counts over.
const Window = time.Minute

// BusyRetry is the time that a caller with too many turns is asked to wait: about as long as a
// short turn takes.
const BusyRetry = 5 * time.Second

// Rule limits the rate of one caller in one scope.
type Rule struct {
	Scope     string // printable ASCII, e.g. "requests"
	Key       string // identifies the limited caller; opaque
	PerMinute int    // 0 or less: no limit
	Burst     int    // how many may come at once; 0 or less: PerMinute
	Peek      bool   // only look: takes no token
}

// AtOnce returns how many may come at once.
func (r Rule) AtOnce() int {
	if r.Burst > 0 {
		return r.Burst
	}
	return r.PerMinute
}

// Decision is the decision of a limiter, with its reasons.
type Decision struct {
	Allowed   bool
	Scope     string
	Limit     int           // per Window; without a window: at the same time; 0: none
	Remaining int           // how many more would be allowed now
	Unit      string        // what Limit counts, if not requests; printable ASCII
	Window    time.Duration // zero for Acquire
	// RetryAfter is when trying again makes sense; zero if Allowed. After Acquire it is a guess,
	// since it is unknown when a turn will end.
	RetryAfter time.Duration
	// Reset is the time until the next token. Until then, only Remaining are allowed.
	Reset time.Duration
}

// Limiter decides. Implementations are safe for concurrent use.
type Limiter interface {
	// Allow takes one token from the rule's bucket, if there is one; if the rule only peeks, it
	// reports whether there is one. An error means that the limiter could not decide, not that the
	// request is refused.
	Allow(ctx context.Context, rule Rule) (Decision, error)
	// Acquire takes one of places places (0 or less: no limit). release gives it back; it is never
	// nil, and calling it again does nothing.
	Acquire(ctx context.Context, scope, key string, places int) (release func(), d Decision)
}

// Headers writes the decision into h: RateLimit-Policy and RateLimit as in
// draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4, and Retry-After if the request was
// refused. Times are whole seconds, rounded up. Without a limit, it writes nothing. Decisions
// that allow a request are joined in one list; one that refuses it appears alone.
func (d Decision) Headers(h http.Header) {
	if d.Limit <= 0 {
		return
	}
	name := quoted(d.Scope)
	policy := name + ";q=" + strconv.Itoa(d.Limit)
	state := name + ";r=" + strconv.Itoa(max(0, d.Remaining))
	unit := d.Unit
	if d.Window > 0 {
		policy += ";w=" + strconv.Itoa(Seconds(d.Window))
		// The draft's section 6: Retry-After is not before the end of t.
		state += ";t=" + strconv.Itoa(Seconds(d.Reset))
	} else if unit == "" {
		unit = "concurrent-requests"
	}
	if unit != "" {
		policy += ";qu=" + quoted(unit)
	}
	if !d.Allowed {
		h.Set("RateLimit-Policy", policy)
		h.Set("RateLimit", state)
		h.Set("Retry-After", strconv.Itoa(Seconds(max(d.RetryAfter, d.Reset))))
		return
	}
	add(h, "RateLimit-Policy", policy)
	add(h, "RateLimit", state)
}

// add adds an item at the end of a list.
func add(h http.Header, field, item string) {
	if list := h.Get(field); list != "" {
		item = list + ", " + item
	}
	h.Set(field, item)
}

// Seconds returns d in whole seconds, rounded up, and at least 1: a client asked to come back in
// 0 s would do so at once.
func Seconds(d time.Duration) int {
	return max(1, int((d+time.Second-1)/time.Second))
}

// quoted returns a String of RFC 9651: printable ASCII, with quotes and backslashes escaped.
// Other characters, which a scope never has, are left out.
func quoted(s string) string {
	out := make([]byte, 0, len(s)+2)
	out = append(out, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c > '~':
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		default:
			out = append(out, c)
		}
	}
	return string(append(out, '"'))
}
