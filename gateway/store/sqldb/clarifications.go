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

// Clarifications implements store.Reader. A page has 1 to maxPage items, whatever Limit says.
// Those asked at the same time are ordered by number or, in lists of closed ones, by id.
func (d *DB) Clarifications(ctx context.Context, tenant, subject string, which store.Which, page store.Page) ([]chat.Clarification, string, error) {
	since := toMillis(which.Since)
	mark := cursorList("clarifications", tenant, subject, strconv.Itoa(int(which.Status)), which.App, which.ChatID, strconv.FormatInt(since, 10))
	if which.Status == store.StatusPending {
		return d.h.pendingOf(ctx, mark, tenant, subject, which, page)
	}
	after, err := mark.parse(page.Cursor)
	if err != nil {
		return nil, "", err
	}
	if after == nil {
		after = &place{millis: since, number: -1}
	}
	each := []statement{placedOfSubject(tenant, subject, which, false, after)}
	if which.Status == store.StatusAll {
		each = append(each, placedOfSubject(tenant, subject, which, true, after))
	}
	return d.h.placed(ctx, mark, page.Limit, each...)
}

// placedOfSubject lists what waits for a subject, or what of its questions is closed.
func placedOfSubject(tenant, subject string, which store.Which, open bool, after *place) statement {
	waits := 0
	if open {
		waits = 1
	}
	return statement{q.placedOfSubject, []any{
		tenant, subject, waits, after.millis, which.ChatID == "", which.ChatID, which.App == "", which.App, after.millis, after.number, after.id,
	}}
}

// pendingOf lists what waits for a subject and for holders of its roles. Each list is read in its
// order, and the lists are merged.
func (d *handle) pendingOf(ctx context.Context, mark listMark, tenant, subject string, which store.Which, page store.Page) ([]chat.Clarification, string, error) {
	after, err := mark.parse(page.Cursor)
	if err != nil {
		return nil, "", err
	}
	if after == nil {
		after = &place{millis: toMillis(which.Since), number: -1}
	}
	each := []statement{placedOfSubject(tenant, subject, which, true, after)}
	for _, role := range which.Roles {
		of := []any{tenant, role, subject, subject, which.App == "", which.App, which.ChatID == "", which.ChatID, after.millis, after.number, after.id}
		each = append(each, statement{q.pendingOfRole, of}, statement{q.pendingOfAlso, of})
	}
	list, next, err := d.placed(ctx, mark, page.Limit, each...)
	who := chat.Principal{Tenant: tenant, Subject: subject, Roles: which.Roles}
	return slices.DeleteFunc(list, func(c chat.Clarification) bool { // the rows of also_asked have no seal
		return c.Subject != subject && !c.MayAnswer(who)
	}), next, err
}

// placedSize is the place of a clarification in a list, and its size in bytes.
type placedSize struct {
	place
	bytes int64
}

// inNumber sorts the questions of a chat.
func inNumber(all []placedSize) []placedSize {
	slices.SortFunc(all, func(a, b placedSize) int { return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.id, b.id)) })
	return all
}

func scanPlace(scan scanner, p *placedSize) error {
	return scan(&p.millis, &p.number, &p.id, &p.bytes)
}

// placed reads a page of clarifications: 1 to maxPage, of at most store.MaxPageBytes unless one
// alone has more, whatever limit says. It leaves out those that are not genuine. Each statement
// selects places and sizes in the order of the list, and lacks its last argument, the limit. The
// lists are merged, and the items of the page are then read by id.
func (d *handle) placed(ctx context.Context, mark listMark, limit int, each ...statement) (list []chat.Clarification, next string, err error) {
	limit = pageLimit(limit)
	err = d.snapshot(ctx, func(s session) error {
		list, next = nil, ""
		var places []placedSize
		row := appendTo(&places, scanPlace)
		queries := make([]query, len(each))
		for i, of := range each {
			queries[i] = rows(row, of.text, append(slices.Clone(of.args), limit+1)...)
		}
		if err := s.each(queries...); err != nil {
			return err
		}
		slices.SortFunc(places, func(a, b placedSize) int {
			return cmp.Or(cmp.Compare(a.millis, b.millis), cmp.Compare(a.number, b.number), cmp.Compare(a.id, b.id))
		})
		places = slices.CompactFunc(places, func(a, b placedSize) bool { return a.id == b.id }) // a role that was named twice
		b := budgeted{most: store.MaxPageBytes}
		for _, p := range places[:min(limit, len(places))] {
			b.add(sizedID{p.id, p.bytes})
		}
		if n := len(b.ids); n < len(places) {
			next = mark.cursor(places[n-1].place)
		}
		if err := store.Admit(ctx, b.bytes); err != nil {
			return err
		}
		list, err = d.byIDs(s, b.ids)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return list, next, nil
}

// byIDs reads the genuine clarifications of these ids, in this order.
func (d *handle) byIDs(s session, ids []string) ([]chat.Clarification, error) {
	var kept []keptClarification
	queries := make([]query, len(ids))
	for i, id := range ids {
		queries[i] = rows(appendTo(&kept, d.scanClarification), q.clarification, id)
	}
	err := s.each(queries...)
	return genuine(kept), err
}

// SaveDraft implements store.Updater. It uses one statement, so that no draft outlives its
// question.
func (d *DB) SaveDraft(ctx context.Context, tenant, subject, id string, draft json.RawMessage) error {
	var kept any
	if draft != nil {
		kept = string(draft)
	}
	return d.h.write(ctx, true, func(s session) error {
		var others int64
		if _, err := one(s, func(scan scanner) error { return scan(&others) }, q.draftBytes, id, id); err != nil {
			return d.h.fail(err)
		}
		if draft != nil && others+int64(len(draft)) > store.MaxOpen {
			return store.ErrFull
		}
		n, err := s.exec(q.saveDraft, kept, id, tenant, subject)
		return d.h.fail(must(n > 0, err))
	})
}

// Forged counts the pending clarifications that are hidden because their seals do not match. It
// keeps a page of them in memory.
func (d *DB) Forged(ctx context.Context) (n int, err error) {
	for _, waits := range []int{1, 2} {
		for after, more := (chat.Clarification{}), true; more; {
			kept, err := list(ctx, d.h, d.h.scanDue, q.allPending, waits, after.App, toMillis(after.AskedAt), after.ID, maxPage)
			if err != nil {
				return n, err
			}
			for i := range kept {
				if !kept[i].genuine && !kept[i].lost {
					n++
				}
			}
			if more = len(kept) == maxPage; more {
				after = kept[maxPage-1].Clarification
			}
		}
	}
	return n, nil
}
