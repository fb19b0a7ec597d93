package config

import (
	"strings"
	"time"
)

// gatewayReader reads gateway.json, and the flags and environment variables that override it.
type gatewayReader struct {
	pass      *pass
	root      Value
	conf      Gateway
	ok        bool        // its syntax is valid, so references to it can be checked
	authOK    bool        // "auth" has no fault
	fallbacks []*fallback // in the file's order
	webhooks  webhookReader
	channels  channelReader
}

func newGatewayReader(p *pass) *gatewayReader {
	r := &gatewayReader{pass: p, conf: defaults(), ok: true, authOK: true}
	r.webhooks.list, r.channels.list = &r.conf.Webhooks, &r.conf.Channels
	return r
}

// read returns the models to try after each model, see Snapshot.Fallbacks.
func (r *gatewayReader) read(opts Options) map[string][]string {
	g := &r.conf
	if s, ok := r.pass.open("gateway.json"); s != nil {
		r.ok = ok
		if ok {
			r.root = r.pass.root(s, "gateway.json ")
			r.root.Read(r.keys())
		}
	}
	if _, ok := g.Models["default"]; !ok {
		g.Models["default"] = r.pass.defaultModel()
	}
	after := fallbacksOf(r.fallbacks, g.Models, r.ok)
	o, e := opts.Overrides, exposure{r.pass, r.root, g}
	from, ok := r.pass.override(&g.Listen, o.Listen, "--listen", "ASKGATE_LISTEN", badListen)
	if ok && r.judged() {
		if !opts.Insecure {
			e.open(from, opts.serving)
		}
		e.unnamed()
	}
	r.pass.override(&g.AdminListen, o.AdminListen, "--admin-listen", "ASKGATE_ADMIN_LISTEN", badAdminListen)
	r.pass.override(&g.Store, o.Store, "--store", "ASKGATE_STORE", badStore)
	r.pass.override(&g.Redis, o.Redis, "--redis", "ASKGATE_REDIS", badRedis)
	if r.judged() {
		e.framed()
		e.unsealed()
		e.sealable(`"answerLink"`, r.webhooks.answerLinks)
		e.sealable("a channel that sends links", r.channels.linked)
		e.reachable(r.webhooks.answerLinks, false)
		e.reachable(append(r.channels.linked, r.channels.others...), true)
		e.unaddressed()
	}
	return after
}

// judged reports whether "auth" was read without faults, so that rules about callers can be checked.
func (r *gatewayReader) judged() bool { return r.ok && r.authOK }

func (r *gatewayReader) keys() []Key {
	g := &r.conf
	return []Key{
		editors(),
		String("listen", &g.Listen, without(badListen), "`host:port`; `\":8080\"` means every address of the machine").AtRestart(),
		String("adminListen", &g.AdminListen, without(badAdminListen), "a second address for `/metrics` and health; empty: they are on `listen`").AtRestart(),
		Object("tls", g.TLS.keys, "the certificate for `listen`; without it, AskGate speaks plain HTTP", g.TLS.load),
		String("store", &g.Store, without(badStore), "where chats and questions are stored: `sqlite:PATH`, or `postgres://USER:PASSWORD@HOST:5432/DATABASE` (special characters percent-encoded; better `\"$NAME\"`, which keeps the password out of the file); see [the store](store.md#the-store)").AtRestart(),
		String("redis", &g.Redis, without(badRedis), "for several gateways that share a store: `redis://user:password@host:6379/0`, or `rediss://...` for TLS, with `?addr=...` for a cluster or `?master_name=...` for Sentinel; empty: each works on its own, see [Redis](nodes.md#redis)").AtRestart(),
		Named("models", Names{Pattern: plainID, Wrong: "is not a valid model name; " + plainIDRule}, modelItem(g.Models, &r.fallbacks), "[language models](#models) by name"),
		Object("auth", g.Auth.keys, "[who may call](#auth)", g.Auth.check).wholly(&r.authOK),
		Object("cors", func() []Key {
			return []Key{Words("origins", &g.CORS.Origins, 100, isOrigin, "[other sites](auth.md#cors) whose pages may call, like `https://app.example.org`")}
		}, ""),
		framing(&g.FrameAncestors),
		hostsKey(&g.Hosts),
		prefixes("trustedProxies", &g.TrustedProxies, "anyone who reaches the gateway can claim any address",
			"addresses and networks of the proxies in front of the gateway, like `[\"10.0.0.5\", \"10.1.0.0/16\"]`: their `X-Forwarded-For` says which address a call comes from, for `requestsPerMinutePerAddress` and the `audit`. Those of `auth.proxy` are included"),
		Object("limits", g.Limits.keys, "[how much](#limits) users, tenants and apps may ask for"),
		Object("clarifications", g.Clarifications.keys, "[what a model may ask its user](#clarifications)"),
		Object("audit", g.Audit.keys, "[a record](#audit) of who asked and who answered", g.Audit.check),
		Object("files", g.Files.keys, "where the [files](#files) that people upload are stored, and how many"),
		String("publicUrl", &g.PublicURL, without(badPublicURL), "where people reach the gateway, for the links that webhooks and channels send: scheme and host, like `\"https://ask.example.org\"`, plus the path if it is [below one](deployment.md#below-a-path), like `\"https://example.org/ask\"` (a proxy may keep that path); empty: the address that it listens on").
			Then(func(Value) { g.PublicURL = strings.TrimRight(g.PublicURL, "/") }),
		Objects("people", maxPeople, people(&g.People), "[whom channels tell](#people), and where"),
		Objects("channels", maxChannels, r.channels.items(), "[mail and Slack](#channels), which tell people of questions"),
		Objects("webhooks", maxWebhooks, r.webhooks.items(), "addresses that are [notified](#webhooks) when something waits and when it ends"),
		Object("documents", func() []Key {
			return []Key{Path("cache", &g.Documents.Cache, "the folder for the indexes of [documents](files.md#indexes-of-documents); each node needs its own").Unset("next to the SQLite file, or else in the working directory").AtRestart()}
		}, ""),
		retention(&g.Retention, "how long a chat is kept after its last change; empty: forever. Then all of it is deleted, including open questions. An app's own `retention` takes precedence"),
		Length("shutdownTimeout", &g.ShutdownTimeout, time.Second, time.Hour, "", "how long running turns may take to finish when the gateway stops"),
	}
}

// override replaces the value of the file by that of a flag or else of an environment
// variable. An empty variable counts as not set; an empty flag is a value. from is the flag or the
// variable that was used, "" for neither; ok is false if its value is invalid.
func (p *pass) override(dst, flag *string, flagName, variable string, bad func(string) string) (from string, ok bool) {
	var value string
	if flag != nil {
		from, value = flagName, *flag
	} else if v, ok := p.env(variable); ok && v != "" {
		from, value = variable, v
	} else {
		return "", true
	}
	if wrong := bad(value); wrong != "" {
		p.fault(Fault{File: from, Message: wrong})
		return from, false
	}
	*dst = value
	return from, true
}
