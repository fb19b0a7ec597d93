package secret

import (
	"slices"
	"strings"
)

// sign is what speaks for or against a text's asking for a secret: the classes of words at
// some place by where the secret is named, or the shapes of the sentence.
type sign struct {
	where string
	bits  uint32 // classNames, or shapes
}

// shapes are how a sentence goes. ask1: one word that matters stands between the last order
// and the secret (wh1: the last question word); askit: it orders the secret itself; far1:
// where the company is that makes the noun a secret; names0: no more than names, and few;
// polar: a question without question word or order, to be answered by yes or no.
var shapes = strings.Fields("bias mark ask0 ask1 ask2 ask3 askit wh0 wh1 wh2 wh3 whit askafter end alone names0 names1 names2 names3 far0 far1 far2 far3 more0 more1 more2 more3 polar")

type shape uint32

// add adds the nth shape from a name on, if it is so.
func (s *shape) add(name string, n int, so bool) {
	if so {
		*s |= 1 << (slices.Index(shapes, name) + n)
	}
}

const nothing class = 1 << 31 // where no word is

// Words that the code itself knows.
var (
	other, english, asking, whs = classes("other"), classes("en"), classes("ask need"), classes("wh")

	articles     = classes("def indef your num glue please")
	quiet        = articles | classes("is me here part and kept")
	links, still = classes("of modal use with"), classes("ask need wh about modal polar manage attr that is no")
)

// all are the classes of words.
func all(words []word) (c class) {
	for _, w := range words {
		c |= w.class
	}
	return c
}

// at are the classes of the word at i, if it is between from and to.
func (t *text) at(i, from, to int) class {
	if i < from || i >= to {
		return nothing
	}
	return t.words[i].class
}

// but are the words that are of none of the classes.
func but(words []word, c class) (out []word) {
	for _, w := range words {
		if w.class&c == 0 {
			out = append(out, w)
		}
	}
	return out
}

// object says how words lead from the last of some classes to the secret.
func (s *shape) object(what string, of class, words []word) class {
	for i := len(words) - 1; i >= 0; i-- {
		if words[i].class&of != 0 {
			loud := but(words[i+1:], quiet)
			s.add(what+"0", min(len(but(loud, links)), 3), true)
			s.add(what+"it", 0, all(loud)&^other == 0)
			return all(loud) &^ other
		}
	}
	return 0
}

// signs are those of one mention. asks: there is a question word or an order.
func (t *text) signs(m mention, field string) (signs []sign, asks bool) {
	begin, end := t.around(m.from, m.to, sentence)
	from, to := t.around(m.from, m.to, colon)
	clause, stop := t.around(m.from, m.to, comma)
	put := func(where string, c class) { signs = append(signs, sign{where, uint32(c)}) }
	var s shape
	s.add("bias", 0, true)
	s.add("far0", m.far, true)
	s.add("mark", 0, t.asks && (end == len(t.words) || t.words[end].gap == asked))
	s.add("polar", 0, all(t.words[begin:end])&(asking|whs) == 0 && t.asks && all(t.words[begin:m.from])&^quiet != 0)
	put("ask-then", s.object("ask", asking, t.words[begin:m.from]))
	put("wh-then", s.object("wh", whs, t.words[begin:m.from]))
	gov := m.from - 1
	for gov >= from && t.words[gov].class&articles != 0 && t.words[gov].class&(links|asking|whs) == 0 {
		gov--
	}
	put("det", t.at(m.from-1, begin, end))
	put("gov", t.at(gov, from, to))
	next := t.at(m.to, m.to, stop)
	s.add("end", 0, next == nothing)
	put(map[bool]string{true: "next-en", false: "next"}[all(t.words)&english != 0], next) // in English what the secret is of, rather than an adjective
	put("second", t.at(begin+1, begin, end))
	put("last", t.at(end-1, m.to, end))
	put("before", all(t.words[begin:clause]))
	put("early", all(t.words[clause:m.from]))
	put("after", all(t.words[m.to:stop]))
	put("late", all(t.words[stop:end]))
	put("else", all(t.words[:begin])|all(t.words[end:]))
	around := all(t.words[from:m.from]) | all(t.words[m.to:to])
	s.add("names0", min((to-from)/3, 3), around&still == 0)
	s.add("alone", 0, len(but(t.words[from:m.from], quiet))+len(but(t.words[m.to:to], quiet)) == 0)
	s.add("askafter", 0, all(t.words[m.to:end])&asking != 0)
	put("shape", class(s))
	put(field, class(s))
	first := t.words[begin].class | t.words[from].class
	return led(led(signs, "lead-", first, uint32(s)), "words-", first, uint32(all(t.words[from:m.from]))), all(t.words[begin:end])&(asking|whs) != 0
}

// led adds signs of shapes, or of classes, by each class of the words that lead to them.
func led(signs []sign, where string, first class, bits uint32) []sign {
	for i, name := range classNames {
		if first&(1<<i) != 0 {
			signs = append(signs, sign{where + name, bits})
		}
	}
	return signs
}

// topics are what a recall may mean.
func (t *text) topics(where string, found []mention) (topics []topic) {
	for _, m := range found[:min(len(found), 2)] {
		begin, end := t.around(m.from, m.to, sentence)
		topics = append(topics, topic{m.kind, where, all(t.words[begin:m.from]) | all(t.words[m.to:end]), t.at(m.to, m.to, end)})
	}
	return topics
}

// recalls are the signs that what stands behind a word asks for what was named elsewhere:
// "What is it?"
func (t *text) recalls(from int, of topic) []sign {
	var s shape
	c, strange := all(t.words[from:]), len(but(t.words[from:], ^other))
	s.add("bias", 0, true)
	s.add("more0", min(strange, 3), true)
	s.add("names0", min((len(t.words)-from)/4, 3), true)
	s.add("mark", 0, t.asks)
	s.add("askit", 0, strange == 0 && c&asking != 0)
	s.add("whit", 0, strange == 0 && c&whs != 0)
	first := t.words[from].class
	signs := []sign{{"recall-shape", uint32(s)}, {"recall-" + of.where, uint32(s)}, {"recall", uint32(c)}, {"topic", uint32(of.class)},
		{"topic-next", uint32(of.next)}, {"recall-first", uint32(first)}, {"recall-last", uint32(t.words[len(t.words)-1].class)}}
	return led(led(signs, "recall-lead-", first, uint32(s)), "recall-words-", first, uint32(c))
}
