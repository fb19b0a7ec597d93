package openai_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/tools/arguments"
)

// sent is a call as the model made it.
type sent struct{ id, name, args string }

// server describes how a server cuts calls into fragments.
type server struct {
	index string // "own"; "zero"; "none"; "before": heads under the index of the previous call; "first": heads under 0; "next": tails under their own index
	order string // "calls": one after another; "heads": all heads first, then the tails; "mixed": heads first, tails in alternating pieces
	ids   string // "head"; "each"; "fresh": another with each fragment; "none"
	names string // "head"; "each"
	head  string // "whole"; "split": the id, then the name; "args": with the first piece of the arguments
	empty bool   // {} before the arguments
	tail  bool   // a fragment without arguments after each call
}

// plain reports whether nothing can be mistaken for anything else, so that all calls arrive.
func (s server) plain(calls []sent) bool {
	blank := slices.ContainsFunc(calls, func(c sent) bool { return c.args == "" })
	switch s.index {
	case "own":
		return s.ids != "none" && (s.ids != "fresh" || !s.empty)
	case "zero", "none":
		return s.order == "calls" && s.ids == "head" && s.head != "split" && !blank && !s.empty && !s.tail
	case "before", "first":
		return s.ids != "fresh" && s.head != "args" && !blank && !s.empty && !s.tail && (s.order == "calls" || s.ids == "head" && s.names == "head" && s.head == "whole")
	}
	return s.order == "calls" && s.ids == "head" && s.names == "head" && s.head == "whole" && !s.empty && !blank
}

// fragments returns those of the calls.
func (s server) fragments(r *rand.Rand, calls []sent) []string {
	var streams [][]string
	var all []string
	for i, c := range calls {
		h, t := s.indexes(i)
		pieces := cut(r, c.args)
		first := sent{id: c.id, name: c.name}
		if s.empty && s.index == "own" && c.args != "" {
			first.args = "{}"
		} else if s.head == "args" && len(pieces) > 0 {
			first.args, pieces = pieces[0], pieces[1:]
		}
		heads := []sent{first}
		if s.head == "split" && c.id != "" {
			heads = []sent{{id: c.id}, {name: c.name, args: first.args}}
		}
		if s.tail {
			pieces = append(pieces, "")
		}
		var tails []string
		for _, p := range pieces {
			f := sent{args: p}
			switch s.ids {
			case "each":
				f.id = c.id
			case "fresh":
				f.id = fmt.Sprintf("r%d", r.Uint32())
			}
			if s.names == "each" {
				f.name = c.name
			}
			tails = append(tails, s.write(t, f))
		}
		for _, f := range heads {
			all = append(all, s.write(h, f))
		}
		if s.order == "calls" {
			all = append(all, tails...)
		} else {
			streams = append(streams, tails)
		}
	}
	for len(streams) > 0 {
		i := 0
		if s.order == "mixed" {
			i = r.IntN(len(streams))
		}
		if len(streams[i]) == 0 {
			streams = slices.Delete(streams, i, i+1)
			continue
		}
		all, streams[i] = append(all, streams[i][0]), streams[i][1:]
	}
	return all
}

// indexes returns those of a call's head and of its tail.
func (s server) indexes(i int) (head, tail int) {
	switch s.index {
	case "zero":
		return 0, 0
	case "none":
		return -1, -1
	case "before":
		return max(0, i-1), i
	case "first":
		return 0, i
	case "next":
		return 2 * i, 2*i + 1
	}
	return i, i
}

func (s server) write(index int, f sent) string {
	function := map[string]any{"arguments": f.args}
	if f.name != "" {
		function["name"] = f.name
	}
	m := map[string]any{"function": function}
	if index >= 0 {
		m["index"] = index
	}
	if f.id != "" {
		m["id"] = f.id
	}
	raw, _ := json.Marshal(m) // of strings and numbers: cannot fail
	return string(raw)
}

// cut splits arguments into pieces that are not empty.
func cut(r *rand.Rand, args string) (pieces []string) {
	for args != "" {
		n := 1 + r.IntN(len(args))
		pieces, args = append(pieces, args[:n]), args[n:]
	}
	return pieces
}

func oneOf[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// maxQuirks is the number of quirks that a server has at once: none was reported with more.
const maxQuirks = 2

// quirks counts the ways in which a server differs from OpenAI's.
func (s server) quirks() (n int) {
	for _, quirk := range []bool{s.index != "own", s.order != "calls", s.ids != "head", s.names != "head", s.head != "whole", s.empty, s.tail} {
		if quirk {
			n++
		}
	}
	return n
}

// someServer returns a random server, and the calls that a model makes there.
func someServer(r *rand.Rand) (s server, _ []sent) {
	for again := true; again; again = s.quirks() > maxQuirks {
		s = server{
			index: oneOf(r, "own", "zero", "none", "before", "first", "next"), order: oneOf(r, "calls", "heads", "mixed"),
			ids: oneOf(r, "head", "each", "fresh", "none"), names: oneOf(r, "head", "each"), head: oneOf(r, "whole", "split", "args"),
			empty: r.IntN(8) == 0, tail: r.IntN(4) == 0,
		}
	}
	if s.ids == "fresh" { // as Poolside
		s.names = "head"
	}
	if s.ids == "none" { // {} before arguments comes from LiteLLM and Envoy, which send ids
		s.empty = false
	}
	if s.ids == "none" && s.index != "own" { // heads would be a name in pieces
		s.order = "calls"
	}
	if s.index == "next" || s.ids == "none" && (s.index == "before" || s.index == "first") { // a name repeated there is a call of its own
		s.names = "head"
	}
	calls := make([]sent, 1+r.IntN(4))
	for i := range calls {
		calls[i] = sent{name: oneOf(r, "f", "g", "h"), args: oneOf(r, "", "{}", `{"n":%d}`, `{"n":%d,"o":{"a":[1,{}]}}`, `{"n":%d}`, `{"s":"}{","n":%d}`)}
		if strings.Contains(calls[i].args, "%d") {
			calls[i].args = fmt.Sprintf(calls[i].args, i)
		}
		if s.ids != "none" {
			calls[i].id = fmt.Sprintf("c%d", i)
		}
	}
	return s, calls
}

// assembled checks the result that a client assembles from a server's fragments: each call that can
// run is one that the model made, unchanged.
func assembled(t *testing.T, seed uint64) (all bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	s, calls := someServer(r)
	list := s.fragments(r, calls)
	g := claims.Read(t, overBody(&claims.Body{Text: frags(list...) + data(end(`"tool_calls"`))}), claims.Ask)
	left := slices.Clone(calls)
	for _, got := range g.Calls {
		canonical, err := arguments.Canonical(got.Arguments)
		if err != nil || got.Name != "f" && got.Name != "g" && got.Name != "h" {
			continue // it does not run
		}
		at := slices.IndexFunc(left, func(c sent) bool {
			made, _ := arguments.Canonical(c.args)
			return c.name == got.Name && made == canonical && (s.ids == "fresh" || got.ID == "" || got.ID == c.id)
		})
		if at < 0 {
			t.Errorf("seed %d, %+v: %q runs, of %q\n%s", seed, s, got, calls, strings.Join(list, "\n"))
			return false
		}
		left = slices.Delete(left, at, at+1)
	}
	if len(left) > 0 && s.plain(calls) {
		t.Errorf("seed %d, %+v: %q do not run, of %q: %s\n%s", seed, s, left, calls, g, strings.Join(list, "\n"))
	}
	return len(left) == 0
}

// Whatever a server does to calls, every call that runs is one that the model made.
func TestPiecesOfTwoCallsAreNeverJoined(t *testing.T) {
	seed, all, n := rand.Uint64(), 0, 3000
	t.Log("seed", seed)
	for i := range n {
		if assembled(t, seed+uint64(i)) {
			all++
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("all calls arrive in %d of %d answers", all, n)
}

func FuzzCalls(f *testing.F) {
	for seed := range uint64(32) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { assembled(t, seed) })
}
