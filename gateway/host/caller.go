package host

import (
	"net/http"
	"net/netip"
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
)

// adminRole is the role that a caller with a key needs for /v1/admin; with textsRole, an admin
// can also read there what people were asked and answered.
const (
	adminRole = "admin"
	TextsRole = "admin:texts"
)

// IsAdmin reports whether a caller has the role or, if callers have no keys, whether it is on
// this machine.
func IsAdmin(r *Request) bool {
	if WithoutKeys(r) {
		return atThisMachine(r.HTTP())
	}
	return slices.Contains(r.Caller.Roles, adminRole)
}

// WithoutKeys reports whether callers have no keys, so that there is only one person.
func WithoutKeys(r *Request) bool { return r.Conf().Auth.Mode == config.AuthNone }

// atThisMachine reports whether a request came over loopback and not through a proxy, which may
// serve remote clients. OwnHost has already checked that its host is the gateway's own.
func atThisMachine(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"} {
		if _, given := r.Header[http.CanonicalHeaderKey(name)]; given {
			return false
		}
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && peer.Addr().Unmap().IsLoopback()
}

// AuditActor returns the caller as the audit names them, or the zero Actor if there is no audit.
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

// Actor returns the caller as the audit names them. Without an audit, it leaves out what only the
// audit needs.
func Actor(r *Request, kind chat.ActorKind) chat.Actor {
	if by := AuditActor(r, kind); by != (chat.Actor{}) {
		return by
	}
	return chat.Actor{Kind: kind, Tenant: r.Caller.Tenant, Subject: r.Caller.Subject}
}
