package api

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/feed"
)

// Feed is what tells people of all their chats; ForFeed makes one.
type Feed interface {
	// Follow opens somebody's stream after the event id ("" for the start of a new one), as far as
	// ctx admits what it begins with.
	Follow(ctx context.Context, who feed.Who, after string) (Following, error)
	// Ended waits until a clarification has ended, or ctx, and returns it as stored then.
	Ended(ctx context.Context, id string) (chat.Clarification, error)
}

// ForFeed is a feed as this package sees it.
func ForFeed(f *feed.Feed) Feed { return feeds{f} }

type feeds struct{ *feed.Feed }

func (f feeds) Follow(ctx context.Context, who feed.Who, after string) (Following, error) {
	return f.Feed.Follow(ctx, who, after)
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
	return r.view(r.conf().Limits.Streams, false, func(ctx context.Context, after string) (Following, error) {
		return r.host.Feed.Follow(ctx, feed.Who{Principal: r.caller.Principal, MayUse: mayUse}, after)
	})
}
