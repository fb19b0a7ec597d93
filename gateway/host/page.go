package host

import (
	"strconv"

	"github.com/askgate/askgate/gateway/store"
)

// These limit pages of lists.
const (
	defaultPage = 20
	maxPage     = 100
	MaxCursor   = 512 // bytes
)

// Page is a part of a list.
type Page[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"nextCursor"`
}

// NewPage returns a part of a list, and where the next one begins ("": there is none).
func NewPage[T any](items []T, next string) Page[T] {
	p := Page[T]{Items: items}
	if items == nil {
		p.Items = []T{}
	}
	if next != "" {
		p.NextCursor = &next
	}
	return p
}

// PageWanted reads limit and cursor.
func PageWanted(r *Request) (store.Page, error) {
	p := store.Page{Limit: defaultPage}
	if s, ok := r.Query("limit"); ok {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > maxPage {
			return p, Invalid("query", "limit")
		}
		p.Limit = n
	}
	p.Cursor = r.QueryOr("cursor", "")
	if len(p.Cursor) > MaxCursor {
		return p, Invalid("query", "cursor")
	}
	return p, nil
}
