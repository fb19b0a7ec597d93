package host

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
)

// byProxy returns the caller that a trusted proxy names. Whether it is trusted depends on the
// connection's peer alone: headers like X-Forwarded-For may be forged.
func byProxy(r *http.Request, conf *config.Proxy) (chat.Principal, bool) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return chat.Principal{}, false
	}
	if !within(conf.From, plain(peer.Addr())) {
		return chat.Principal{}, false
	}
	p := chat.Principal{Tenant: conf.Tenant, Subject: only(r, conf.Headers.Subject)}
	if conf.Headers.Tenant != "" {
		p.Tenant = only(r, conf.Headers.Tenant)
	}
	p.Roles = wordsOf(r, conf.Headers.Roles)
	return p, goodName(p.Tenant) && goodName(p.Subject)
}

// wordsOf returns the comma-separated words of a header, or none if it has no name.
func wordsOf(r *http.Request, name string) (words []string) {
	if name == "" {
		return nil
	}
	for word := range strings.SplitSeq(only(r, name), ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// only returns the value of a header that appears once, or else "": of two, one may be the
// client's own, which the proxy did not remove.
func only(r *http.Request, name string) string {
	if values := r.Header.Values(name); len(values) == 1 {
		return values[0]
	}
	return ""
}
