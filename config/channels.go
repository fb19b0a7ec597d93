package config

import (
	"errors"
	"maps"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/tools/outgoing"
)

// Channel tells people of questions where they are.
type Channel struct {
	ID           string     `json:"id"` // also a label of metrics
	Type         string     `json:"type"`
	Apps         []string   `json:"apps"`        // empty: all
	Texts        bool       `json:"texts"`       // whether questions and arguments are sent
	RemindAfter  []Duration `json:"remindAfter"` // from the question on; growing
	Quiet        Quiet      `json:"quiet"`
	AllowPrivate bool       `json:"allowPrivate"` // like the key of HTTP tools

	// Of a channel of type mail.
	Server   string `json:"server"` // smtps://HOST[:PORT] or smtp://HOST[:PORT]
	User     string `json:"user"`
	Password string `json:"password"` // never logged
	From     string `json:"from"`     // an address, with or without a name

	// Of a channel of type slack.
	Token         string `json:"token"`         // of a bot; never logged
	SigningSecret string `json:"signingSecret"` // never logged
	API           string `json:"api"`           // without a trailing slash
}

// The values of Channel.Type.
const (
	ChannelMail  = "mail"
	ChannelSlack = "slack"
)

const (
	maxChannels  = 20
	maxReminders = 5
	slackAPI     = "https://slack.com/api"
)

// channelKeys are the keys that only channels of a type have, and whether they need it.
var channelKeys = map[string]map[string]bool{
	ChannelMail:  {"server": true, "from": true, "user": false, "password": false},
	ChannelSlack: {"token": true, "signingSecret": true, "api": false},
}

// Wants reports whether the channel tells of questions of an app.
func (c *Channel) Wants(app string) bool { return len(c.Apps) == 0 || slices.Contains(c.Apps, app) }

// channelReader reads the channels. Their apps and secrets are checked after the whole configuration
// was read.
type channelReader struct {
	list   *[]Channel
	apps   []namedApp
	linked []Value // the channels whose links answer, which needs a secret
	others []Value // the rest
}

// items returns a function that returns the next item of "channels". Ids must be unique.
func (r *channelReader) items() func() Item {
	seen := map[string]bool{}
	return func() Item {
		c := &Channel{Apps: []string{}, RemindAfter: []Duration{}, API: slackAPI}
		return Item{r.keys(c, seen), func(n Value, clean bool) {
			before := n.faults()
			c.ofType(n)
			c.credentials(n)
			if clean && n.faults() == before {
				*r.list = append(*r.list, *c)
				if c.Type == ChannelMail {
					r.linked = append(r.linked, n)
					c.port(n.Key("server"))
				} else {
					r.others = append(r.others, n)
				}
			}
		}}
	}
}

func (r *channelReader) keys(c *Channel, seen map[string]bool) []Key {
	types := []string{ChannelMail, ChannelSlack}
	return []Key{
		Matching("id", &c.ID, appID, appIDRule, "a short name, shown in metrics, the log and `notTold`").Then(once("channel", "id", &c.ID, seen)).Must("write a short name, shown in metrics and the log"),
		Word("type", &c.Type, "type", types, "`mail`: messages by SMTP. `slack`: direct messages of a Slack app").Must(`write "mail" or "slack"`),
		Words("apps", &c.Apps, maxWebhookApps, func(n Value, text string) bool {
			r.apps = append(r.apps, namedApp{n, text})
			return true
		}, "the apps whose questions are told; empty: all"),
		Bool("texts", &c.Texts, "`true`: the texts of questions, their options, and the arguments of calls are also sent"),
		Free("remindAfter", "list of durations", `"type": "array", "maxItems": 5, "items": {"$ref": "#/$defs/duration"}`, c.reminders,
			"when to remind, counted from the question, while it waits: up to 5 growing durations from 1s to 30d"),
		Object("quiet", c.Quiet.keys, "[when no reminders are sent](#channelsquiet)", c.Quiet.check),
		Bool("allowPrivate", &c.AllowPrivate, "a public DNS name may lead to private addresses, as for [tools](tools/http.md#where-a-call-may-lead)"),
		String("server", &c.Server, without(badMailServer), "of `mail`: `smtps://HOST:465` for TLS, or `smtp://HOST:587`, which must offer STARTTLS; a server on the same machine may do without").Unset("required for `mail`"),
		String("user", &c.User, nil, "of `mail`: the name to sign in with"),
		String("password", &c.Password, nil, "of `mail`: the password to sign in with; write `\"$NAME\"`"),
		String("from", &c.From, without(badSender), "of `mail`: the sender, like `Ask <ask@example.org>`").Unset("required for `mail`"),
		String("token", &c.Token, nil, "of `slack`: the token of the app's bot, `xoxb-...`; write `\"$NAME\"`").Unset("required for `slack`"),
		String("signingSecret", &c.SigningSecret, nil, "of `slack`: the app's signing secret; write `\"$NAME\"`").Unset("required for `slack`"),
		String("api", &c.API, isAPI, "of `slack`: the address of Slack's API").Then(func(Value) { c.API = strings.TrimRight(c.API, "/") }),
	}
}

// ofType reports keys of other types, and those that the type lacks.
func (c *Channel) ofType(n Value) {
	for _, of := range []string{ChannelMail, ChannelSlack} {
		for _, key := range slices.Sorted(maps.Keys(channelKeys[of])) {
			switch at := n.Key(key); {
			case c.Type == "":
			case of != c.Type && at.Given():
				at.Fault("a channel of type %q has no %q; remove it", c.Type, key)
			case of == c.Type && channelKeys[of][key] && !at.Given():
				n.Fault("%q is missing, which a channel of type %q needs", key, c.Type)
			}
		}
	}
}

// credentials reports a user without a password, and a password that would be sent in the clear.
func (c *Channel) credentials(n Value) {
	if c.Type != ChannelMail {
		for _, key := range []string{"token", "signingSecret"} {
			if at := n.Key(key); at.Given() && c.Type == ChannelSlack && at.faults() == 0 && (c.Token == "" && key == "token" || c.SigningSecret == "" && key == "signingSecret") {
				at.Fault(`the text is empty; write "$NAME", and set the variable`)
			}
		}
		return
	}
	if (c.User == "") != (c.Password == "") {
		n.Fault(`a server that people sign in to needs both "user" and "password"; write both, or neither`)
	}
}

// port warns about a port at which servers usually begin in the other way.
func (c *Channel) port(n Value) {
	switch u, err := url.Parse(c.Server); {
	case err != nil:
	case u.Scheme == "smtp" && u.Port() == "465":
		n.Warn(`servers usually begin with TLS at port 465, and never reply without it; write "smtps://"`)
	case u.Scheme == "smtps" && (u.Port() == "587" || u.Port() == "25"):
		n.Warn(`servers usually do not begin with TLS at port %s, but offer STARTTLS; write "smtp://"`, u.Port())
	}
}

// reminders reads growing durations.
func (c *Channel) reminders(n Value) {
	list, ok := n.List(maxReminders, tooMany)
	if !ok {
		return
	}
	for _, item := range list {
		var d Duration
		before := item.faults()
		Length("", &d, time.Second, 30*day, "", "").read(item)
		switch last := len(c.RemindAfter) - 1; {
		case item.faults() > before:
		case last >= 0 && d <= c.RemindAfter[last]:
			item.Fault("%s is not longer than the reminder before it; write growing durations from the question on, like [\"30m\", \"4h\"]", item.Raw())
		default:
			c.RemindAfter = append(c.RemindAfter, d)
		}
	}
}

// Quiet is a part of the day in which no reminders are sent. The zero Quiet is none.
type Quiet struct {
	From string `json:"from"` // HH:MM
	To   string `json:"to"`   // HH:MM; before From: on the next day
	Zone string `json:"zone"` // a name of the time zone database
}

func (q *Quiet) keys() []Key {
	const clock = `write a time of day, like "19:00"`
	return []Key{
		String("from", &q.From, without(badClock), "when it begins, like `19:00`").Must(clock),
		String("to", &q.To, without(badClock), "when it ends, and what was held back is sent; before `from`: on the next day").Must(clock),
		String("zone", &q.Zone, without(badZone), "the time zone of both, like `Europe/Berlin`; messages show times in it, too").Must(`write the name of a time zone, like "Europe/Berlin"`),
	}
}

func (q *Quiet) check(n Value) {
	if q.From == q.To && q.From != "" {
		n.Key("to").Fault(`"from" and "to" are the same; write when the quiet time ends, or remove "quiet"`)
	}
}

// Location returns the zone, in which messages have their times: UTC if there is none.
func (q Quiet) Location() *time.Location {
	if zone, err := time.LoadLocation(q.Zone); err == nil {
		return zone
	}
	return time.UTC
}

// Until returns when the quiet time ends in which now is, or now if it is in none. Where the clock is
// set forward over the end, it is the moment that the end stands for, as time.Date has it.
func (q Quiet) Until(now time.Time) time.Time {
	zone, err := time.LoadLocation(q.Zone)
	from, wrong := time.Parse("15:04", q.From)
	to, no := time.Parse("15:04", q.To)
	if err != nil || wrong != nil || no != nil || q.From == q.To {
		return now
	}
	local := now.In(zone)
	at := func(clock time.Time, days int) time.Time {
		return time.Date(local.Year(), local.Month(), local.Day()+days, clock.Hour(), clock.Minute(), 0, 0, zone)
	}
	for _, days := range []int{-1, 0} {
		begins, ends := at(from, days), at(to, days)
		if to.Before(from) {
			ends = at(to, days+1)
		}
		if !now.Before(begins) && now.Before(ends) {
			return ends
		}
	}
	return now
}

func badClock(text string) string {
	if _, err := time.Parse("15:04", text); err != nil || len(text) != len("15:04") {
		return `not a time of day; write hours and minutes, like "07:30"`
	}
	return ""
}

func badZone(text string) string {
	if _, err := time.LoadLocation(text); err != nil || text == "" || text == "Local" {
		return `not the name of a time zone; write one of the time zone database, like "Europe/Berlin" or "UTC"`
	}
	return ""
}

// badMailServer does not repeat the text, which may contain a password.
func badMailServer(text string) string {
	const fix = `; write it like "smtps://smtp.example.org:465"`
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "smtps" && u.Scheme != "smtp" || u.Hostname() == "":
		return "not the address of a mail server" + fix
	case u.User != nil:
		return `the address must not contain a user; write the keys "user" and "password" instead`
	case u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "the address of a mail server has nothing after the port" + fix
	}
	if err := outgoing.CheckHost(u.Host); err != nil {
		return err.Error()
	}
	return ""
}

// Loopback reports whether the mail server of a channel is on the same machine by its name.
func (c *Channel) Loopback() bool {
	u, err := url.Parse(c.Server)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return err == nil && addr.IsLoopback() || u.Hostname() == "localhost"
}

func badSender(text string) string {
	a, err := mail.ParseAddress(text)
	switch {
	case err != nil:
		return `not a sender; write one address, with or without a name, like "Ask <ask@example.org>"`
	case len(text) > 2*maxEmail:
		return "the sender is too long: the limit is 508 bytes"
	}
	return badEmail(a.Address)
}

// isAPI checks the address of an API.
func isAPI(n Value, text string) bool {
	err := outgoing.Check(text)
	if u, fault := url.Parse(text); err == nil && (fault != nil || u.RawQuery != "" || u.ForceQuery) {
		err = errors.New("the address must not contain a query")
	}
	if err != nil {
		n.Fault("%s; write it like %q", err, slackAPI)
	}
	return err == nil
}
