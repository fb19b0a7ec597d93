package api

import (
	"strconv"

	"github.com/askgate/askgate/gateway/store"
)

// Pages of lists.
const (
	defaultPage = 20
	maxPage     = 100
	maxCursor   = 512 // bytes
)

// page is a part of a list.
type page[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"nextCursor"`
}

func newPage[T any](items []T, next string) page[T] {
	p := page[T]{Items: items}
	if items == nil {
		p.Items = []T{}
	}
	if next != "" {
		p.NextCursor = &next
	}
	return p
}

// pageWanted reads limit and cursor.
func pageWanted(r *request) (store.Page, error) {
	p := store.Page{Limit: defaultPage}
	if s, ok := r.query("limit"); ok {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > maxPage {
			return p, invalid("query", "limit")
		}
		p.Limit = n
	}
	p.Cursor = r.queryOr("cursor", "")
	if len(p.Cursor) > maxCursor {
		return p, invalid("query", "cursor")
	}
	return p, nil
}
