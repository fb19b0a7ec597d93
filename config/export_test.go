package config

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"
)

var (
	LoadFrom = loadFrom
)

// WatchPolling is Watch without notifications, looking at the files more often than usual.
func WatchPolling(ctx context.Context, opts Options, log *slog.Logger, onReload func(string)) (*Watcher, error) {
	return watch(ctx, opts, log, onReload, false, 10*time.Millisecond)
}

// WithoutTypes returns the snapshot without the types of its tools, so that two snapshots can be
// compared: the types contain functions.
func (s *Snapshot) WithoutTypes() *Snapshot {
	for _, set := range append(slices.Collect(maps.Values(s.own)), s.tools) {
		for _, t := range set {
			t.kind = nil
		}
	}
	return s
}

// AllowFaults returns how many faults a rule with this schema has that allows.
func AllowFaults(when []byte) int {
	s := &source{}
	if !s.parse(when) {
		return 1
	}
	r := ruleReader{Rule: Rule{Then: RuleAllow}}
	n := (&pass{}).root(s, "")
	r.readWhen(n)
	if r.when.Given() {
		noSilence(r.when, true)
	}
	return n.faults()
}

// FixedBody returns the fields that "body" cannot change, by provider.
func FixedBody() map[string][]string {
	fields := map[string][]string{}
	for name, p := range modelProviders {
		if len(p.body) > 0 {
			fields[name] = p.body
		}
	}
	return fields
}

// BaseURLs returns the defaults of "baseUrl", by provider.
func BaseURLs() (urls []string) {
	for _, p := range modelProviders {
		if p.baseURL != "" {
			urls = append(urls, p.baseURL)
		}
	}
	return urls
}

// GatewayHeaders returns the headers that "headers" cannot set.
var GatewayHeaders = append(slices.Clone(gatewayHeaders), keyHeaders...)
