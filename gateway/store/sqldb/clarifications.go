package sqldb

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
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
		return d.pendingOf(ctx, mark, tenant, subject, which, page)
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

// pendingOf lists what waits for a subject and for holders of its roles: each is read in its
// order, and the lists are merged.
func (d *DB) pendingOf(ctx context.Context, mark listMark, tenant, subject string, which store.Which, page store.Page) ([]chat.Clarification, string, error) {
	after, err := mark.parse(page.Cursor)
	if err != nil {
		return nil, "", err
	}
	if after == nil {
		after = &place{millis: toMillis(which.Since), number: -1}
	}
	limit := pageLimit(page.Limit)
	rest := []any{which.App == "", which.App, which.ChatID == "", which.ChatID, after.millis, after.number, after.id, limit + 1}
	var all []keptClarification
	err = d.snapshot(ctx, func(s session) error {
		all = nil
		each := []query{rows(appendTo(&all, d.scanClarification), q.pendingOfSubject, append([]any{tenant, subject}, rest...)...)}
		for _, role := range which.Roles {
			each = append(each, rows(appendTo(&all, d.scanClarification), q.pendingOfRole, append([]any{tenant, role, subject, subject}, rest...)...))
		}
		return s.each(each...)
	})
	if err != nil {
		return nil, "", err
	}
	at := func(k *keptClarification) place {
		return place{millis: toMillis(k.AskedAt), number: int64(k.Number), id: k.ID}
	}
	slices.SortFunc(all, func(a, b keptClarification) int {
		x, y := at(&a), at(&b)
		return cmp.Or(cmp.Compare(x.millis, y.millis), cmp.Compare(x.number, y.number), cmp.Compare(x.id, y.id))
	})
	all = slices.CompactFunc(all, func(a, b keptClarification) bool { return a.ID == b.ID }) // a role that was named twice
	if len(all) <= limit {
		return genuine(all), "", nil
	}
	return genuine(all[:limit]), mark.cursor(at(&all[limit-1])), nil
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
