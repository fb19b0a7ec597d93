package api

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
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
	if s, ok := r.c.GetQuery("limit"); ok {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > maxPage {
			return p, invalid("query", "limit")
		}
		p.Limit = n
	}
	p.Cursor = r.c.Query("cursor")
	if len(p.Cursor) > maxCursor {
		return p, invalid("query", "cursor")
	}
	return p, nil
}

// messagesWanted reads messages and before.
func messagesWanted(r *request) (n int, before string, err error) {
	n = follow.MaxMessages
	if s, ok := r.c.GetQuery("messages"); ok {
		if n, err = strconv.Atoi(s); err != nil || n < 1 || n > follow.MaxMessages {
			return 0, "", invalid("query", "messages")
		}
	}
	before, ok := r.c.GetQuery("before")
	if ok && (before == "" || len(before) > maxCursor) {
		return 0, "", invalid("query", "before")
	}
	return n, before, nil
}

func (h Chats) snapshot(r *request) error {
	if err := r.inChat(); err != nil {
		return err
	}
	n, before, err := messagesWanted(r)
	if err != nil {
		return err
	}
	ctx, release := r.reading(costOfReply)
	defer release()
	s, err := h.Engine.Snapshot(ctx, r.ref, r.app.Clarifications.PerConversation, n, before)
	if errors.Is(err, store.ErrCursor) {
		return invalid("query", "before")
	} else if err != nil {
		return err
	}
	return r.json(s)
}

func (h Chats) stopTurn(r *request) error {
	if err := r.inChat(); err != nil {
		return err
	}
	if err := r.counted(scopeStops); err != nil {
		return err
	}
	if err := h.Engine.Cancel(r.ctx(), r.ref); err != nil {
		return err
	}
	return r.noContent()
}

func (h Chats) deleteChat(r *request) error {
	if err := r.inChat(); err != nil {
		return err
	}
	all, err := allBranches(r)
	if err != nil {
		return err
	}
	if err := r.counted(scopeChanges); err != nil {
		return err
	}
	erase := h.Engine.Delete
	if all {
		erase = h.Engine.DeleteBranches
	}
	if err := erase(r.ctx(), r.ref); err != nil {
		return err
	}
	return r.noContent()
}

// allBranches reads branches: whether the request is about all chats of the family.
func allBranches(r *request) (bool, error) {
	switch r.c.DefaultQuery("branches", "false") {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, invalid("query", "branches")
}

// revokeApproval makes the chat ask again before each call of the tool. It succeeds also
// where no approval is remembered.
func (h Chats) revokeApproval(r *request) error {
	if err := r.inChat(); err != nil {
		return err
	}
	if err := r.counted(scopeStops); err != nil {
		return err
	}
	if err := h.Engine.Revoke(r.ctx(), r.ref, r.c.Param("tool")); err != nil {
		return err
	}
	return r.noContent()
}

// viewerTimeout is how long a viewer may lag: nothing waits for it, and a snapshot may be
// large.
const viewerTimeout = 30 * time.Second

// viewLife is how long an /events stream lasts at most, give or take a tenth: reconnecting
// viewers spread over all nodes, new ones included.
const viewLife = time.Hour

// maxEventID bounds an event id, in bytes; an unknown one is treated as one whose history
// is gone.
const maxEventID = 64

// events streams a chat to a viewer: replay, then live, until the viewer leaves. Where
// the gateway ends the stream it says when to come back.
func (h Chats) events(r *request) error {
	if err := r.inChat(); err != nil {
		return err
	}
	once, err := wantsOnce(r)
	if err != nil {
		return err
	}
	return r.view(r.app.Limits.Streams, once, func(ctx context.Context, after string) (Following, error) {
		return h.Engine.Follow(ctx, r.ref, r.app.Clarifications.PerConversation, after)
	})
}

// view streams to a viewer what open opens after an event id, unless the caller has that many
// streams already.
func (r *request) view(most int, once bool, open func(ctx context.Context, after string) (Following, error)) error {
	if r.host.isDraining() {
		return &fault{code: chat.CodeDraining}
	}
	if err := dropBody(r.response(), r.c.Request); err != nil {
		return err
	}
	// A browser's EventSource reconnects with the old URL and its old lastEventId; the
	// header has the newest id that it received.
	after := r.c.GetHeader("Last-Event-ID")
	if after == "" {
		after = r.c.Query("lastEventId")
	}
	if len(after) > maxEventID {
		after = after[:maxEventID]
	}
	leave, d := r.host.Limiter.Acquire(r.ctx(), scopeStreams, r.principal(), most)
	defer leave()
	if err := r.decided(d); err != nil {
		return err
	}
	reading, begun := r.reading(costOfReply)
	defer begun()
	f, err := open(reading, after)
	if err != nil {
		return err
	}
	defer f.Close()
	r.host.metrics.streams.WithLabelValues(r.appID()).Inc()
	defer r.host.metrics.streams.WithLabelValues(r.appID()).Dec()

	ctx, cancel := context.WithTimeout(r.ctx(), viewLife-viewLife/10+rand.N(viewLife/5))
	defer cancel()
	defer context.AfterFunc(r.host.draining, cancel)()
	if !r.caller.expires.IsZero() {
		var expire context.CancelFunc
		ctx, expire = context.WithDeadline(ctx, r.caller.expires)
		defer expire()
	}
	defer whileKnown(ctx, r, cancel)()
	options := r.host.Stream
	options.WriteTimeout = viewerTimeout
	r.asStream()
	w := sse.NewWriter(r.response(), options)
	defer w.Close()
	_ = w.Write(nil) // the viewer is connected, even if nothing happens for long
	if err = f.Begin(nativeSink(w, once)); err == nil {
		begun()
		err = f.Stream(ctx, nativeSink(w, once))
	}
	if !errors.Is(err, stream.ErrErased) {
		_ = w.Retry(comeBack()) // another node, or this one, can continue it
	}
	return nil
}

// comeBack spreads the reconnects of a restarting node's viewers over some seconds, so
// that they do not reach its successor all at once.
func comeBack() time.Duration { return time.Second + rand.N(4*time.Second) }
