package main

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/limit/redislimit"
	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/stream/redishub"
)

// shared holds what nodes share through Redis. Without Redis, each node has its own.
type shared struct {
	hub     stream.Hub
	others  bool // there may be other nodes
	limiter limit.Limiter
	parts   []gateway.Part
	close   func()
}

// share connects to the other nodes. It succeeds even if Redis cannot be reached yet.
func share(ctx context.Context, settings config.Gateway, signer *seal.HMAC, registry prometheus.Registerer, log *slog.Logger) (*shared, error) {
	if settings.Redis == "" {
		alone := &shared{hub: stream.NewLocal(), limiter: limit.NewLocal(), close: func() {}}
		if !strings.HasPrefix(settings.Store, "sqlite:") { // other nodes may use the same store
			alone.hub, alone.others = stream.NewPartial(), true
		}
		return alone, nil
	}
	hub, err := redishub.Open(ctx, redishub.Options{URL: settings.Redis, Registry: registry, Log: log, Signer: signer})
	if err != nil {
		return nil, err
	}
	limiter, err := redislimit.Open(ctx, redislimit.Options{URL: settings.Redis, Registry: registry, Log: log})
	if err != nil {
		hub.Close()
		return nil, err
	}
	redis := gateway.Part{
		Name: "redis",
		Status: func() (time.Time, error) {
			if since, err := limiter.Status(); err != nil {
				return since, err
			}
			return hub.Status()
		},
		Hint: "chats go on, but viewers on other nodes see only what is in the store, and each node counts its own limits; check that Redis can be reached, and see the log (no restart is needed)",
	}
	return &shared{hub, true, limiter, []gateway.Part{redis}, func() {
		hub.Close()
		limiter.Close()
	}}, nil
}
