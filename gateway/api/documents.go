package api

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

const (
	maxPassageID = 100 // bytes
	// passageTimeout is how long a passage may take: an index that has just begun is waited for.
	passageTimeout = 20 * time.Second
)

// passage is a part of a document that a tool of the app reads.
func passage(r *request) error {
	if err := r.inApp(); err != nil {
		return err
	}
	if err := r.oftenAsTyping(scopeOptions); err != nil {
		return err
	}
	id := r.param("id")
	library, ok := r.setup().Catalog.Library(r.app.ID, r.param("tool"))
	if !ok || len(id) > maxPassageID {
		return notFound("passage")
	}
	ctx, cancel := context.WithTimeout(r.ctx(), passageTimeout)
	defer cancel()
	var p tools.Passage
	p, ok, err := library.Passage(ctx, id)
	switch {
	case err != nil:
		r.logger().Error("a passage cannot be read", "tool", r.param("tool"), "error", err)
		return &fault{code: chat.CodeOverloaded}
	case !ok:
		return notFound("passage")
	}
	r.response().Header().Set("Cache-Control", "no-store") // the document may change
	return r.json(p)
}
