package config

import "time"

// maxPerMinute bounds rates, and how many turns run at the same time.
const maxPerMinute = 1_000_000

// maxBudget has the digits that a header's number may have (RFC 9651, 3.3.1), and some to spare.
const maxBudget = 1_000_000_000_000

// maxStored bounds what a principal may have in the store, in bytes: 1 PiB.
const maxStored = 1 << 50

// limitKeys are those that an app may override, key by key.
func limitKeys(dst *Limits) Keys {
	return Keys{
		"requestsPerMinute":    func(n Node) { n.Integer(&dst.RequestsPerMinute, 0, maxPerMinute) },
		"burst":                func(n Node) { n.Integer(&dst.Burst, 0, maxPerMinute) },
		"concurrentTurns":      func(n Node) { n.Integer(&dst.ConcurrentTurns, 0, maxPerMinute) },
		"turnsPerMinutePerApp": func(n Node) { n.Integer(&dst.TurnsPerMinutePerApp, 0, maxPerMinute) },
		"streams":              func(n Node) { n.Integer(&dst.Streams, 0, maxPerMinute) },
	}
}

func (n Node) gatewayLimits(dst *GatewayLimits) {
	known := limitKeys(&dst.Limits)
	known["requestsPerMinutePerTenant"] = func(n Node) { n.Integer(&dst.RequestsPerMinutePerTenant, 0, maxPerMinute) }
	known["readsPerMinute"] = func(n Node) { n.Integer(&dst.ReadsPerMinute, 0, maxPerMinute) }
	known["requestsPerMinutePerAddress"] = func(n Node) { n.Integer(&dst.RequestsPerMinutePerAddress, 0, maxPerMinute) }
	known["storedBytes"] = func(n Node) {
		if whole, ok := n.whole(0, maxStored); ok {
			dst.StoredBytes = whole
		}
	}
	known["tokens"] = func(n Node) {
		n.Object(Keys{
			"perPrincipal": func(n Node) { n.budget(&dst.Tokens.PerPrincipal) },
			"perTenant":    func(n Node) { n.budget(&dst.Tokens.PerTenant) },
		}, nil)
	}
	n.Object(known, nil)
}

// appLimits reads those of an app. The others go over all apps: one app cannot have its own.
func (n Node) appLimits(dst *Limits) {
	known := limitKeys(dst)
	for _, key := range []string{"readsPerMinute", "requestsPerMinutePerTenant", "requestsPerMinutePerAddress", "storedBytes", "tokens"} {
		known[key] = func(n Node) { n.Fault("%q is over all apps; move it to limits in gateway.json", key) }
	}
	n.Object(known, nil)
}

func (n Node) budget(dst *Budget) {
	var window Node
	ok := n.Object(Keys{
		"max": func(n Node) {
			if whole, ok := n.whole(0, maxBudget); ok {
				dst.Max = whole
			}
		},
		"window": func(n Node) {
			window = n
			n.Duration(&dst.Window, time.Second, 366*day, "")
		},
	}, nil)
	if ok && dst.Max > 0 && window.v == nil {
		n.Fault(`"window" is missing; write how long the budget is for, like "24h" or "7d"`)
	}
}
