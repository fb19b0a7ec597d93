package turn

import (
	"context"
	"errors"
	"sync"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// What a turn does depends on all of its chat: a chat with a row that this version cannot read takes
// no message, answer, resumption or fork. It is read once per process, and again where another process
// has worked on it: what this one writes, it can read.

const (
	// Of a chat, its newest messages are looked at, with their calls and questions. A run that reads
	// more, and meets a row that it cannot read, ends in an error.
	lookedAt      = 200
	lookedAtBytes = 1 << 20
	// maxReadable is how many chats are known to be readable; of more, some are read again.
	maxReadable = 100_000
	// looks is how often a command looks at a chat that changes meanwhile.
	looks = 3
)

// errUnlooked says that a chat has to be looked at first.
var errUnlooked = errors.New("turn: the chat was not looked at")

// readables are the chats that are known to be readable, with the fence up to which. Safe for
// concurrent use.
type readables struct {
	store store.Store
	mu    sync.Mutex
	known map[string]int64 // by conversation id
}

func (r *readables) knows(of *chat.Conversation) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	fence, known := r.known[of.ID]
	return of.Fence == 0 || known && fence == of.Fence
}

func (r *readables) learn(conversationID string, fence int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) >= maxReadable {
		r.known = map[string]int64{}
	}
	r.known[conversationID] = fence
}

// look reads a chat that a command is about, and refuses it where a row cannot be read.
func (r *readables) look(ctx context.Context, ref chat.Ref) error {
	view, err := r.store.ViewPart(ctx, ref, store.Part{Limit: lookedAt, Bytes: lookedAtBytes})
	if errors.Is(err, store.ErrNotFound) {
		return nil // the transaction reports it
	} else if err != nil {
		return err
	}
	if view.Unreadable {
		return &chat.Error{Code: chat.CodeNotReadable}
	}
	r.learn(view.Conversation.ID, view.Conversation.Fence)
	return nil
}

// looked makes a transition of a chat that is known to be readable.
func (r *readables) looked(ctx context.Context, ref chat.Ref, try func(look bool) (Accepted, error)) (Accepted, error) {
	for range looks {
		accepted, err := try(true)
		if !errors.Is(err, errUnlooked) {
			return accepted, err
		}
		if err := r.look(ctx, ref); err != nil {
			return nil, err
		}
	}
	return try(false)
}
