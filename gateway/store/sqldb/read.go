package sqldb

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// loadHead reads the head, store.ErrNotFound where there is none.
func loadHead(s session, ref chat.Ref) (*headRow, error) {
	h := new(headRow)
	found, err := one(s, func(scan scanner) error { return scanHead(scan, h) },
		q.head, ref.Tenant, ref.Subject, ref.App, ref.ChatID)
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return h, err
}

// Conversation implements store.Reader.
func (d *DB) Conversation(ctx context.Context, ref chat.Ref) (*chat.Conversation, *chat.Turn, error) {
	var h *headRow
	err := d.read(ctx, func(s session) (err error) {
		h, err = loadHead(s, ref)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return &h.Conversation, h.newest(), nil
}

// View implements store.Reader.
func (d *DB) View(ctx context.Context, ref chat.Ref) (*store.View, error) {
	var v store.View
	err := d.snapshot(ctx, func(s session) (err error) {
		h, err := loadHead(s, ref)
		if err != nil {
			return err
		}
		v = store.View{Conversation: h.Conversation, Turn: h.newest()}
		var l messageList
		all := append(make([]query, 0, 4), rows(l.message, q.messages, h.ID), rows(l.call, q.calls, h.ID),
			rows(appendClarification(&v.Clarifications), q.clarifications, h.ID))
		if h.queued > 0 {
			all = append(all, rows(appendQueued(&v.Queue), q.queue, h.ID))
		}
		if err := s.each(all...); err != nil {
			return err
		}
		v.Messages = l.joined()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// messageList gathers the messages of a conversation, and their calls, which come in
// the order of their ids: an index of their places would cost more at each step than
// it saves once per run.
type messageList struct {
	messages  []chat.Message
	positions []int64
	calls     []placedCall
}

type placedCall struct {
	message  int64
	position int
	chat.ToolCall
}

func (l *messageList) message(scan scanner) error {
	l.messages, l.positions = append(l.messages, chat.Message{}), append(l.positions, 0)
	return scanMessage(scan, &l.positions[len(l.positions)-1], &l.messages[len(l.messages)-1])
}

func (l *messageList) call(scan scanner) error {
	l.calls = append(l.calls, placedCall{})
	p := &l.calls[len(l.calls)-1]
	return scanCall(scan, &p.message, &p.position, &p.ToolCall)
}

// joined puts the calls in place.
func (l *messageList) joined() []chat.Message {
	slices.SortFunc(l.calls, func(a, b placedCall) int {
		return cmp.Or(cmp.Compare(a.message, b.message), cmp.Compare(a.position, b.position))
	})
	m := 0
	for i := range l.calls {
		for m < len(l.positions) && l.positions[m] < l.calls[i].message {
			m++
		}
		if m < len(l.positions) && l.positions[m] == l.calls[i].message {
			l.messages[m].ToolCalls = append(l.messages[m].ToolCalls, l.calls[i].ToolCall)
		}
	}
	return l.messages
}

// Run implements store.Reader.
func (d *DB) Run(ctx context.Context, conversationID string, fence int64) (chat.Run, error) {
	r := chat.Run{ConversationID: conversationID, Fence: fence}
	err := d.read(ctx, func(s session) error {
		found, err := one(s, func(scan scanner) error { return scanRun(scan, &r) }, q.run, conversationID, fence)
		if err == nil && !found {
			err = store.ErrNotFound
		}
		return err
	})
	if err != nil {
		return chat.Run{}, err
	}
	return r, nil
}

// Conversations implements store.Reader. A page has 1 to maxPage items, whatever Limit says.
func (d *DB) Conversations(ctx context.Context, tenant, subject, app string, page store.Page) ([]store.Listed, string, error) {
	list := cursorList("conversations", tenant, subject, app)
	after, err := list.parse(page.Cursor)
	if err != nil {
		return nil, "", err
	}
	limit := pageLimit(page.Limit)
	query, args := q.conversations, []any{tenant, subject, app, limit + 1}
	if after != nil {
		query, args = q.conversationsAfter, []any{tenant, subject, app, after.millis, after.id, limit + 1}
	}
	var items []store.Listed
	err = d.read(ctx, func(s session) error {
		items = nil
		return s.each(rows(func(scan scanner) error {
			items = append(items, store.Listed{})
			last := &items[len(items)-1]
			err := scanConversation(scan, &last.Conversation, &last.Beginning)
			last.Beginning = firstRunes(last.Beginning, maxBeginning)
			return err
		}, query, args...))
	})
	if err != nil {
		return nil, "", err
	}
	if len(items) <= limit {
		return items, "", nil
	}
	last := &items[limit-1]
	return items[:limit], list.cursor(place{millis: toMillis(last.UpdatedAt), id: last.ChatID}), nil
}

// PendingClarifications implements store.Reader. A page has 1 to maxPage items,
// whatever Limit says; those asked at the same time come in order of their number.
func (d *DB) PendingClarifications(ctx context.Context, tenant, subject string, page store.Page) ([]chat.Clarification, string, error) {
	list := cursorList("pending", tenant, subject)
	after, err := list.parse(page.Cursor)
	if err != nil {
		return nil, "", err
	}
	limit := pageLimit(page.Limit)
	query, args := q.pendingOfSubject, []any{tenant, subject, limit + 1}
	if after != nil {
		query, args = q.pendingOfSubjectAfter, []any{tenant, subject, after.millis, after.number, after.id, limit + 1}
	}
	items, err := d.listClarifications(ctx, query, args...)
	if err != nil || len(items) <= limit {
		return items, "", err
	}
	last := &items[limit-1]
	return items[:limit], list.cursor(place{millis: toMillis(last.AskedAt), number: int64(last.Number), id: last.ID}), nil
}

// Expired implements store.Sweeper.
func (d *DB) Expired(ctx context.Context, now time.Time, limit int) ([]chat.Clarification, error) {
	return d.listClarifications(ctx, q.expired, toMillis(now), pageLimit(limit))
}

func (d *DB) listClarifications(ctx context.Context, query string, args ...any) ([]chat.Clarification, error) {
	var items []chat.Clarification
	err := d.read(ctx, func(s session) error {
		items = nil
		return s.each(rows(appendClarification(&items), query, args...))
	})
	if err != nil {
		return nil, err
	}
	return items, nil
}

// Abandoned implements store.Sweeper.
func (d *DB) Abandoned(ctx context.Context, limit int) ([]chat.Ref, error) {
	return d.listRefs(ctx, q.abandoned, d.atNow(pageLimit(limit))...)
}

// Owned implements store.Sweeper.
func (d *DB) Owned(ctx context.Context, node string, limit int) ([]chat.Ref, error) {
	return d.listRefs(ctx, q.owned, node, pageLimit(limit))
}

// Waiting implements store.Sweeper: those that waited longest come first.
func (d *DB) Waiting(ctx context.Context, limit int) ([]chat.Ref, error) {
	return d.listRefs(ctx, q.waiting, pageLimit(limit))
}

// Stale implements store.Sweeper.
func (d *DB) Stale(ctx context.Context, app string, before time.Time, limit int) ([]chat.Ref, error) {
	return d.listRefs(ctx, q.stale, app, toMillis(before), pageLimit(limit))
}

func (d *DB) listRefs(ctx context.Context, query string, args ...any) ([]chat.Ref, error) {
	var refs []chat.Ref
	err := d.read(ctx, func(s session) error {
		refs = nil
		return s.each(rows(func(scan scanner) error {
			var r chat.Ref
			err := scan(&r.Tenant, &r.Subject, &r.App, &r.ChatID)
			refs = append(refs, r)
			return err
		}, query, args...))
	})
	if err != nil {
		return nil, err
	}
	return refs, nil
}

// Pending implements store.Sweeper.
func (d *DB) Pending(ctx context.Context) ([]store.PendingCount, error) {
	var counts []store.PendingCount
	err := d.read(ctx, func(s session) error {
		counts = nil
		return s.each(rows(func(scan scanner) error {
			var c store.PendingCount
			var oldest int64
			err := scan(&c.App, &c.Count, &oldest)
			c.Oldest = fromMillis(oldest)
			counts = append(counts, c)
			return err
		}, q.pendingPerApp))
	})
	if err != nil {
		return nil, err
	}
	return counts, nil
}

// maxBeginning is how much of its first message a listed chat shows, in code points.
const maxBeginning = 100

// firstRunes is the first n code points of a text, which may be cut in the middle of one.
func firstRunes(s string, n int) string {
	s = strings.ToValidUTF8(s, "")
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
