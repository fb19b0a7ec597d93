package sqldb

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// loadHead reads the head and the newest turn, store.ErrNotFound where there is none.
func loadHead(ctx context.Context, s *session, ref chat.Ref, c *chat.Conversation) (turn *chat.Turn, err error) {
	*c = chat.Conversation{}
	found, err := s.one(ctx, func(scan scanner) error {
		_, turn, err = scanHeadAndTurn(scan, c)
		return err
	}, q.head, ref.Tenant, ref.Subject, ref.App, ref.ChatID)
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return turn, err
}

// Conversation implements store.Reader.
func (d *DB) Conversation(ctx context.Context, ref chat.Ref) (*chat.Conversation, *chat.Turn, error) {
	var c chat.Conversation
	var turn *chat.Turn
	err := d.read(ctx, func(s *session) (err error) {
		turn, err = loadHead(ctx, s, ref, &c)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return &c, turn, nil
}

// View implements store.Reader.
func (d *DB) View(ctx context.Context, ref chat.Ref) (*store.View, error) {
	var v store.View
	err := d.snapshot(ctx, func(s *session) (err error) {
		v = store.View{}
		if v.Turn, err = loadHead(ctx, s, ref, &v.Conversation); err != nil {
			return err
		}
		id := v.Conversation.ID
		if v.Messages, err = loadMessages(ctx, s, id); err != nil {
			return err
		}
		return s.each(ctx, appendClarification(&v.Clarifications), q.clarifications, id)
	})
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// loadMessages reads the messages of a conversation in order, with their calls.
// The calls come in the order of their ids and are put in place here: an index of
// their places would cost more at each step than it saves once per run.
func loadMessages(ctx context.Context, s *session, conversationID string) ([]chat.Message, error) {
	var messages []chat.Message
	var positions []int64
	err := s.each(ctx, func(scan scanner) error {
		messages, positions = append(messages, chat.Message{}), append(positions, 0)
		return scanMessage(scan, &positions[len(positions)-1], &messages[len(messages)-1])
	}, q.messages, conversationID)
	if err != nil {
		return nil, err
	}

	type placed struct {
		message  int64
		position int
		call     chat.ToolCall
	}
	var calls []placed
	err = s.each(ctx, func(scan scanner) error {
		calls = append(calls, placed{})
		p := &calls[len(calls)-1]
		return scanCall(scan, &p.message, &p.position, &p.call)
	}, q.calls, conversationID)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(calls, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.message, b.message), cmp.Compare(a.position, b.position))
	})
	m := 0
	for i := range calls {
		for m < len(positions) && positions[m] < calls[i].message {
			m++
		}
		if m < len(positions) && positions[m] == calls[i].message {
			messages[m].ToolCalls = append(messages[m].ToolCalls, calls[i].call)
		}
	}
	return messages, nil
}

// Run implements store.Reader.
func (d *DB) Run(ctx context.Context, conversationID string, fence int64) (chat.Run, error) {
	r := chat.Run{ConversationID: conversationID, Fence: fence}
	err := d.read(ctx, func(s *session) error {
		found, err := s.one(ctx, func(scan scanner) error { return scanRun(scan, &r) }, q.run, conversationID, fence)
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
	err = d.read(ctx, func(s *session) error {
		items = nil
		return s.each(ctx, func(scan scanner) error {
			items = append(items, store.Listed{})
			last := &items[len(items)-1]
			return scanHead(scan, &last.Conversation, &last.Beginning)
		}, query, args...)
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
	err := d.read(ctx, func(s *session) error {
		items = nil
		return s.each(ctx, appendClarification(&items), query, args...)
	})
	if err != nil {
		return nil, err
	}
	return items, nil
}

// Abandoned implements store.Sweeper.
func (d *DB) Abandoned(ctx context.Context, now time.Time, limit int) ([]chat.Ref, error) {
	var refs []chat.Ref
	err := d.read(ctx, func(s *session) error {
		refs = nil
		return s.each(ctx, func(scan scanner) error {
			var r chat.Ref
			err := scan(&r.Tenant, &r.Subject, &r.App, &r.ChatID)
			refs = append(refs, r)
			return err
		}, q.abandoned, toMillis(now), pageLimit(limit))
	})
	if err != nil {
		return nil, err
	}
	return refs, nil
}

// Pending implements store.Sweeper.
func (d *DB) Pending(ctx context.Context) ([]store.PendingCount, error) {
	var counts []store.PendingCount
	err := d.read(ctx, func(s *session) error {
		counts = nil
		return s.each(ctx, func(scan scanner) error {
			var c store.PendingCount
			var oldest int64
			err := scan(&c.App, &c.Count, &oldest)
			c.Oldest = fromMillis(oldest)
			counts = append(counts, c)
			return err
		}, q.pendingPerApp)
	})
	if err != nil {
		return nil, err
	}
	return counts, nil
}
