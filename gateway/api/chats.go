package api

import (
	"context"
	"errors"
	"strconv"

	"github.com/askgate/askgate/gateway/feed"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// messagesWanted reads messages and before.
func messagesWanted(r *request) (n int, before string, err error) {
	n = follow.MaxMessages
	if s, ok := r.query("messages"); ok {
		if n, err = strconv.Atoi(s); err != nil || n < 1 || n > follow.MaxMessages {
			return 0, "", invalid("query", "messages")
		}
	}
	before, ok := r.query("before")
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
	switch r.queryOr("branches", "false") {
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
	if err := h.Engine.Revoke(r.ctx(), r.ref, r.param("tool")); err != nil {
		return err
	}
	return r.noContent()
}

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
	return r.view(r.app.Limits.Streams, func(to stream.Sink) stream.Sink { return nativeSink(to, once) }, func(ctx context.Context, after string) (Following, error) {
		return h.Engine.Follow(ctx, r.ref, r.app.Clarifications.PerConversation, after)
	})
}

// feed streams what happens in all chats of the caller, and what its roles are asked. What
// apps they may not use, by the configuration that is in force then, is left out.
func (h Chats) feed(r *request) error {
	if err := r.signedIn(); err != nil {
		return err
	}
	mayUse := func(id string) bool {
		app, ok := r.host.Setup().Config.App(id)
		return ok && r.caller.mayUse(app)
	}
	return r.view(r.conf().Limits.Streams, asItIs, func(ctx context.Context, after string) (Following, error) {
		return r.host.Feed.Follow(ctx, feed.Who{Principal: r.caller.Principal, MayUse: mayUse}, after)
	})
}
