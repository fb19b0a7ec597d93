package config

import (
	"net/url"
	"regexp"
)

// framer is an origin that a policy (CSP 3, 2.3.1) can name: it has no form for IPv6 addresses.
var framer = regexp.MustCompile(`^https?://[a-z0-9-]+(\.[a-z0-9-]+)*(:[1-9][0-9]{0,4})?$`)

// framing is the key that says whose pages may frame the chat page.
func framing(dst *[]string) Key {
	return Words("frameAncestors", dst, 20, isFramer, "[origins](auth.md#in-a-frame) whose pages may show the chat page in a frame, like `https://intranet.example.org`; `http` only for this machine. Not with `auth.mode` `none`")
}

func isFramer(n Value, text string) bool {
	switch u, err := url.Parse(text); {
	case err != nil || !framer.MatchString(text):
		n.Fault(`%s is not an exact origin; write each one as browsers do, in lower case, without a path or a wildcard: "https://intranet.example.org"`, n.Raw())
	case u.Scheme == "http" && !IsLoopback(u.Hostname()):
		n.Fault(`%s is not encrypted, so anyone on the network could replace the page around the chat; write "https://...", or an origin of this machine like "http://localhost:3000"`, n.Raw())
	default:
		return true
	}
	return false
}

// framed reports a fault if other sites could lay out a chat that needs no key: everyone who opens their
// page would use it as themselves.
func (e *exposure) framed() {
	if len(e.g.FrameAncestors) > 0 && e.g.Auth.Mode == AuthNone {
		e.root.Key("frameAncestors").Fault(`a page in a frame needs callers who are identified, and auth mode "none" identifies no one; remove "frameAncestors", or set up API keys ("mode": "apiKeys", made with: askgate key new)`)
	}
}
