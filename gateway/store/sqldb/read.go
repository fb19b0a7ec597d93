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

// Conversation implements store.Reader.
func (d *DB) Conversation(ctx context.Context, ref chat.Ref) (*chat.Conversation, *chat.Turn, error) {
	var h *headRow
	err := d.h.read(ctx, func(s session) (err error) {
		h, err = d.h.loadHead(s, ref)
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
	err := d.h.snapshot(ctx, func(s session) (err error) {
		h, err := d.h.loadHead(s, ref)
		if err != nil {
			return err
		}
		v = store.View{Conversation: h.Conversation, Turn: h.newest(), Unreadable: h.Unreadable}
		l := messageList{db: d.h, chat: h.ID}
		var kept []keptClarification
		if err := d.h.readView(s, h, &v, &l, rows(l.message, q.messages, h.ID), rows(l.call, q.calls, h.ID),
			rows(appendTo(&kept, d.h.scanClarification), q.clarifications, h.ID)); err != nil {
			return err
		}
		v.Clarifications, v.Unreadable = inOrder(genuine(kept)), v.Unreadable || anyLost(kept)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// readView reads messages and calls by these queries into l, then what more reads, and the rest
// of a chat except its clarifications.
func (d *handle) readView(s session, h *headRow, v *store.View, l *messageList, more ...query) error {
	all := more
	if h.queued > 0 {
		all = append(all, rows(readable(&d.unreadables, &v.Queue, scanQueuedIn(h.ID)), q.queue, h.ID))
	}
	if err := s.each(all...); err != nil {
		return err
	}
	v.Messages = l.joined()
	v.Unreadable = v.Unreadable || l.lost || len(v.Queue) < h.queued
	return nil
}

// ViewPart implements store.Reader. It counts bytes before it reads texts.
func (d *DB) ViewPart(ctx context.Context, ref chat.Ref, part store.Part) (*store.View, error) {
	var v store.View
	err := d.h.snapshot(ctx, func(s session) error {
		h, err := d.h.loadHead(s, ref)
		if err != nil {
			return err
		}
		v = store.View{Conversation: h.Conversation, Turn: h.newest(), Unreadable: h.Unreadable}
		from, end, bytes, more, err := bounds(s, h.ID, part)
		if err != nil {
			return err
		}
		v.More, v.Older = more, int(max(0, from-1)) // positions begin with 1
		open, n, err := openIDs(s, h.ID)
		if err != nil {
			return err
		}
		bytes += n
		closed, n, err := closedIDs(s, h.ID, part.Closed)
		if err != nil {
			return err
		}
		bytes += n
		if h.queued > 0 {
			if _, err := one(s, func(scan scanner) error { return scan(&n) }, q.queueBytes, h.ID); err != nil {
				return err
			}
			bytes += n
		}
		if err := store.Admit(ctx, bytes); err != nil {
			return err
		}
		l := messageList{db: d.h, chat: h.ID}
		var kept []keptClarification
		row := appendTo(&kept, d.h.scanClarification)
		all := []query{
			rows(l.message, q.messagesFrom, h.ID, from, end), rows(l.call, q.callsFrom, h.ID, from, end),
			rows(row, q.clarificationsOfCalls, h.ID, h.ID, from, end), rows(row, q.clarificationsStanding, h.ID, from, end), rows(row, q.remembered, h.ID),
			rows(func(scan scanner) error { return scan(&v.Questions) }, q.countAsked, h.ID),
		}
		for _, id := range append(open, closed...) {
			all = append(all, rows(row, q.clarification, id))
		}
		if err := d.h.readView(s, h, &v, &l, all...); err != nil {
			return err
		}
		v.Clarifications, v.Unreadable = inOrder(genuine(kept)), v.Unreadable || anyLost(kept)
		if part.Family {
			v.Family, err = d.h.familyOf(s, h)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// maxOpenRead bounds, in bytes, the pending clarifications of a view: as many as MaxOpen allows,
// with their drafts.
const maxOpenRead = 2 * store.MaxOpen

// openIDs returns the pending clarifications of a chat, those of turns first, and their total
// bytes.
func openIDs(s session, conversationID string) (ids []string, bytes int64, err error) {
	var programs budgeted
	turns := budgeted{most: maxOpenRead}
	err = s.each(rows(func(scan scanner) error {
		var deferred bool
		var id string
		var size int64
		if err := scan(&deferred, &id, &size); err != nil {
			return err
		}
		if deferred {
			programs.all = append(programs.all, sizedID{id, size})
		} else {
			turns.add(sizedID{id, size})
		}
		return nil
	}, q.openSizes, conversationID))
	for _, of := range programs.all {
		turns.add(of)
	}
	return turns.ids, turns.bytes, err
}

// closedIDs returns the newest closed clarifications of turns that together have at most so many
// bytes.
func closedIDs(s session, conversationID string, most int64) (ids []string, bytes int64, err error) {
	if most <= 0 {
		return nil, 0, nil
	}
	b := budgeted{most: most}
	var all []placedSize
	err = s.each(rows(appendTo(&all, func(scan scanner, p *placedSize) error { return scan(&p.number, &p.id, &p.bytes) }), q.closedSizes, conversationID))
	slices.Reverse(inNumber(all))
	for _, p := range all[:min(len(all), maxPage)] {
		b.add(sizedID{p.id, p.bytes})
	}
	return b.ids, b.bytes, err
}

// bounds returns the positions of a part of a chat's messages: that of the first, and the one
// after the last. bytes is their size with calls and questions; more reports that there are older
// ones.
func bounds(s session, conversationID string, part store.Part) (from, end, bytes int64, more bool, err error) {
	end = math.MaxInt64
	if part.Before != "" {
		found, err := one(s, func(scan scanner) error { return scan(&end) }, q.messageAt, conversationID, part.Before)
		if err != nil {
			return 0, 0, 0, false, err
		} else if !found {
			return 0, 0, 0, false, store.ErrCursor
		}
	}
	limit := pageLimit(part.Limit)
	type sized struct{ position, bytes int64 }
	var sizes []sized // the newest first
	if err := s.each(rows(appendTo(&sizes, func(scan scanner, z *sized) error { return scan(&z.position, &z.bytes) }),
		q.messageSizes, conversationID, end, limit+1)); err != nil || len(sizes) == 0 {
		return 0, end, 0, false, err
	}
	calls := map[int64]int64{}
	row := func(scan scanner) error {
		var z sized
		err := scan(&z.position, &z.bytes)
		calls[z.position] += z.bytes
		return err
	}
	first := sizes[len(sizes)-1].position
	if err := s.each(rows(row, q.callSizes, conversationID, first, end), rows(row, q.callQuestionSizes, conversationID, first, end),
		rows(row, q.standingSizes, conversationID, first, end)); err != nil {
		return 0, 0, 0, false, err
	}
	n := 0
	for ; n < min(limit, len(sizes)); n++ {
		of := sizes[n].bytes + calls[sizes[n].position]
		if n > 0 && bytes+of > part.Bytes {
			break
		}
		bytes += of
	}
	return sizes[n-1].position, end, bytes, n < len(sizes), nil
}

// messageList collects the messages of a conversation and their calls. The calls come ordered
// by id: an index of their positions would cost more at each step than it saves once per run.
type messageList struct {
	db        *handle
	chat      string // id of the conversation
	lost      bool   // some cannot be read
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
	spans := ""
	err := scanMessage(scan, &l.positions[len(l.positions)-1], m, &m.Thinking, &m.Seq, &spans)
	if err == nil {
		err = readSpans(spans, m)
	}
	return l.mark(m, err)
}

// mark marks a message that this version cannot read.
func (l *messageList) mark(m *chat.Message, err error) error {
	lost, err := l.db.spared(in(l.chat, err))
	if lost {
		l.lost, m.Unreadable = true, true
	}
	return err
}

// own is a message with what only runs read.
func (l *messageList) own(scan scanner) error {
	l.messages, l.positions = append(l.messages, chat.Message{}), append(l.positions, 0)
	m, state := &l.messages[len(l.messages)-1], ""
	err := scanMessage(scan, &l.positions[len(l.positions)-1], m, &m.MadeBy, &state)
	if state != "" {
		m.State = json.RawMessage(state)
	}
	return l.mark(m, err)
}

func (l *messageList) call(scan scanner) error {
	l.calls = append(l.calls, placedCall{})
	p := &l.calls[len(l.calls)-1]
	lost, err := l.db.spared(in(l.chat, scanCall(scan, &p.message, &p.position, &p.ToolCall)))
	p.Unreadable, l.lost = lost, l.lost || lost
	return err
}

// joined returns the messages with their calls.
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
			l.messages[m].Unreadable = l.messages[m].Unreadable || l.calls[i].Unreadable
		}
	}
	for i := range l.messages {
		if of := &l.messages[i]; of.Unreadable {
			role := of.Role
			if role != chat.RoleUser {
				role = chat.RoleAssistant // also for an unknown role: clients that show chats know two
			}
			*of = chat.Message{ID: of.ID, TurnID: of.TurnID, Fence: of.Fence, Role: role, CreatedAt: of.CreatedAt, Unreadable: true}
		}
	}
	return l.messages
}

// Run implements store.Reader.
func (d *DB) Run(ctx context.Context, conversationID string, fence int64) (r chat.Run, err error) {
	err = d.h.read(ctx, func(s session) error {
		r = chat.Run{ConversationID: conversationID, Fence: fence}
		return must(one(s, func(scan scanner) error { return d.h.needed(scanRun(scan, &r)) }, q.run, conversationID, fence))
	})
	if err != nil {
		return chat.Run{}, err
	}
	return r, nil
}

// Conversations implements store.Reader. A page has 1 to maxPage items, whatever Limit says.
func (d *DB) Conversations(ctx context.Context, tenant, subject, app string, page store.Page) ([]store.Listed, string, error) {
	return paged(ctx, d.h, cursorList("conversations", tenant, subject, app), page, d.h.scanListed,
		func(after *place) listed {
			if after == nil {
				return listed{text: q.conversations, args: []any{tenant, subject, app}}
			}
			return listed{text: q.conversationsAfter, args: []any{tenant, subject, app, after.millis, after.id}}
		},
		func(l *store.Listed) place { return place{millis: toMillis(l.UpdatedAt), id: l.ChatID} })
}

// Expired implements store.Sweeper.
func (d *Due) Expired(ctx context.Context, now time.Time, limit int) ([]chat.Clarification, error) {
	return d.due(ctx, q.expired, now, limit)
}

// Gone implements store.Sweeper.
func (d *Due) Gone(ctx context.Context, now time.Time, limit int) ([]chat.Clarification, error) {
	return d.due(ctx, q.gone, now, limit)
}

// Escalating implements store.Sweeper.
func (d *Due) Escalating(ctx context.Context, now time.Time, limit int) ([]chat.Clarification, error) {
	return d.due(ctx, q.escalating, now, limit)
}

// due lists clarifications by the time at which anything is due for them, of which one index has the first.
func (d *Due) due(ctx context.Context, text string, now time.Time, limit int) ([]chat.Clarification, error) {
	limit = pageLimit(limit)
	var due []chat.Clarification
	for after := (chat.Clarification{}); ; { // loop, so that those that are not genuine do not keep the others waiting
		kept, err := list(ctx, d.h, d.h.scanDue, text, toMillis(now), toMillis(now), firstDue(&after), after.ID, limit)
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

// firstDue returns the value of dueAt, 0 for none.
func firstDue(c *chat.Clarification) (first int64) {
	for _, at := range []time.Time{c.ExpiresAt, c.EscalatesAt, c.GoneAt()} {
		if ms := toMillis(at); ms > 0 && (first == 0 || ms < first) {
			first = ms
		}
	}
	return first
}

// Abandoned implements store.Sweeper.
func (d *Due) Abandoned(ctx context.Context, node string, held time.Duration, limit int) ([]chat.Ref, error) {
	return list(ctx, d.h, scanRef, q.abandoned, d.h.atNow(node, node, held.Milliseconds(), pageLimit(limit))...)
}

// Owned implements store.Sweeper.
func (d *Due) Owned(ctx context.Context, node string, limit int) ([]chat.Ref, error) {
	return list(ctx, d.h, scanRef, q.owned, node, pageLimit(limit))
}

// Waiting implements store.Sweeper. Those that have waited longest come first.
func (d *Due) Waiting(ctx context.Context, limit int) ([]chat.Ref, error) {
	return list(ctx, d.h, scanRef, q.waiting, pageLimit(limit))
}

// Stale implements store.Sweeper.
func (d *Due) Stale(ctx context.Context, app string, before time.Time, skip, limit int) ([]chat.Ref, error) {
	return list(ctx, d.h, scanRef, q.stale, app, toMillis(before), pageLimit(limit), skip)
}

// EndedEphemeral implements store.Sweeper.
func (d *Due) EndedEphemeral(ctx context.Context, before time.Time, limit int) ([]chat.Ref, error) {
	return list(ctx, d.h, scanRef, q.endedEphemeral, toMillis(before), pageLimit(limit))
}

func (d *handle) scanListed(scan scanner, l *store.Listed) error {
	var program []byte
	err := scanConversation(refBefore(scan, &l.Ref), &l.Conversation, &l.Beginning, &program)
	if lost, err := d.spared(err); err != nil {
		return err
	} else if lost {
		l.Unreadable = true
	}
	if l.Beginning == "" && len(program) > 0 { // a program that asked, and said nothing
		var by tools.Asker
		if json.Unmarshal(program, &by) == nil { // otherwise the name is left out; reading the row reports the error
			l.Beginning = cmp.Or(by.Title, by.Name)
		}
	}
	l.Beginning = firstRunes(firstLine(l.Beginning), maxBeginning)
	return nil
}

// maxBeginning is the length of Listed.Beginning, in code points.
const maxBeginning = 100

// firstLine returns the first non-blank line of a text.
func firstLine(s string) string {
	for line := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' }) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// firstRunes returns the first n code points of a text that may end in the middle of one.
func firstRunes(s string, n int) string {
	s = strings.ToValidUTF8(s, "")
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
