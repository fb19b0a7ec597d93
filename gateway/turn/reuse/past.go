package reuse

import (
	"context"
	"iter"
	"log/slog"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// maxPast is how many chats are read of those from which a chat was forked.
const maxPast = 10

// Past holds what the owner of a chat answered in the chats from which it was forked, as known to one
// run. It reads nothing unless the chat is a fork and asks what was not answered in it.
type Past struct {
	read func(ctx context.Context, ref chat.Ref, span func([]chat.Fit) store.Span) (*store.Recent, error)
	log  *slog.Logger
	done bool
	// chats has the later questions of each of the chats, the nearest chat first.
	chats [][]chat.Clarification
}

// NewPast returns the past of a chat, which is read with a store's Recent.
func NewPast(s store.RunReader, log *slog.Logger) *Past { return &Past{read: s.Recent, log: log} }

// pastTimes yields the owner's answers in the chats from which this one was forked by another answer,
// given after the point of the fork: those of the nearest chat first, and there the newest.
func (a *Answers) pastTimes() iter.Seq[lastTime] {
	return func(yield func(lastTime) bool) {
		for _, questions := range a.Past.later(a.Conversation, a.History.Questions) {
			for s := range answersOf(questions) {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// later returns the questions that the chats before a fork have and the next one lacks. A chat that
// is erased, or that cannot be read, ends the list: a turn does not fail because of that.
func (p *Past) later(of *chat.Conversation, questions []chat.Clarification) [][]chat.Clarification {
	if p.done {
		return p.chats
	}
	p.done = true
	ctx, cancel := context.WithTimeout(context.Background(), store.Timeout)
	defer cancel()
	ref, at := of.Ref, of.Fork
	for range maxPast {
		if at.ChatID == "" {
			break
		}
		ref.ChatID = at.ChatID // the rest stays: only chats of the same owner are read
		// The questions count, and not the messages.
		was, err := p.read(ctx, ref, func([]chat.Fit) store.Span { return store.Span{Bytes: 1} })
		if err != nil {
			if chat.CodeOf(err) != chat.CodeNotFound {
				p.log.Warn("cannot read the chat that this one was forked from", "error", err)
			}
			break
		}
		if at.ClarificationID != "" {
			p.chats = append(p.chats, lacking(questions, was.Questions))
		}
		at, questions = was.Conversation.Fork, was.Questions
	}
	return p.chats
}

// lacking returns the questions of a chat that its fork did not copy.
func lacking(fork, of []chat.Clarification) (list []chat.Clarification) {
	copied := map[string]bool{} // a question and its copy are of the same call
	for i := range fork {
		if fork[i].Copied {
			copied[fork[i].ToolCallID] = true
		}
	}
	for i := range of {
		if of[i].State == tools.StateAnswered && !copied[of[i].ToolCallID] {
			list = append(list, of[i])
		}
	}
	return list
}
