package secret

import (
	"slices"
	"strings"
)

// signs are what speaks for and against a text's asking for a secret, by their names in
// weights.txt.
type signs []string

func (s *signs) add(name string) {
	if !s.has(name) {
		*s = append(*s, name)
	}
}

func (s signs) has(name string) bool { return slices.Contains(s, name) }

// orders says that there is a question word or a verb of handing over.
func (s signs) orders() bool {
	return slices.ContainsFunc(s, func(name string) bool {
		return strings.HasPrefix(name, "ask.") || strings.HasPrefix(name, "wh.") || name == "after.ask"
	})
}

// classes adds a sign for each class of a word.
func (s *signs) classes(where string, c class) {
	for i, name := range classNames {
		if c&(1<<i) != 0 {
			s.add(where + "." + name)
		}
	}
	if c&other != 0 {
		s.add(where + ".other")
	}
}

// some adds how many there are, up to three.
func (s *signs) some(what string, n int) { s.add(what + "." + string(rune('0'+min(n, 3)))) }

func (s signs) score(l *lexicon) (sum float64) {
	for _, name := range s {
		sum += l.weights[name]
	}
	return sum
}

// quiet are words between a question or an order and its object.
const quiet = def | indef | your | num | glue | please | is | me | here | part | and

// around are the bounds of the sentence, or of what is as far as a gap of that size.
func (t *text) around(from, to int, size gap) (begin, end int) {
	for begin = from; begin > 0 && t.words[begin].gap < size; begin-- {
	}
	for end = to; end < len(t.words) && t.words[end].gap < size; end++ {
	}
	return begin, end
}

// signs are those of one mention.
func (t *text) signs(m mention, field string) signs {
	s := signs{"bias", "field." + field, "kind." + string(m.kind)}
	s.some("far", m.far)
	begin, end := t.around(m.from, m.to, sentence)
	from, to := t.around(m.from, m.to, colon)
	clause, _ := t.around(m.from, m.to, comma)
	s.classes("first", t.words[begin].class)
	if from > begin {
		s.classes("first", t.words[from].class)
	}
	if end == len(t.words) && t.asks || end < len(t.words) && t.words[end].gap == asked {
		s.add("mark")
	}
	strange, order, wanted := 0, -1, -1
	for i := begin; i < m.from; i++ {
		c := t.words[i].class
		if i < from {
			s.classes("else", c)
			continue
		}
		if i >= clause {
			s.classes("clause", c)
		} else {
			s.classes("early", c)
		}
		if c == other {
			strange++
		}
		if c&(ask|need) != 0 {
			order = i
		}
		if c&wh != 0 {
			wanted = i
		}
	}
	s.some("strange", strange)
	between := func(what string, at int) {
		if at < 0 {
			return
		}
		n, strange, whole := 0, false, true // no more than an adjective or two: its object
		for i := at + 1; i < m.from; i++ {
			c := t.words[i].class
			whole = whole && (c == other || c&quiet != 0) && !(strange && c&(def|your|indef) != 0)
			strange = strange || c == other
			if c&quiet == 0 {
				s.classes(what+".then", c)
				if c&(of|modal|use) == 0 {
					n++
				}
			}
		}
		s.some(what, n)
		if whole {
			s.add(what + ".it")
		}
	}
	between("ask", order)
	between("wh", wanted)
	if m.from > begin {
		s.classes("det", t.words[m.from-1].class)
	}
	gov := m.from - 1
	for gov >= from && t.words[gov].class&(def|indef|your|num|glue|please) != 0 && t.words[gov].class&(of|ask|wh) == 0 {
		gov--
	}
	if gov < from {
		s.add("gov.none")
	} else {
		s.classes("gov", t.words[gov].class)
		if t.words[gov].class&of != 0 && gov > from {
			s.classes("head", t.words[gov-1].class)
		}
	}
	if m.to == end || t.words[m.to].gap >= comma {
		s.add("next.none")
	} else {
		where := "next"
		if t.mask&2 == 0 {
			where = "next2" // an adjective, rather than what the secret is of
		}
		s.classes(where, t.words[m.to].class)
	}
	strange = 0
	for i := m.to; i < end; i++ {
		if t.words[i].gap >= comma {
			break
		}
		s.classes("after", t.words[i].class)
		if t.words[i].class == other {
			strange++
		}
	}
	s.some("behind", strange)
	for i, w := range t.words {
		if i < begin || i >= end {
			s.classes("else", w.class)
		}
	}
	// No more than names: "Password?", "The CVV of your card".
	alone, named := true, true
	for i := from; i < to; i++ {
		if i < m.from || i >= m.to {
			c := t.words[i].class
			alone = alone && c&^other&quiet != 0 && c&(is|ask|need|wh) == 0
			named = named && c&(ask|need|wh|about|modal|polar|manage|attr|that|is|no) == 0
		}
	}
	if alone {
		s.add("alone")
	} else if named {
		s.some("named", (to-from)/4)
	}
	return s.pairs()
}

// pairs adds how a sentence begins, and where it stands, together with how it goes on.
func (s signs) pairs() signs {
	for _, a := range s {
		if !strings.HasPrefix(a, "first.") && !strings.HasPrefix(a, "field.") {
			continue
		}
		for _, b := range s {
			if len(b) == len("wh.0") && b[2] == '.' || strings.HasPrefix(b, "ask.") && len(b) == 5 || strings.HasPrefix(b, "named") || b == "alone" || b == "after.ask" || strings.HasSuffix(b, ".it") || b == "mark" || b == "next.none" {
				s = append(s, a+"&"+b)
			}
		}
	}
	return s
}

// recalls are the signs that a text asks for what was named elsewhere: "What is it?".
func (t *text) recalls(where string, kind Kind) signs {
	s := signs{"t.bias", "t." + where, "t.kind." + string(kind)}
	begin, _ := t.around(len(t.words)-1, len(t.words), sentence)
	strange := 0
	for i, w := range t.words[begin:] {
		s.classes("t", w.class)
		if i == 0 {
			s.classes("t.first", w.class)
		}
		if w.class == other {
			strange++
		}
	}
	s.some("t.strange", strange)
	if all := s.has("t.strange.0"); all && s.has("t.ask") {
		s.add("t.order")
	} else if all && s.has("t.wh") && s.has("t.is") {
		s.add("t.what")
	}
	s.some("t.words", (len(t.words)-begin)/4)
	if t.asks {
		s.add("t.mark")
	}
	return s
}
