package turn

import (
	"sync"

	"github.com/askgate/askgate/gateway/turn/run"
)

// maxBackground is how many runs that no request drives go on at the same time:
// taken over, resumed by an expiry, begun with a queued message.
const maxBackground = 128

// runs are those that this process drives. Safe for concurrent use.
type runs struct {
	mu    sync.Mutex
	known map[string]*run.Run // by conversation id
	slots chan struct{}       // of the runs that no request drives
}

func newRuns() runs {
	return runs{known: map[string]*run.Run{}, slots: make(chan struct{}, maxBackground)}
}

// register makes the run known to Cancel, to the keeper of the leases and to Shutdown.
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

// registered is the run of that conversation, nil where this process drives none.
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

// drive drives a run that no request waits for, when there is a place.
func (s *runs) drive(r *run.Run) {
	go func() {
		s.slots <- struct{}{}
		defer func() { <-s.slots }()
		r.Drive(nil)
	}()
}

// room is how many more runs there are places for.
func (s *runs) room() int { return cap(s.slots) - len(s.slots) }
