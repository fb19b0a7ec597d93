package config

import (
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func (l *loader) auth(n Node) {
	a := &l.gateway.Auth
	l.authAt = n
	faults := len(n.s.faults) + n.s.dropped
	defer func() { l.authOK = len(n.s.faults)+n.s.dropped == faults }()
	given := map[string]Node{} // what each mode has of its own
	var lasts, roles Node      // of sessions; what roles allow
	n.Object(Keys{
		"mode": func(n Node) {
			l.authAt = n
			n.OneOf(&a.Mode, "auth mode", AuthNone, AuthAPIKeys, AuthJWT, AuthProxy)
		},
		"keys": func(n Node) {
			given[AuthAPIKeys] = n
			a.Keys = n.apiKeys()
		},
		"jwt": func(n Node) {
			given[AuthJWT] = n
			a.JWT = n.jwt()
		},
		"proxy": func(n Node) {
			given[AuthProxy] = n
			a.Proxy = n.proxy()
		},
		"roles": func(n Node) {
			roles = n
			n.roles(&a.Roles)
		},
		"session": func(n Node) {
			lasts = n.session(&a.Session)
		},
	}, nil)
	if lasts.v != nil && (a.Mode == AuthNone || a.Mode == AuthProxy) {
		lasts.Warn("auth.mode %q has no sessions; remove the key", a.Mode)
	}
	if roles.v != nil && a.Mode == AuthNone {
		roles.Warn(`callers have no roles while auth.mode is "none": nobody has these rights; set up API keys, or remove the key`)
	}
	switch key := map[string]string{AuthAPIKeys: "keys", AuthJWT: "jwt", AuthProxy: "proxy"}; {
	case a.Mode == AuthNone && len(a.Keys) > 0:
		given[AuthAPIKeys].Fault(`keys are given, but the mode is "none" and lets everybody in; write "mode": "apiKeys"`)
	case a.Mode == AuthAPIKeys && given[AuthAPIKeys].v == nil:
		n.Fault(`"keys" is missing: nobody could call; make one with: askgate key new --tenant T --subject S --roles user`)
	case a.Mode == AuthAPIKeys && len(a.Keys) == 0:
		given[AuthAPIKeys].Warn(`nobody can call: there is no key; make one with: askgate key new --tenant T --subject S --roles user`)
	case a.Mode == AuthJWT && given[AuthJWT].v == nil:
		n.Fault(`"jwt" is missing; write {"jwks": "https://...", "issuer": "https://...", "audience": ["..."]}`)
	case a.Mode == AuthProxy && given[AuthProxy].v == nil:
		n.Fault(`"proxy" is missing; write {"from": ["10.0.0.5"], "headers": {"subject": "X-Remote-User"}}`)
	default:
		for _, mode := range []string{AuthAPIKeys, AuthJWT, AuthProxy} {
			if at := given[mode]; at.v != nil && mode != a.Mode && (mode != AuthAPIKeys || len(a.Keys) > 0) {
				at.Fault(`%q is given, but the mode is %q and does not look at it; write "mode": %q, or remove it`, key[mode], a.Mode, mode)
			}
		}
	}
}

var keyHash = regexp.MustCompile(`^sha256:[0-9A-Fa-f]{64}$`)

func (n Node) apiKeys() []APIKey {
	items, _ := n.List()
	var list []APIKey
	ids, hashes := map[string]bool{}, map[string]bool{}
	for _, item := range items {
		k := APIKey{Interactive: true}
		required := map[string]*string{"id": &k.ID, "hash": &k.Hash, "tenant": &k.Tenant, "subject": &k.Subject}
		given := map[string]bool{}
		once := func(field string, seen map[string]bool, read func(Node)) func(Node) {
			return func(n Node) {
				given[field] = true
				read(n)
				if value := *required[field]; seen != nil && value != "" {
					if seen[value] {
						n.Fault("another key has the same %s; change or remove one", field)
					}
					seen[value] = true
				}
			}
		}
		ok := item.Object(Keys{
			"id": once("id", ids, func(n Node) { n.matching(&k.ID, plainID, plainIDRule) }),
			"hash": once("hash", hashes, func(n Node) {
				if text, ok := n.Text(); ok {
					if !keyHash.MatchString(text) { // not shown: it may be the key itself
						n.Fault("no hash of a key; write sha256: and 64 hex digits, as printed by: askgate key new")
						return
					}
					k.Hash = strings.ToLower(text)
				}
			}),
			"tenant":      once("tenant", nil, func(n Node) { n.matching(&k.Tenant, plainID, plainIDRule) }),
			"subject":     once("subject", nil, func(n Node) { n.matching(&k.Subject, plainID, plainIDRule) }),
			"roles":       func(n Node) { n.Words(&k.Roles, 100, Node.role) },
			"mayActAs":    func(n Node) { n.Boolean(&k.MayActAs) },
			"interactive": func(n Node) { n.Boolean(&k.Interactive) },
			"mayAsk":      func(n Node) { n.mayAsk(&k.MayAsk) },
		}, nil)
		for _, field := range []string{"id", "hash", "tenant", "subject"} {
			if ok && !given[field] {
				item.Fault("%q is missing; copy the whole entry printed by: askgate key new", field)
			}
		}
		list = append(list, k)
	}
	return list
}

func (n Node) role(text string) bool {
	if !plainID.MatchString(text) {
		n.Fault("%s is no role; %s", n.Raw(), plainIDRule)
		return false
	}
	return true
}

// algorithms are those of signatures that a token may have: with a public key, because
// who only checks must not be able to sign.
var algorithms = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}

const (
	defaultSkew = Duration(time.Minute)
	// defaultTenant is whose chats are where nothing says a tenant, in any mode.
	defaultTenant = "default"
)

func (n Node) jwt() JWT {
	j := JWT{Skew: defaultSkew, Algorithms: algorithms, Tenant: defaultTenant, Claims: Origins{Subject: "sub"}}
	given := map[string]Node{}
	read := func(key string, f func(Node)) func(Node) {
		return func(n Node) {
			given[key] = n
			f(n)
		}
	}
	ok := n.Object(Keys{
		"jwks":     read("jwks", func(n Node) { n.keySet(&j.JWKS) }),
		"issuer":   read("issuer", func(n Node) { n.Filled(&j.Issuer) }),
		"audience": read("audience", func(n Node) { n.Words(&j.Audience, 100, nil) }),
		"skew":     func(n Node) { n.Duration(&j.Skew, 0, 10*time.Minute, "") },
		"algorithms": func(n Node) {
			n.Words(&j.Algorithms, len(algorithms), func(n Node, text string) bool {
				n.OneOf(&text, "algorithm of signatures with a public key", algorithms...)
				return true
			})
			if len(j.Algorithms) == 0 {
				n.Fault("no algorithm is left; name one, or remove the key")
			}
		},
		"tenant": read("tenant", func(n Node) { n.matching(&j.Tenant, plainID, plainIDRule) }),
		"claims": func(n Node) {
			n.Object(Keys{
				"tenant":      read("claims.tenant", func(n Node) { n.Filled(&j.Claims.Tenant) }),
				"subject":     func(n Node) { n.Filled(&j.Claims.Subject) },
				"roles":       func(n Node) { n.Filled(&j.Claims.Roles) },
				"interactive": func(n Node) { n.Filled(&j.Claims.Interactive) },
				"mayAsk":      func(n Node) { n.Filled(&j.Claims.MayAsk) },
			}, nil)
		},
	}, nil)
	if !ok {
		return j
	}
	for key, mend := range map[string]string{
		"jwks":   `write the https:// address of the issuer's key set ("jwks_uri"), or the path of a file`,
		"issuer": `write what tokens have as "iss"`,
	} {
		if given[key].v == nil {
			n.Fault("%q is missing; %s", key, mend)
		}
	}
	const mend = `write what tokens for this gateway have as "aud": tokens for others must not open it`
	switch at := given["audience"]; {
	case at.v == nil:
		n.Fault(`"audience" is missing; %s`, mend)
	case at.kind() == "a list" && len(j.Audience) == 0:
		at.Fault("no audience is given; %s", mend)
	}
	given["tenant"].oneTenant(given["claims.tenant"], "claim")
	return j
}

// oneTenant is asked of a fixed tenant: there must be none beside one that callers bring.
func (n Node) oneTenant(brought Node, what string) {
	if n.v != nil && brought.v != nil {
		n.Fault("a fixed tenant is given beside a %s that says it; remove one", what)
	}
}

// keySet reads where a key set is. A file's path begins at the configuration's directory.
func (n Node) keySet(dst *string) {
	var text string
	n.Filled(&text)
	if text == "" {
		return
	}
	if scheme, _, ok := strings.Cut(text, "://"); ok {
		u, err := url.Parse(text)
		switch {
		case err != nil || (scheme != "https" && scheme != "http") || u.Hostname() == "" || u.User != nil || u.Fragment != "":
			n.Fault(`no address of a key set; write it like "https://login.example.org/keys", without a user or #`)
			return
		case scheme == "http" && !loopback(net.JoinHostPort(u.Hostname(), "0")):
			n.Warn("the key set comes unencrypted: whoever can change it on the way can be anybody; use https:// where the issuer has it")
		}
		*dst = text
		return
	}
	if !filepath.IsAbs(text) {
		text = filepath.Join(n.l.opts.Dir, filepath.FromSlash(text))
	}
	if info, err := os.Stat(text); err != nil || !info.Mode().IsRegular() {
		n.Fault("there is no such file; write the path of a key set, from the configuration's directory on, or its https:// address")
		return
	}
	n.l.keySet = text
	*dst = text
}

func (n Node) proxy() Proxy {
	p := Proxy{Tenant: defaultTenant, Headers: Origins{Subject: "X-Remote-User"}}
	var from, fixed, brought Node
	header := func(dst *string) func(Node) {
		return func(n Node) { n.matching(dst, headerName, "use a header's name, like X-Remote-User") }
	}
	ok := n.Object(Keys{
		"from": func(n Node) {
			from = n
			p.From = n.prefixes("whoever reaches the gateway can be anybody")
		},
		"tenant": func(n Node) {
			fixed = n
			n.matching(&p.Tenant, plainID, plainIDRule)
		},
		"headers": func(n Node) {
			n.Object(Keys{
				"tenant": func(n Node) {
					brought = n
					header(&p.Headers.Tenant)(n)
				},
				"subject":     header(&p.Headers.Subject),
				"roles":       header(&p.Headers.Roles),
				"interactive": header(&p.Headers.Interactive),
				"mayAsk":      header(&p.Headers.MayAsk),
			}, nil)
		},
	}, nil)
	const mend = `write the addresses that the proxy connects from, like ["10.0.0.5", "10.1.0.0/16"]: whoever comes from there can be anybody`
	switch {
	case ok && from.v == nil:
		n.Fault(`"from" is missing; %s`, mend)
	case ok && from.kind() == "a list" && len(p.From) == 0:
		from.Fault("no address is given; %s", mend)
	}
	fixed.oneTenant(brought, "header")
	return p
}

// prefixes reads a list of addresses and networks. danger is what every address in it means.
func (n Node) prefixes(danger string) []netip.Prefix {
	var texts []string
	var list []netip.Prefix
	n.Words(&texts, 100, func(n Node, text string) bool {
		p, err := netip.ParsePrefix(text)
		if addr, aerr := netip.ParseAddr(text); aerr == nil && addr.Zone() == "" {
			p, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		switch {
		case err != nil || p.Addr().Is4In6():
			n.Fault(`%s is no address or network; write it like "10.0.0.5", "10.1.0.0/16" or "fd00::/8"`, n.Raw())
			return false
		case p.Bits() == 0:
			n.Warn("this is every address: %s", danger)
		}
		list = append(list, p.Masked())
		return true
	})
	return list
}

// unsealed warns where others could ask people in the gateway's name.
func (l *loader) unsealed() {
	if g := &l.gateway; l.gatewayOK && l.authOK && g.Auth.Session.Secret == "" && g.Redis != "" {
		l.note(whole(l.shown("gateway.json"), "questions are not sealed: whoever can write to Redis or the store can ask people in the gateway's name; "+
			"set auth.session.secret, the same on all nodes"))
	}
}

// minSecret is how long, in bytes, a secret must be that cannot be guessed: 128 bits
// as hex digits.
const minSecret = 32

// session returns where its length is given.
func (n Node) session(dst *Session) (lasts Node) {
	others := n
	n.Object(Keys{
		"secret": func(n Node) { n.secret(&dst.Secret) },
		"otherSecrets": func(n Node) {
			others = n
			n.secrets(&dst.OtherSecrets)
		},
		"lasts": func(n Node) {
			lasts = n
			n.Duration(&dst.Lasts, time.Minute, 30*day, "")
		},
	}, nil)
	if dst.Secret == "" && len(dst.OtherSecrets) > 0 {
		others.Warn(`without "secret" no question is sealed, and none is checked; give it, or remove the key`)
	}
	return lasts
}

func (n Node) secret(dst *string) {
	if text, ok := n.Text(); ok && n.longEnough(text) {
		*dst = text
	}
}

// maxSecrets bounds a list of secrets.
const maxSecrets = 10

// secrets is Words without showing any.
func (n Node) secrets(dst *[]string) {
	items, _ := n.List()
	if len(items) > maxSecrets {
		items[maxSecrets].Fault("too many; at most %d are allowed here", maxSecrets)
		items = items[:maxSecrets]
	}
	for _, item := range items {
		if text, ok := item.Text(); ok && item.longEnough(text) {
			*dst = append(*dst, text)
		}
	}
}

func (n Node) longEnough(text string) bool {
	if len(text) < minSecret { // not shown
		n.Fault("the secret is too short: %d bytes at least; make one with: openssl rand -hex 32", minSecret)
		return false
	}
	return true
}

func (n Node) cors(dst *CORS) {
	n.Object(Keys{"origins": func(n Node) {
		n.Words(&dst.Origins, 100, func(n Node, text string) bool {
			if !origin.MatchString(text) {
				n.Fault(`%s is no origin; write it as browsers do, in lower case and without a path: "https://app.example.org", "http://localhost:3000"`, n.Raw())
				return false
			}
			return true
		})
	}}, nil)
}

// origin is how browsers write one (RFC 6454, 6.2): no default port, nothing behind it.
var origin = regexp.MustCompile(`^https?://([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?$`)
