package native

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/tools"
)

const (
	maxPassageID = 100     // bytes
	maxFilter    = 8 << 10 // bytes of the JSON of a filter
	// passageTimeout is how long a passage or a search may take: it may have to wait for an index that is
	// just being opened.
	passageTimeout = 20 * time.Second
)

// SearchDocuments sends what the search of one of the app's libraries returns. The library checks the
// arguments, and words the errors about them.
func SearchDocuments(r *host.Request) error {
	if err := host.OftenAsTyping(r, host.ScopeOptions); err != nil {
		return err
	}
	var library tools.Library
	for _, l := range r.Setup().Catalog.Libraries(r.App.ID) {
		if l.ID == r.Param("tool") {
			library = l.Library
		}
	}
	if library == nil {
		return host.NotFound("library")
	}
	arguments, err := searchArguments(r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), passageTimeout)
	defer cancel()
	result, err := library.Search(ctx, arguments, &tools.Processor{})
	refused, isRefused := errors.AsType[*tools.Error](err)
	switch {
	case err == nil:
	case r.Context().Err() != nil: // who asked is gone
		return r.Context().Err()
	case isRefused && refused.Code == tools.CodeInvalidArguments:
		return &host.Fault{Code: chat.CodeInvalidRequest, Detail: "search", Params: map[string]any{"Why": refused.Message}}
	default:
		why := err.Error()
		if isRefused && refused.Cause != "" {
			why = refused.Cause
		}
		r.Logger().Error("cannot search in documents", "tool", r.Param("tool"), "error", why)
		return &host.Fault{Code: chat.CodeOverloaded}
	}
	r.Response().Header().Set("Cache-Control", "no-store") // the documents may change
	return r.JSON(json.RawMessage(result))
}

// searchArguments returns the arguments of a library's search, with the members that the query gives.
func searchArguments(r *host.Request) (string, error) {
	arguments := map[string]any{}
	for parameter, member := range map[string]string{"q": "query", "asOf": "asOf", "versions": "versions", "cursor": "cursor"} {
		if text, ok := r.Query(parameter); ok {
			arguments[member] = text
		}
	}
	if text, ok := r.Query("limit"); ok {
		n, err := strconv.Atoi(text)
		if err != nil {
			return "", host.Invalid("query", "limit")
		}
		arguments["limit"] = n
	}
	if text, ok := r.Query("filter"); ok {
		if len(text) > maxFilter {
			return "", &host.Fault{Code: chat.CodeInvalidRequest, Detail: "filter_size", Field: "filter", Params: map[string]any{"Max": maxFilter}}
		}
		if !json.Valid([]byte(text)) {
			return "", host.Invalid("filter_json", "filter")
		}
		arguments["filter"] = json.RawMessage(text)
	}
	raw, err := json.Marshal(arguments)
	return string(raw), err
}

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
