package host

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
	TextsRole = "admin:texts"
)

// IsAdmin says whether a caller has the role; where callers have no keys, whether it is on this
// machine.
func IsAdmin(r *Request) bool {
	if WithoutKeys(r) {
		return atThisMachine(r.HTTP())
	}
	return slices.Contains(r.Caller.Roles, adminRole)
}

// WithoutKeys says that callers have no keys: there is one person.
func WithoutKeys(r *Request) bool { return r.Conf().Auth.Mode == config.AuthNone }

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

// AuditActor is the caller as the audit names them; the zero Actor if there is no audit.
func AuditActor(r *Request, kind chat.ActorKind) chat.Actor {
	conf := r.Conf()
	if !conf.Audit.Enabled {
		return chat.Actor{}
	}
	by := chat.Actor{Kind: kind, Tenant: r.Caller.Tenant, Subject: r.Caller.Subject, Key: r.Caller.Key}
	if from, ok := address(r.HTTP(), conf); ok {
		by.From = from.String()
	}
	return by
}

// Actor is the caller as the audit names them, without what only the audit needs where
// there is none.
func Actor(r *Request, kind chat.ActorKind) chat.Actor {
	if by := AuditActor(r, kind); by != (chat.Actor{}) {
		return by
	}
	return chat.Actor{Kind: kind, Tenant: r.Caller.Tenant, Subject: r.Caller.Subject}
}
