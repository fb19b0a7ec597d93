package native

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/tools"
)

const (
	maxPassageID = 100 // bytes
	// passageTimeout is how long a passage may take: it may have to wait for an index that has just
	// begun.
	passageTimeout = 20 * time.Second
)

// Passage sends a part of a document that a tool of the app reads.
func Passage(r *host.Request) error {
	if err := host.OftenAsTyping(r, host.ScopeOptions); err != nil {
		return err
	}
	id := r.Param("id")
	library, ok := r.Setup().Catalog.Library(r.App.ID, r.Param("tool"))
	if !ok || len(id) > maxPassageID {
		return host.NotFound("passage")
	}
	ctx, cancel := context.WithTimeout(r.Context(), passageTimeout)
	defer cancel()
	var p tools.Passage
	p, ok, err := library.Passage(ctx, id)
	switch {
	case err != nil:
		r.Logger().Error("cannot read a passage", "tool", r.Param("tool"), "error", err)
		return &host.Fault{Code: chat.CodeOverloaded}
	case !ok:
		return host.NotFound("passage")
	}
	r.Response().Header().Set("Cache-Control", "no-store") // the document may change
	return r.JSON(p)
}
