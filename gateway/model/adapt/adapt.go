// Package adapt finds out what a model's server takes: it reads why a request was refused, says how
// the next one differs, and remembers that once the server has answered it.
//
//	Learned.Begin ──> Negotiation ── Set ──> the client writes the request
//	                       ^                      │ sent
//	                       │                      v
//	                    Refused <── 400, 404, 422 (500) ── the server ──> Accepted: remembered
//
// A client asks the Set for each field that a server may refuse whether, and how, it is sent.
//
//	fields.go:   the fields that may change, and how servers call them
//	refusal.go:  what a refusal is about, in the order of trust: param, code and loc, text
//	values.go:   what is sent in place of a value that was refused
//
// Nothing that people, tools or the model said decides: it is taken out of the server's text first.
package adapt

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

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
	out   bool            // the field is left out, or takes its other form
	value json.RawMessage // sent in place of ours
	fill  bool            // the field is sent, empty, where it is not known
}

// Without says that a field is left out. max_tokens at Chat Completions takes its other name
// instead, and api the other API.
func (s *Set) Without(field string) bool { return s != nil && s.changes[field].out }

// Value is what is sent in place of a field's own value; false: its own value is sent.
func (s *Set) Value(field string) (json.RawMessage, bool) {
	if s == nil {
		return nil, false
	}
	c := s.changes[field]
	return c.value, c.value != nil
}

// Fills says that the server demands a field of provider state, which is sent empty on messages
// whose own value is not known.
func (s *Set) Fills(field string) bool { return s != nil && s.changes[field].fill }

// LeavesOut says that a tool, by the name that the model is told, is not offered.
func (s *Set) LeavesOut(tool string) bool { return s != nil && s.tools[tool] }

// Forgets says that the state of all messages stays out of this request: the server refused it.
func (s *Set) Forgets() bool { return s != nil && s.forget }

// clone is a copy to change; s may be nil.
func (s *Set) clone() *Set {
	if s == nil {
		return &Set{changes: map[string]change{}, tools: map[string]bool{}}
	}
	return &Set{changes: maps.Clone(s.changes), tools: maps.Clone(s.tools), forget: s.forget}
}

// Learned is what was learnt of one server, for as long as its client lives. Safe for concurrent
// use.
type Learned struct {
	notes *upstream.Notes

	mu   sync.Mutex
	set  *Set
	told map[string]bool // tools without a portable form that operators were told of
}

// NewLearned returns a Learned that knows nothing yet. notes may be nil.
func NewLearned(notes *upstream.Notes) *Learned { return &Learned{notes: notes} }

// Sent describes a request to the one that reads its refusal.
type Sent struct {
	// Fields are those that this request has and that may be changed, by the names of this package's
	// table. A name that is not there is never changed, with two exceptions: state that the server
	// demands, and an effort of none that it offers.
	Fields []string
	Tools  []string                   // names of the tools on the wire, in the order of the request
	Keep   string                     // of them, the one that is never left out: ask_user as it is called; "" for none
	Body   map[string]json.RawMessage // what the admin wrote: never changed
	Effort string                     // that was asked for, in the configuration's words; "" where the refusal alone says it
	// Said are what people, tools and the model have said in the request, see upstream.SaidIn.
	// Nothing that is quoted of it decides.
	Said []string
}

// Negotiation holds the requests for one answer. Not safe for concurrent use.
type Negotiation struct {
	learned *Learned
	set     *Set
	sent    int // requests that were refused
	// fixes are those of this negotiation: each is tried once, and remembered if it helped.
	fixes []fix
}

// Begin begins with what was learnt.
func (l *Learned) Begin() *Negotiation {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &Negotiation{learned: l, set: l.set}
}

// Sent is how many requests for this answer were refused.
func (n *Negotiation) Sent() int { return n.sent }

// Set says how the next request is written.
func (n *Negotiation) Set() *Set { return n.set }

// Refused reads a refusal, and says whether the next request differs and is worth sending. Where
// what is refused is the admin's, or a tool that is never left out, it says so in the error.
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

// tried says whether a fix was tried already, with whatever value. An effort of none is a fix of its
// own: a model may refuse the value that was asked for, and then any effort beside tools.
func (n *Negotiation) tried(m fix) bool {
	off := func(m fix) bool { return m.field == effort && string(m.value) == `"none"` }
	return slices.ContainsFunc(n.fixes, func(o fix) bool {
		return o.kind == m.kind && o.field == m.field && o.tool == m.tool && (off(o) || !off(m))
	})
}

// Accepted remembers what the last request differed in, but for the state that it left out. Further
// calls do nothing.
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
	leaveOut  kind = iota // a field, or its name for another
	replace               // a field's value
	fillIn                // state that the server demands
	leaveTool             // one tool
	forget                // all state
)

// fix is one change of a request.
type fix struct {
	kind  kind
	field string
	tool  string
	value json.RawMessage
}

// apply is a set with the fix; s may be nil.
func (m fix) apply(s *Set) *Set {
	s = s.clone()
	switch c := s.changes[m.field]; m.kind {
	case leaveOut:
		c.out, c.fill = true, false
		switch m.field {
		case api:
			c.value = json.RawMessage(`"responses"`)
		case thinking:
			c.value = nil // of the kind that was tried before
		}
		s.changes[m.field] = c
	case replace:
		if c.value = m.value; m.field != maxTokens { // its other name stays
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

// known says whether a set has the fix already.
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

// detail says to operators what is done.
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
		return m.field + " is sent empty where it is not known"
	}
	return m.field + " is left out"
}
