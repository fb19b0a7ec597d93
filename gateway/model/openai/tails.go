package openai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/model/upstream"
)

// Some servers send the head of a call (its id and name) with the index of the previous call, and its
// tail (its arguments) with another index. Some send all heads first.
//
// A tail belongs to the call with its index that may still get arguments, unless another call could be
// meant. If no call has its index, it belongs to the newest call, if only that one has no arguments. Any
// other tail is lost until the answer ends. If the indexes of the lost tails are then the positions of
// their calls, they are assigned. If not, all calls that a lost tail may belong to are refused, so that
// no call runs with the arguments of another, or without its own.

// wholeCheck is the most bytes of arguments that are checked for complete JSON at a fragment, because
// checking at each of thousands of fragments takes quadratic time.
const wholeCheck = 64 << 10

// said is the content of a fragment.
type said struct {
	index          int
	id, name, args string
}

// tail is arguments whose call is not known yet.
type tail struct {
	upstream.Call
	index int
}

// half is a possible head of another call: only a new id (some servers send one with each fragment), or
// the name of the previous call (some servers repeat it). It is a head if its other half follows, or
// arguments that cannot belong to the previous call.
type half struct {
	id, name string
	index    int
	closed   bool // the arguments of the previous call are whole
}

// repeats reports whether a fragment may only repeat the name of a call, or the name's last piece.
func (p said) repeats(t *call) bool {
	return p.id == "" && p.name != "" && strings.HasSuffix(t.Name, p.name)
}

func (h *half) pending() bool { return h.id != "" || h.name != "" }

// open reports whether a call has no arguments yet.
func (t *call) open() bool { return len(t.Arguments) == 0 }

// ended reports whether the arguments of a call are whole. It is false for arguments above wholeCheck.
func (t *call) ended() bool { return len(t.Arguments) < wholeCheck && json.Valid(t.Arguments) }

// opens reports whether arguments begin an object.
func opens(args string) bool { return firstByte(args) == '{' }

// begin adds a call. An earlier call with the index gets no more arguments if its own are whole.
func (c *calls) begin(index int) (*call, error) {
	if len(c.list) >= upstream.MaxCalls {
		return nil, upstream.ErrTooManyCalls
	}
	t := &call{index: index}
	for _, before := range slices.Backward(c.list) {
		if before.index == index {
			t.shared, before.settled = true, before.settled || json.Valid(before.Arguments)
			break
		}
	}
	c.list, c.half = append(c.list, t), half{}
	return t, nil
}

// heads reads the head of a call in a fragment that names t. It returns the head, together with an
// earlier half, and whether a call begins.
func (c *calls) heads(t *call, begins bool, p said) (head said, _ bool) {
	h := c.half
	both := said{id: cmp.Or(p.id, h.id), name: cmp.Or(p.name, h.name)}
	switch {
	case begins:
		if p.index != h.index {
			both.name = p.name
		}
		return both, true
	case p.id == "" && p.name == "" || t == nil || p.id != "" && p.id == t.ID:
	case p.args != "":
		if h.id != "" && p.id == h.id && p.name == "" && (p.index != h.index || h.closed && opens(p.args)) {
			c.claim(func(t *call) bool { return p.index != h.index && t.open() })
			return both, true
		}
	case h.id != "" && p.id == "", h.name != "" && h.id == "" && p.name == "":
		return both, true
	case p.id != "" && t.ID != "" && p.name == "", p.repeats(t):
		if closed := t.ended(); closed || p.id != "" && t.open() {
			c.half = half{p.id, p.name, p.index, closed}
		}
	}
	return said{}, false
}

// tail returns the call of arguments that do not have its id, or nil if they are lost.
func (c *calls) tail(p said) (*call, error) {
	var owner, bare *call
	owners, bares, open, rivals := 0, 0, 0, 0
	seen, lost := false, slices.ContainsFunc(c.lost, func(l *tail) bool { return l.index == p.index })
	for _, t := range c.list {
		seen = seen || t.index == p.index
		takes := t.mayTake(p)
		if takes {
			owner = t
			owners++
		}
		if t.open() {
			open++
			if p.name == "" || p.name == t.Name {
				bare = t
				bares++
			}
		}
		if t.shared && !takes && !t.settled && !lost {
			if t.settled = t.ended(); !t.settled {
				rivals++
			}
		}
	}
	last := c.list[len(c.list)-1]
	switch h := c.half; {
	case h.pending() && opens(p.args) && (p.index == h.index && h.closed || !seen):
		c.claim((*call).open)
		t, err := c.begin(p.index)
		if err == nil {
			t.ID, t.Name, t.claimed = upstream.CutName(h.id), upstream.CutName(h.name), open > 0
		}
		return t, err
	case lost:
	case owners == 1 && rivals == 0:
		return owner, nil
	case seen && owners == 0 && open == 0 && p.name == "":
		return c.target(p, true), nil
	case !seen && p.id == "" && bares == 1 && (p.name != "" && (bare.shared || c.identified()) || p.name == "" && bare == last):
		bare.index, bare.shared = p.index, false
		return bare, nil
	}
	if seen {
		c.claim(func(t *call) bool {
			return t.open() || t.mayTake(p) || !t.settled && (t.shared || p.name != "" && p.name == t.Name)
		})
		return nil, nil
	}
	behind := open == 0 // otherwise from the first call without arguments on
	c.claim(func(t *call) bool {
		behind = behind || t.open()
		return behind && (open > 0 || t == last)
	})
	return nil, nil
}

// mayTake reports whether arguments may continue those of a call, by their index and their name.
func (t *call) mayTake(p said) bool {
	return t.index == p.index && !t.settled && (p.name == "" || t.Name == "" || t.open() || p.name == t.Name)
}

// claim marks the calls that a lost tail may belong to.
func (c *calls) claim(may func(*call) bool) {
	for _, t := range c.list {
		t.claimed = may(t) || t.claimed
	}
}

// lose keeps a lost tail.
func (c *calls) lose(p said) error {
	at := slices.IndexFunc(c.lost, func(l *tail) bool { return l.index == p.index })
	if at < 0 {
		if len(c.lost) >= upstream.MaxCalls {
			return upstream.ErrTooManyCalls
		}
		at, c.lost = len(c.lost), append(c.lost, &tail{index: p.index})
	}
	c.lost[at].Add(p.args, &c.size)
	return nil
}

// find assigns the lost tails to their calls, if the index of each tail in the answer is the position of
// a call, and each call that a lost tail may belong to has exactly one.
func (c *calls) find() {
	found := 0
	for place, t := range c.list {
		switch {
		case t.claimed && t.open() && slices.ContainsFunc(c.lost, func(l *tail) bool { return l.index == place }):
			found++
		case t.claimed, !t.open() && t.index != place:
			return
		}
	}
	if found != len(c.lost) {
		return
	}
	for _, l := range c.lost {
		t := c.list[l.index]
		l.ID, l.Name = t.ID, t.Name
		t.Call, t.index, t.claimed = l.Call, l.index, false
	}
}
