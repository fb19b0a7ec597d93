package config

import "time"

// maxPerMinute bounds rates, and how many turns run at the same time.
const maxPerMinute = 1_000_000

// maxBudget has the digits that a header's number may have (RFC 9651, 3.3.1), and some to spare.
const maxBudget = 1_000_000_000_000

// limitKeys are those that an app may override, key by key.
func limitKeys(dst *Limits) keys {
	return keys{
		"requestsPerMinute":    func(n node) { n.integer(&dst.RequestsPerMinute, 0, maxPerMinute) },
		"burst":                func(n node) { n.integer(&dst.Burst, 0, maxPerMinute) },
		"concurrentTurns":      func(n node) { n.integer(&dst.ConcurrentTurns, 0, maxPerMinute) },
		"turnsPerMinutePerApp": func(n node) { n.integer(&dst.TurnsPerMinutePerApp, 0, maxPerMinute) },
	}
}

func (n node) gatewayLimits(dst *GatewayLimits) {
	known := limitKeys(&dst.Limits)
	known["requestsPerMinutePerTenant"] = func(n node) { n.integer(&dst.RequestsPerMinutePerTenant, 0, maxPerMinute) }
	known["requestsPerMinutePerAddress"] = func(n node) { n.integer(&dst.RequestsPerMinutePerAddress, 0, maxPerMinute) }
	known["tokens"] = func(n node) {
		n.object(keys{
			"perPrincipal": func(n node) { n.budget(&dst.Tokens.PerPrincipal) },
			"perTenant":    func(n node) { n.budget(&dst.Tokens.PerTenant) },
		}, nil)
	}
	n.object(known, nil)
}

// appLimits reads those of an app. The others go over all apps: one app cannot have its own.
func (n node) appLimits(dst *Limits) {
	known := limitKeys(dst)
	for _, key := range []string{"requestsPerMinutePerTenant", "requestsPerMinutePerAddress", "tokens"} {
		known[key] = func(n node) { n.fault("%q is over all apps; move it to limits in gateway.json", key) }
	}
	n.object(known, nil)
}

func (n node) budget(dst *Budget) {
	var window node
	ok := n.object(keys{
		"max": func(n node) {
			if whole, ok := n.whole(0, maxBudget); ok {
				dst.Max = whole
			}
		},
		"window": func(n node) {
			window = n
			n.duration(&dst.Window, time.Second, 366*day, "")
		},
	}, nil)
	if ok && dst.Max > 0 && window.v == nil {
		n.fault(`"window" is missing; write how long the budget is for, like "24h" or "7d"`)
	}
}
