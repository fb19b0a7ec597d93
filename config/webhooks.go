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

// Webhook is an address that is notified when something waits and when it ends.
type Webhook struct {
	ID     string   `json:"id"` // also a label of metrics
	URL    string   `json:"url"`
	Secret string   `json:"secret"` // whsec_ and base64, see Key; never logged; empty: requests are not signed
	Events []string `json:"events"` // some of namedEvents
	Apps   []string `json:"apps"`   // empty: all
	Texts  bool     `json:"texts"`  // whether questions and answers are sent
	Format string   `json:"format"`
	// AnswerLink adds a link with which the person who is asked can answer without signing in.
	AnswerLink       bool     `json:"answerLink"`
	UndeliveredAfter Duration `json:"undeliveredAfter"`
	AllowPrivate     bool     `json:"allowPrivate"` // like the key of HTTP tools
}

// The values of Webhook.Events.
const (
	WebhookAsked       = "clarification.asked"
	WebhookResolved    = "clarification.resolved"
	WebhookUndelivered = "clarification.undelivered"
	WebhookTurnEnded   = "turn.ended"
	WebhookChanged     = "document.changed"
)

// The values of Webhook.Format.
const (
	FormatStandard = "standard" // the JSON in docs/webhooks.md
	FormatSlack    = "slack"    // a Slack message, which many other services accept
	FormatNtfy     = "ntfy"     // an ntfy message
)

// UndeliveredAfter is the default of Webhook.UndeliveredAfter: how long a question may stay off every
// screen before it counts as undelivered.
const UndeliveredAfter = Duration(time.Minute)

const (
	maxWebhooks = 20
	// maxWebhookApps limits the apps of one webhook.
	maxWebhookApps = 1000
	secretPrefix   = "whsec_"
)

// Wants reports whether the webhook is notified of an event in an app.
func (w *Webhook) Wants(event, app string) bool {
	return slices.Contains(w.Events, event) && (len(w.Apps) == 0 || slices.Contains(w.Apps, app))
}

// Key returns the decoded secret, or nil if there is none.
func (w *Webhook) Key() []byte {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(w.Secret, secretPrefix))
	return key
}

// webhookEvents are the events that a webhook gets if it names none. namedEvents also has those that it
// gets only if it names them.
var (
	webhookEvents = []string{WebhookAsked, WebhookResolved, WebhookUndelivered, WebhookTurnEnded}
	namedEvents   = append(slices.Clip(webhookEvents), WebhookChanged)
)

// webhookReader reads the webhooks. Their apps and answer links are checked after the whole
// configuration was read.
type webhookReader struct {
	list        *[]Webhook
	apps        []namedApp
	answerLinks []Value
	changed     []namedChanges
}

// namedChanges is a webhook that names WebhookChanged, with the place of its events.
type namedChanges struct {
	at   Value
	hook *Webhook
}

// items returns a function that returns the next item of "webhooks". Ids must be unique.
func (r *webhookReader) items() func() Item {
	seen := map[string]bool{}
	return func() Item {
		w := &Webhook{Events: webhookEvents, Apps: []string{}, Format: FormatStandard, UndeliveredAfter: UndeliveredAfter}
		return Item{r.keys(w, seen), func(n Value, _ bool) {
			if !n.Key("secret").Given() && w.Format == FormatStandard {
				n.Fault(`"secret" is missing, so the receiver cannot verify the sender; write "$NAME", and set the variable to what this prints: echo "whsec_$(openssl rand -base64 32)"`)
			}
			if slices.Contains(w.Events, WebhookChanged) {
				r.changed = append(r.changed, namedChanges{n.Key("events"), w})
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
		WordsOf("events", &w.Events, "event", namedEvents, "which events are sent").Unset("all but `document.changed`"),
		Words("apps", &w.Apps, maxWebhookApps, func(n Value, text string) bool {
			r.apps = append(r.apps, namedApp{n, text})
			return true
		}, "the apps whose events are sent; empty: all"),
		Bool("texts", &w.Texts, "`true`: the texts of questions and answers are also sent"),
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

// isWebhook checks an address. The fault does not show it, because many such addresses work like a
// password.
func isWebhook(n Value, text string) bool {
	err := outgoing.Check(text)
	if u, fault := url.ParseRequestURI(text); fault != nil {
		err = cmp.Or(err, errors.New("not a valid address"))
	} else if u.User != nil { // a webhook has no headers for credentials
		err = errors.New("the address contains a user, but requests can only be authenticated with \"secret\"")
	}
	if err != nil {
		n.Fault(`%s; write it like "https://example.org/hook"`, err)
	}
	return err == nil
}

func badWebhookSecret(text string) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, secretPrefix))
	const hint = `make one with: echo "whsec_$(openssl rand -base64 32)"`
	switch { // the faults do not show the secret
	case !strings.HasPrefix(text, secretPrefix) || err != nil:
		return "not a webhook secret: it must be whsec_ followed by base64; " + hint
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
		return `not a public address of the gateway; write scheme and host, like "https://ask.example.org", plus the path if it is below one, like "https://example.org/ask"`
	}
	return ""
}

// maxPublicPath is the maximum length of the path in publicUrl, in bytes.
const maxPublicPath = 200

var publicPath = regexp.MustCompile(`^(?:/[A-Za-z0-9._~-]+)+$`)

// IsPublicPath reports whether s is a path under which a proxy may serve the gateway, like
// "/ask" or "/tools/ask".
func IsPublicPath(s string) bool {
	return len(s) <= maxPublicPath && publicPath.MatchString(s) && !strings.Contains(s+"/", "/./") && !strings.Contains(s+"/", "/../")
}

// namedApp is an app id in a file, with its place.
type namedApp struct {
	at Value
	id string
}
