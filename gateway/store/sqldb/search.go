package sqldb

import (
	"context"
	"math/bits"
	"slices"
	"time"

	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools/textsearch"
)

// These limit what one page of a search looks through, and the chats that are read at once. They
// bound the cost of one request (BenchmarkSearch measures it). Few people have more in an app, so
// there is no index, which would have to forget what its chats forget.
const (
	maxSearched      = 10_000  // messages and questions
	maxSearchedBytes = 8 << 20 // of their text; also of one chat, its newest
	searchedAtOnce   = 20      // chats
)

// Search implements store.Reader. It reads through the subject's chats in the order of the list.
func (d *DB) Search(ctx context.Context, tenant, subject, app string, words textsearch.Words, page store.Page) ([]store.Match, string, error) {
	found, next, err := d.h.search(ctx, cursorList("conversations", tenant, subject, app), words, page, func(after *place) ([]kin, error) {
		text, args := q.conversations, []any{tenant, subject, app, searchedAtOnce}
		if after != nil {
			text, args = q.conversationsAfter, []any{tenant, subject, app, after.millis, after.id, searchedAtOnce}
		}
		return list(ctx, d.h, func(scan scanner, g *kin) error {
			*g = make(kin, 1)
			return d.h.scanListed(scan, &(*g)[0])
		}, text, args...)
	})
	list := make([]store.Match, len(found))
	for i := range found {
		list[i] = found[i].Match
	}
	return list, next, err
}

// kin is what a search shows as one: a chat, or those of a family, the one that changed last
// first.
type kin []store.Listed

// match is a group that was searched for: its first chat that has all of the words.
type match struct {
	store.Match
	changed time.Time // when the group changed
}

// search reads through groups in the order of their list. next returns those behind a place: at
// most searchedAtOnce, and fewer only at the end.
func (h *handle) search(ctx context.Context, mark listMark, words textsearch.Words, page store.Page, next func(after *place) ([]kin, error)) ([]match, string, error) {
	last, err := mark.parse(page.Cursor)
	if err != nil {
		return nil, "", err
	}
	var found []match
	in := searched{Finder: textsearch.Finder{Words: words}}
	for limit := pageLimit(page.Limit); ; {
		groups, err := next(last)
		if err != nil {
			return nil, "", err
		}
		matches, err := in.all(ctx, h, groups)
		if err != nil {
			return nil, "", err
		}
		for i := range matches {
			if len(found) == limit {
				return found, mark.cursor(*last), nil
			}
			at := placeOf(&groups[i][0])
			last = &at
			if matches[i] != nil {
				found = append(found, match{*matches[i], groups[i][0].UpdatedAt})
			}
		}
		switch {
		case len(matches) < len(groups):
			return found, mark.cursor(*last), nil
		case len(groups) < searchedAtOnce:
			return found, "", nil
		case in.messages >= maxSearched || in.bytes >= maxSearchedBytes:
			return found, mark.cursor(*last), nil
		}
	}
}

// searched is the state of a search.
type searched struct {
	textsearch.Finder
	messages, bytes int
}

// newest is the part of a chat that may be looked through: its newest messages, then its newest
// questions.
type newest struct {
	from  int64        // position of the first message
	asked []placedSize // the questions
	bytes int
}

// newestOf finds it for some chats.
func newestOf(session session, chats []store.Listed) ([]newest, error) {
	of := make([]newest, len(chats))
	var queries []query
	for i := range chats {
		chat, full := &of[i], false
		queries = append(queries, rows(func(scan scanner) error {
			var position int64
			var bytes int
			if err := scan(&position, &bytes); err != nil {
				return err
			}
			if full = full || chat.bytes > 0 && chat.bytes+bytes > maxSearchedBytes; !full {
				chat.from, chat.bytes = position, chat.bytes+bytes
			}
			return nil
		}, q.textSizes, chats[i].ID, maxSearched), askedSizes(chat, q.openTextSizes, chats[i].ID), askedSizes(chat, q.askedTextSizes, chats[i].ID))
	}
	return of, session.each(queries...)
}

// all looks through some groups. It returns nil for a group none of whose chats has all of the
// words. The result ends before the first group that does not fit on the page.
func (s *searched) all(ctx context.Context, d *handle, groups []kin) ([]*store.Match, error) {
	type seen struct {
		found, most textsearch.Set // in all of its texts, and in the best of them
		best        string
		question    string // that the best is of, "" for a message
	}
	var of []seen
	var chats []store.Listed
	var ends []int // of the groups in chats
	err := d.snapshot(ctx, func(session session) error {
		chats, ends = nil, nil
		parts, err := newestOf(session, slices.Concat(groups...))
		if err != nil {
			return err
		}
		bytes := s.bytes
		var read []newest // of chats
		for _, g := range groups {
			part := within(parts[:len(g)])
			parts = parts[len(g):]
			size := 0
			for _, p := range part {
				size += p.bytes
			}
			if bytes > 0 && bytes+size > maxSearchedBytes {
				break
			}
			bytes += size
			chats, read = append(chats, g[:len(part)]...), append(read, part...)
			ends = append(ends, len(chats))
		}
		if err := store.Admit(ctx, int64(bytes-s.bytes)); err != nil {
			return err
		}
		of = make([]seen, len(chats))
		var queries []query
		for i := range chats {
			chat := &of[i]
			chat.found = s.In(chats[i].Name())
			look := func(text, question string) {
				has := s.In(text)
				chat.found |= has
				if bits.OnesCount32(uint32(has)) > bits.OnesCount32(uint32(chat.most)) {
					chat.most, chat.best, chat.question = has, text, question
				}
			}
			queries = append(queries, rows(func(scan scanner) error {
				var text string
				if err := scan(&text); err != nil {
					return err
				}
				s.messages++
				s.bytes += len(text)
				look(text, "")
				return nil
			}, q.texts, chats[i].ID, read[i].from))
			for _, of := range inNumber(read[i].asked) {
				queries = append(queries, s.question(d, look, of.id))
			}
		}
		return session.each(queries...)
	})
	if err != nil {
		return nil, err
	}
	matches := make([]*store.Match, len(ends))
	i := 0
	for g, end := range ends {
		for ; i < end; i++ {
			if matches[g] == nil && of[i].found == s.All() {
				matches[g] = &store.Match{Listed: chats[i], Snippet: s.Snippet(of[i].best), ClarificationID: of[i].question}
			}
		}
	}
	return matches, nil
}

// within returns the chats at the beginning of a group that together have no more text than one
// may have; at least the first.
func within(parts []newest) []newest {
	bytes := 0
	for i := range parts {
		if bytes += parts[i].bytes; i > 0 && bytes > maxSearchedBytes {
			return parts[:i]
		}
	}
	return parts
}
