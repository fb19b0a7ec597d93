package redishub_test

import (
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/gateway/stream/redishub"
)

func open(t testing.TB, server, prefix string) *redishub.Hub {
	t.Helper()
	h, err := redishub.Open(t.Context(), redishub.Options{
		URL: server, Prefix: prefix, Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}
