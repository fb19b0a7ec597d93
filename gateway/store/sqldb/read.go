package sqldb

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// loadHead reads the head, store.ErrNotFound where there is none.
func loadHead(s session, ref chat.Ref) (*headRow, error) {
	h := new(headRow)
	err := must(one(s, func(scan scanner) error { return scanHead(scan, h) },
		q.head, ref.Tenant, ref.Subject, ref.App, ref.ChatID))
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
		var kept []keptClarification
		if err := d.readView(s, h, &v, &l, rows(l.message, q.messages, h.ID), rows(l.call, q.calls, h.ID),
			rows(appendTo(&kept, d.scanClarification), q.clarifications, h.ID)); err != nil {
			return err
		}
		v.Clarifications = genuine(kept)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// readView reads messages and calls by these queries into l, what more says, and the rest of a
// chat but for its clarifications.
func (d *DB) readView(s session, h *headRow, v *store.View, l *messageList, more ...query) error {
	all := more
	if h.queued > 0 {
		all = append(all, rows(appendTo(&v.Queue, scanQueued), q.queue, h.ID))
	}
	if err := s.each(all...); err != nil {
		return err
	}
	v.Messages = l.joined()
	return nil
}

// ViewPart implements store.Reader. It finds out how long texts are before it reads them.
func (d *DB) ViewPart(ctx context.Context, ref chat.Ref, part store.Part) (*store.View, error) {
	var v store.View
	err := d.snapshot(ctx, func(s session) (err error) {
		h, err := loadHead(s, ref)
		if err != nil {
			return err
		}
		v = store.View{Conversation: h.Conversation, Turn: h.newest()}
		var from, end int64
		if from, end, v.More, err = bounds(s, h.ID, part); err != nil {
			return err
		}
		var l messageList
		var kept []keptClarification
		var standing []string
		if err := d.readView(s, h, &v, &l, rows(l.message, q.messagesFrom, h.ID, from, end), rows(l.call, q.callsFrom, h.ID, from, end),
			rows(appendTo(&kept, d.scanClarification), q.clarificationsOfTurns, h.ID),
			rows(appendTo(&kept, d.scanClarification), q.open, h.ID)); err != nil {
			return err
		}
		for i := range v.Messages {
			if id := v.Messages[i].ClarificationID; id != "" {
				standing = append(standing, id)
			}
		}
		each := make([]query, len(standing))
		for i, id := range standing {
			each[i] = rows(appendTo(&kept, d.scanClarification), q.clarification, id)
		}
		if err := s.each(each...); err != nil {
			return err
		}
		v.Clarifications = inOrder(genuine(kept))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// bounds are the positions of a part of a chat's messages: of the first, and behind the
// last. more says that there are older ones.
func bounds(s session, conversationID string, part store.Part) (from, end int64, more bool, err error) {
	end = math.MaxInt64
	if part.Before != "" {
		found, err := one(s, func(scan scanner) error { return scan(&end) }, q.messageAt, conversationID, part.Before)
		if err != nil {
			return 0, 0, false, err
		} else if !found {
			return 0, 0, false, store.ErrCursor
		}
	}
	limit := pageLimit(part.Limit)
	type sized struct{ position, bytes int64 }
	var sizes []sized // the newest first
	if err := s.each(rows(appendTo(&sizes, func(scan scanner, z *sized) error { return scan(&z.position, &z.bytes) }),
		q.messageSizes, conversationID, end, limit+1)); err != nil || len(sizes) == 0 {
		return 0, end, false, err
	}
	calls := map[int64]int64{}
	if err := s.each(rows(func(scan scanner) error {
		var z sized
		err := scan(&z.position, &z.bytes)
		calls[z.position] += z.bytes
		return err
	}, q.callSizes, conversationID, sizes[len(sizes)-1].position, end)); err != nil {
		return 0, 0, false, err
	}
	n, bytes := 0, int64(0)
	for ; n < min(limit, len(sizes)); n++ {
		if bytes += sizes[n].bytes + calls[sizes[n].position]; n > 0 && bytes > part.Bytes {
			break
		}
	}
	return sizes[n-1].position, end, n < len(sizes), nil
}

// messageList collects the messages of a conversation and their calls. The calls come ordered
// by id: an index of their positions would cost more at each step than it saves once per run.
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
	m := &l.messages[len(l.messages)-1]
	return scanMessage(scan, &l.positions[len(l.positions)-1], m, &m.Thinking)
}

// own is message with what only runs read.
func (l *messageList) own(scan scanner) error {
	l.messages, l.positions = append(l.messages, chat.Message{}), append(l.positions, 0)
	m, state := &l.messages[len(l.messages)-1], ""
	err := scanMessage(scan, &l.positions[len(l.positions)-1], m, &m.MadeBy, &state)
	if state != "" {
		m.State = json.RawMessage(state)
	}
	return err
}

func (l *messageList) call(scan scanner) error {
	l.calls = append(l.calls, placedCall{})
	p := &l.calls[len(l.calls)-1]
	return scanCall(scan, &p.message, &p.position, &p.ToolCall)
}

// joined is the messages with their calls.
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
func (d *DB) Run(ctx context.Context, conversationID string, fence int64) (r chat.Run, err error) {
	err = d.read(ctx, func(s session) error {
		r = chat.Run{ConversationID: conversationID, Fence: fence}
		return must(one(s, func(scan scanner) error { return scanRun(scan, &r) }, q.run, conversationID, fence))
	})
	if err != nil {
		return chat.Run{}, err
	}
	return r, nil
}

// Conversations implements store.Reader. A page has 1 to maxPage items, whatever Limit says.
func (d *DB) Conversations(ctx context.Context, tenant, subject, app string, page store.Page) ([]store.Listed, string, error) {
	return paged(ctx, d, cursorList("conversations", tenant, subject, app), page, scanListed,
		func(after *place) (string, []any) {
			if after == nil {
				return q.conversations, []any{tenant, subject, app}
			}
			return q.conversationsAfter, []any{tenant, subject, app, after.millis, after.id}
		},
		func(l *store.Listed) place { return place{millis: toMillis(l.UpdatedAt), id: l.ChatID} })
}

// Expired implements store.Sweeper.
func (d *DB) Expired(ctx context.Context, now time.Time, limit int) ([]chat.Clarification, error) {
	limit = pageLimit(limit)
	due, err := d.expired(ctx, q.expired, 1, now, limit)
	if err != nil {
		return nil, err
	}
	asked, err := d.expired(ctx, q.expiredAsked, -1, now, limit)
	if err != nil {
		return nil, err
	}
	due = append(due, asked...)
	slices.SortStableFunc(due, func(a, b chat.Clarification) int { return a.ExpiresAt.Compare(b.ExpiresAt) })
	return due[:min(limit, len(due))], nil
}

// expired lists those whose expiry is stored with that sign, see expiryOf.
func (d *DB) expired(ctx context.Context, query string, sign int64, now time.Time, limit int) ([]chat.Clarification, error) {
	var due []chat.Clarification
	for after := (chat.Clarification{}); ; { // those that are not genuine do not keep the others waiting
		kept, err := list(ctx, d, d.scanClarification, query, sign*toMillis(now), sign*toMillis(after.ExpiresAt), after.ID, limit)
		if err != nil {
			return nil, err
		}
		due = append(due, genuine(kept)...)
		if len(kept) < limit || len(due) >= limit {
			return due[:min(limit, len(due))], nil
		}
		after = kept[limit-1].Clarification
	}
}

// Abandoned implements store.Sweeper.
func (d *DB) Abandoned(ctx context.Context, limit int) ([]chat.Ref, error) {
	return list(ctx, d, scanRef, q.abandoned, d.atNow(pageLimit(limit))...)
}

// Owned implements store.Sweeper.
func (d *DB) Owned(ctx context.Context, node string, limit int) ([]chat.Ref, error) {
	return list(ctx, d, scanRef, q.owned, node, pageLimit(limit))
}

// Waiting implements store.Sweeper, those that have waited longest first.
func (d *DB) Waiting(ctx context.Context, limit int) ([]chat.Ref, error) {
	return list(ctx, d, scanRef, q.waiting, pageLimit(limit))
}

// Stale implements store.Sweeper.
func (d *DB) Stale(ctx context.Context, app string, before time.Time, limit int) ([]chat.Ref, error) {
	return list(ctx, d, scanRef, q.stale, app, toMillis(before), pageLimit(limit))
}

// Passed implements store.Sweeper.
func (d *DB) Passed(ctx context.Context, limit int) ([]chat.Ref, error) {
	return list(ctx, d, scanRef, q.passed, pageLimit(limit))
}

// Pending implements store.Sweeper.
func (d *DB) Pending(ctx context.Context) ([]store.PendingCount, error) {
	return list(ctx, d, func(scan scanner, c *store.PendingCount) error {
		var oldest int64
		err := scan(&c.App, &c.Count, &oldest)
		c.Oldest = fromMillis(oldest)
		return err
	}, q.pendingPerApp)
}

func scanListed(scan scanner, l *store.Listed) error {
	var program []byte
	if err := scanConversation(scan, &l.Conversation, &l.Beginning, &program); err != nil {
		return err
	}
	if l.Beginning == "" && len(program) > 0 { // it asked, and said nothing
		var by tools.Asker
		if err := json.Unmarshal(program, &by); err != nil {
			return err
		}
		l.Beginning = cmp.Or(by.Title, by.Name)
	}
	l.Beginning = firstRunes(l.Beginning, maxBeginning)
	return nil
}

// maxBeginning is the length of Listed.Beginning, in code points.
const maxBeginning = 100

// firstRunes is the first n code points of a text whose end may be half of one.
func firstRunes(s string, n int) string {
	s = strings.ToValidUTF8(s, "")
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
