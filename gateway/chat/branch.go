package chat

import (
	"cmp"
	"slices"
	"time"
)

// Branch is a chat of a family as clients see it: the first chat, or one that was forked from
// another of the family.
type Branch struct {
	ChatID     string `json:"chatId"`
	CreatedAt  Time   `json:"createdAt"`
	WrittenAt  *Time  `json:"writtenAt,omitempty"`
	ForkedFrom *Fork  `json:"forkedFrom,omitempty"`
	// BranchPoint is the first item in which this chat differs from the one it was forked from: the id of
	// its own message, or of the call whose question was answered differently. It is omitted if the chat
	// is not a fork.
	BranchPoint string `json:"branchPoint,omitempty"`
}

// NewBranches returns the chats of a family, the oldest first, or nil if there is only one.
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

// Written returns WrittenAt as clients see it, or nil if it is not known.
func (c *Conversation) Written() *Time { return optionalTime(c.WrittenAt) }
