package config

import (
	"cmp"
	"encoding/base64"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strconv"
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

// webhookEvents are what a webhook can be told.
var webhookEvents = []string{WebhookAsked, WebhookResolved, WebhookUndelivered, WebhookTurnEnded}

// webhookReader reads the webhooks. What they say of apps and of links is judged when everything
// is read.
type webhookReader struct {
	list        *[]Webhook
	apps        []namedApp
	answerLinks []Value
}

// items makes those of the webhooks, whose ids are each given once.
func (r *webhookReader) items() func() Item {
	seen := map[string]bool{}
	return func() Item {
		w := &Webhook{Events: webhookEvents, Apps: []string{}, Format: FormatStandard, UndeliveredAfter: UndeliveredAfter}
		return Item{r.keys(w, seen), func(n Value, _ bool) {
			if !n.Key("secret").Given() && w.Format == FormatStandard {
				n.Fault(`"secret" is missing, so the receiver could not tell who sends; write "$NAME", and set the variable to what this prints: echo "whsec_$(openssl rand -base64 32)"`)
			}
			*r.list = append(*r.list, *w)
		}}
	}
}

func (r *webhookReader) keys(w *Webhook, seen map[string]bool) []Key {
	return []Key{
		Matching("id", &w.ID, plainID, plainIDRule, "a short name, shown in metrics and the log").Then(once("webhook", "id", &w.ID, seen)).Must("write a short name, shown in metrics and the log"),
		String("url", &w.URL, isWebhook, "where to send to. It is never shown: many such addresses work like a password, so write `\"$NAME\"`").Must(`write where to send to, like "https://example.org/hook", or "$NAME"`),
		String("secret", &w.Secret, without(badWebhookSecret), "signs what is sent: `whsec_` and 16 to 64 bytes in base64. Make one with `echo \"whsec_$(openssl rand -base64 32)\"`, and write `\"$NAME\"`").Unset("required in the format `standard`"),
		WordsOf("events", &w.Events, "event", webhookEvents, "which events are sent").Unset("all"),
		Words("apps", &w.Apps, maxWebhookApps, func(n Value, text string) bool {
			r.apps = append(r.apps, namedApp{n, text})
			return true
		}, "the apps whose events are sent; empty: all"),
		Bool("texts", &w.Texts, "what is asked and answered is sent too"),
		Word("format", &w.Format, "format", []string{FormatStandard, FormatSlack, FormatNtfy}, "`standard`: [JSON](webhooks.md#what-is-sent). `slack`: a message for an incoming webhook of Slack, which many others take. `ntfy`: a message to a topic of [ntfy](https://ntfy.sh)"),
		Bool("answerLink", &w.AnswerLink, "adds a [link](webhooks.md#answer-links) with which the person who is asked can answer without signing in; requires `auth.session.secret`").Then(func(n Value) {
			if w.AnswerLink {
				r.answerLinks = append(r.answerLinks, n)
			}
		}),
		Length("undeliveredAfter", &w.UndeliveredAfter, time.Second, 30*day, "", "how long a question may stay off every screen before `clarification.undelivered`"),
		Bool("allowPrivate", &w.AllowPrivate, "a public DNS name may lead to private addresses, as for [tools](tools/http.md#where-a-call-may-lead)"),
	}
}

// isWebhook says where can be sent to. It is not shown: many are as good as a password.
func isWebhook(n Value, text string) bool {
	err := outgoing.Check(text)
	if u, fault := url.ParseRequestURI(text); fault != nil {
		err = cmp.Or(err, errors.New("not a valid address"))
	} else if u.User != nil { // a webhook has no headers to write it into
		err = errors.New("the address contains a user, but what is sent is signed instead")
	}
	if err != nil {
		n.Fault(`%s; write it like "https://example.org/hook"`, err)
	}
	return err == nil
}

func badWebhookSecret(text string) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, secretPrefix))
	const hint = `make one with: echo "whsec_$(openssl rand -base64 32)"`
	switch { // not shown
	case !strings.HasPrefix(text, secretPrefix) || err != nil:
		return "not a webhook secret, which is whsec_ and base64; " + hint
	case len(key) < 16 || len(key) > 64:
		return "the secret has " + strconv.Itoa(len(key)) + " bytes, but must have 16 to 64; " + hint
	}
	return ""
}

func badPublicURL(text string) string {
	u, err := url.Parse(text)
	switch {
	case text == "":
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/" && !IsPublicPath(strings.TrimSuffix(u.EscapedPath(), "/")):
		return `not an address of the gateway; write scheme and host, like "https://ask.example.org", plus the path if it is below one, like "https://example.org/ask"`
	}
	return ""
}

// maxPublicPath bounds a path below which people reach the gateway, in bytes.
const maxPublicPath = 200

var publicPath = regexp.MustCompile(`^(?:/[A-Za-z0-9._~-]+)+$`)

// IsPublicPath says whether s is a path below which a proxy may serve the gateway, like
// "/ask" or "/tools/ask".
func IsPublicPath(s string) bool {
	return len(s) <= maxPublicPath && publicPath.MatchString(s) && !strings.Contains(s+"/", "/./") && !strings.Contains(s+"/", "/../")
}

// namedApp is where a file names an app.
type namedApp struct {
	at Value
	id string
}
