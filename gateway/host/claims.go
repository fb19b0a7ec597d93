package host

import (
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// These bound the claims of one caller, for which tools are called. Those beyond count as missing.
const (
	maxClaims       = 20
	maxClaim        = 1 << 10 // bytes of a value
	maxCookieClaims = 2 << 10 // bytes of names and values in a session's cookie, in addition to the rest of the ticket
)

// claimed returns those of the named claims that a caller's token has as a text or number, by name.
type claimed func(names []string) map[string]string

// within returns the claims that fit: at most maxClaims, in the order of their names, with values of
// up to maxClaim bytes; and at most total bytes of all, unless that is 0.
func (u *authority) within(claims map[string]string, total int) map[string]string {
	fit, size := map[string]string{}, 0
	for _, name := range slices.Sorted(maps.Keys(claims)) {
		value := claims[name]
		more := len(name) + len(value)
		if len(fit) == maxClaims || len(value) > maxClaim || total > 0 && size+more > total {
			u.tooLarge.tell(u.log, name)
			continue
		}
		fit[name], size = value, size+more
	}
	return fit
}

// told logs each name once. The names are those of the configuration.
type told struct{ names sync.Map }

func (t *told) tell(log *slog.Logger, name string) {
	if _, again := t.names.LoadOrStore(name, true); !again {
		log.Warn("a claim of a caller's token is too large, or there are too many, so it counts as missing", "claim", name,
			"maxClaims", maxClaims, "maxBytes", maxClaim, "maxBytesInSession", maxCookieClaims)
	}
}

// Claims returns the claims of the caller's token that the tools of the entered app need.
func (r *Request) Claims() map[string]string {
	names := r.Setup().Config.Claims(r.App.ID)
	if len(names) == 0 || r.Caller.claimed == nil {
		return nil
	}
	return r.Host.auth.within(r.Caller.claimed(names), 0)
}

// SetupFor returns the request's configuration with the tools of the entered app as they are called
// for the caller in a chat.
func (r *Request) SetupFor(ref chat.Ref) *turn.Setup {
	setup := *r.Setup()
	setup.Catalog = setup.Catalog.As(r.App.ID, tools.Caller{
		Tenant: r.Caller.Tenant, Subject: r.Caller.Subject, App: r.App.ID, Chat: ref.ChatID, Claims: r.Claims(),
	})
	return &setup
}
