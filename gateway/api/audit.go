package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// actor is the caller as the audit tells of them; nobody, where there is no audit.
func (a *API) actor(r *request, kind chat.ActorKind) chat.Actor {
	conf := &a.Config.Current().Gateway
	if !conf.Audit.Enabled {
		return chat.Actor{}
	}
	return chat.Actor{
		Kind: kind, Tenant: r.caller.Tenant, Subject: r.caller.Subject, Key: r.caller.key, From: comesFrom(r.c.Request, conf),
	}
}

// comesFrom is the IP address of a caller: the nearest one that is no trusted proxy. What
// such a proxy says of its own peer counts, and nothing before it, which anybody may have made up.
func comesFrom(r *http.Request, conf *config.Gateway) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	trusted := conf.Audit.Proxies
	if conf.Auth.Mode == config.AuthProxy {
		trusted = slices.Concat(trusted, conf.Auth.Proxy.From)
	}
	addr := plainAddr(peer.Addr())
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && within(trusted, addr); i-- {
		text := strings.TrimSpace(hops[i])
		hop, err := netip.ParseAddr(text)
		if withPort, portErr := netip.ParseAddrPort(text); portErr == nil { // some proxies add it
			hop, err = withPort.Addr(), nil
		}
		if err != nil {
			break
		}
		addr = plainAddr(hop)
	}
	return addr.String()
}

func plainAddr(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

func within(list []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// auditTimeout is how long a client may take nothing.
const auditTimeout = 30 * time.Second

// exportAudit streams the records of a span as JSON lines, however many there are.
func (a *API) exportAudit(r *request) error {
	span, err := r.spanWanted()
	if err != nil {
		return err
	}
	texts := a.readsTexts(r)
	w := r.response()
	rc := http.NewResponseController(w)
	defer func() { _ = rc.SetWriteDeadline(time.Time{}) }() // the connection may carry other requests
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	out.SetEscapeHTML(false)
	for records, err := range store.AuditPages(r.ctx(), a.Store, span) {
		switch {
		case err != nil && r.written():
			panic(http.ErrAbortHandler) // the client must not take what came for the whole
		case err != nil:
			return err
		}
		if !r.written() {
			w.Header().Set("Content-Type", "application/x-ndjson; charset=utf-8")
			w.Header().Set("Cache-Control", "no-store")
			w.WriteHeader(http.StatusOK)
		}
		lines.Reset()
		for _, record := range records {
			if !texts {
				record = record.WithoutTexts()
			}
			if err := out.Encode(record); err != nil {
				panic(http.ErrAbortHandler)
			}
		}
		_ = rc.SetWriteDeadline(time.Now().Add(auditTimeout))
		if _, err := w.Write(lines.Bytes()); err != nil || w.FlushError() != nil {
			break // the client left
		}
	}
	return nil
}

// spanWanted reads since, until and app.
func (r *request) spanWanted() (store.AuditSpan, error) {
	span := store.AuditSpan{App: r.c.Query("app")}
	for name, to := range map[string]*time.Time{"since": &span.Since, "until": &span.Until} {
		if s, ok := r.c.GetQuery(name); ok {
			t, err := time.Parse(time.RFC3339, s)
			if err != nil {
				t, err = time.Parse(time.DateOnly, s)
			}
			if err != nil {
				return span, invalid("query", name)
			}
			*to = t
		}
	}
	return span, nil
}
