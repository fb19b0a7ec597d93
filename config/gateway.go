package config

import (
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// defaults are those of contract section 3.
func defaults() Gateway {
	return Gateway{
		Listen: "127.0.0.1:8080",
		Store:  "sqlite:askgate.db",
		Models: map[string]Model{},
		Auth:   Auth{Mode: AuthNone, Session: Session{Lasts: Duration(12 * time.Hour)}},
		Limits: GatewayLimits{Limits: Limits{RequestsPerMinute: 60, Burst: 20, ConcurrentTurns: 4, Streams: 20}, ReadsPerMinute: 300, StoredBytes: 1 << 30},
		Clarifications: Clarifications{PerConversation: 10, PerTurn: 5, ApprovalsPerTurn: 20, MaxQuestions: 5, MaxOptions: 20, MaxAnswer: 4000,
			Secrets: SecretsRefuse, SecretWords: []string{}, Keys: map[string]Remember{}, AllowOther: AllowOtherModel, Repeats: RepeatsReturn, Hint: true, OnMessageWhilePending: PendingAnswer, OnMessageWhileRunning: PendingReject},
		Files:           Files{MaxBytes: 10_000_000, PerChat: 20, PerChatBytes: 100_000_000},
		ShutdownTimeout: Duration(30 * time.Second),
	}
}

const defaultMaxSteps = 10

func (l *loader) readGateway() {
	l.gateway, l.gatewayOK, l.authOK = defaults(), true, true
	g := &l.gateway
	if s, ok := l.open("gateway.json"); s != nil {
		l.gatewayOK = ok
		if ok {
			l.gatewayFile(Node{l: l, s: s, v: &s.root})
		}
	}
	l.defaultModel()
	l.checkFallbacks()
	o := l.opts.Overrides
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

func (l *loader) gatewayFile(n Node) {
	g := &l.gateway
	checked := func(dst *string, bad func(string) string) func(Node) {
		return func(n Node) {
			if text, ok := n.Text(); ok {
				if wrong := bad(text); wrong != "" {
					n.Fault("%s", wrong)
					return
				}
				*dst = text
			}
		}
	}
	n.Object(Keys{
		"$schema": func(n Node) { n.Text() }, // for editors
		"listen": func(n Node) {
			l.listenAt = n
			checked(&g.Listen, badListen)(n)
		},
		"tls":            l.tls,
		"adminListen":    checked(&g.AdminListen, badAdminListen),
		"store":          checked(&g.Store, badStore),
		"redis":          checked(&g.Redis, badRedis),
		"models":         l.models,
		"auth":           l.auth,
		"limits":         func(n Node) { n.gatewayLimits(&g.Limits) },
		"clarifications": func(n Node) { n.clarifications(&g.Clarifications) },
		"cors":           func(n Node) { n.cors(&g.CORS) },
		"hosts":          func(n Node) { n.hosts(&g.Hosts) },
		"trustedProxies": func(n Node) {
			g.TrustedProxies = n.prefixes("whoever reaches the gateway can call from any address")
		},
		"audit":           func(n Node) { n.audit(&g.Audit) },
		"publicUrl":       func(n Node) { n.publicURL(&g.PublicURL) },
		"webhooks":        l.webhooks,
		"files":           func(n Node) { n.files(&g.Files) },
		"documents":       func(n Node) { n.Object(Keys{"cache": func(n Node) { n.Path(&g.Documents.Cache) }}, nil) },
		"retention":       func(n Node) { n.retention(&g.Retention) },
		"shutdownTimeout": func(n Node) { n.Duration(&g.ShutdownTimeout, time.Second, time.Hour, "") },
	}, nil)
}

// clarifications overrides what dst holds, key by key.
func (n Node) clarifications(dst *Clarifications) {
	n.Object(Keys{
		"perConversation":    func(n Node) { n.Integer(&dst.PerConversation, 0, 10_000) },
		"perTurn":            func(n Node) { n.Integer(&dst.PerTurn, 0, 10_000) },
		"approvalsPerTurn":   func(n Node) { n.Integer(&dst.ApprovalsPerTurn, 0, 10_000) },
		"perPrincipalPerDay": func(n Node) { n.Integer(&dst.PerPrincipalPerDay, 0, 1_000_000) },
		"perAskerPerDay":     func(n Node) { n.Integer(&dst.PerAskerPerDay, 0, 1_000_000) },
		"perAppPerMinute":    func(n Node) { n.Integer(&dst.PerAppPerMinute, 0, maxPerMinute) },
		"maxQuestions":       func(n Node) { n.Integer(&dst.MaxQuestions, 1, 50) },
		"maxOptions":         func(n Node) { n.Integer(&dst.MaxOptions, 2, 500) },
		"maxAnswer":          func(n Node) { n.Integer(&dst.MaxAnswer, 1, 32_000) }, // a message's own limit
		"expiresIn":          func(n Node) { n.Duration(&dst.ExpiresIn, time.Second, 3650*day, "never") },
		"secrets":            func(n Node) { n.OneOf(&dst.Secrets, "policy", SecretsRefuse, SecretsWarn, SecretsAllow) },
		"secretWords":        func(n Node) { n.Words(&dst.SecretWords, maxSecretWords, secretWord) },
		"allowOther":         func(n Node) { n.OneOf(&dst.AllowOther, "policy", AllowOtherModel, AllowOtherAlways) },
		"keys":               func(n Node) { n.remembered(&dst.Keys) },
		"repeats":            func(n Node) { n.OneOf(&dst.Repeats, "policy", RepeatsReturn, RepeatsAsk) },
		"hint":               func(n Node) { n.Boolean(&dst.Hint) },
		"onMessageWhilePending": func(n Node) {
			n.OneOf(&dst.OnMessageWhilePending, "policy", PendingAnswer, PendingSupersede, PendingReject, PendingQueue)
		},
		"onMessageWhileRunning": dst.whileRunning,
	}, nil)
}

// Bounds of an admin's own names of secrets.
const (
	maxSecretWords = 100
	maxSecretWord  = 100 // code points of one
)

// secretWord says whether a name of a secret can be looked for.
func secretWord(n Node, name string) bool {
	letters := 0
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	switch size := utf8.RuneCountInString(name); {
	case letters < 2:
		n.Fault("%s has less than two letters; write a word or a few, such as \"badge number\"", n.Raw())
	case size > maxSecretWord:
		n.Fault("the name has %d characters, the limit is %d; write the words that stand in a question", size, maxSecretWord)
	default:
		return true
	}
	return false
}

func (c *Clarifications) whileRunning(n Node) {
	n.OneOf(&c.OnMessageWhileRunning, "policy", PendingReject, RunningQueue)
}

func (n Node) audit(dst *Audit) {
	var texts Node
	n.Object(Keys{
		"enabled": func(n Node) { n.Boolean(&dst.Enabled) },
		"texts": func(n Node) {
			texts = n
			n.Boolean(&dst.Texts)
		},
	}, nil)
	if dst.Texts && !dst.Enabled {
		texts.Warn(`the audit is off, and keeps no texts; write "enabled": true`)
	}
}

// maxFile bounds what an admin may allow, in bytes.
const maxFile = 1_000_000_000

func (n Node) files(dst *Files) {
	most := func(to *int64, top int) func(Node) {
		return func(n Node) {
			number := int(*to)
			n.Integer(&number, 0, top)
			*to = int64(number)
		}
	}
	n.Object(Keys{
		"store": func(n Node) {
			text, ok := n.Text()
			if u, err := url.Parse(text); ok && strings.Contains(text, "://") && (err != nil || u.Scheme != "s3" || u.Host == "") {
				n.Fault(`no place for files; write the path of a folder, or "s3://BUCKET?region=REGION" with "&endpoint=https://HOST" where it is not Amazon's`)
				return
			}
			dst.Store = text
		},
		"maxBytes":     most(&dst.MaxBytes, maxFile),
		"perChat":      func(n Node) { n.Integer(&dst.PerChat, 1, 1000) },
		"perChatBytes": most(&dst.PerChatBytes, 100*maxFile),
	}, nil)
}

// retention reads how long chats are kept that nobody changes any more.
func (n Node) retention(dst *Duration) { n.Duration(dst, time.Second, 36500*day, "ever") }

// override lays a flag, else an environment variable, over the file. An empty
// variable counts as not set; an empty flag is a value. From is the flag or the
// variable that decided, "" for neither; ok is false where its value is faulty.
func (l *loader) override(dst, flag *string, flagName, variable string, bad func(string) string) (from string, ok bool) {
	var value string
	if flag != nil {
		from, value = flagName, *flag
	} else if v, ok := l.env(variable); ok && v != "" {
		from, value = variable, v
	} else {
		return "", true
	}
	if wrong := bad(value); wrong != "" {
		l.loose = append(l.loose, Fault{File: from, Message: wrong})
		return from, false
	}
	*dst = value
	return from, true
}

// The bad functions say what is wrong with a value and how to mend it, "" for
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

func itoa(n int) string { return strconv.Itoa(n) }
