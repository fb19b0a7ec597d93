package sqldb

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// Clarifications implements store.Reader. A page has 1 to maxPage items, whatever Limit says;
// those asked at the same time come in order of their number, or where the list is not of
// pending ones, of their id.
func (d *DB) Clarifications(ctx context.Context, tenant, subject string, which store.Which, page store.Page) ([]chat.Clarification, string, error) {
	since := toMillis(which.Since)
	mark := cursorList("clarifications", tenant, subject, strconv.Itoa(int(which.Status)), which.App, which.ChatID, strconv.FormatInt(since, 10))
	if which.Status == store.StatusPending {
		if which.App == "" && which.ChatID == "" && since == 0 {
			mark = cursorList("pending", tenant, subject) // as older nodes have it
		}
		return d.genuinePage(ctx, mark, page, func(after *place) (string, []any) {
			if after == nil {
				after = &place{millis: since, number: -1}
			}
			return q.pendingOfSubject, []any{tenant, subject, which.App == "", which.App, which.ChatID == "", which.ChatID, after.millis, after.number, after.id}
		}, func(c *keptClarification) place {
			return place{millis: toMillis(c.AskedAt), number: int64(c.Number), id: c.ID}
		})
	}
	return d.genuinePage(ctx, mark, page, func(after *place) (string, []any) {
		if after == nil {
			after = &place{millis: since}
		}
		all := which.Status == store.StatusAll
		if which.ChatID != "" {
			return q.changedOfChat, []any{tenant, subject, which.ChatID, which.App == "", which.App, all, after.millis, after.millis, after.id}
		}
		return q.changedOfSubject, []any{tenant, subject, which.App == "", which.App, all, after.millis, after.millis, after.id}
	}, func(c *keptClarification) place {
		return place{millis: max(toMillis(c.AskedAt), toMillis(c.AnsweredAt)), id: c.ID}
	})
}

// SaveDraft implements store.Updater: one statement, so that no draft outlives its question.
func (d *DB) SaveDraft(ctx context.Context, tenant, subject, id string, draft json.RawMessage) error {
	var kept any
	if draft != nil {
		kept = string(draft)
	}
	return d.write(ctx, true, func(s session) error {
		n, err := s.exec(q.saveDraft, kept, id, tenant, subject)
		return d.fail(must(n > 0, err))
	})
}
