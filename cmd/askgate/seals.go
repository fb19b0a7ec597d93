package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// seals sign what the gateway writes to shared places, so that it can tell its own writing from that of
// others: questions in the store, and messages between nodes through Redis and through the store
// (relay). Each has a key of its own, derived from the secret in the active configuration.
type seals struct{ store, redis, relay *seal.HMAC }

// unsealedHint tells an operator what to do about a hidden question.
const unsealedHint = "if auth.session.secret was changed, add the former secret to auth.session.otherSecrets; a question asked before a secret was configured stays hidden; otherwise another program wrote it, so find out which programs can write there"

func newSeals(current func() *config.Snapshot, registry prometheus.Registerer, log *slog.Logger) *seals {
	refused := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "askgate_seals_refused_total", Help: "How often a question or a message between nodes was rejected because its seal did not match, by where it came from: store, redis, relay.",
	}, []string{"from"})
	registry.MustRegister(refused)
	signer := func(from, purpose string) *seal.HMAC {
		count, some := refused.WithLabelValues(from), rate.Sometimes{First: 10, Interval: time.Minute}
		return seal.NewHMAC(purpose,
			func() seal.Secrets {
				s := current().Gateway.Auth.Session
				return seal.Secrets{Own: s.Secret, Others: s.OtherSecrets}
			},
			func(id string, unsealed bool) {
				count.Inc()
				some.Do(func() {
					log.Warn("rejected: the seal does not match, so the gateway did not write this", "from", from, "id", id, "sealed", !unsealed, "hint", unsealedHint)
				})
			})
	}
	return &seals{
		store: signer("store", "askgate question in store 1"),
		redis: signer("redis", "askgate message in redis 1"),
		relay: signer("relay", "askgate question in relay 1"),
	}
}

// logForged logs how many pending questions are hidden because their seals do not match.
func logForged(ctx context.Context, db *sqldb.DB, log *slog.Logger) {
	switch n, err := db.Forged(ctx); {
	case err != nil && ctx.Err() == nil:
		log.Warn("cannot check the seals of pending questions", "error", err)
	case n > 0:
		log.Warn("pending questions are hidden because their seals do not match", "questions", n, "hint", unsealedHint)
	}
}
