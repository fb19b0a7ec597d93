// Package adapt finds out what a model's server takes: it reads why a request was refused, says how
// the next one differs, and remembers that once the server has answered it.
//
//	Learned.Begin ──> Negotiation ── Set ──> the client writes the request
//	                       ^                      │ sent
//	                       │                      v
//	                    Refused <── 400, 404, 422 (500) ── the server ──> Accepted: remembered
//
// A client asks the Set for each field that a server may refuse whether, and how, it is sent.
package adapt

import (
	"encoding/json"

	"github.com/askgate/askgate/gateway/model/upstream"
)

// MaxRequests is how many requests are sent for one answer, the first included. Attempts that
// failed for other reasons than a refusal do not count.
const MaxRequests = 6

// Set says how requests differ from what the configuration asks for. It does not change; nil is
// the empty one.
type Set struct {
	changes map[string]change
	tools   map[string]bool
	forget  bool
}

// change is what becomes of one field.
type change struct {
	value json.RawMessage // sent in place of ours; nil: the field is left out
	fill  bool            // the field is sent, empty, where it is not known
}

// Without says that a field is left out.
func (s *Set) Without(field string) bool {
	if s == nil {
		return false
	}
	c, ok := s.changes[field]
	return ok && c.value == nil && !c.fill
}

// Value is what is sent in place of a field's own value; false: the own one.
func (s *Set) Value(field string) (json.RawMessage, bool) {
	if s == nil {
		return nil, false
	}
	c := s.changes[field]
	return c.value, c.value != nil
}

// Fills says that the server demands a field of provider state on the messages of which it is not
// known: it is sent empty there.
func (s *Set) Fills(field string) bool { return s != nil && s.changes[field].fill }

// LeavesOut says that a tool, by the name that the model is told, is not offered.
func (s *Set) LeavesOut(tool string) bool { return s != nil && s.tools[tool] }

// Forgets says that the state of all messages stays out of this request: the server refused it.
func (s *Set) Forgets() bool { return s != nil && s.forget }

// Learned is what was learnt of one server, for as long as its client lives. Safe for concurrent
// use.
type Learned struct {
	notes *upstream.Notes
}

// NewLearned returns a Learned that knows nothing yet. notes may be nil.
func NewLearned(notes *upstream.Notes) *Learned { return &Learned{notes: notes} }

// Sent describes a request to whoever reads its refusal.
type Sent struct {
	// Fields are those that this request has and that may be changed, by the names of the list in
	// this package's table. A name that is not there is never changed.
	Fields []string
	Tools  []string                   // names of the tools on the wire, in the order of the request
	Keep   string                     // of them, the one that is never left out: ask_user as it is called; "" for none
	Body   map[string]json.RawMessage // what the admin wrote: never changed
	// Said are what people, tools and the model have said in the request. Nothing that is quoted of
	// it decides.
	Said []string
}

// Negotiation is the requests for one answer. Not safe for concurrent use.
type Negotiation struct {
	learned *Learned
	set     *Set
}

// Begin begins with what was learnt.
func (l *Learned) Begin() *Negotiation { return &Negotiation{learned: l} }

// Set says how the next request is written.
func (n *Negotiation) Set() *Set { return n.set }

// Refused reads a refusal, and says whether the next request differs and is worth sending.
func (n *Negotiation) Refused(f *upstream.Failure, sent Sent) bool { return false }

// Accepted remembers what the last request differed in, but for the state that it left out.
func (n *Negotiation) Accepted() {}
