package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Auth says how callers are authenticated.
type Auth struct {
	Mode  string   `json:"mode"` // none, apiKeys, jwt, proxy
	Keys  []APIKey `json:"keys"`
	JWT   JWT      `json:"jwt"`
	Proxy Proxy    `json:"proxy"`
	// Roles are the rights of the holders of a role, by role, in every mode that has roles.
	Roles   map[string]RoleRights `json:"roles"`
	Session Session               `json:"session"`
}

// Session says how browsers stay signed in, in the modes apiKeys and jwt, and, in every mode, with
// which secret the gateway seals its questions.
type Session struct {
	// Secret encrypts the cookies, and seals the questions in the store and the messages between nodes.
	// It is never logged. If it is empty, each process has a random one for cookies, and nothing is
	// sealed.
	Secret       string   `json:"secret"`
	OtherSecrets []string `json:"otherSecrets"` // their seals are accepted too; never logged
}

// JWT says which signed tokens are accepted, and which of their claims identify the caller.
type JWT struct {
	JWKS     string   `json:"jwks"` // the key set: http(s)://..., or the path of a file
	Issuer   string   `json:"issuer"`
	Audience []string `json:"audience"` // a token must have one of these
	Tenant   string   `json:"tenant"`   // of every caller, if Claims.Tenant is empty
	Claims   Origins  `json:"claims"`
}

// Proxy says which proxies are trusted, and which of their headers identify the caller.
type Proxy struct {
	From    []netip.Prefix `json:"from"`   // the addresses from which it connects
	Tenant  string         `json:"tenant"` // of every caller, if Headers.Tenant is empty
	Headers Origins        `json:"headers"`
}

// Origins are the names of the claims or headers that identify the caller.
type Origins struct {
	Tenant  string `json:"tenant"` // empty: the tenant is fixed
	Subject string `json:"subject"`
	Roles   string `json:"roles"` // empty: callers have no roles
	Email   string `json:"email"` // of claims only; empty: addresses are not known
}

// APIKey is one accepted key. The key itself is not stored, only its hash.
type APIKey struct {
	ID       string   `json:"id"`
	Hash     string   `json:"hash"` // sha256:<64 lower-case hex digits> of the whole key
	Tenant   string   `json:"tenant"`
	Subject  string   `json:"subject"`
	Roles    []string `json:"roles"`
	MayActAs bool     `json:"mayActAs"`
	// Interactive is false if no one answers the questions that its messages lead to.
	Interactive bool `json:"interactive"`
	// MayAsk says whom the programs of the key may ask in addition to its own subject: subjects,
	// "role:" and a role, or "*" for everyone in the tenant.
	MayAsk []string `json:"mayAsk"`
}

// The values of Auth.Mode.
const (
	AuthNone    = "none"
	AuthAPIKeys = "apiKeys"
	AuthJWT     = "jwt"
	AuthProxy   = "proxy"
)

// RoleRights are the rights of the holders of a role.
type RoleRights struct {
	MayAsk []string `json:"mayAsk"` // as APIKey.MayAsk
}

func (a *Auth) keys() []Key {
	return []Key{
		Word("mode", &a.Mode, "auth mode", []string{AuthNone, AuthAPIKeys, AuthJWT, AuthProxy}, "`none`: all callers are the same user; on addresses other than loopback this is a fault, even in a running gateway, unless `--insecure` is set. `apiKeys`: `Authorization: Bearer KEY`. `jwt`: a token signed by your identity provider, in the same header. `proxy`: headers from a reverse proxy that has signed the user in"),
		Objects("keys", 0, a.apiKeys(), "the accepted keys; required with `apiKeys`, a fault in other modes"),
		Object("jwt", a.jwtKeys, "the accepted tokens; required with `jwt`, a fault in other modes", a.JWT.check),
		Object("proxy", a.proxyKeys, "the trusted proxy; required with `proxy`, a fault in other modes", a.Proxy.check),
		Named("roles", Names{Pattern: plainID, Wrong: "is not a valid role; " + plainIDRule}, a.role, "what roles allow their holders to do, in every mode that has roles; see [who may ask whom](auth.md#who-may-ask-whom)"),
		Object("session", a.Session.keys, "how the page's users stay signed in, with `apiKeys` and `jwt`; in every mode, the secret that [seals](auth.md#seals) questions and messages between nodes", a.Session.check),
	}
}

// check finds keys that do not apply to the mode, and keys that the mode requires.
func (a *Auth) check(n Value) {
	a.unheldRoles(n)
	if roles := n.Key("roles"); roles.Given() && a.Mode == AuthNone {
		roles.Warn(`callers have no roles while auth.mode is "none", so no one has these rights; set up API keys, or remove the key`)
	}
	if email := n.Key("jwt").Key("claims").Key("email"); email.Given() && a.Session.Secret == "" {
		email.Warn("addresses are only kept sealed, and there is no secret to seal them with; set auth.session.secret, the same on all nodes")
	}
	keys := n.Key("keys")
	switch {
	case a.Mode == AuthNone && len(a.Keys) > 0:
		keys.Fault(`"keys" requires "mode": "apiKeys"; mode "none" lets everyone in`)
	case a.Mode == AuthAPIKeys && !keys.Given():
		n.Fault(`"keys" is missing, so no one could use the gateway; create a key with: askgate key new --tenant T --subject S --roles user`)
	case a.Mode == AuthAPIKeys && len(a.Keys) == 0:
		keys.Warn(`"keys" is empty, so no one can use the gateway; create a key with: askgate key new --tenant T --subject S --roles user`)
	case a.Mode == AuthJWT && !n.Key("jwt").Given():
		n.Fault(`"jwt" is missing; write {"jwks": "https://...", "issuer": "https://...", "audience": ["..."]}`)
	case a.Mode == AuthProxy && !n.Key("proxy").Given():
		n.Fault(`"proxy" is missing; write {"from": ["10.0.0.5"], "headers": {"subject": "X-Remote-User"}}`)
	default:
		for mode, key := range map[string]string{AuthAPIKeys: "keys", AuthJWT: "jwt", AuthProxy: "proxy"} {
			if at := n.Key(key); at.Given() && mode != a.Mode && (mode != AuthAPIKeys || len(a.Keys) > 0) {
				at.Fault(`%q has no effect in mode %q; write "mode": %q, or remove it`, key, a.Mode, mode)
			}
		}
	}
}

var keyHash = regexp.MustCompile(`^sha256:[0-9A-Fa-f]{64}$`)

// apiKeys returns a function that returns the next item of "keys". Ids and hashes must be unique.
func (a *Auth) apiKeys() func() Item {
	ids, hashes := map[string]bool{}, map[string]bool{}
	return func() Item {
		a.Keys = append(a.Keys, APIKey{Interactive: true})
		k := &a.Keys[len(a.Keys)-1]
		const fix = "copy the whole entry printed by: askgate key new"
		keys := []Key{
			Matching("id", &k.ID, plainID, plainIDRule, "identifies the key in logs; must be unique").Then(once("key", "id", &k.ID, ids)).Must(fix),
			String("hash", &k.Hash, without(badHash), "`sha256:` and 64 hex digits; must be unique").
				Then(func(Value) { k.Hash = strings.ToLower(k.Hash) }).Then(once("key", "hash", &k.Hash, hashes)).Must(fix),
			Matching("tenant", &k.Tenant, plainID, plainIDRule, "the caller's tenant; with `subject`, the principal that owns its chats").Must(fix),
			Matching("subject", &k.Subject, plainID, plainIDRule, "the caller within the tenant").Must(fix),
			Words("roles", &k.Roles, 100, isRole, "what apps' `access.roles` ask for; `metrics` may read `/metrics`, `admin` may use the [admin view](admin.md#admin-view), and together with `admin:texts` may also read there what people were asked and answered"),
			Bool("mayActAs", &k.MayActAs, "may act for other subjects of its tenant"),
			Bool("interactive", &k.Interactive, "`false`: [no one answers](asking.md#where-no-one-answers) what its messages lead to"),
			mayAsk("mayAsk", &k.MayAsk, "whom its programs [may ask](auth.md#who-may-ask-whom) besides its own subject"),
		}
		return Item{Keys: keys}
	}
}

// once reports a fault if an earlier entry has the same value.
func once(entry, field string, value *string, seen map[string]bool) func(Value) {
	return func(n Value) {
		if *value == "" {
			return
		}
		if seen[*value] {
			n.Fault("another %s has the same %s; change or remove one", entry, field)
		}
		seen[*value] = true
	}
}

// badHash does not repeat the text, because it may be the key itself.
func badHash(text string) string {
	if keyHash.MatchString(text) {
		return ""
	}
	return "not a key hash; write sha256: and 64 hex digits, as printed by: askgate key new"
}

var isRole = matches(plainID, "is not a valid role", plainIDRule)

// IsRole reports whether a role may have this name.
func IsRole(name string) bool { return plainID.MatchString(name) }

// role returns the item for the rights of a role.
func (a *Auth) role(name string) Item {
	if a.Roles == nil {
		a.Roles = map[string]RoleRights{}
	}
	var r RoleRights
	return Item{
		[]Key{mayAsk("mayAsk", &r.MayAsk, "whom the programs of its holders may ask, like `mayAsk` of a key")},
		func(Value, bool) { a.Roles[name] = r },
	}
}

// defaultTenant is the tenant of callers for whom no tenant is configured, in any mode.
const defaultTenant = "default"

// jwtKeys returns the keys of "jwt". Its defaults apply only if "jwt" is given.
func (a *Auth) jwtKeys() []Key {
	a.JWT = JWT{Tenant: defaultTenant, Claims: Origins{Subject: "sub"}}
	return a.JWT.keys()
}

func (j *JWT) keys() []Key {
	const audience = `write the "aud" of tokens for this gateway, so that tokens for other services are refused`
	return []Key{
		Filled("jwks", &j.JWKS, j.keySet, "the issuer's public keys: the `https://` address that its `/.well-known/openid-configuration` calls `jwks_uri`, or the path of a file, relative to this directory").
			Must(`write the https:// address of the issuer's key set ("jwks_uri"), or the path of a file`),
		Filled("issuer", &j.Issuer, nil, "the exact `iss` of tokens").Must(`write the "iss" of your tokens`),
		Words("audience", &j.Audience, 100, nil, "a token's `aud` must be or contain one of these, so that tokens for other services are refused").Must(audience).
			Then(func(n Value) {
				if n.kind() == "a list" && len(j.Audience) == 0 {
					n.Fault("no audience is given; %s", audience)
				}
			}),
		Matching("tenant", &j.Tenant, plainID, plainIDRule, "the tenant of every caller; not together with `claims.tenant`"),
		Object("claims", func() []Key {
			key := func(name string, dst *string, doc string) Key { return Filled(name, dst, nil, doc) }
			return append(j.Claims.keys(key, "claim", "; a token without it is refused", "a list, or words separated by spaces"),
				key("email", &j.Claims.Email, "the claim that has the user's email address, for [channels](channels.md#whom-they-tell); it counts if the token also says `\"email_verified\": true`. Requires `auth.session.secret`"))
		}, ""),
	}
}

func (j *JWT) check(n Value) {
	if j.JWKS != "" && !strings.Contains(j.JWKS, "://") {
		j.JWKS = n.p.path(j.JWKS)
	}
	oneTenant(n.Key("tenant"), n.Key("claims").Key("tenant"), "claim")
}

// keys returns the keys that name claims or headers. For their descriptions, what is "claim" or
// "header", refused says what happens without a tenant, and list says how several roles are written.
func (o *Origins) keys(key func(name string, dst *string, doc string) Key, what, refused, list string) []Key {
	return []Key{
		key("tenant", &o.Tenant, "the "+what+" that names the tenant"+refused),
		key("subject", &o.Subject, "the "+what+" that names the user"),
		key("roles", &o.Roles, "the "+what+" that has the roles: "+list+"; without it, callers have none"),
	}
}

// oneTenant reports a fault if the tenant is fixed and also taken from what callers send.
func oneTenant(fixed, brought Value, what string) {
	if fixed.Given() && brought.Given() {
		fixed.Fault("the tenant is set twice, here and by a %s; remove one", what)
	}
}

// keySet checks the address of a key set, or the path of its file, which is relative to the configuration
// directory.
func (j *JWT) keySet(n Value, text string) bool {
	if scheme, _, ok := strings.Cut(text, "://"); ok {
		u, err := url.Parse(text)
		switch {
		case err != nil || (scheme != "https" && scheme != "http") || u.Hostname() == "" || u.User != nil || u.Fragment != "":
			n.Fault(`not the address of a key set; write it like "https://login.example.org/keys", without a user or #`)
			return false
		case scheme == "http" && !loopback(net.JoinHostPort(u.Hostname(), "0")):
			n.Warn("the key set is fetched unencrypted, so an attacker who changes it in transit can pose as any user; use https:// if the issuer offers it")
		}
		return true
	}
	text = n.p.path(text)
	if info, err := os.Stat(text); err != nil || !info.Mode().IsRegular() {
		n.Fault("no such file; write the path of a key set, relative to the configuration directory, or its https:// address")
		return false
	}
	n.p.keySet = text
	return true
}

func (a *Auth) proxyKeys() []Key {
	a.Proxy = Proxy{Tenant: defaultTenant, Headers: Origins{Subject: "X-Remote-User"}}
	return a.Proxy.keys()
}

func (p *Proxy) keys() []Key {
	const from = `write the addresses that the proxy connects from, like ["10.0.0.5", "10.1.0.0/16"]; callers from there can pose as any user`
	header := func(name string, dst *string, doc string) Key {
		return Matching(name, dst, headerName, "write a header name, like X-Remote-User", doc)
	}
	return []Key{
		prefixes("from", &p.From, "anyone who reaches the gateway can pose as any user", "the addresses and networks that the proxy connects from; all other callers get 401. What counts is the address of the connection, never `X-Forwarded-For`").Must(from).
			Then(func(n Value) {
				if n.kind() == "a list" && len(p.From) == 0 {
					n.Fault("no address is given; %s", from)
				}
			}),
		Matching("tenant", &p.Tenant, plainID, plainIDRule, "the tenant of every caller; not together with `headers.tenant`"),
		Object("headers", func() []Key {
			return p.Headers.keys(header, "header", "; a request without it gets 401", "words separated by commas")
		}, ""),
	}
}

func (p *Proxy) check(n Value) {
	oneTenant(n.Key("tenant"), n.Key("headers").Key("tenant"), "header")
}

// prefixes is a list of addresses and networks. danger says what an attacker can do if the list covers
// every address.
func prefixes(name string, dst *[]netip.Prefix, danger, doc string) Key {
	var texts []string
	return Words(name, &texts, 100, func(n Value, text string) bool {
		p, err := netip.ParsePrefix(text)
		if addr, aerr := netip.ParseAddr(text); aerr == nil && addr.Zone() == "" {
			p, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		switch {
		case err != nil || p.Addr().Is4In6():
			n.Fault(`%s is not an address or network; write it like "10.0.0.5", "10.1.0.0/16" or "fd00::/8"`, n.Raw())
			return false
		case p.Bits() == 0:
			n.Warn("this covers every address, so %s; list only your proxy's", danger)
		}
		*dst = append(*dst, p.Masked())
		return true
	}, doc)
}

// minSecret is the minimum length of a secret, in bytes: 128 bits written as hex digits cannot be
// guessed.
const minSecret = 32

// maxSecrets limits a list of secrets.
const maxSecrets = 10

func (s *Session) keys() []Key {
	return []Key{
		String("secret", &s.Secret, longEnough, "encrypts the cookies, and [seals](auth.md#seals) questions and messages between nodes; at least 32 bytes, for example from `openssl rand -hex 32`. **Several nodes need the same one.** Without it, a restart signs everyone out, and nothing is sealed").Unset("random in each process"),
		Free("otherSecrets", "list of strings", fmt.Sprintf(`"type": "array", "maxItems": %d, "items": {"type": "string", "minLength": %d}`, maxSecrets, minSecret), s.others, "up to 10 more secrets whose seals are accepted. Cookies use only `secret`").Unset("`[]`"),
	}
}

func (s *Session) check(n Value) {
	if s.Secret == "" && len(s.OtherSecrets) > 0 {
		n.Key("otherSecrets").Warn(`without "secret", questions are neither sealed nor checked; set it, or remove the key`)
	}
}

// others reads a list of secrets. Its faults never show a secret.
func (s *Session) others(n Value) {
	items, _ := n.List(maxSecrets, tooMany)
	for _, item := range items {
		if text, ok := item.Text(); ok && longEnough(item, text) {
			s.OtherSecrets = append(s.OtherSecrets, text)
		}
	}
}

func longEnough(n Value, text string) bool {
	if len(text) < minSecret { // not shown
		n.Fault("the secret is too short; use at least %d bytes, for example from: openssl rand -hex 32", minSecret)
	}
	return len(text) >= minSecret
}

// AskRole is the prefix of an entry of mayAsk that names a role. AskAnybody is the entry for everyone
// in the tenant.
const (
	AskRole    = "role:"
	AskAnybody = "*"
)

// maxSubject is the maximum length of a subject, in bytes. The issuer of tokens chooses subjects.
const maxSubject = 255

const mayAskRule = `write a subject, "role:" and a role, or "*" for everyone in the tenant`

// MayBeAsked reports whether text is a valid entry of mayAsk.
func MayBeAsked(text string) bool {
	if role, ok := strings.CutPrefix(text, AskRole); ok {
		return IsRole(role)
	}
	return text == AskAnybody || text != "" && len(text) <= maxSubject && utf8.ValidString(text) && strings.TrimSpace(text) == text &&
		!strings.ContainsRune(text, '*') && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

func mayAsk(name string, dst *[]string, doc string) Key {
	return Words(name, dst, 100, func(n Value, text string) bool {
		ok := MayBeAsked(text)
		if !ok {
			n.Fault("%s does not name anyone who can be asked; %s", n.Raw(), mayAskRule)
		}
		return ok
	}, doc)
}
