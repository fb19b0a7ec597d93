package turn

import (
	"context"
	"errors"
	"sync"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// A turn depends on its whole chat, so a chat with a row that this version cannot read takes no
// message, answer, resumption or fork. Each process reads a chat once, and again after another
// process has worked on it: what a process has written itself, it can read.

const (
	// The newest messages of a chat are checked, with their calls and questions. A run that reads more
	// and meets an unreadable row ends in an error.
	lookedAt      = 200
	lookedAtBytes = 1 << 20
	// maxReadable is how many chats are remembered as readable. Beyond that, some are read again.
	maxReadable = 100_000
	// looks is how often a command reads a chat that keeps changing.
	looks = 3
)

// errUnlooked says that the chat has to be read first.
var errUnlooked = errors.New("turn: the chat was not looked at")

// readables remembers which chats are readable, and up to which fence. It is safe for concurrent
// use.
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

// look reads the chat of a command, and refuses the command if a row cannot be read.
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

// looked makes a transition of a chat that is known to be readable. After several changes by others
// meanwhile, it no longer insists.
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
