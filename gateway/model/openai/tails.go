package openai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/model/upstream"
)

// Some servers send the head of a call (its id and name) under the index of the call before, and
// its tail (its arguments) under another; some send all heads first.
//
// A tail belongs to the call of its index that may still take arguments, unless another call can be
// meant. Under an index that no call has, it belongs to the newest call if that one, and no other,
// has no arguments. Every other tail is lost until the answer ends. If the indexes of the lost tails
// are then the places of their calls, they are found. If not, all calls that a lost tail may belong
// to are refused: none runs with the arguments of another, and none without those that it had.

// wholeCheck bounds the arguments, in bytes, that are tested for being complete JSON at a fragment:
// testing at each of thousands of fragments takes quadratic time.
const wholeCheck = 64 << 10

// said is what a fragment says.
type said struct {
	index          int
	id, name, args string
}

// tail is arguments whose call is not known yet.
type tail struct {
	upstream.Call
	index int
}

// half is what may be the head of another call, and may mean nothing: a new id alone (some servers
// send one with each fragment), or the name of the call before (some servers repeat it). It is a
// head if its other half follows, or arguments that are not those of the call before.
type half struct {
	id, name string
	index    int
	closed   bool // the arguments of the call before are whole
}

// repeats says that a fragment may be nothing but the name of a call, or its last piece, once more.
func (p said) repeats(t *call) bool {
	return p.id == "" && p.name != "" && strings.HasSuffix(t.Name, p.name)
}

func (h *half) pending() bool { return h.id != "" || h.name != "" }

// open says that a call has no arguments yet.
func (t *call) open() bool { return len(t.Arguments) == 0 }

// ended says that the arguments of a call are whole, as far as that is tested.
func (t *call) ended() bool { return len(t.Arguments) < wholeCheck && json.Valid(t.Arguments) }

// opens says that arguments begin an object.
func opens(args string) bool { return firstByte(args) == '{' }

// begin adds a call. The call that had the index takes nothing more if its arguments are whole.
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

// heads takes in what a fragment that names t says of the head of a call. It returns the head that it
// makes together with a half before it, and whether a call begins.
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

// tail returns the call that arguments belong to which name none by its id; nil where they are lost.
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
	behind := open == 0 // else from the first on that has none
	c.claim(func(t *call) bool {
		behind = behind || t.open()
		return behind && (open > 0 || t == last)
	})
	return nil, nil
}

// mayTake says whether arguments may be more of a call's, by their index and their name.
func (t *call) mayTake(p said) bool {
	return t.index == p.index && !t.settled && (p.name == "" || t.Name == "" || t.open() || p.name == t.Name)
}

// claim notes the calls that a lost tail may belong to.
func (c *calls) claim(may func(*call) bool) {
	for _, t := range c.list {
		t.claimed = may(t) || t.claimed
	}
}

// lose keeps a tail.
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

// find gives the lost tails to their calls, if the index of each tail of the answer is the place of
// a call, and the calls that a lost tail may belong to have one each.
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
