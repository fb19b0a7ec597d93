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

// WatchPolling is Watch where no notification ever comes, looking more often than usual.
func WatchPolling(ctx context.Context, opts Options, log *slog.Logger, onReload func(string)) (*Watcher, error) {
	return watch(ctx, opts, log, onReload, false, 10*time.Millisecond)
}

// WithoutTypes is the snapshot without the types of its tools, which have functions: two of
// them can then be compared.
func (s *Snapshot) WithoutTypes() *Snapshot {
	for _, set := range append(slices.Collect(maps.Values(s.own)), s.tools) {
		for _, t := range set {
			t.kind = nil
		}
	}
	return s
}

// FixedBody are the fields that "body" cannot change, by provider.
func FixedBody() map[string][]string {
	fields := map[string][]string{}
	for name, p := range modelProviders {
		if len(p.body) > 0 {
			fields[name] = p.body
		}
	}
	return fields
}

// BaseURLs are where models' servers are, where "baseUrl" is not given, by provider.
func BaseURLs() (urls []string) {
	for _, p := range modelProviders {
		if p.baseURL != "" {
			urls = append(urls, p.baseURL)
		}
	}
	return urls
}

// GatewayHeaders are those that "headers" cannot have.
var GatewayHeaders = append(slices.Clone(gatewayHeaders), keyHeaders...)
