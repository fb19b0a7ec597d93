package turn

import (
	"sync"

	"github.com/askgate/askgate/gateway/turn/run"
)

// maxBackground is how many runs without a request go on at the same time: those that were taken
// over, resumed by an expiry, or begun with a queued message.
const maxBackground = 128

// runs are the runs that this process drives. It is safe for concurrent use.
type runs struct {
	mu    sync.Mutex
	known map[string]*run.Run // by conversation id
	slots chan struct{}       // of the runs without a request
}

func newRuns() runs {
	return runs{known: map[string]*run.Run{}, slots: make(chan struct{}, maxBackground)}
}

// register makes the run known to Cancel, Shutdown and the keeper of the leases.
func (s *runs) register(r *run.Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[r.Conversation.ID] = r
}

func (s *runs) unregister(r *run.Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[r.Conversation.ID] == r {
		delete(s.known, r.Conversation.ID)
	}
}

// registered returns the conversation's run, or nil if this process drives none.
func (s *runs) registered(conversationID string) *run.Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[conversationID]
}

func (s *runs) running() []*run.Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	runs := make([]*run.Run, 0, len(s.known))
	for _, r := range s.known {
		runs = append(runs, r)
	}
	return runs
}

// drive drives a run without a request as soon as there is a place.
func (s *runs) drive(r *run.Run) {
	go func() {
		s.slots <- struct{}{}
		defer func() { <-s.slots }()
		r.Drive(nil)
	}()
}

// room returns the number of free places.
func (s *runs) room() int { return cap(s.slots) - len(s.slots) }
