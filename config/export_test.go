package config

import (
	"context"
	"log/slog"
	"time"
)

var (
	LoadFrom        = loadFrom
	ForeignAppKeys  = foreignAppKeys
	ForeignToolKeys = foreignToolKeys
)

// WatchPolling is Watch where no notification ever comes, looking more often than usual.
func WatchPolling(ctx context.Context, opts Options, log *slog.Logger, onReload func(string)) (*Watcher, error) {
	return watch(ctx, opts, log, onReload, false, 10*time.Millisecond)
}
