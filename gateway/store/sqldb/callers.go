package sqldb

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
)

// What is kept of callers goes with what it is of. waits is that something still is: the newest turn
// until it ends, a queued message, or a pending question of a program.
const (
	callerOf   = `SELECT claims FROM callers WHERE conversation_id = ? AND of_id = ?`
	keepCaller = `INSERT INTO callers (conversation_id, of_id, tenant, subject, claims) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (conversation_id, of_id) DO UPDATE SET tenant = excluded.tenant, subject = excluded.subject, claims = excluded.claims`
	passCaller      = `UPDATE callers SET of_id = ? WHERE conversation_id = ? AND of_id = ?`
	endCaller       = `DELETE FROM callers WHERE conversation_id = ? AND of_id = ?`
	callersLeft     = `SELECT conversation_id, of_id FROM callers WHERE NOT (` + waits + `) LIMIT ?`
	endCallerLeft   = `DELETE FROM callers WHERE conversation_id = ? AND of_id = ? AND NOT (` + waits + `)`
	callersOfPerson = `DELETE FROM callers WHERE tenant = ? AND subject = ?`

	waits = `EXISTS (SELECT 1 FROM conversations v WHERE v.id = callers.conversation_id AND v.turn_id = callers.of_id AND v.turn_state <> 'ended')
		OR EXISTS (SELECT 1 FROM queue w WHERE w.conversation_id = callers.conversation_id AND w.id = callers.of_id)
		OR EXISTS (SELECT 1 FROM clarifications c WHERE c.id = callers.of_id AND c.state = 'pending')`
)

func (t *tx) SaveCaller(c chat.KeptCaller) error {
	return t.w.later(q.saveCaller, t.head.ID, c.Of, c.Tenant, c.Subject, c.Claims)
}

func (t *tx) MoveCaller(from, to string) error { return t.w.later(q.moveCaller, to, t.head.ID, from) }

func (t *tx) DropCaller(of string) error { return t.w.later(q.dropCaller, t.head.ID, of) }

// callers reads what is kept of callers.
type callers struct{ h *handle }

// Caller implements store.CallerReader.
func (d *callers) Caller(ctx context.Context, conversationID, of string) (claims string, err error) {
	err = d.h.read(ctx, func(s session) error {
		claims = ""
		return s.each(callerQuery(conversationID, of, &claims))
	})
	return claims, err
}

func callerQuery(conversationID, of string, to *string) query {
	return rows(func(scan scanner) error { return scan(to) }, q.caller, conversationID, of)
}

// leftCaller is a row of a caller of which nothing waits any more.
type leftCaller struct{ conversation, of string }

// DropCallers implements store.Sweeper. Nearly always there is nothing to write.
func (d *Due) DropCallers(ctx context.Context, limit int) (dropped int, err error) {
	left, err := list(ctx, d.h, func(scan scanner, c *leftCaller) error { return scan(&c.conversation, &c.of) }, q.staleCallers, pageLimit(limit))
	if err != nil || len(left) == 0 {
		return 0, err
	}
	return len(left), d.h.write(ctx, true, func(s session) error {
		for _, c := range left {
			if _, err := s.exec(q.dropStaleCaller, c.conversation, c.of); err != nil {
				return d.h.fail(err)
			}
		}
		return nil
	})
}
