package host

import (
	"context"
	"log/slog"
	"math"
	"net/http"
	"strings"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/budget"
)

// These are the scopes of limits, as clients and metrics see them, in addition to those of
// budget.Budget.
const (
	scopeRequests   = "requests"         // messages, answers and resumptions of a principal in an app
	ScopeChanges    = "changes"          // titles, deletes, messages taken back, memory and methods of MCP, likewise
	ScopeStops      = "stops"            // stops and revocations, likewise, so that a user who may send no more can still stop
	ScopeOptions    = "options"          // searches for options, likewise
	ScopeDrafts     = "drafts"           // drafts that are saved, likewise
	scopeTenant     = "requests_tenant"  // of all principals of a tenant, in all apps
	scopeAddress    = "requests_address" // calls of any kind from an address
	scopeTurns      = "turns"            // messages of all callers in an app
	scopeConcurrent = "concurrent_turns" // runs of a principal in an app at the same time
	scopeStreams    = "streams"          // open /events of a principal, in all apps
	ScopeUploads    = "uploads"          // files that a principal is sending, in all apps
	ScopeWaits      = "waits"            // calls of a principal that wait for the end of a question, in all apps
	scopeReads      = "reads"            // GETs of a principal, in all apps
)

// readsPerRequest is how many GETs a principal may make for each of the gateway's
// requestsPerMinute.
const readsPerRequest = 5

// allow asks the limiter for one request. If the limiter cannot decide, the request passes: the
// gateway stays usable while the limiter's store is unreachable.
func allow(r *Request, rule limit.Rule) error {
	if rule.PerMinute <= 0 {
		return nil
	}
	d, err := r.Host.Limiter.Allow(r.Context(), rule)
	if err != nil {
		r.Host.Metrics.limits.WithLabelValues(appID(r), rule.Scope, "error").Inc()
		r.Logger().LogAttrs(r.Context(), slog.LevelWarn, "cannot check a rate limit; the request passes", slog.String("scope", rule.Scope), slog.Any("error", err))
		return nil
	}
	return Decided(r, d)
}

// Count counts a request in a scope with the same limit as requests: in its app, or over all apps
// if it is not about one.
func Count(r *Request, scope string) error {
	err := allow(r, rule(r, scope, r.App))
	r.counted = err == nil
	return err
}

// rule returns the limit of requests, and of similar scopes, in an app; nil means over all apps.
func rule(r *Request, scope string, app *config.App) limit.Rule {
	key, limits := r.Principal(), r.Conf().Limits.Limits
	if app != nil {
		key, limits = owner(r), app.Limits
	}
	return limit.Rule{Scope: scope, Key: key, PerMinute: limits.RequestsPerMinute, Burst: limits.Burst}
}

// MayRead refuses a body that names its app, and is therefore read before the app's limits are
// known, once as many of the caller's bodies were refused as requests are allowed.
func MayRead(r *Request) error {
	rule := rule(r, scopeRequests, nil)
	rule.Peek = true
	d, err := r.Host.Limiter.Allow(r.Context(), rule)
	if err == nil && !d.Allowed {
		return Decided(r, d)
	}
	return nil // it passes, even if the limiter cannot decide, as in allow
}

// readInVain counts a body that was read, and refused before its app's limits counted it.
func readInVain(r *Request) {
	_, _ = r.Host.Limiter.Allow(r.Context(), rule(r, scopeRequests, nil)) // it is refused already
}

// Decided counts a decision and writes its headers, if there was anything to decide.
func Decided(r *Request, d limit.Decision) error {
	if d.Limit <= 0 {
		return nil
	}
	if !d.Allowed {
		r.Host.Metrics.limits.WithLabelValues(appID(r), d.Scope, "limited").Inc()
		return &Fault{Code: chat.CodeRateLimited, Limited: &d}
	}
	r.Host.Metrics.limits.WithLabelValues(appID(r), d.Scope, "allowed").Inc()
	if d.Window > 0 { // the number of running turns is not a rate
		d.Headers(r.Response().Header())
	}
	return nil
}

// budgetHeaders sets the headers for what was left of the budgets when the run began.
func budgetHeaders(r *Request, run Run) {
	for _, b := range run.Budgets() {
		_ = Decided(r, budgetDecision(&b, true)) // it allows the request
	}
}

// overspent refuses a request because a budget is used up.
func overspent(r *Request, spent *budget.SpentError) error {
	d := budgetDecision(&spent.Budget, false)
	r.Host.Metrics.limits.WithLabelValues(appID(r), d.Scope, "limited").Inc()
	return &Fault{Code: chat.CodeRateLimited, Detail: d.Scope, Params: spent.Params(), Limited: &d}
}

func budgetDecision(b *budget.Budget, allowed bool) limit.Decision {
	d := limit.Decision{
		Allowed: allowed, Scope: b.Scope, Limit: int(min(b.Max, math.MaxInt)), Remaining: int(min(max(0, b.Left), math.MaxInt)), Unit: "tokens",
		Window: b.Window, Reset: b.Reset,
	}
	if !allowed {
		d.RetryAfter = b.Reset
	}
	return d
}

// perReader counts what a principal reads.
func perReader(r *Request) error {
	if m := r.HTTP().Method; m != http.MethodGet && m != http.MethodHead || !strings.HasPrefix(r.Response().route, "/v1/") {
		return nil
	}
	return allow(r, limit.Rule{Scope: scopeReads, Key: r.Principal(), PerMinute: readsPerRequest * r.Conf().Limits.RequestsPerMinute})
}

// These are the memory costs of something in flight, per byte of its texts.
const (
	CostOfReply = 3 // the texts, their JSON and what encoding leaves behind
	costOfBody  = 8 // the bytes, and what is read from them
	costOfFiles = 2 // per byte beyond MaxBody: itself, and a copy of what is new
)

// Take counts what is in flight for a caller.
func Take(r *Request, bytes int64) (release func(), err error) {
	release, ok := r.Host.inFlight.Take(r.Principal(), bytes)
	if !ok {
		return release, &Fault{Code: chat.CodeOverloaded}
	}
	return release, nil
}

// Reading returns a context whose reads are counted before they are made, each byte at the given
// cost: the result is in flight until release.
func Reading(r *Request, cost int64) (ctx context.Context, release func()) {
	var held []func()
	ctx = store.WithAdmission(r.Context(), func(bytes int64) error {
		free, err := Take(r, cost*bytes)
		held = append(held, free)
		return err
	})
	return ctx, func() {
		for _, free := range held {
			free()
		}
	}
}

// OftenAsTyping limits what people's screens send as they type.
func OftenAsTyping(r *Request, scope string) error {
	err := allow(r, limit.Rule{
		Scope: scope, Key: owner(r), PerMinute: typing * r.App.Limits.RequestsPerMinute, Burst: typing * r.App.Limits.Burst,
	})
	r.counted = err == nil
	return err
}

// typing is how many searches are allowed for each request that the app's limits allow, since
// people type faster than they send.
const typing = 10
