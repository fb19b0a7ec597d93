package config

import (
	"cmp"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/redisconn"
)

// Gateway is the content of gateway.json with all defaults filled in.
type Gateway struct {
	Listen          string           `json:"listen"`      // host:port
	AdminListen     string           `json:"adminListen"` // empty: metrics and health on Listen
	TLS             TLS              `json:"tls"`
	Store           string           `json:"store"`  // sqlite:PATH or postgres://...
	Redis           string           `json:"redis"`  // empty: limits and streams are kept in the process
	Models          map[string]Model `json:"models"` // always contains "default"
	Auth            Auth             `json:"auth"`
	Limits          GatewayLimits    `json:"limits"`
	Clarifications  Clarifications   `json:"clarifications"`
	CORS            CORS             `json:"cors"`
	FrameAncestors  []string         `json:"frameAncestors"` // of the chat page; in the form of browsers, as CORS.Origins
	Hosts           []string         `json:"hosts"`          // in addition to loopback, for the modes none and proxy; as returned by ParseHost
	TrustedProxies  []netip.Prefix   `json:"trustedProxies"` // their X-Forwarded-For is trusted
	Audit           Audit            `json:"audit"`
	PublicURL       string           `json:"publicUrl"` // without a trailing slash; may have a path; empty: Listen
	Webhooks        []Webhook        `json:"webhooks"`
	People          []Person         `json:"people"`
	Channels        []Channel        `json:"channels"`
	Files           Files            `json:"files"`
	Documents       Documents        `json:"documents"`
	Retention       Duration         `json:"retention"` // of chats after their last change; 0: forever
	ShutdownTimeout Duration         `json:"shutdownTimeout"`
}

// Files says where uploaded files are stored, and limits them.
type Files struct {
	Store        string `json:"store"`        // path of a folder, or s3://BUCKET...; empty: see Gateway.FilesStore
	MaxBytes     int64  `json:"maxBytes"`     // of one file; 0: files are refused
	PerChat      int    `json:"perChat"`      // files in one chat
	PerChatBytes int64  `json:"perChatBytes"` // bytes of all files in one chat
}

// Documents says where the indexes of documents are stored. They can be rebuilt at any time.
type Documents struct {
	Cache string `json:"cache"` // path of a folder; empty: see Gateway.DocumentsCache
}

// DocumentsCache returns the folder of the indexes. By default it is next to the SQLite file, or in the
// working directory if there is none.
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

// FilesStore returns where files are stored. By default that is a folder next to the SQLite file. It
// returns "" if files are refused.
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

// Audit says whether the store records who asked and who answered.
type Audit struct {
	Enabled bool `json:"enabled"`
	Texts   bool `json:"texts"` // also what was asked and answered
}

// CORS says which pages of other sites may call the gateway.
type CORS struct {
	Origins []string `json:"origins"` // in the form of browsers: https://host[:port], in lower case
}

// defaults returns the defaults of contract section 3.
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

// editors is the key "$schema", with which editors find the JSON Schema.
func editors() Key {
	k := Free("$schema", "text", `"type": "string"`, func(n Value) { n.Text() }, "where editors find the file's JSON Schema; has no effect")
	k.unsaid = true
	return k
}

func (a *Audit) keys() []Key {
	return []Key{
		Bool("enabled", &a.Enabled, "whether records are kept from now on; turning it off keeps earlier records"),
		Bool("texts", &a.Texts, "whether records also have what was asked and answered; earlier records do not change"),
	}
}

func (a *Audit) check(n Value) {
	if a.Texts && !a.Enabled {
		n.Key("texts").Warn(`"texts" has no effect, because the audit is off; write "enabled": true`)
	}
}

func (f *Files) keys() []Key {
	return []Key{
		String("store", &f.Store, without(badFiles), "the path of a folder, or `s3://BUCKET/PREFIX?region=REGION` for S3, with `&endpoint=https://HOST:PORT` for compatible servers. Empty with `sqlite:askgate.db`: the folder `askgate.db.files`. Empty with PostgreSQL: files are refused").AtRestart(),
		Int("maxBytes", &f.MaxBytes, 0, maxFile, "how many bytes a file may have; a question may allow less. 0: files are refused"),
		Int("perChat", &f.PerChat, 1, 1000, "how many files a chat may have, including uploads that nothing uses"),
		Int("perChatBytes", &f.PerChatBytes, 0, 100*maxFile, "how many bytes a chat's files may have in total"),
	}
}

// retention is the key that says how long chats are kept after their last change.
func retention(dst *Duration, doc string) Key {
	return Length("retention", dst, time.Second, 36500*day, "ever", doc)
}

var isOrigin = func(n Value, text string) bool {
	ok := origin.MatchString(text)
	if !ok {
		n.Fault(`%s is not an origin; write it as browsers do, in lower case and without a path: "https://app.example.org", "http://localhost:3000"`, n.Raw())
	}
	return ok
}

// origin is the form in which browsers send an origin (RFC 6454, 6.2): without a default port or a path.
var origin = regexp.MustCompile(`^https?://([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?$`)

// The bad functions return what is wrong with a value and how to fix it, or "" for
// a valid one. They do not repeat the value, because it may contain a password.

func badListen(addr string) string {
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		if n, perr := strconv.Atoi(port); perr == nil && n >= 0 && n <= 65535 {
			return ""
		}
	}
	return `not an address to listen on; write host:port, like "127.0.0.1:8080" or ":8080"`
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
	return `not a store; write "sqlite:PATH" or "postgres://user:password@host:5432/database"`
}

func badPostgres(store string) string {
	const hint = `; write postgres://user:password@host:5432/database, or "$NAME" to take it from the environment` //nolint:gosec // an example
	u, err := url.Parse(store)
	switch {
	case err != nil || u.Fragment != "":
		return "not a PostgreSQL address: the port is not a number, or special characters in the user or password are not percent-encoded" + hint
	case u.Hostname() == "" && !u.Query().Has("host"):
		return "the PostgreSQL address has no host" + hint
	case strings.Trim(u.Path, "/") == "" && !u.Query().Has("dbname"):
		return "the PostgreSQL address has no database" + hint
	}
	return ""
}

func badRedis(address string) string {
	if address == "" {
		return ""
	}
	if err := redisconn.Check(address); err != nil {
		return err.Error()
	}
	return ""
}

func badFiles(text string) string {
	if u, err := url.Parse(text); strings.Contains(text, "://") && (err != nil || u.Scheme != "s3" || u.Host == "") {
		return `not a place for files; write the path of a folder, or "s3://BUCKET?region=REGION", with "&endpoint=https://HOST" for a server other than Amazon's`
	}
	return ""
}

// PublicPath returns the path of publicUrl, or "" if it has none.
func (g *Gateway) PublicPath() string {
	_, rest, _ := strings.Cut(g.PublicURL, "://")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		return rest[i:]
	}
	return ""
}

// UndeliveredAfter returns after how long the metrics count a question as undelivered: the shortest
// time of the webhooks that are notified of it, or the default UndeliveredAfter.
func (g *Gateway) UndeliveredAfter() time.Duration {
	after := Duration(0)
	for i := range g.Webhooks {
		if w := &g.Webhooks[i]; slices.Contains(w.Events, WebhookUndelivered) && (after == 0 || w.UndeliveredAfter < after) {
			after = w.UndeliveredAfter
		}
	}
	return cmp.Or(after, UndeliveredAfter).Std()
}

// Person returns what the configuration says of a person.
func (g *Gateway) Person(tenant, subject string) (Person, bool) {
	i := slices.IndexFunc(g.People, func(p Person) bool { return p.Tenant == tenant && p.Subject == subject })
	if i < 0 {
		return Person{}, false
	}
	return g.People[i], true
}

// Holders returns the people of a tenant who have a role, in the order of the file.
func (g *Gateway) Holders(tenant, role string) (found []Person) {
	for _, p := range g.People {
		if p.Tenant == tenant && slices.Contains(p.Roles, role) {
			found = append(found, p)
		}
	}
	return found
}

// Channel returns the channel with an id.
func (g *Gateway) Channel(id string) (Channel, bool) {
	i := slices.IndexFunc(g.Channels, func(c Channel) bool { return c.ID == id })
	if i < 0 {
		return Channel{}, false
	}
	return g.Channels[i], true
}
