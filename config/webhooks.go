package config

import (
	"cmp"
	"encoding/base64"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/tools/outgoing"
)

// Webhook is an address that is told what waits and what ended.
type Webhook struct {
	ID     string   `json:"id"` // also a label of metrics
	URL    string   `json:"url"`
	Secret string   `json:"secret"` // whsec_ and base64, see Key; never logged; empty: nothing is signed
	Events []string `json:"events"` // of WebhookEvents
	Apps   []string `json:"apps"`   // empty: all
	Texts  bool     `json:"texts"`  // what is asked and answered is sent, too
	Format string   `json:"format"`
	// AnswerLink adds a link by which the person asked answers without signing in.
	AnswerLink       bool     `json:"answerLink"`
	UndeliveredAfter Duration `json:"undeliveredAfter"`
	AllowPrivate     bool     `json:"allowPrivate"` // as of tools that call
}

// The values of Webhook.Events.
const (
	WebhookAsked       = "clarification.asked"
	WebhookResolved    = "clarification.resolved"
	WebhookUndelivered = "clarification.undelivered"
	WebhookTurnEnded   = "turn.ended"
)

// The values of Webhook.Format: the JSON of the documentation, a message of Slack (which
// many others take, too), a message of ntfy.
const (
	FormatStandard = "standard"
	FormatSlack    = "slack"
	FormatNtfy     = "ntfy"
)

// UndeliveredAfter is how long a question may be on nobody's screen, where no webhook says so.
const UndeliveredAfter = Duration(time.Minute)

const (
	maxWebhooks = 20
	// maxWebhookApps bounds the apps of one.
	maxWebhookApps = 1000
	secretPrefix   = "whsec_"
)

// Wants says whether the webhook is told of an event in an app.
func (w *Webhook) Wants(event, app string) bool {
	return slices.Contains(w.Events, event) && (len(w.Apps) == 0 || slices.Contains(w.Apps, app))
}

// Key is what the secret stands for; nil where there is none.
func (w *Webhook) Key() []byte {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(w.Secret, secretPrefix))
	return key
}

func (l *loader) webhooks(n Node) {
	items, _ := n.List()
	if len(items) > maxWebhooks {
		items[maxWebhooks].Fault("too many; at most %d are allowed here", maxWebhooks)
		items = items[:maxWebhooks]
	}
	seen := map[string]bool{}
	for _, item := range items {
		w, ok := l.webhook(item, seen)
		if ok {
			l.gateway.Webhooks = append(l.gateway.Webhooks, w)
		}
	}
}

func (l *loader) webhook(n Node, seen map[string]bool) (Webhook, bool) {
	w := Webhook{
		Events: []string{WebhookAsked, WebhookResolved, WebhookUndelivered, WebhookTurnEnded}, Apps: []string{},
		Format: FormatStandard, UndeliveredAfter: UndeliveredAfter,
	}
	given := map[string]Node{}
	read := func(key string, f func(Node)) func(Node) {
		return func(n Node) {
			given[key] = n
			f(n)
		}
	}
	ok := n.Object(Keys{
		"id": read("id", func(n Node) {
			n.matching(&w.ID, plainID, plainIDRule)
			if w.ID != "" && seen[w.ID] {
				n.Fault("another webhook has the same id; change or remove one")
			}
			seen[w.ID] = true
		}),
		"url":    read("url", func(n Node) { n.webhookURL(&w.URL) }),
		"secret": read("secret", func(n Node) { n.webhookSecret(&w.Secret) }),
		"events": read("events", func(n Node) {
			n.Words(&w.Events, 100, func(n Node, text string) bool {
				n.OneOf(&text, "event", WebhookAsked, WebhookResolved, WebhookUndelivered, WebhookTurnEnded)
				return true
			})
		}),
		"apps": func(n Node) {
			n.Words(&w.Apps, maxWebhookApps, func(n Node, text string) bool {
				l.webhookApps = append(l.webhookApps, namedApp{n, text})
				return true
			})
		},
		"texts":  func(n Node) { n.Boolean(&w.Texts) },
		"format": func(n Node) { n.OneOf(&w.Format, "format", FormatStandard, FormatSlack, FormatNtfy) },
		"answerLink": func(n Node) {
			if n.Boolean(&w.AnswerLink); w.AnswerLink {
				l.answerLinks = append(l.answerLinks, n)
			}
		},
		"undeliveredAfter": func(n Node) { n.Duration(&w.UndeliveredAfter, time.Second, 30*day, "") },
		"allowPrivate":     func(n Node) { n.Boolean(&w.AllowPrivate) },
	}, nil)
	if !ok {
		return w, false
	}
	for key, mend := range map[string]string{
		"id":  "write a short name, which metrics and the log have",
		"url": `write where to send to, like "https://example.org/hook", or "$NAME"`,
	} {
		if given[key].v == nil {
			n.Fault("%q is missing; %s", key, mend)
		}
	}
	if given["secret"].v == nil && w.Format == FormatStandard {
		n.Fault(`"secret" is missing: the receiver could not tell who sends; write "$NAME", and into the variable what this prints: echo "whsec_$(openssl rand -base64 32)"`)
	}
	if at := given["events"]; at.v != nil && at.kind() == "a list" && len(w.Events) == 0 {
		at.Fault("no event is left; name one, or remove the key for all")
	}
	return w, true
}

// webhookURL reads where to send to. It is not shown: many are as good as a password.
func (n Node) webhookURL(dst *string) {
	text, ok := n.Text()
	if !ok {
		return
	}
	err := outgoing.Check(text)
	if u, fault := url.ParseRequestURI(text); fault != nil {
		err = cmp.Or(err, errors.New("the address cannot be read"))
	} else if u.User != nil { // a webhook has no headers to write it into
		err = errors.New("a user stands in the address; remove it, what is sent is signed instead")
	}
	if err != nil {
		n.Fault(`%s; write it like "https://example.org/hook"`, err)
		return
	}
	*dst = text
}

func (n Node) webhookSecret(dst *string) {
	text, ok := n.Text()
	if !ok {
		return
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, secretPrefix))
	const mend = `make one with: echo "whsec_$(openssl rand -base64 32)"`
	switch { // not shown
	case !strings.HasPrefix(text, secretPrefix) || err != nil:
		n.Fault("no secret of a webhook: whsec_ and base64; %s", mend)
	case len(key) < 16 || len(key) > 64:
		n.Fault("the secret has %d bytes, it needs 16 to 64; %s", len(key), mend)
	default:
		*dst = text
	}
}

// publicURL reads under which address people reach the gateway.
func (n Node) publicURL(dst *string) {
	text, ok := n.Text()
	if !ok {
		return
	}
	u, err := url.Parse(text)
	switch {
	case text == "":
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/" && !IsPublicPath(strings.TrimSuffix(u.EscapedPath(), "/")):
		n.Fault(`no address of the gateway; write scheme and host, like "https://ask.example.org", and the path if it is below one, like "https://example.org/ask"`)
		return
	}
	*dst = strings.TrimRight(text, "/")
}

// maxPublicPath bounds a path below which people reach the gateway, in bytes.
const maxPublicPath = 200

var publicPath = regexp.MustCompile(`^(?:/[A-Za-z0-9._~-]+)+$`)

// IsPublicPath says whether s is a path below which a proxy may serve the gateway, like
// "/ask" or "/tools/ask".
func IsPublicPath(s string) bool {
	return len(s) <= maxPublicPath && publicPath.MatchString(s) && !strings.Contains(s+"/", "/./") && !strings.Contains(s+"/", "/../")
}

// PublicPath is the path of publicUrl, "" where it has none.
func (g *Gateway) PublicPath() string {
	_, rest, _ := strings.Cut(g.PublicURL, "://")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		return rest[i:]
	}
	return ""
}

// namedApp is where a file names an app.
type namedApp struct {
	at Node
	id string
}

// sealable faults links that nothing could seal, and warns of those that lead nowhere.
func (l *loader) sealable() {
	if !l.gatewayOK || !l.authOK {
		return
	}
	for _, at := range l.answerLinks {
		switch {
		case l.gateway.Auth.Session.Secret == "":
			at.Fault(`nothing seals the links; set auth.session.secret, the same on all nodes`)
		case l.gateway.PublicURL == "" && !loopback(l.gateway.Listen):
			at.Warn(`the links lead to the address that the gateway listens on; write where people reach it, like "publicUrl": "https://ask.example.org"`)
		}
	}
}

// knownApps warns of apps that webhooks name and that there are not.
func (l *loader) knownApps() {
	for _, a := range l.webhookApps {
		if _, ok := l.snapshot.byID[a.id]; ok {
			continue
		}
		known := make([]string, 0, len(l.snapshot.apps))
		for _, app := range l.snapshot.apps {
			known = append(known, app.ID)
		}
		a.at.Warn("there is no enabled app %s, and nothing is told of it; %s", a.at.Raw(), Mend(a.id, known))
	}
}

// UndeliveredAfter is after how long the metrics count a question as undelivered: as the
// first webhook is told.
func (g *Gateway) UndeliveredAfter() time.Duration {
	after := Duration(0)
	for i := range g.Webhooks {
		if w := &g.Webhooks[i]; slices.Contains(w.Events, WebhookUndelivered) && (after == 0 || w.UndeliveredAfter < after) {
			after = w.UndeliveredAfter
		}
	}
	return cmp.Or(after, UndeliveredAfter).Std()
}
