package follow

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// lookEvery is how often the store is asked what other nodes did while the hub does not know.
// lookSeldom is how often it is asked while the hub does: a node may die between storing something
// and publishing it. What the first look finds is due at the second, so that viewers get it from
// the store within 10 s, and do not read there what is on its way to them.
const (
	lookEvery  = time.Second
	lookSeldom = 4 * time.Second
	// restShare bounds what looks cost a store that is slow: the time between two is at least so many
	// times that of a look.
	restShare = 9
)

// errLook says that the store may have what the hub has not shown.
var errLook = errors.New("follow: time to look into the store")

// lookout asks the store for all viewers of a node at once how far their chats have come, and wakes
// those who have not been shown it. A look is one transaction, or two if some viewers await a chat,
// and takes about 2 µs for each chat. It is safe for concurrent use.
type lookout struct {
	mu      sync.Mutex
	chats   map[string][]*seat   // by conversation
	awaited map[chat.Ref][]*seat // of chats that do not exist yet
	leave   context.CancelFunc   // ends the looks; nil without seats
}

// seat is a viewer's place at the lookout.
type seat struct {
	of *lookout
	id string // of the conversation; "" if it is awaited
	chat.Ref

	mu    sync.Mutex
	found chat.EventID // the newest one in the store at the newest look
	due   chat.EventID // the viewer should have been shown this
	moved bool         // the conversation is gone or, if it was awaited, is there

	viewer context.Context         //nolint:containedctx // of the viewer's newest wait; nil before the first
	wait   context.Context         //nolint:containedctx // a part of it
	wake   context.CancelCauseFunc // ends wait
}

// sit takes a seat for a viewer of the chat with that internal id, or of one that does not exist yet.
func (r *Reader) sit(ref chat.Ref, id string) *seat {
	if !r.Shared && r.Hub.Complete() {
		return nil // only this node changes chats, and shows all that it does
	}
	l := &r.lookout
	s := &seat{of: l, id: id, Ref: ref}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leave == nil {
		var life context.Context
		life, l.leave = context.WithCancel(context.Background())
		l.chats, l.awaited = map[string][]*seat{}, map[chat.Ref][]*seat{}
		go r.looks(life)
	}
	if id != "" {
		l.chats[id] = append(l.chats[id], s)
	} else {
		l.awaited[ref] = append(l.awaited[ref], s)
	}
	return s
}

// leaves gives the seat up. A nil seat is none.
func (s *seat) leaves() {
	if s == nil {
		return
	}
	s.mu.Lock()
	if s.wake != nil {
		s.wake(nil)
	}
	s.mu.Unlock()
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if s.id != "" {
		without(s.of.chats, s.id, s)
	} else {
		without(s.of.awaited, s.Ref, s)
	}
	if len(s.of.chats)+len(s.of.awaited) == 0 && s.of.leave != nil {
		s.of.leave()
		s.of.leave = nil
	}
}

func without[K comparable](seats map[K][]*seat, key K, s *seat) {
	left := slices.DeleteFunc(seats[key], func(o *seat) bool { return o == s })
	if seats[key] = left; len(left) == 0 {
		delete(seats, key)
	}
}

// lookNow is the context of a wait that is over.
var lookNow = func() context.Context {
	ctx, end := context.WithCancelCause(context.Background())
	end(errLook)
	return ctx
}()

// watching returns the context of the next wait of a viewer who has come that far. It ends with
// errLook when the lookout has something that the viewer may not have been shown: at once if it has
// that already, so that the viewer gets only what is at hand. With a nil seat, the hub alone ends
// a wait.
func (s *seat) watching(ctx context.Context, at chat.EventID) context.Context {
	if s == nil {
		return ctx
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.moved || at.Less(s.due) {
		return lookNow
	}
	if s.viewer != ctx || s.wait.Err() != nil {
		s.viewer = ctx
		s.wait, s.wake = context.WithCancelCause(ctx)
	}
	return s.wait
}

// isDue reports whether a viewer who has come that far, and for whom nothing is at hand, has to look
// into the store. It does so once for each look of the lookout.
func (s *seat) isDue(at chat.EventID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	due := s.moved || at.Less(s.due)
	if due {
		s.moved, s.due = false, chat.EventID{}
	}
	return due
}

// tell takes what a look has found. late says that what the look before found is due, and this is not
// yet.
func (s *seat) tell(found chat.EventID, moved, late bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	due := found
	if late {
		due = s.found
	}
	s.found = found
	if moved {
		s.moved = true
	} else if due == s.due {
		return
	}
	s.due = due
	if s.wake != nil {
		s.wake(errLook)
	}
}

// looks looks until life ends.
func (r *Reader) looks(life context.Context) {
	var took time.Duration
	for {
		wait := lookEvery
		if r.Hub.Complete() {
			wait = lookSeldom
		}
		if pause(life, max(wait, restShare*took)) != nil {
			return
		}
		if late := r.Hub.Complete(); late && !r.Shared {
			took = 0
		} else {
			began := time.Now()
			r.look(life, late)
			took = time.Since(began)
		}
	}
}

// look asks the store once. A store that is away is asked again at the next look.
func (r *Reader) look(ctx context.Context, late bool) {
	l := &r.lookout
	l.mu.Lock()
	ids, refs := slices.Collect(maps.Keys(l.chats)), slices.Collect(maps.Keys(l.awaited))
	l.mu.Unlock()
	if len(ids) > 0 {
		found, err := r.Store.Positions(ctx, ids)
		if err == nil {
			at := make(map[string]chat.EventID, len(found))
			for _, p := range found {
				at[p.ConversationID] = p.LastEvent
			}
			for _, id := range ids {
				last, there := at[id]
				for _, s := range l.seats(id) {
					s.tell(last, !there, late)
				}
			}
		}
	}
	if len(refs) > 0 {
		begun, err := r.Store.Begun(ctx, refs)
		if err == nil {
			for _, ref := range begun {
				for _, s := range l.waiting(ref) {
					s.tell(chat.EventID{}, true, late)
				}
			}
		}
	}
}

// seats returns the seats of a conversation.
func (l *lookout) seats(id string) []*seat {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.chats[id])
}

// waiting returns the seats of those who await a chat.
func (l *lookout) waiting(ref chat.Ref) []*seat {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.awaited[ref])
}
