package config

import (
	"crypto/tls"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Gateway is gateway.json with every default filled in.
type Gateway struct {
	Listen          string           `json:"listen"`      // host:port
	AdminListen     string           `json:"adminListen"` // empty: metrics and health on Listen
	TLS             TLS              `json:"tls"`
	Store           string           `json:"store"`  // sqlite:PATH or postgres://...
	Redis           string           `json:"redis"`  // empty: in process
	Models          map[string]Model `json:"models"` // always has "default"
	Auth            Auth             `json:"auth"`
	Limits          GatewayLimits    `json:"limits"`
	Clarifications  Clarifications   `json:"clarifications"`
	CORS            CORS             `json:"cors"`
	Hosts           []string         `json:"hosts"`          // answered in the modes none and proxy beside loopback's, as ParseHost gives them
	TrustedProxies  []netip.Prefix   `json:"trustedProxies"` // whose X-Forwarded-For says where a call comes from
	Audit           Audit            `json:"audit"`
	PublicURL       string           `json:"publicUrl"` // without a slash at the end, perhaps with a path; empty: Listen
	Webhooks        []Webhook        `json:"webhooks"`
	Files           Files            `json:"files"`
	Documents       Documents        `json:"documents"`
	Retention       Duration         `json:"retention"` // of chats that nobody changes any more; 0: for ever
	ShutdownTimeout Duration         `json:"shutdownTimeout"`
}

// Files says where the files are kept that people upload as answers, and how much of them.
type Files struct {
	Store        string `json:"store"`        // a folder, or s3://BUCKET...; empty: see Gateway.FilesStore
	MaxBytes     int64  `json:"maxBytes"`     // of one file; 0: none is taken
	PerChat      int    `json:"perChat"`      // files of a chat
	PerChatBytes int64  `json:"perChatBytes"` // and what they hold together
}

// Documents says where the indexes of documents are kept, which can be built again.
type Documents struct {
	Cache string `json:"cache"` // a folder; empty: see Gateway.DocumentsCache
}

// DocumentsCache is the folder of the indexes: beside the SQLite file, else in the working
// directory, unless it says otherwise.
func (g *Gateway) DocumentsCache() string {
	path, sqlite := strings.CutPrefix(g.Store, "sqlite:")
	path, _, _ = strings.Cut(path, "?")
	switch {
	case g.Documents.Cache != "":
		return g.Documents.Cache
	case !sqlite || path == ":memory:":
		path = "askgate"
	}
	return strings.TrimPrefix(path, "//") + ".documents"
}

// FilesStore is where files are kept: beside the SQLite file unless it says otherwise. Empty:
// none are taken.
func (g *Gateway) FilesStore() string {
	path, sqlite := strings.CutPrefix(g.Store, "sqlite:")
	path, _, _ = strings.Cut(path, "?")
	switch {
	case g.Files.MaxBytes == 0:
		return ""
	case g.Files.Store != "" || !sqlite || path == ":memory:":
		return g.Files.Store
	}
	return path + ".files"
}

// TLS is what Listen shows to its clients; without a certificate it speaks plain HTTP.
type TLS struct {
	Cert string `json:"cert"` // PEM file: the certificate, then those between it and the root
	Key  string `json:"key"`  // PEM file
	// Certificate is what the files held when they were read; nil: none is given.
	Certificate *tls.Certificate `json:"-"`
}

// Audit says whether the store records who asked and who answered.
type Audit struct {
	Enabled bool `json:"enabled"`
	Texts   bool `json:"texts"` // what was asked and answered, too
}

// CORS says which other sites' pages may call.
type CORS struct {
	Origins []string `json:"origins"` // as browsers write them: https://host[:port], in lower case
}

// defaults are those of contract section 3.
func defaults() Gateway {
	return Gateway{
		Listen: "127.0.0.1:8080",
		Store:  "sqlite:askgate.db",
		Models: map[string]Model{},
		Auth:   Auth{Mode: AuthNone},
		Limits: GatewayLimits{
			Limits:      Limits{RequestsPerMinute: 60, Burst: 20, ConcurrentTurns: 4, Streams: 20},
			StoredBytes: 1 << 30,
		},
		Clarifications:  defaultClarifications(),
		Files:           Files{MaxBytes: 10_000_000, PerChat: 20, PerChatBytes: 100_000_000},
		ShutdownTimeout: Duration(30 * time.Second),
	}
}

func (l *loader) readGateway() {
	l.gateway, l.gatewayOK, l.authOK = defaults(), true, true
	g := &l.gateway
	if s, ok := l.pass.open("gateway.json"); s != nil {
		l.gatewayOK = ok
		if ok {
			l.root = l.pass.root(s, "gateway.json ")
			l.root.Read(l.gatewayKeys())
		}
	}
	l.defaultModel()
	l.checkFallbacks()
	o := l.pass.opts.Overrides
	from, ok := l.override(&g.Listen, o.Listen, "--listen", "ASKGATE_LISTEN", badListen)
	if ok {
		l.exposure(from)
		l.unnamed()
	}
	l.override(&g.AdminListen, o.AdminListen, "--admin-listen", "ASKGATE_ADMIN_LISTEN", badAdminListen)
	l.override(&g.Store, o.Store, "--store", "ASKGATE_STORE", badStore)
	l.override(&g.Redis, o.Redis, "--redis", "ASKGATE_REDIS", badRedis)
	l.unsealed()
	l.sealable()
}

func (l *loader) gatewayKeys() []Key {
	g := &l.gateway
	return []Key{
		editors(),
		String("listen", &g.Listen, without(badListen), "`host:port`; `\":8080\"` is every address of the machine").AtRestart(),
		String("adminListen", &g.AdminListen, without(badAdminListen), "a second address for `/metrics` and health; empty: they are on the first").AtRestart(),
		Object("tls", g.TLS.keys, "the certificate of `listen`; without it, AskGate speaks plain HTTP", g.TLS.load),
		String("store", &g.Store, without(badStore), "where chats and questions are kept: `sqlite:PATH`, or `postgres://USER:PASSWORD@HOST:5432/DATABASE` (special characters percent-encoded; better `\"$NAME\"`, so that the password is in no file); see [the store](operations.md#the-store)").AtRestart(),
		String("redis", &g.Redis, without(badRedis), "for several gateways that share a store: `redis://user:password@host:6379/0`, or `rediss://...` for TLS; empty: each works by itself, see [operations](operations.md#redis)").AtRestart(),
		Named("models", Names{Pattern: plainID, Wrong: "cannot be the name of a model; " + plainIDRule}, l.model, "[language models](#models) by name"),
		Object("auth", g.Auth.keys, "[who may call](#auth)", g.Auth.check).wholly(&l.authOK),
		Object("cors", func() []Key {
			return []Key{Words("origins", &g.CORS.Origins, 100, isOrigin, "[other sites](#cors) whose pages may call, like `https://app.example.org`")}
		}, ""),
		hostsKey(&g.Hosts),
		prefixes("trustedProxies", &g.TrustedProxies, "whoever reaches the gateway can call from any address",
			"addresses and networks of the proxies in front, like `[\"10.0.0.5\", \"10.1.0.0/16\"]`: their `X-Forwarded-For` says which address a call comes from, for `requestsPerMinutePerAddress` and the `audit`. Those of `auth.proxy` are included"),
		Object("limits", g.Limits.keys, "[what may be asked for](#limits)"),
		Object("clarifications", g.Clarifications.keys, "[what a model may ask its user](#clarifications)"),
		Object("audit", g.Audit.keys, "[a record](#audit) of who asked and who answered", g.Audit.check),
		Object("files", g.Files.keys, "where the [files](#files) are kept that people upload, and how much of them"),
		String("publicUrl", &g.PublicURL, without(badPublicURL), "where people reach the gateway, for the links in what webhooks send: scheme and host, like `\"https://ask.example.org\"`, and the path if it is [below one](deployment.md#below-a-path), like `\"https://example.org/ask\"`: a proxy may keep that path; empty: the address that it listens on").
			Then(func(Value) { g.PublicURL = strings.TrimRight(g.PublicURL, "/") }),
		Objects("webhooks", maxWebhooks, l.webhooks(), "addresses that are [told](#webhooks) what waits and what ended"),
		Object("documents", func() []Key {
			return []Key{Path("cache", &g.Documents.Cache, "the folder that the indexes of [documents](#documents) are kept in, of this node alone").Unset("beside the file of SQLite, else in the working directory").AtRestart()}
		}, ""),
		retention(&g.Retention, "how long a chat is kept after its last change; empty: for ever. Then all of it is deleted, open questions included. An app's own `retention` takes precedence"),
		Length("shutdownTimeout", &g.ShutdownTimeout, time.Second, time.Hour, "", "how long running turns may take to finish once the gateway is told to stop"),
	}
}

// editors is the key by which they find the JSON Schema.
func editors() Key {
	k := Free("$schema", "text", `"type": "string"`, func(n Value) { n.Text() }, "where editors find the JSON Schema of the file; has no effect")
	k.unsaid = true
	return k
}

// wholly is the key where ok becomes whether it has no fault.
func (k Key) wholly(ok *bool) Key {
	read := k.read
	k.read = func(n Value) {
		before := n.faults()
		read(n)
		*ok = n.faults() == before
	}
	return k
}

func (a *Audit) keys() []Key {
	return []Key{
		Bool("enabled", &a.Enabled, "whether it is kept from now on; earlier records stay when it is turned off"),
		Bool("texts", &a.Texts, "whether it also has what was asked and answered. Only records from then on have texts"),
	}
}

func (a *Audit) check(n Value) {
	if a.Texts && !a.Enabled {
		n.Key("texts").Warn(`the audit is off, and keeps no texts; write "enabled": true`)
	}
}

// maxFile bounds what an admin may allow, in bytes.
const maxFile = 1_000_000_000

func (f *Files) keys() []Key {
	return []Key{
		String("store", &f.Store, without(badFiles), "the path of a folder, or `s3://BUCKET/PREFIX?region=REGION` for S3, with `&endpoint=https://HOST:PORT` for what speaks like it. Empty with `sqlite:askgate.db`: the folder `askgate.db.files`. Empty with PostgreSQL: no files are taken").AtRestart(),
		Int("maxBytes", &f.MaxBytes, 0, maxFile, "how large one may be; a question may ask for less. 0: none are taken"),
		Int("perChat", &f.PerChat, 1, 1000, "how many files a chat may have, those too that were uploaded and nothing uses"),
		Int("perChatBytes", &f.PerChatBytes, 0, 100*maxFile, "how many bytes they may hold together"),
	}
}

// retention is a key of how long chats are kept that no longer change.
func retention(dst *Duration, doc string) Key {
	return Length("retention", dst, time.Second, 36500*day, "ever", doc)
}

var isOrigin = func(n Value, text string) bool {
	ok := origin.MatchString(text)
	if !ok {
		n.Fault(`%s is no origin; write it as browsers do, in lower case and without a path: "https://app.example.org", "http://localhost:3000"`, n.Raw())
	}
	return ok
}

// origin is how browsers write one (RFC 6454, 6.2): no default port, nothing behind it.
var origin = regexp.MustCompile(`^https?://([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?$`)

// override lays a flag, else an environment variable, over the file. An empty
// variable counts as not set; an empty flag is a value. From is the flag or the
// variable that decided, "" for neither; ok is false where its value is faulty.
func (l *loader) override(dst, flag *string, flagName, variable string, bad func(string) string) (from string, ok bool) {
	var value string
	if flag != nil {
		from, value = flagName, *flag
	} else if v, ok := l.pass.env(variable); ok && v != "" {
		from, value = variable, v
	} else {
		return "", true
	}
	if wrong := bad(value); wrong != "" {
		l.pass.fault(Fault{File: from, Message: wrong})
		return from, false
	}
	*dst = value
	return from, true
}

// The bad functions say what is wrong with a value and how to fix it, "" for
// nothing. They do not repeat the value, which may hold a password.

func badListen(addr string) string {
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		if n, perr := strconv.Atoi(port); perr == nil && n >= 0 && n <= 65535 {
			return ""
		}
	}
	return `no address to listen on; write host:port, like "127.0.0.1:8080" or ":8080"`
}

func badAdminListen(addr string) string {
	if addr == "" {
		return ""
	}
	return badListen(addr)
}

func badStore(store string) string {
	scheme, rest, _ := strings.Cut(store, ":")
	switch {
	case scheme == "sqlite" && rest != "":
		return ""
	case (scheme == "postgres" || scheme == "postgresql") && strings.HasPrefix(rest, "//"):
		return badPostgres(store)
	}
	return `no store; write "sqlite:PATH" or "postgres://user:password@host:5432/database"`
}

func badPostgres(store string) string {
	const mend = `; write postgres://user:password@host:5432/database, or "$NAME" to take it from the environment` //nolint:gosec // an example
	u, err := url.Parse(store)
	switch {
	case err != nil || u.Fragment != "":
		return "no PostgreSQL address: the port is no number, or special characters of the user or the password are not percent-encoded" + mend
	case u.Hostname() == "" && !u.Query().Has("host"):
		return "the PostgreSQL address names no host" + mend
	case strings.Trim(u.Path, "/") == "" && !u.Query().Has("dbname"):
		return "the PostgreSQL address names no database" + mend
	}
	return ""
}

func badRedis(address string) string {
	if address == "" {
		return ""
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || (u.Scheme != "redis" && u.Scheme != "rediss") || u.Hostname() == "":
		return `no Redis address; write "redis://user:password@host:6379/0" (special characters percent-encoded), "rediss://..." for TLS, or "" for none`
	case u.RawQuery != "" || u.Fragment != "":
		return "a Redis address has no ? or #; percent-encode them in the password"
	}
	if database := strings.Trim(u.Path, "/"); database != "" {
		if _, err := strconv.ParseUint(database, 10, 31); err != nil {
			return `a Redis database is a number; write "redis://host:6379/0"`
		}
	}
	return ""
}

func badFiles(text string) string {
	if u, err := url.Parse(text); strings.Contains(text, "://") && (err != nil || u.Scheme != "s3" || u.Host == "") {
		return `no place for files; write the path of a folder, or "s3://BUCKET?region=REGION" with "&endpoint=https://HOST" where it is not Amazon's`
	}
	return ""
}
