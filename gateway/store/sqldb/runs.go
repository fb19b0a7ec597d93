package sqldb

import (
	"context"
	"math"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// ViewRuns implements store.Reader. It counts bytes before it reads texts.
func (d *DB) ViewRuns(ctx context.Context, ref chat.Ref, after, through, most int64) (*store.View, error) {
	var v store.View
	err := d.h.snapshot(ctx, func(s session) error {
		h, err := d.h.loadHead(s, ref)
		if err != nil {
			return err
		}
		v = store.View{Conversation: h.Conversation, Turn: h.newest(), Unreadable: h.Unreadable}
		from, end, bytes, err := runBounds(s, h.ID, after, through)
		if err != nil {
			return err
		}
		var ids []string
		row := func(scan scanner) error {
			var id string
			var size int64
			err := scan(&id, &size)
			ids, bytes = append(ids, id), bytes+size
			return err
		}
		span, after0 := []any{h.ID, after, through}, max(after, 0)
		// decidedSizes has no upper bound: of several decisions about a call, only the newest counts.
		if err := s.each(rows(row, q.askedSizes, h.ID, after0, through, h.ID, after0, after0, through), rows(row, q.doneSizes, h.ID, after0, through),
			rows(row, q.decidedSizes, h.ID, after0, h.ID, after0, after0), rows(row, forgets.deletedSizes, span...),
			rows(row, q.firstOpen, h.ID, true), rows(row, q.firstOpen, h.ID, false)); err != nil {
			return err
		}
		v.More, v.Older = from > 1, int(max(0, from-1))
		if bytes > most {
			return store.ErrTooLarge
		}
		if err := store.Admit(ctx, bytes); err != nil {
			return err
		}
		l := messageList{db: d.h, chat: h.ID}
		var kept []keptClarification
		each := appendTo(&kept, d.h.scanClarification)
		all := []query{
			rows(l.message, q.messagesFrom, h.ID, from, end), rows(l.call, q.callsFrom, h.ID, from, end),
			rows(each, q.clarificationsOfCalls, h.ID, h.ID, from, end), rows(each, q.clarificationsStanding, h.ID, from, end),
		}
		for _, id := range ids {
			all = append(all, rows(each, q.clarification, id))
		}
		if err := d.h.readView(s, h, &v, &l, all...); err != nil {
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

// runBounds returns the positions of what the runs behind after, and up to through, stored or
// settled: that of the first message, and the one after the last. A run settles calls of the
// newest step before it. bytes is the size of the messages, with calls and questions.
func runBounds(s session, conversationID string, after, through int64) (from, end, bytes int64, err error) {
	from, end = math.MaxInt64, math.MaxInt64
	for last, done := int64(math.MaxInt64), false; !done; {
		n := 0
		err := s.each(rows(func(scan scanner) error {
			var position, fence, size int64
			var step bool
			if err := scan(&position, &fence, &step, &size); err != nil || done {
				return err
			}
			if last, n = position, n+1; fence > through {
				end = position
				return nil
			}
			from, bytes = position, bytes+size
			done = fence <= after && step
			return nil
		}, q.runMessages, conversationID, last, sizesPage))
		if err != nil {
			return 0, 0, 0, err
		}
		done = done || n < sizesPage
	}
	add := func(scan scanner) error {
		var position, size int64
		err := scan(&position, &size)
		bytes += size
		return err
	}
	err = s.each(rows(add, q.callSizes, conversationID, from, end), rows(add, q.callQuestionSizes, conversationID, from, end),
		rows(add, q.standingSizes, conversationID, from, end))
	return from, end, bytes, err
}

// NextEnd implements store.Reader.
func (d *DB) NextEnd(ctx context.Context, conversationID string, after int64) (fence int64, err error) {
	err = d.h.read(ctx, func(s session) error {
		fence = math.MaxInt64
		_, err := one(s, func(scan scanner) error { return scan(&fence) }, q.nextEnd, conversationID, after)
		return err
	})
	return fence, err
}

// IsQueued implements store.Reader.
func (d *DB) IsQueued(ctx context.Context, conversationID, messageID string) (queued bool, err error) {
	err = d.h.read(ctx, func(s session) error {
		var n int
		_, err := one(s, func(scan scanner) error { return scan(&n) }, q.isQueued, conversationID, messageID)
		queued = n > 0
		return err
	})
	return queued, err
}
