package sqldb

import (
	"context"
	"math"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

const (
	// sizesPage is how many messages are measured together, to find out how many to read.
	sizesPage = 256
	// leastTurns are read whatever their size: the second may have left something open that the
	// first settles.
	leastTurns = 2
)

// Recent implements store.RunReader. It measures texts before it reads them.
func (d *DB) Recent(ctx context.Context, ref chat.Ref, span func(fits []chat.Fit) store.Span) (*store.Recent, error) {
	var r store.Recent
	err := d.h.snapshot(ctx, func(s session) error {
		h, err := d.h.loadHead(s, ref)
		if err != nil {
			return err
		}
		r = store.Recent{View: store.View{Conversation: h.Conversation, Turn: h.newest()}, First: 1}
		if err := s.each(rows(appendTo(&r.Fits, scanFit), q.fits, h.ID)); err != nil {
			return err
		}
		part := span(r.Fits)
		from, err := recentFrom(s, h.ID, part)
		if err != nil {
			return err
		}
		known := part.Known.From(from, &h.Conversation)
		unread := from + int64(len(known))
		l := messageList{db: d.h, chat: h.ID}
		var questions, some []keptClarification
		all := []query{
			rows(l.own, q.recentMessages, h.ID, unread), rows(l.call, q.callsFrom, h.ID, unread, int64(math.MaxInt64)),
			rows(appendTo(&questions, d.h.scanClarification), q.questions, h.ID), rows(appendTo(&some, d.h.scanClarification), q.remembered, h.ID),
		}
		if turn := h.newest(); turn != nil {
			all = append(all, rows(func(scan scanner) error { return scanBasis(scan, turn.ID, &r.Basis) }, q.basis, h.ID, turn.ID))
			if part.Caller {
				all = append(all, callerQuery(h.ID, turn.ID, &r.Caller))
			}
			if part.ClientTools {
				all = append(all, rows(func(scan scanner) error { return scanClientTools(scan, &r.ClientTools) }, q.clientTools, h.ID, turn.ID))
			}
		}
		if h.Fork.ChatID != "" {
			all = append(all, rows(appendTo(&r.Ran, scanRan), q.ran, h.ID))
		}
		if h.queued > 0 {
			all = append(all, rows(readable(&d.h.unreadables, &r.Queue, scanQueuedIn(h.ID)), q.queue, h.ID))
		}
		if err := s.each(all...); err != nil {
			return err
		}
		r.Messages, r.Questions = append(known, l.joined()...), inOrder(genuine(questions))
		if len(known) > 0 {
			r.First, r.Last = from, unread-1
		} else if len(l.positions) > 0 {
			r.First = l.positions[0]
		}
		if n := len(l.positions); n > 0 {
			r.Last = l.positions[n-1]
		}
		r.More = r.First > 1
		all = all[:0]
		if r.More {
			all = append(all, rows(func(scan scanner) error { return scan(&r.StateBefore) }, q.stateBefore, h.ID, r.First))
		}
		if turn := h.newest(); turn != nil {
			all = append(all, instructions(h.ID, turn.ID, r.Messages)...)
		}
		for _, turn := range unfinished(&r.View) {
			all = append(all, rows(appendTo(&some, d.h.scanClarification), q.ofTurn, h.ID, turn))
		}
		if err := s.each(all...); err != nil {
			return err
		}
		r.Clarifications = inOrder(genuine(some))
		if h.Unreadable || l.lost || anyLost(questions) || anyLost(some) {
			return store.ErrUnreadable // a turn depends on all of it
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &r, nil
}

// unfinished returns the turns that have calls without a result, and the newest turn.
func unfinished(v *store.View) []string {
	var turns []string
	if v.Turn != nil {
		turns = append(turns, v.Turn.ID)
	}
	for i := range v.Messages {
		m := &v.Messages[i]
		if slices.ContainsFunc(m.ToolCalls, func(c chat.ToolCall) bool { return c.Result == nil }) && !slices.Contains(turns, m.TurnID) {
			turns = append(turns, m.TurnID)
		}
	}
	return turns
}

// recentFrom returns the position of the first message of a span.
func recentFrom(s session, conversationID string, span store.Span) (int64, error) {
	if span.Bytes <= 0 && span.From <= 1 {
		return 1, nil
	}
	if span.Bytes <= 0 {
		span.Bytes = math.MaxInt64
	}
	type sized struct {
		position int64
		turn     string
		bytes    int64
	}
	from, end := int64(1), int64(math.MaxInt64)
	var turn string  // the turn that is being measured; the scan goes backwards
	var turns int    // number of newer turns, which are read
	var total int64  // their bytes
	var ofTurn int64 // bytes of the measured turn so far
	var first = end  // its lowest position so far
	// taken decides whether the measured turn is read.
	taken := func() bool {
		if turn == "" {
			return true
		}
		if turns >= leastTurns && (first < span.From || ofTurn > span.Bytes-total) {
			return false
		}
		from, total, turns = first, total+ofTurn, turns+1
		return true
	}
	for {
		var page []sized
		if err := s.each(rows(appendTo(&page, func(scan scanner, z *sized) error { return scan(&z.position, &z.turn, &z.bytes) }),
			q.recentSizes, conversationID, end, sizesPage)); err != nil {
			return 0, err
		}
		if len(page) == 0 {
			if taken() { // all turns; before them, there are only programs' messages
				return 1, nil
			}
			return from, nil
		}
		calls := map[int64]int64{}
		if err := s.each(rows(func(scan scanner) error {
			var z sized
			err := scan(&z.position, &z.bytes)
			calls[z.position] += z.bytes + 2*span.PerMessage
			return err
		}, q.callSizes, conversationID, page[len(page)-1].position, end)); err != nil {
			return 0, err
		}
		for _, m := range page {
			if m.turn != turn {
				if !taken() {
					return from, nil
				}
				turn, ofTurn = m.turn, 0
			}
			first, ofTurn = m.position, ofTurn+m.bytes+calls[m.position]+span.PerMessage
			if turns >= leastTurns && (first < span.From || ofTurn > span.Bytes-total) {
				return from, nil
			}
		}
		end = page[len(page)-1].position
	}
}

func scanFit(scan scanner, w *chat.Fit) error {
	return scan(&w.Model, &w.Settings, &w.From, &w.MaxBytes, &w.PerMille, &w.StateFrom, &w.Prefix)
}

// KnownCalls implements store.RunReader.
func (d *DB) KnownCalls(ctx context.Context, conversationID string, ids []string) ([]string, error) {
	var known []string
	err := d.h.read(ctx, func(s session) error {
		known = nil
		all := make([]query, len(ids))
		for i, id := range ids {
			all[i] = rows(func(scan scanner) error {
				var n int
				err := scan(&n)
				if n > 0 {
					known = append(known, id)
				}
				return err
			}, q.callHas, conversationID, id)
		}
		return s.each(all...)
	})
	return known, err
}

// Extent implements store.RunReader.
func (d *DB) Extent(ctx context.Context, conversationID string, from, end int64) (turns, bytes int64, err error) {
	err = d.h.read(ctx, func(s session) error {
		turns, bytes = 0, 0
		return s.each(
			rows(func(scan scanner) error { return scan(&turns, &bytes) }, q.extent, conversationID, from, end),
			rows(func(scan scanner) error {
				var n int64
				err := scan(&n)
				bytes += n
				return err
			}, q.callExtent, conversationID, from, end))
	})
	return turns, bytes, err
}
