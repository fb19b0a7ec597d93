package config

import "time"

// Limits limits the requests of one user to one app.
type Limits struct {
	RequestsPerMinute    int `json:"requestsPerMinute"`    // 0: no limit
	Burst                int `json:"burst"`                // 0: RequestsPerMinute
	ConcurrentTurns      int `json:"concurrentTurns"`      // 0: no limit
	TurnsPerMinutePerApp int `json:"turnsPerMinutePerApp"` // of all users; 0: no limit
	Streams              int `json:"streams"`              // open /events, across all apps; 0: no limit
}

// GatewayLimits are the defaults for all apps, and the limits across all apps.
type GatewayLimits struct {
	Limits
	RequestsPerMinutePerTenant  int    `json:"requestsPerMinutePerTenant"`  // messages and answers; 0: no limit
	RequestsPerMinutePerAddress int    `json:"requestsPerMinutePerAddress"` // calls of any kind; 0: no limit
	StoredBytes                 int64  `json:"storedBytes"`                 // texts and files of one user; 0: no limit
	Tokens                      Tokens `json:"tokens"`
}

// Tokens are the budgets of model tokens, input and output together.
type Tokens struct {
	PerPrincipal Budget `json:"perPrincipal"`
	PerTenant    Budget `json:"perTenant"`
}

// Budget is what may be used in each window of time. Windows follow one another without
// a gap, counted from midnight UTC on a Monday.
type Budget struct {
	Max    int64    `json:"max"` // 0: no limit
	Window Duration `json:"window"`
}

const (
	maxPerMinute = 1_000_000         // for rates, and for concurrent turns and streams
	maxBudget    = 1_000_000_000_000 // well below the 15 digits that an integer in a header may have (RFC 9651, 3.3.1)
	maxStored    = 1 << 50           // bytes of one user in the store: 1 PiB
)

// keys returns the limits that an app may override, key by key.
func (l *Limits) keys() []Key {
	return []Key{
		Int("requestsPerMinute", &l.RequestsPerMinute, 0, maxPerMinute, "messages, answers and resumptions per minute, for each user in an app (scope `requests`); changes and stops are counted separately, with the same limit, and so are GETs below `/v1`, across all apps, with five times the limit in `gateway.json` (`reads`); 0: no limit"),
		Int("burst", &l.Burst, 0, maxPerMinute, "how many of them may come at once; 0: as many as `requestsPerMinute`"),
		Int("concurrentTurns", &l.ConcurrentTurns, 0, maxPerMinute, "turns that a user may have running at the same time in an app (`concurrent_turns`); a waiting question is not running; 0: no limit"),
		Int("turnsPerMinutePerApp", &l.TurnsPerMinutePerApp, 0, maxPerMinute, "messages per minute from all users of an app (`turns`); 0: no limit"),
		Int("streams", &l.Streams, 0, maxPerMinute, "open `/events` streams of a user, including `/v1/events` (`streams`), across all apps; each app compares the total with its own limit; 0: no limit"),
	}
}

// overall returns the limits that apply across all apps.
func (l *GatewayLimits) overall() []Key {
	return []Key{
		Int("storedBytes", &l.StoredBytes, 0, maxStored, "bytes of texts and files that a user may have stored, across all apps; 0: no limit. [What counts](capacity.md#what-a-user-may-store)"),
		Int("requestsPerMinutePerTenant", &l.RequestsPerMinutePerTenant, 0, maxPerMinute, "messages and answers per minute from all users of a tenant, across all apps (`requests_tenant`); 0: no limit"),
		Int("requestsPerMinutePerAddress", &l.RequestsPerMinutePerAddress, 0, maxPerMinute, "calls of any kind per minute from one address, including assets and unknown paths, counted before the key is checked, so that guessing keys is limited too (`requests_address`). Only `/healthz` and `/readyz` are not counted; 0: no limit"),
		Object("tokens", func() []Key {
			return []Key{
				Object("perPrincipal", l.Tokens.PerPrincipal.keys, "", l.Tokens.PerPrincipal.check),
				Object("perTenant", l.Tokens.PerTenant.keys, "", l.Tokens.PerTenant.check),
			}
		}, "budgets of model tokens, input and output together, across all apps: of one user (`tokens_principal`), and of all users of a tenant (`tokens_tenant`)"),
	}
}

func (l *GatewayLimits) keys() []Key { return append(l.Limits.keys(), l.overall()...) }

// ofApp returns the keys of an app's "limits". A limit across all apps is a fault there.
func (l *Limits) ofApp() []Key {
	keys := l.keys()
	for _, k := range (&GatewayLimits{}).overall() {
		k.unsaid, k.schema, k.keys = true, "", nil
		k.read = func(n Value) { n.Fault("%q applies across all apps; move it to \"limits\" in gateway.json", k.Name) }
		keys = append(keys, k)
	}
	return keys
}

func (b *Budget) keys() []Key {
	return []Key{
		Int("max", &b.Max, 0, maxBudget, "tokens in each window; 0: no limit"),
		Length("window", &b.Window, time.Second, 366*day, "", "how long a budget lasts; windows follow one another, counted from midnight UTC on a Monday").Unset("required with `max`"),
	}
}

func (b *Budget) check(n Value) {
	if b.Max > 0 && !n.Key("window").Given() {
		n.Fault(`"window" is missing; write how long the budget lasts, like "24h" or "7d"`)
	}
}
