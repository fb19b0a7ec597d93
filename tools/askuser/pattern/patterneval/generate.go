package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A composer composes patterns from loops, counts, classes, optional separators, lookarounds and back-references, with
// texts that almost match them, from which attacks start.
type composer struct {
	*rand.Rand
}

// part is a part of a composed pattern. write writes a text that it matches, and records the position of the target
// loop.
type part struct {
	source string
	write  func(w *writer)
	loop   bool
}

type writer struct {
	strings.Builder
	rand   *rand.Rand
	target int // the loop to pump, by the order in which loops occur
	met    int
	attack attack
	hit    bool
}

type attack struct{ Prefix, Pump, Suffix string }

// class is a character class with some of its members.
type class struct{ source, members string }

var (
	wide   = []class{{`\w`, "ab0_Z"}, {`\S`, "a,0!"}, {`.`, "a 0,"}, {`[^,]`, "a0 "}, {`[^\n]`, "a ,"}, {`[^/]`, "a0-"}, {`[^\s@]`, "a0."}, {`[^"]`, "a "}, {`\D`, "a, "}, {`\p{L}`, "aéж"}, {`[\p{L}\p{N}]`, "a0ж"}, {`[A-Za-z0-9+/=]`, "a0/"}, {`[\w.-]`, "a0.-"}, {`[a-zA-Z ]`, "a Z"}}
	narrow = []class{{`\d`, "07"}, {`[a-z]`, "abx"}, {`[A-Z]`, "AZ"}, {`[0-9a-f]`, "0af"}, {`[ACGT]`, "ACGT"}, {`[ab]`, "ab"}, {`a`, "a"}, {`x`, "x"}, {`[A-Z0-9]`, "A0"}, {`[01]`, "01"}, {`\p{Lu}`, "AÉ"}}
	marks  = []class{{`,`, ","}, {`-`, "-"}, {`\.`, "."}, {` `, " "}, {`\s`, " \t"}, {`/`, "/"}, {`:`, ":"}, {`@`, "@"}, {`[,;]`, ",;"}, {`[ -]`, " -"}, {`\W`, " ,"}, {`\n`, "\n"}, {`_`, "_"}, {`\D`, "- "}}
)

func (c *composer) pick(lists ...[]class) part {
	list := lists[c.IntN(len(lists))]
	k := list[c.IntN(len(list))]
	members := []rune(k.members)
	return part{source: k.source, write: func(w *writer) { w.WriteRune(members[w.rand.IntN(len(members))]) }}
}

// times repeats a part lo to hi times, without a limit if hi < 0.
func (c *composer) times(p part, lo, hi int) part {
	var q string
	switch {
	case lo == 0 && hi < 0:
		q = "*"
	case lo == 1 && hi < 0:
		q = "+"
	case lo == 0 && hi == 1:
		q = "?"
	case hi < 0:
		q = fmt.Sprintf("{%d,}", lo)
	case lo == hi:
		q = fmt.Sprintf("{%d}", lo)
	default:
		q = fmt.Sprintf("{%d,%d}", lo, hi)
	}
	source := p.source
	if p.loop || len([]rune(source)) > 1 && !atomic(source) {
		source = "(?:" + source + ")"
	}
	if c.IntN(20) == 0 {
		q += "?"
	}
	return part{source: source + q, loop: true, write: func(w *writer) {
		if w.Len() > 600 {
			return
		}
		n := lo + w.rand.IntN(3)
		if hi >= 0 {
			n = min(n, hi)
		}
		if hi == 1 || w.hit { // nothing to pump, or already pumped
			for range n {
				p.write(w)
			}
			return
		}
		if w.met++; w.met-1 != w.target {
			for range n {
				p.write(w)
			}
			return
		}
		w.hit = true
		w.attack.Prefix = w.String()
		own := &writer{rand: w.rand, hit: true}
		for range 1 + w.rand.IntN(2) {
			p.write(own)
		}
		w.attack.Pump = own.String()
		w.Reset()
		if hi >= 0 && w.rand.IntN(2) == 0 { // one iteration too many
			var one *writer
			for one == nil || one.Len() > 8 && w.rand.IntN(3) > 0 {
				one = &writer{rand: w.rand, hit: true}
				p.write(one)
			}
			w.WriteString(strings.Repeat(one.String(), min(hi+1, 600/max(1, one.Len())+1)))
		}
	}}
}

// atomic reports whether source is one class or one group.
func atomic(source string) bool {
	switch {
	case strings.HasPrefix(source, `\p`):
		return strings.Count(source, `\`) == 1 && strings.HasSuffix(source, "}")
	case source[0] == '\\':
		return len(source) == 2
	case source[0] == '[':
		return strings.Count(source, "[") == 1 && strings.HasSuffix(source, "]")
	}
	return false
}

func join(parts ...part) part {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.source)
	}
	return part{source: b.String(), write: func(w *writer) {
		for _, p := range parts {
			p.write(w)
		}
	}}
}

func (c *composer) either(parts ...part) part {
	sources := make([]string, len(parts))
	for i, p := range parts {
		sources[i] = p.source
	}
	return part{source: "(?:" + strings.Join(sources, "|") + ")", write: func(w *writer) { parts[w.rand.IntN(len(parts))].write(w) }}
}

// count returns the bounds of a count as people and models write them.
func (c *composer) count() (lo, hi int) {
	switch c.IntN(12) {
	case 0, 1, 2:
		return 1, -1
	case 3, 4:
		return 0, -1
	case 5:
		return 0, 1
	case 6:
		n := 2 + c.IntN(4)
		return n, n
	case 7:
		return c.IntN(4), -1
	case 8, 9:
		return c.IntN(2), 2 + c.IntN(30)
	case 10:
		lo = 1 + c.IntN(10)
		return lo, lo + 1 + c.IntN(50)
	}
	lo = 20 + c.IntN(130)
	return lo, lo + c.IntN(60)*c.IntN(2)
}

// simple is one class, mostly repeated.
func (c *composer) simple() part {
	p := c.pick(wide, narrow)
	if c.IntN(4) == 0 {
		return p
	}
	lo, hi := c.count()
	return c.times(p, lo, hi)
}

// separator is the part between items, often optional.
func (c *composer) separator() part {
	p := c.pick(marks)
	switch c.IntN(5) {
	case 0:
		return p
	case 1, 2:
		return c.times(p, 0, 1)
	case 3:
		return c.times(p, 0, -1)
	}
	return c.times(p, 1, -1)
}

func (c *composer) look() part {
	body := join(c.times(c.pick(wide), 0, -1), c.pick(narrow, marks))
	if c.IntN(3) == 0 {
		body = c.simple()
	}
	kind := [...]string{"(?=", "(?=", "(?!", "(?<=", "(?<!"}[c.IntN(5)]
	return part{source: kind + body.source + ")", write: func(w *writer) {
		if kind == "(?=" && w.rand.IntN(2) == 0 {
			body.write(w)
		}
	}}
}

// term is one part of a sequence.
func (c *composer) term(depth int) part {
	switch n := c.IntN(16); {
	case depth <= 0 || n < 5:
		return c.simple()
	case n < 7:
		return c.pick(marks, narrow)
	case n < 8:
		return c.look()
	case n < 12: // a list
		lo, hi := c.count()
		return c.times(join(c.term(depth-1), c.separator()), lo, hi)
	case n < 13:
		lo, hi := c.count()
		return c.times(join(c.separator(), c.term(depth-1)), lo, hi)
	case n < 15:
		p := c.either(c.term(depth-1), c.term(depth-1))
		if c.IntN(2) == 0 {
			return p
		}
		lo, hi := c.count()
		return c.times(p, lo, hi)
	}
	return join(c.term(depth-1), c.term(depth-1))
}

// pattern composes a pattern and some attacks on it.
func (c *composer) pattern() (source string, attacks []attack) {
	var root part
	for {
		var parts []part
		for range 1 + c.IntN(3) {
			parts = append(parts, c.term(1+c.IntN(2)))
		}
		if c.IntN(25) == 0 {
			p := c.simple()
			parts = append([]part{{source: "(" + p.source + ")", write: p.write}}, append(parts, part{source: `\1`, write: p.write})...)
		}
		if root = join(parts...); len(root.source) <= 200 && strings.ContainsAny(root.source, "*+{?") {
			break
		}
	}
	for target := range 8 {
		for range 4 {
			w := &writer{rand: c.Rand, target: target}
			root.write(w)
			if !w.hit || w.attack.Pump == "" {
				continue
			}
			rest := w.String()
			for _, suffix := range []string{"", "!", "\n", rest, rest + "!", rest + w.attack.Pump + "\u0000"} {
				a := w.attack
				a.Suffix = suffix
				attacks = append(attacks, a)
			}
		}
	}
	return root.source, attacks
}
