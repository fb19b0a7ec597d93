package native

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/textsearch"
)

type chatItem struct {
	ChatID    string    `json:"chatId"`
	Title     string    `json:"title"` // as set, or else the beginning of its first message
	CreatedAt chat.Time `json:"createdAt"`
	UpdatedAt chat.Time `json:"updatedAt"`
	// ForkedFrom is the point at which it left another chat; left out if it is not a fork.
	ForkedFrom *chat.Fork `json:"forkedFrom,omitempty"`
	// Root is the id of the first chat of the family that this is a branch of; left out if it is not a
	// branch.
	Root string `json:"root,omitempty"`
	// WrittenAt is when the person last began, answered or resumed a turn; left out if unknown.
	WrittenAt *chat.Time `json:"writtenAt,omitempty"`
	// Snippet is the part of the chat's texts with the words that were searched for.
	Snippet []textsearch.Piece `json:"snippet,omitempty"`
	// ClarificationID is the question that the snippet is from; left out if it is from a message.
	ClarificationID string `json:"clarificationId,omitempty"`
}

func newChatItem(c *chat.Conversation, title string, snippet []textsearch.Piece) chatItem {
	return chatItem{c.ChatID, title, chat.Time(c.CreatedAt), chat.Time(c.UpdatedAt), c.ForkedFrom(), c.Root, c.Written(), snippet, ""}
}

// maxQuery is the maximum length of a search, in code points.
const maxQuery = 200

// List lists the caller's chats in an app or, with q, those that contain its words.
func (h Chats) List(r *host.Request) error {
	want, err := host.PageWanted(r)
	if err != nil {
		return err
	}
	query, searched := r.Query("q")
	if fold, ok := r.Query("fold"); ok {
		return listFamilies(r, fold, query, searched, want)
	}
	if searched {
		return h.searchChats(r, query, want)
	}
	list, next, err := r.Host.Store.Conversations(r.Context(), r.Caller.Tenant, r.Caller.Subject, r.App.ID, want)
	if err != nil {
		return err
	}
	items := make([]chatItem, len(list))
	for i := range list {
		items[i] = newChatItem(&list[i].Conversation, list[i].Name(), nil)
	}
	return r.JSON(host.NewPage(items, next))
}

func (h Chats) searchChats(r *host.Request, query string, want store.Page) error {
	words, err := wordsOf(query)
	if err != nil {
		return err
	}
	ctx, release := host.Reading(r, host.CostOfReply)
	defer release()
	list, next, err := r.Host.Store.Search(ctx, r.Caller.Tenant, r.Caller.Subject, r.App.ID, words, want)
	if err != nil {
		return err
	}
	items := make([]chatItem, len(list))
	for i := range list {
		items[i] = newChatItem(&list[i].Conversation, list[i].Name(), list[i].Snippet)
		items[i].ClarificationID = list[i].ClarificationID
	}
	return r.JSON(host.NewPage(items, next))
}

// wordsOf reads the query q.
func wordsOf(query string) (textsearch.Words, error) {
	words := textsearch.NewWords(query)
	if words.None() || utf8.RuneCountInString(query) > maxQuery {
		f := host.Invalid("chat_query", "q")
		f.Params = map[string]any{"Max": maxQuery}
		return words, f
	}
	return words, nil
}

func (h Chats) Rename(r *host.Request) error {
	all, err := allBranches(r)
	if err != nil {
		return err
	}
	if err := host.Count(r, host.ScopeChanges); err != nil {
		return err
	}
	data, err := r.Body()
	if err != nil {
		return err
	}
	title, err := decodeTitle(data)
	if err != nil {
		return err
	}
	rename := h.Engine.Rename
	if all {
		rename = h.Engine.RenameBranches
	}
	c, err := rename(r.Context(), r.Ref, title)
	if err != nil {
		return err
	}
	return r.JSON(newChatItem(&c, c.Title, nil))
}

// decodeTitle reads {"title": ...}; white space becomes single spaces.
func decodeTitle(data []byte) (string, error) {
	d, err := host.OpenJSON(data)
	if err != nil {
		return "", err
	}
	var title *string
	if err := host.Object(d, map[string]host.Field{"title": host.String(func(s string) { title = &s })}); err != nil {
		return "", err
	}
	if title != nil {
		s := strings.Join(strings.Fields(*title), " ")
		if !tools.Blank(s) && utf8.RuneCountInString(s) <= chat.MaxTitle && !strings.ContainsFunc(s, unicode.IsControl) {
			return s, nil
		}
	}
	f := host.Invalid("chat_title", "title")
	f.Params = map[string]any{"Max": chat.MaxTitle}
	return "", f
}
