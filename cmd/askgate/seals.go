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

// seals show which questions the gateway itself asked, in the store and among those that
// Redis carries, and which messages between nodes are its own (relay), with the secret that the
// configuration has at that moment.
type seals struct{ store, redis, relay *seal.HMAC }

// unsealedMend says what to do about a question that is not shown.
const unsealedMend = "if auth.session.secret was changed, add the old one to auth.session.otherSecrets; a question asked before there was a secret stays hidden; otherwise something else wrote it: find out what can write there"

func newSeals(current func() *config.Snapshot, registry prometheus.Registerer, log *slog.Logger) *seals {
	refused := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "askgate_seals_refused_total", Help: "Times that a question was not shown because its seal did not fit, by where it came from: store, redis, relay.",
	}, []string{"from"})
	registry.MustRegister(refused)
	signer := func(from string) *seal.HMAC {
		count, some := refused.WithLabelValues(from), rate.Sometimes{First: 10, Interval: time.Minute}
		return seal.NewHMAC("askgate question in "+from+" 1",
			func() seal.Secrets {
				s := current().Gateway.Auth.Session
				return seal.Secrets{Own: s.Secret, Others: s.OtherSecrets}
			},
			func(id string, unsealed bool) {
				count.Inc()
				some.Do(func() {
					log.Warn("a question is not shown, because its seal does not fit", "from", from, "id", id, "sealed", !unsealed, "mend", unsealedMend)
				})
			})
	}
	return &seals{store: signer("store"), redis: signer("redis"), relay: signer("relay")}
}

// tellForged says how many questions wait that are not shown.
func tellForged(ctx context.Context, db *sqldb.DB, log *slog.Logger) {
	switch n, err := db.Forged(ctx); {
	case err != nil && ctx.Err() == nil:
		log.Warn("the seals of pending questions are not checked", "error", err)
	case n > 0:
		log.Warn("questions wait that are not shown, because their seals do not fit", "questions", n, "mend", unsealedMend)
	}
}
