package native

import (
	"context"
	"errors"
	"strconv"

	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/inbox"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// messagesWanted reads messages and before.
func messagesWanted(r *host.Request) (n int, before string, err error) {
	n = follow.MaxMessages
	if s, ok := r.Query("messages"); ok {
		if n, err = strconv.Atoi(s); err != nil || n < 1 || n > follow.MaxMessages {
			return 0, "", host.Invalid("query", "messages")
		}
	}
	before, ok := r.Query("before")
	if ok && (before == "" || len(before) > host.MaxCursor) {
		return 0, "", host.Invalid("query", "before")
	}
	return n, before, nil
}

// Snapshot shows the present state of a chat.
func (h Chats) Snapshot(r *host.Request) error {
	n, before, err := messagesWanted(r)
	if err != nil {
		return err
	}
	ctx, release := host.Reading(r, host.CostOfReply)
	defer release()
	s, err := h.Engine.Snapshot(ctx, r.Ref, r.App.Clarifications.PerConversation, n, before)
	if errors.Is(err, store.ErrCursor) {
		return host.Invalid("query", "before")
	} else if err != nil {
		return err
	}
	return r.JSON(s)
}

// Stop ends the running turn.
func (h Chats) Stop(r *host.Request) error {
	if err := h.Engine.Cancel(r.Context(), r.Ref); err != nil {
		return err
	}
	return r.Nothing()
}

// Delete erases a chat, or all branches of it.
func (h Chats) Delete(r *host.Request) error {
	all, err := allBranches(r)
	if err != nil {
		return err
	}
	if err := host.Count(r, host.ScopeChanges); err != nil {
		return err
	}
	erase := h.Engine.Delete
	if all {
		erase = h.Engine.DeleteBranches
	}
	if err := erase(r.Context(), r.Ref); err != nil {
		return err
	}
	return r.Nothing()
}

// allBranches reads the query branches: whether the request is about all chats of the family.
func allBranches(r *host.Request) (bool, error) {
	switch r.QueryOr("branches", "false") {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, host.Invalid("query", "branches")
}

// Revoke makes the chat ask again before each call of the tool. It succeeds even if no approval
// is remembered.
func (h Chats) Revoke(r *host.Request) error {
	if err := h.Engine.Revoke(r.Context(), r.Ref, r.Param("tool")); err != nil {
		return err
	}
	return r.Nothing()
}

// Events streams a chat to a viewer: replay, then live, until the viewer leaves. If the gateway
// ends the stream, it says when to come back.
func (h Chats) Events(r *host.Request) error {
	once, err := wantsOnce(r)
	if err != nil {
		return err
	}
	return host.Follow(r, r.App.Limits.Streams, func(to stream.Writer) stream.Sink { return nativeSink(to, once) }, func(ctx context.Context, after string) (host.Following, error) {
		return h.Engine.Follow(ctx, r.Ref, r.App.Clarifications.PerConversation, after)
	})
}

// Inbox streams what happens in all chats of the caller, and what its roles are asked. It leaves
// out apps that the caller may not use, by the configuration current at that time.
func (h Chats) Inbox(r *host.Request) error {
	mayUse := func(id string) bool {
		app, ok := r.Host.Setup().Config.App(id)
		return ok && r.Caller.MayUse(app)
	}
	return host.Follow(r, r.Conf().Limits.Streams, asItIs, func(ctx context.Context, after string) (host.Following, error) {
		return r.Host.Inbox.Follow(ctx, inbox.Who{Principal: r.Caller.Principal, MayUse: mayUse}, after)
	})
}

// Chats handles the chats of a caller.
type Chats struct{ Engine Engine }
