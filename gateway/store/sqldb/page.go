package sqldb

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"slices"

	"github.com/askgate/askgate/gateway/store"
)

// maxPage limits a page, and with it the memory of one call.
const maxPage = 1000

func pageLimit(limit int) int { return min(max(limit, 1), maxPage) }

// place is the place of an item in its list. A cursor holds the place of the last item seen, so
// that rows that are added, removed or moved do not shift the pages: base64url of the list's mark
// (8 bytes), the time in ms (8), the number (8) and the id. The mark binds a cursor to its list.
// It is not a secret: a forged place shows only what the list shows anyway.
type place struct {
	millis int64
	number int64
	id     string
}

type listMark [8]byte

const maxCursor = 512

// cursorList is the mark of a list: a hash of its kind and its owner.
func cursorList(parts ...string) listMark {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return listMark(h.Sum(nil)[:8])
}

func (l listMark) cursor(p place) string {
	b := append([]byte(nil), l[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(p.millis))
	b = binary.BigEndian.AppendUint64(b, uint64(p.number))
	return base64.RawURLEncoding.EncodeToString(append(b, p.id...))
}

// parse reads a cursor; the place is nil for the start of the list.
func (l listMark) parse(cursor string) (*place, error) {
	if cursor == "" {
		return nil, nil
	}
	if len(cursor) > maxCursor {
		return nil, store.ErrCursor
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(b) < 24 || listMark(b[:8]) != l {
		return nil, store.ErrCursor
	}
	return &place{
		millis: int64(binary.BigEndian.Uint64(b[8:])),
		number: int64(binary.BigEndian.Uint64(b[16:])),
		id:     string(b[24:]),
	}, nil
}

// listed is a statement for a page of a list, lacking its last argument, the limit. sizes, unless
// "", selects the bytes of the same rows.
type listed struct {
	text, sizes string
	args        []any
}

// paged reads a page of a list: 1 to maxPage items, whatever page.Limit says, and the cursor of
// the next page. of returns the statement for what follows a place (nil: from the start); at
// returns the place of an item. If the statement has sizes, the items together have at most
// store.MaxPageBytes, but there is at least one. Unreadable items are left out: row fills in
// their place before it fails. more reads more about the items of the page.
func paged[T any](ctx context.Context, d *handle, mark listMark, page store.Page, row func(scan scanner, item *T) error,
	of func(after *place) listed, at func(item *T) place, more ...func(s session, items []T) error,
) ([]T, string, error) {
	after, err := mark.parse(page.Cursor)
	if err != nil {
		return nil, "", err
	}
	var items []T
	var next string
	err = d.snapshot(ctx, func(s session) error {
		items, next = nil, ""
		limit, l := pageLimit(page.Limit), of(after)
		if l.sizes != "" {
			b := budgeted{most: store.MaxPageBytes}
			err := s.each(rows(func(scan scanner) error {
				var one sizedID
				err := scan(&one.bytes)
				b.add(one)
				return err
			}, l.sizes, append(slices.Clone(l.args), limit)...))
			if err != nil || len(b.ids) == 0 {
				return err
			}
			if err := store.Admit(ctx, b.bytes); err != nil {
				return err
			}
			limit = len(b.ids)
		}
		read, last := 0, new(T) // the last item of the page
		err := s.each(rows(func(scan scanner) error {
			var item T
			lost, err := d.spared(row(scan, &item))
			if read++; err != nil || read > limit {
				return err
			}
			if last = &item; !lost {
				items = append(items, item)
			}
			return nil
		}, l.text, append(l.args, limit+1)...))
		if err == nil && read > limit {
			next = mark.cursor(at(last))
		}
		for _, read := range more {
			if err == nil {
				err = read(s, items)
			}
		}
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return items, next, nil
}

type sizedID struct {
	id    string
	bytes int64
}

// budgeted collects ids until one does not fit; the first one always fits.
type budgeted struct {
	most, bytes int64
	full        bool
	ids         []string
	all         []sizedID
}

func (b *budgeted) add(of sizedID) {
	if b.full = b.full || len(b.ids) > 0 && b.bytes+of.bytes > b.most; b.full {
		return
	}
	b.ids, b.bytes = append(b.ids, of.id), b.bytes+of.bytes
}
