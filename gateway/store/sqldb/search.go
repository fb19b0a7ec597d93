package sqldb

import (
	"context"
	"math/bits"

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
	mark := cursorList("conversations", tenant, subject, app)
	next, err := mark.parse(page.Cursor)
	if err != nil {
		return nil, "", err
	}
	var found []store.Match
	in := searched{Finder: textsearch.Finder{Words: words}}
	for limit := pageLimit(page.Limit); ; {
		text, args := q.conversations, []any{tenant, subject, app, searchedAtOnce}
		if next != nil {
			text, args = q.conversationsAfter, []any{tenant, subject, app, next.millis, next.id, searchedAtOnce}
		}
		chats, err := list(ctx, d.h, d.h.scanListed, text, args...)
		if err != nil {
			return nil, "", err
		}
		matches, err := in.all(ctx, d.h, chats)
		if err != nil {
			return nil, "", err
		}
		for i := range matches {
			if len(found) == limit {
				return found, mark.cursor(*next), nil
			}
			next = &place{millis: toMillis(chats[i].UpdatedAt), id: chats[i].ChatID}
			if matches[i] != nil {
				found = append(found, *matches[i])
			}
		}
		switch {
		case len(matches) < len(chats):
			return found, mark.cursor(*next), nil
		case len(chats) < searchedAtOnce:
			return found, "", nil
		case in.messages >= maxSearched || in.bytes >= maxSearchedBytes:
			return found, mark.cursor(*next), nil
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
	from  int64      // position of the first message
	asked placedSize // of the first question; "" for none
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
		}, q.textSizes, chats[i].ID, maxSearched), newestAsked(chat, chats[i].ID))
	}
	return of, session.each(queries...)
}

// all looks through some chats. It returns nil for a chat that does not have all of the words.
// The result ends before the first chat that does not fit on the page.
func (s *searched) all(ctx context.Context, d *handle, chats []store.Listed) ([]*store.Match, error) {
	type seen struct {
		found, most textsearch.Set // in all of its texts, and in the best of them
		best        string
		question    string // that the best is of, "" for a message
	}
	var of []seen
	err := d.snapshot(ctx, func(session session) error {
		parts, err := newestOf(session, chats)
		if err != nil {
			return err
		}
		bytes := s.bytes
		for i := range parts {
			if bytes > 0 && bytes+parts[i].bytes > maxSearchedBytes {
				chats = chats[:i]
				break
			}
			bytes += parts[i].bytes
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
			}, q.texts, chats[i].ID, parts[i].from))
			if parts[i].asked.id != "" {
				queries = append(queries, s.questions(d, look, chats[i].ID, parts[i].asked))
			}
		}
		return session.each(queries...)
	})
	if err != nil {
		return nil, err
	}
	matches := make([]*store.Match, len(chats))
	for i := range chats {
		if of[i].found == s.All() {
			matches[i] = &store.Match{Listed: chats[i], Snippet: s.Snippet(of[i].best), ClarificationID: of[i].question}
		}
	}
	return matches, nil
}
