package native

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
)

// foldedItem is an entry of a list for a chat with all its branches. What it has of a chat is that
// of the branch to which it leads, except for UpdatedAt, the newest change in any of them.
type foldedItem struct {
	chatItem
	Branches int `json:"branches"` // how many there are, 1 if it is the only one
	Pending  int `json:"pending"`  // how many questions wait for the caller in all of them
	// ClarificationIDs are the ids of these, at most store.MaxAsked; left out if there are none.
	ClarificationIDs []string `json:"clarificationIds,omitempty"`
}

// listFamilies lists the caller's chats in an app, each with its branches as one entry, or those
// that a search finds.
func listFamilies(r *host.Request, fold, query string, searched bool, want store.Page) error {
	if fold != "branches" {
		return host.Invalid("query", "fold")
	}
	var list []store.Folded
	var next string
	var err error
	if searched {
		words, refused := wordsOf(query)
		if refused != nil {
			return refused
		}
		ctx, release := host.Reading(r, host.CostOfReply)
		defer release()
		list, next, err = r.Host.Store.SearchFolded(ctx, r.Caller.Tenant, r.Caller.Subject, r.App.ID, words, want)
	} else {
		list, next, err = r.Host.Store.Folded(r.Context(), r.Caller.Tenant, r.Caller.Subject, r.App.ID, want)
	}
	if err != nil {
		return err
	}
	items := make([]foldedItem, len(list))
	for i := range list {
		f := &list[i]
		items[i] = foldedItem{newChatItem(&f.Conversation, f.Name(), f.Snippet), f.Branches, f.Pending, f.Asked}
		items[i].UpdatedAt, items[i].ClarificationID = chat.Time(f.Changed), f.ClarificationID
	}
	return r.JSON(host.NewPage(items, next))
}
