package sqldb

import (
	"cmp"
	"context"
	"slices"

	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools/textsearch"
)

// These list families (see store.Folded).
const (
	// newestOfFamily leaves out the chats whose family has one that is listed before them. It is
	// decided for each chat by itself, so that a page costs as much in a long list as in a short one:
	// scalar subqueries keep PostgreSQL from joining all chats with all others. The newest change is
	// nearly always in the branch that was written to last, so the search begins there; + 0 keeps
	// SQLite from another index.
	newestOfFamily = ` AND coalesce((SELECT 1 FROM conversations b WHERE b.tenant = c.tenant AND b.subject = c.subject AND b.app = c.app
			AND b.root = CASE WHEN c.root = '' THEN c.chat_id ELSE c.root END AND b.root <> '' AND NOT b.lasting
			AND (b.updated_at + 0, b.chat_id) > (c.updated_at, c.chat_id) ORDER BY b.written_at DESC, b.chat_id DESC LIMIT 1), 0) = 0
		AND coalesce((SELECT 1 FROM conversations r WHERE r.tenant = c.tenant AND r.subject = c.subject AND r.app = c.app
			AND r.chat_id = c.root AND NOT r.lasting AND (r.updated_at, r.chat_id) > (c.updated_at, c.chat_id)), 0) = 0
		ORDER BY updated_at DESC, chat_id DESC LIMIT ?`
	listedChats = `SELECT ` + refColumns + `, ` + headColumns + beginning + ` FROM conversations c
		WHERE tenant = ? AND subject = ? AND app = ? AND NOT lasting`
	listedByRef    = listedChats + ` AND chat_id = ?`
	listedOfFamily = listedChats + ` AND root = ? AND root <> '' ORDER BY written_at DESC, chat_id DESC LIMIT ?`

	memberColumns = `SELECT id, chat_id, written_at,
		(SELECT count(*) FROM clarifications q WHERE q.conversation_id = c.id AND q.done_fence = 0 AND q.state = 'pending' AND coalesce(q.for_role, '') = '')
		FROM conversations c WHERE tenant = ? AND subject = ? AND app = ? AND NOT lasting`
	memberByRef   = memberColumns + ` AND chat_id = ?`
	familyMembers = memberColumns + ` AND root = ? AND root <> '' ORDER BY written_at DESC, chat_id DESC`
	askedOfOwner  = `SELECT id FROM clarifications
		WHERE conversation_id = ? AND done_fence = 0 AND state = 'pending' AND coalesce(for_role, '') = '' ORDER BY number, id LIMIT ?`
)

// Folded implements store.BranchReader.
func (d *DB) Folded(ctx context.Context, tenant, subject, app string, page store.Page) ([]store.Folded, string, error) {
	return paged(ctx, d.h, cursorList("families", tenant, subject, app), page, d.h.scanFolded,
		func(after *place) listed {
			if after == nil {
				return listed{text: q.folded, args: []any{tenant, subject, app}}
			}
			return listed{text: q.foldedAfter, args: []any{tenant, subject, app, after.millis, after.id}}
		},
		func(f *store.Folded) place { return placeOf(&f.Listed) },
		func(s session, items []store.Folded) error { return d.h.fold(s, items, true) })
}

func placeOf(l *store.Listed) place { return place{millis: toMillis(l.UpdatedAt), id: l.ChatID} }

func (d *handle) scanFolded(scan scanner, f *store.Folded) error {
	err := d.scanListed(scan, &f.Listed)
	f.Changed = f.UpdatedAt
	return err
}

// member is a chat of a family.
type member struct {
	id, chatID string
	written    int64
	pending    int
}

// before reports whether an entry leads to a chat rather than to another one.
func (m *member) before(o *member) bool {
	if (m.pending > 0) != (o.pending > 0) {
		return m.pending > 0
	}
	return m.written > o.written || m.written == o.written && m.chatID > o.chatID
}

// fold fills in what the items, of which each has a chat of a family, say about the whole family.
// If lead is set, each is led to the chat of store.Folded.
func (d *handle) fold(s session, items []store.Folded, lead bool) error {
	families := make([][]member, len(items))
	var queries []query
	for i := range items {
		c := &items[i]
		row := appendTo(&families[i], func(scan scanner, m *member) error { return scan(&m.id, &m.chatID, &m.written, &m.pending) })
		for _, text := range []string{q.member, q.members} {
			queries = append(queries, rows(row, text, c.Tenant, c.Subject, c.App, cmp.Or(c.Root, c.ChatID)))
		}
	}
	if err := s.each(queries...); err != nil {
		return err
	}
	queries = queries[:0]
	for i := range items {
		item, all := &items[i], families[i]
		item.Branches, item.Pending, item.Asked = max(1, len(all)), 0, nil // a search may find a chat that is gone by now
		slices.SortFunc(all, func(a, b member) int {
			if a.before(&b) {
				return -1
			}
			return 1
		})
		if at := slices.IndexFunc(all, func(m member) bool { return m.chatID == item.ChatID }); !lead && at > 0 {
			m := all[at]
			all = slices.Insert(slices.Delete(all, at, at+1), 0, m)
		}
		for j := range all {
			if item.Pending += all[j].pending; all[j].pending > 0 && item.Pending-all[j].pending < store.MaxAsked {
				queries = append(queries, rows(appendTo(&item.Asked, func(scan scanner, id *string) error { return scan(id) }), q.askedIn, all[j].id, store.MaxAsked))
			}
		}
		if lead && len(all) > 0 && all[0].chatID != item.ChatID {
			queries = append(queries, rows(func(scan scanner) error {
				item.Listed = store.Listed{}
				return d.scanListed(scan, &item.Listed)
			}, q.listedChat, item.Tenant, item.Subject, item.App, all[0].chatID))
		}
	}
	if err := s.each(queries...); err != nil {
		return err
	}
	for i := range items {
		items[i].Asked = items[i].Asked[:min(len(items[i].Asked), store.MaxAsked)]
	}
	return nil
}

// SearchFolded implements store.BranchReader.
func (d *DB) SearchFolded(ctx context.Context, tenant, subject, app string, words textsearch.Words, page store.Page) ([]store.Folded, string, error) {
	found, next, err := d.h.search(ctx, cursorList("families", tenant, subject, app), words, page, func(after *place) (groups []kin, err error) {
		text, args := q.folded, []any{tenant, subject, app, searchedAtOnce}
		if after != nil {
			text, args = q.foldedAfter, []any{tenant, subject, app, after.millis, after.id, searchedAtOnce}
		}
		err = d.h.snapshot(ctx, func(s session) error {
			var newest []store.Listed
			if err := s.each(rows(appendTo(&newest, d.h.scanListed), text, args...)); err != nil {
				return err
			}
			groups, err = d.h.groups(s, newest)
			return err
		})
		return groups, err
	})
	if err != nil {
		return nil, "", err
	}
	list := make([]store.Folded, len(found))
	for i := range found {
		list[i] = store.Folded{Match: found[i].Match, Changed: found[i].changed}
	}
	if err := d.h.snapshot(ctx, func(s session) error { return d.h.fold(s, list, false) }); err != nil {
		return nil, "", err
	}
	return list, next, nil
}

// groups returns the chats of the families of some chats, the one that changed last first.
func (d *handle) groups(s session, newest []store.Listed) ([]kin, error) {
	groups := make([]kin, len(newest))
	var queries []query
	for i := range newest {
		c := &newest[i]
		row := appendTo((*[]store.Listed)(&groups[i]), d.scanListed)
		root := c.ChatID
		if c.Root != "" {
			root = c.Root
			queries = append(queries, rows(row, q.listedChat, c.Tenant, c.Subject, c.App, root))
		} else {
			groups[i] = kin{*c}
		}
		queries = append(queries, rows(row, q.listedMembers, c.Tenant, c.Subject, c.App, root, store.MaxBranches))
	}
	if err := s.each(queries...); err != nil {
		return nil, err
	}
	for i, g := range groups {
		if !slices.ContainsFunc(g, func(l store.Listed) bool { return l.ChatID == newest[i].ChatID }) {
			groups[i] = append(g, newest[i])
		}
		slices.SortFunc(groups[i], func(a, b store.Listed) int {
			return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(b.ChatID, a.ChatID))
		})
	}
	return groups, nil
}
