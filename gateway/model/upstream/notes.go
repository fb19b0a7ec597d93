package upstream

import (
	"sync"
	"time"
)

// How many of a server's newest refusals and adaptations are kept. A server has fewer of the latter,
// unless it changes its mind again and again.
const maxRefusals, maxAdaptations = 20, 100

// Notes are what operators are told of one model's server, since the process began or the model's
// configuration changed. Safe for concurrent use.
type Notes struct {
	learnt func(Adaptation) // nil: nobody is told

	mu          sync.Mutex
	adaptations []Adaptation
	refusals    []Refusal
}

// Adaptation is a way in which requests differ from what the configuration asks for, because the
// server refused that.
type Adaptation struct {
	What   string // from a fixed list: a field's name, "api" or "tool"
	Detail string // what is done: for operators, without secrets and user text
	Tool   string // where What is "tool": the one that is left out, by the name that the model is told
	At     time.Time
}

// Refusal is a request that the server refused.
type Refusal struct {
	At     time.Time
	Status int    // HTTP status; 0: an error within a stream
	Reason string // as in model.Error
}

// NewNotes returns notes that tell learnt, which may be nil, of each adaptation, once.
func NewNotes(learnt func(Adaptation)) *Notes { return &Notes{learnt: learnt} }

// Learnt notes an adaptation.
func (n *Notes) Learnt(a Adaptation) {
	if n == nil {
		return
	}
	n.mu.Lock()
	if n.adaptations = append(n.adaptations, a); len(n.adaptations) > maxAdaptations {
		n.adaptations = append(n.adaptations[:0], n.adaptations[1:]...)
	}
	n.mu.Unlock()
	if n.learnt != nil {
		n.learnt(a)
	}
}

// Refused notes a refusal; of many, the newest stay.
func (n *Notes) Refused(r Refusal) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.refusals = append(n.refusals, r); len(n.refusals) > maxRefusals {
		n.refusals = append(n.refusals[:0], n.refusals[1:]...)
	}
}

// List returns copies of both, the newest last. n may be nil.
func (n *Notes) List() ([]Adaptation, []Refusal) {
	if n == nil {
		return nil, nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]Adaptation(nil), n.adaptations...), append([]Refusal(nil), n.refusals...)
}
