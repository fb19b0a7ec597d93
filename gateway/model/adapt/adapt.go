// Package adapt finds out what a model's server accepts. It reads the reason why a request was
// refused, changes the next request, and remembers the change if the server answers it.
//
//	Learned.Begin ──> Negotiation ── Set ──> the client writes the request
//	                       ^                      │ sent
//	                       │                      v
//	                    Refused <── 400, 404, 422 (500) ── the server ──> Accepted: remembered
//
// For each field that a server may refuse, a client asks the Set whether and how to send it.
//
//	fields.go:   the fields that may change, and servers' names for them
//	refusal.go:  what a refusal is about; it trusts param first, then code and loc, then the text
//	values.go:   values to send in place of refused ones
//
// What people, tools or the model said has no influence: it is removed from the server's text first.
package adapt

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/model/upstream"
)

// MaxRequests is how many requests are sent for one answer, including the first. Attempts that fail
// for reasons other than a refusal do not count.
const MaxRequests = 6

// Set describes how requests differ from the configuration. It is immutable; nil is an empty Set.
type Set struct {
	changes map[string]change
	tools   map[string]bool
	forget  bool
}

// A change says how one field is sent differently from the configuration.
type change struct {
	out   bool            // the field is left out, or sent in its other form
	value json.RawMessage // sent in place of ours
	fill  bool            // the field is sent empty if its value is not known
}

// Without reports whether a field is left out. For max_tokens at Chat Completions, it means that the
// field is sent under its other name, and for api, that the other API is used.
func (s *Set) Without(field string) bool { return s != nil && s.changes[field].out }

// Value returns the value to send in place of a field's own value, or false to send its own.
func (s *Set) Value(field string) (json.RawMessage, bool) {
	if s == nil {
		return nil, false
	}
	c := s.changes[field]
	return c.value, c.value != nil
}

// Fills reports whether the server demands a field of provider state. It is sent empty in messages
// whose own value is not known.
func (s *Set) Fills(field string) bool { return s != nil && s.changes[field].fill }

// LeavesOut reports whether a tool, by its name on the wire, is not offered.
func (s *Set) LeavesOut(tool string) bool { return s != nil && s.tools[tool] }

// Forgets reports whether the state of all messages stays out of this request, because the server
// refused it.
func (s *Set) Forgets() bool { return s != nil && s.forget }

// clone returns a copy to change. s may be nil.
func (s *Set) clone() *Set {
	if s == nil {
		return &Set{changes: map[string]change{}, tools: map[string]bool{}}
	}
	return &Set{changes: maps.Clone(s.changes), tools: maps.Clone(s.tools), forget: s.forget}
}

// Learned holds what was learnt about one server, for the lifetime of its client. It is safe for
// concurrent use.
type Learned struct {
	notes *upstream.Notes

	mu   sync.Mutex
	set  *Set
	told map[string]bool // tools without a portable form that have been reported
}

// NewLearned returns a Learned that knows nothing yet. notes may be nil.
func NewLearned(notes *upstream.Notes) *Learned { return &Learned{notes: notes} }

// Sent describes a request, for reading its refusal.
type Sent struct {
	// Fields has the fields of this request that may be changed, by their names in this package's
	// table. Other fields are never changed, with two exceptions: state that the server demands, and
	// an effort of none that it offers.
	Fields []string
	Tools  []string                   // names of the tools on the wire, in the order of the request
	Keep   string                     // the one of them that is never left out: ask_user, by its name on the wire; "" for none
	Body   map[string]json.RawMessage // the admin's fields, which are never changed
	Effort string                     // the requested effort, in the configuration's words; "" if only the refusal has it
	// Said is what people, tools and the model have said in the request, see upstream.SaidIn.
	// Quotations of it are ignored.
	Said []string
}

// Negotiation holds the requests for one answer. It is not safe for concurrent use.
type Negotiation struct {
	learned *Learned
	set     *Set
	sent    int // requests that were refused
	// fixes has the fixes of this negotiation. Each is tried once, and remembered if it helps.
	fixes []fix
}

// Begin begins a negotiation with what has been learnt.
func (l *Learned) Begin() *Negotiation {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &Negotiation{learned: l, set: l.set}
}

// Sent returns how many requests for this answer were refused.
func (n *Negotiation) Sent() int { return n.sent }

// Set returns how to write the next request.
func (n *Negotiation) Set() *Set { return n.set }

// Refused reads a refusal, and reports whether a changed request should be sent. If the server refuses
// one of the admin's fields, or a tool that is never left out, it adds that to the error.
func (n *Negotiation) Refused(f *upstream.Failure, sent Sent) bool {
	r := read(f, sent)
	if r == nil {
		return false
	}
	if n.sent++; n.sent >= MaxRequests {
		return false
	}
	m, found := r.fix(n.tried)
	if !found || n.tried(m) {
		return false
	}
	n.set = m.apply(n.set)
	n.fixes = append(n.fixes, m)
	return true
}

// tried reports whether a fix has been tried already, with any value. An effort of none is a fix of
// its own: a model may refuse the requested value, and then any effort together with tools.
func (n *Negotiation) tried(m fix) bool {
	off := func(m fix) bool { return m.field == effort && string(m.value) == `"none"` }
	return slices.ContainsFunc(n.fixes, func(o fix) bool {
		return o.kind == m.kind && o.field == m.field && o.tool == m.tool && (off(o) || !off(m))
	})
}

// Accepted remembers the changes of the last request, except that it left out state. Further calls do
// nothing.
func (n *Negotiation) Accepted() {
	if len(n.fixes) == 0 {
		return
	}
	l := n.learned
	l.mu.Lock()
	var learnt []fix
	for _, m := range n.fixes {
		if m.kind == forget || m.known(l.set) {
			continue
		}
		l.set = m.apply(l.set)
		learnt = append(learnt, m)
	}
	l.mu.Unlock()
	n.fixes = nil
	for _, m := range learnt {
		l.notes.Learnt(upstream.Adaptation{What: m.what(), Detail: m.detail(), Tool: m.tool, At: time.Now()})
	}
}

// kind is a way in which a request changes.
type kind int

const (
	leaveOut  kind = iota // leaves out a field, or changes its name
	replace               // replaces a field's value
	fillIn                // adds state that the server demands
	leaveTool             // leaves out one tool
	forget                // leaves out all state
)

// fix is one change of a request.
type fix struct {
	kind  kind
	field string
	tool  string
	value json.RawMessage
}

// apply returns a set with the fix added. s may be nil.
func (m fix) apply(s *Set) *Set {
	s = s.clone()
	switch c := s.changes[m.field]; m.kind {
	case leaveOut:
		c.out, c.fill = true, false
		switch m.field {
		case api:
			c.value = json.RawMessage(`"responses"`)
		case thinking:
			c.value = nil // drops the kind that was tried before
		}
		s.changes[m.field] = c
	case replace:
		if c.value = m.value; m.field != maxTokens { // which keeps its other name
			c.out = false
		}
		s.changes[m.field] = c
	case fillIn:
		c.fill, c.out = true, false
		s.changes[m.field] = c
	case leaveTool:
		s.tools[m.tool] = true
	case forget:
		s.forget = true
	}
	return s
}

// known reports whether a set has the fix already.
func (m fix) known(s *Set) bool {
	switch m.kind {
	case leaveOut:
		return s.Without(m.field)
	case replace:
		v, is := s.Value(m.field)
		return is && string(v) == string(m.value)
	case fillIn:
		return s.Fills(m.field)
	case leaveTool:
		return s.LeavesOut(m.tool)
	}
	return false
}

func (m fix) what() string {
	if m.kind == leaveTool {
		return tool
	}
	return m.field
}

// detail describes the fix to operators.
func (m fix) detail() string {
	switch {
	case m.kind == leaveTool:
		return "the tool " + m.tool + " is left out"
	case m.field == api:
		return "requests go to /responses instead of /chat/completions"
	case m.field == maxTokens && m.kind == leaveOut:
		return "the limit of the answer is sent under its other name"
	case m.kind == replace:
		return m.field + " is sent as " + string(m.value)
	case m.kind == fillIn:
		return m.field + " is sent empty if it is not known"
	}
	return m.field + " is left out"
}
