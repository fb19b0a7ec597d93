package sqldb

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"github.com/askgate/askgate/gateway/store"
)

// maxPage bounds a page, and with it the memory of one call.
const maxPage = 1000

func pageLimit(limit int) int { return min(max(limit, 1), maxPage) }

// A cursor is the place of the last item seen, so that rows that come, go or move
// shift nothing: base64url of the list's mark (8 bytes), the time in ms (8), the
// number (8) and the id. The mark binds it to its list; it is no secret, for a
// place opens nothing that the list itself would not show.
type place struct {
	millis int64
	number int64
	id     string
}

type listMark [8]byte

const maxCursor = 512

// cursorList is the mark of a list: its kind and whose it is.
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

// parse is nil for the start of the list.
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
