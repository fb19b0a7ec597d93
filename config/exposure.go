package config

import (
	"net"
	"net/netip"
	"strings"
)

// exposure refuses to let everybody on the network in: auth.mode none on another
// address than loopback, unless the admin says so (contract 3). From is the flag
// or the variable that gave the address, "" for the file.
func (l *loader) exposure(from string) {
	if l.pass.opts.Insecure || !l.gatewayOK || !l.authOK || l.gateway.Auth.Mode != AuthNone {
		return
	}
	const mend = `; set up API keys ("mode": "apiKeys", made with: askgate key new), listen on 127.0.0.1, or say --insecure (ASKGATE_INSECURE=true)`
	switch {
	case !loopback(l.gateway.Listen):
		const wrong = `with auth mode "none" everybody who reaches this address may chat` + mend
		if from != "" {
			l.pass.fault(Fault{File: from, Message: wrong})
			return
		}
		l.root.Key("listen").Fault("%s", wrong) // only the file can have said so: the default is loopback
	case l.pass.opts.serving != "" && !loopback(l.pass.opts.serving):
		// The files may name a loopback address by now, for the next start.
		const wrong = `auth mode "none" is for loopback, and the running gateway listens on another address until it is restarted` + mend
		if at := l.authAt(); at.Given() {
			at.Fault("%s", wrong)
			return
		}
		l.pass.fault(whole(l.pass.shown("gateway.json"), wrong))
	}
}

// authAt is where gateway.json says the mode, or else "auth".
func (l *loader) authAt() Value {
	auth := l.root.Key("auth")
	if mode := auth.Key("mode"); mode.Given() {
		return mode
	}
	return auth
}

// loopback says that only this machine reaches an address (host:port).
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
