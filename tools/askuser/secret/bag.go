package secret

import (
	_ "embed"
	"math"
	"slices"
	"strconv"
)

// Buckets is how many signs are told apart: each has the weight of its hash. With half as
// many, one secret in fifty more is missed.
const Buckets = 1 << 18

// Step is the unit of a weight.
const Step = 1.0 / 16

// weights has what each sign adds to the score, a signed byte each, fitted by secreteval;
// the last one is that of every text.
//
//go:embed weights.bin
var weights string

// Sign is what speaks for or against a question's asking for a secret.
type Sign struct {
	ID    uint32  // below Buckets
	Value float32 // what its weight is multiplied with: together the signs are a vector of length 1
}

// bag is a set of signs.
type bag struct {
	seen  [Buckets / 64]uint64
	signs []Sign
}

func (b *bag) add(words ...string) { b.put(1, words...) }

// put adds the sign of some words (FNV-1a, mixed).
func (b *bag) put(value float32, words ...string) {
	hash := uint32(2166136261)
	for _, w := range words {
		for i := range len(w) {
			hash = (hash ^ uint32(w[i])) * 16777619
		}
		hash = (hash ^ ' ') * 16777619
	}
	hash = (hash ^ hash>>16) * 0x85ebca6b
	hash = (hash ^ hash>>13) * 0xc2b2ae35
	if id := (hash ^ hash>>16) % Buckets; b.seen[id/64]>>(id%64)&1 == 0 && id != Buckets-1 {
		b.seen[id/64] |= 1 << (id % 64)
		b.signs = append(b.signs, Sign{id, value})
	}
}

// end makes the signs a vector of length 1.
func (b *bag) end() {
	sum := 0.0
	for _, s := range b.signs {
		sum += float64(s.Value) * float64(s.Value)
	}
	for i := range b.signs {
		b.signs[i].Value /= float32(math.Sqrt(sum))
	}
}

// sum is what some signs add to the score.
func sum(signs []Sign) (sum float64) {
	for _, s := range signs {
		sum += float64(int8(weights[s.ID])) * float64(s.Value) * Step
	}
	return sum
}

// score is above zero if the signs speak for it.
func (b *bag) score() float64 { return sum(b.signs) + float64(int8(weights[Buckets-1]))*Step }

// text adds the signs of a text: its words, what they consist of, which stem stands beside
// which word, and what they are to the lexicon, up to three in a row, and by the secrets that
// are named. topics are those named so far, and come back with those named here.
func (b *bag) text(sort string, list []word, topics []string) []string {
	var secrets []int
	for i, w := range list {
		if w.secret() && len(secrets) < 3 {
			secrets = append(secrets, i)
		}
	}
	b.add("long", sort, strconv.Itoa(min(len(list)/3, 8)))
	edge := word{s: "<", name: "<"}
	begin, before, last := 0, edge, edge
	for i, w := range list {
		b.add("name", w.name)
		b.add("names", last.name, w.name)
		b.add("names", before.name, last.name, w.name)
		for _, k := range secrets {
			if side := strconv.FormatBool(i < k); i != k {
				b.add("by", side, list[k].name, w.s)
				b.add("by name", side, list[k].name, w.name)
			}
		}
		b.add("stem behind", last.s, w.s[:min(len(w.s), 4)])
		b.add("stem before", last.s[max(0, len(last.s)-5):], w.s)
		b.add("word", w.s)
		whole := "^" + w.s + "$"
		for n := 3; n <= 6; n++ {
			for k := 0; k+n <= len(whole); k++ {
				b.put(0.5, "part", whole[k:k+n]) // there are many of these
			}
		}
		if w.ends() {
			topics = b.sentence(sort, list[begin:i], w.s, topics)
			begin = i + 1
		}
		before, last = last, w
	}
	return topics
}

// sentence adds how a sentence goes, by how it begins and by the secrets that it names: with
// a question mark, an order (a), a question word (w); if it names none, by those named before.
func (b *bag) sentence(sort string, list []word, how string, topics []string) []string {
	if len(list) == 0 {
		return topics
	}
	if of(list, orders) {
		how += "a"
	}
	if of(list, asks) {
		how += "w"
	}
	lead, long, known := list[0].name, strconv.Itoa(min(len(list)/3, 5)), topics
	for i, w := range list {
		if w.secret() {
			last, next := "<", ">"
			if i > 0 {
				last = list[i-1].name
			}
			if i+1 < len(list) {
				next = list[i+1].name
			}
			b.add("behind", how, last)
			b.add("before", how, next)
			b.add("before", lead, how, next)
			b.add("secret", sort, how, w.name)
			topics = append(topics, sort+w.name)
		}
	}
	has := strconv.FormatBool(len(topics) > len(known))
	b.add("led", sort, how, has, lead)
	b.add("led", how, has, lead, long)
	b.add("long", sort, how, has, long)
	if sort == "question" && len(topics) == len(known) && len(known) > 0 {
		for _, of := range known {
			b.add("of", of, how, long)
			b.add("of", of, lead)
		}
		b.add("of", lead, how, long)
		for _, w := range list {
			b.add("of some", w.name)
		}
	}
	return topics
}

// Classes that say how a sentence asks, and those that say little.
var orders, asks, dull = classes("ask need"), classes("wh"), classes("en glue")

// of says whether one of the words is of a class.
func of(list []word, c class) bool {
	return slices.ContainsFunc(list, func(w word) bool { return w.class&c != 0 })
}
