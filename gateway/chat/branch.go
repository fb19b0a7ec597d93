package chat

import (
	"cmp"
	"slices"
	"time"
)

// Branch is a chat of a family as clients see it: the one that clients know by a name, or one that
// they forked of it.
type Branch struct {
	ChatID     string `json:"chatId"`
	CreatedAt  Time   `json:"createdAt"`
	WrittenAt  *Time  `json:"writtenAt,omitempty"`
	ForkedFrom *Fork  `json:"forkedFrom,omitempty"`
	// PartsAt is what it has where it left the other chat: the id of its own message, or of the call
	// whose question was answered otherwise. Left out of one that left none.
	PartsAt string `json:"partsAt,omitempty"`
}

// NewBranches are the chats of a family, the oldest first; nil where there is one alone.
func NewBranches(family []Conversation) []Branch {
	if len(family) < 2 {
		return nil
	}
	list := make([]Branch, len(family))
	for i := range family {
		c := &family[i]
		list[i] = Branch{c.ChatID, Time(c.CreatedAt), c.Written(), c.ForkedFrom(), c.Fork.Own}
	}
	slices.SortFunc(list, func(a, b Branch) int {
		return cmp.Or(time.Time(a.CreatedAt).Compare(time.Time(b.CreatedAt)), cmp.Compare(a.ChatID, b.ChatID))
	})
	return list
}

// Written is WrittenAt as clients see it; nil where it is not known.
func (c *Conversation) Written() *Time { return optionalTime(c.WrittenAt) }
