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

// seals show what is the gateway's own: of the questions in the store, and of what nodes tell each
// other through Redis and through the store (relay). They go by the secret that the configuration has at
// that moment, each with a key of its own.
type seals struct{ store, redis, relay *seal.HMAC }

// unsealedHint says what to do about a question that is not shown.
const unsealedHint = "if auth.session.secret was changed, add the old one to auth.session.otherSecrets; a question asked before there was a secret stays hidden; otherwise something else wrote it, so find out what can write there"

func newSeals(current func() *config.Snapshot, registry prometheus.Registerer, log *slog.Logger) *seals {
	refused := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "askgate_seals_refused_total", Help: "Times that a question, or what nodes tell each other, was not accepted because its seal did not match, by where it came from: store, redis, relay.",
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
					log.Warn("not accepted as the gateway's own, because its seal does not match", "from", from, "id", id, "sealed", !unsealed, "hint", unsealedHint)
				})
			})
	}
	return &seals{
		store: signer("store", "askgate question in store 1"),
		redis: signer("redis", "askgate message in redis 1"),
		relay: signer("relay", "askgate question in relay 1"),
	}
}

// tellForged says how many questions wait that are not shown.
func tellForged(ctx context.Context, db *sqldb.DB, log *slog.Logger) {
	switch n, err := db.Forged(ctx); {
	case err != nil && ctx.Err() == nil:
		log.Warn("the seals of pending questions could not be checked", "error", err)
	case n > 0:
		log.Warn("pending questions are hidden, because their seals do not match", "questions", n, "hint", unsealedHint)
	}
}
