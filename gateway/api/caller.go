package api

import (
	"net/http"
	"net/netip"
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
)

// adminRole is what a caller with a key needs for /v1/admin; textsRole lets an admin
// also read there what people were asked and answered.
const (
	adminRole = "admin"
	textsRole = "admin:texts"
)

// isAdmin says whether a caller has the role; where callers have no keys, whether it is on this
// machine.
func isAdmin(r *request) bool {
	if withoutKeys(r) {
		return atThisMachine(r.http())
	}
	return slices.Contains(r.caller.Roles, adminRole)
}

func withoutKeys(r *request) bool { return r.conf().Auth.Mode == config.AuthNone }

// atThisMachine says that a request came over loopback, and not through a proxy, which may
// serve remote clients. That its host is the gateway's own, ownHost has seen.
func atThisMachine(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"} {
		if _, given := r.Header[http.CanonicalHeaderKey(name)]; given {
			return false
		}
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && peer.Addr().Unmap().IsLoopback()
}

// actor is the caller as the audit names them; the zero Actor if there is no audit.
func (r *request) actor(kind chat.ActorKind) chat.Actor {
	conf := r.conf()
	if !conf.Audit.Enabled {
		return chat.Actor{}
	}
	by := chat.Actor{Kind: kind, Tenant: r.caller.Tenant, Subject: r.caller.Subject, Key: r.caller.key}
	if from, ok := address(r.http(), conf); ok {
		by.From = from.String()
	}
	return by
}

// whoever is the caller as the audit names them, without what only the audit needs where
// there is none.
func (r *request) whoever(kind chat.ActorKind) chat.Actor {
	if by := r.actor(kind); by != (chat.Actor{}) {
		return by
	}
	return chat.Actor{Kind: kind, Tenant: r.caller.Tenant, Subject: r.caller.Subject}
}
