package upstream

import (
	"sync"
	"time"
)

// How many of a server's newest refusals and adaptations are kept. A server normally has fewer
// adaptations, unless its behavior keeps changing.
const maxRefusals, maxAdaptations = 20, 100

// Notes records refusals and adaptations of one model's server for operators, since the start of the
// process or the last change of the model's configuration. It is safe for concurrent use.
type Notes struct {
	learnt func(Adaptation) // nil: not called

	mu          sync.Mutex
	adaptations []Adaptation
	refusals    []Refusal
}

// Adaptation is a difference between requests and the configuration, because the server refused
// what is configured.
type Adaptation struct {
	What   string // from a fixed list: a field's name, "api" or "tool"
	Detail string // what is done: for operators, without secrets and user text
	Tool   string // if What is "tool": the name that the model knows of the tool that is left out
	At     time.Time
}

// Refusal is a request that the server refused.
type Refusal struct {
	At     time.Time
	Status int    // HTTP status; 0: an error within a stream
	Reason string // as in model.Error
}

// NewNotes returns empty notes. learnt, which may be nil, is called once for each adaptation.
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

// Refused notes a refusal. Only the newest ones are kept.
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

// List returns copies of adaptations and refusals, the newest last. n may be nil.
func (n *Notes) List() ([]Adaptation, []Refusal) {
	if n == nil {
		return nil, nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]Adaptation(nil), n.adaptations...), append([]Refusal(nil), n.refusals...)
}
