package secret

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
)

// Buckets is how many signs are told apart: each has the weight of its hash. Of 65,536 as
// many questions are found as of a million.
const Buckets = 1 << 16

// Step is the unit of a weight.
const Step = 1.0 / 16

// weights has what each sign adds to the score, a signed byte each, fitted by secreteval;
// the last one is that of every text.
//
//go:embed weights.bin
var weights string

// Sign is what speaks for or against a question's asking for a secret.
type Sign struct {
	ID    uint16  // below Buckets
	Value float64 // what its weight is multiplied with: together the signs are a vector of length 1
}

// bag is a set of signs.
type bag struct {
	seen  [Buckets / 64]uint64
	signs []Sign
}

// add adds the sign of some words (FNV-1a).
func (b *bag) add(words ...string) {
	hash := uint32(2166136261)
	for _, w := range words {
		for i := range len(w) {
			hash = (hash ^ uint32(w[i])) * 16777619
		}
		hash = (hash ^ ' ') * 16777619
	}
	hash ^= hash >> 16
	if id := uint16(hash); b.seen[id/64]>>(id%64)&1 == 0 && id != Buckets-1 {
		b.seen[id/64] |= 1 << (id % 64)
		b.signs = append(b.signs, Sign{ID: id})
	}
}

// end gives the signs their values.
func (b *bag) end() {
	for i := range b.signs {
		b.signs[i].Value = 1 / math.Sqrt(float64(len(b.signs)))
	}
}

// score is above zero if the signs speak for it.
func (b *bag) score() float64 {
	sum := float64(int8(weights[Buckets-1]))
	for _, s := range b.signs {
		sum += float64(int8(weights[s.ID])) * s.Value
	}
	return sum * Step
}

// bits adds each bit of a sign.
func (b *bag) bits(s sign) {
	for i := range 32 {
		if s.bits>>i&1 != 0 {
			b.add("sign", s.where, string(rune('A'+i)))
		}
	}
}

// text adds the words of a text in the field of that sort, alone and by twos, what they
// consist of, and what they are to the lexicon, up to three in a row.
func (b *bag) text(sort string, t *text) {
	if len(t.words) == 0 {
		return
	}
	names := t.names()
	word, name, before := "<", "<", "<"
	step := func(w, n string) {
		b.add(sort, "two", word, w)
		b.add(sort, "name", n)
		b.add(sort, "names", name, n)
		b.add(sort, "names", before, name, n)
		word, before, name = w, name, n
	}
	for i, w := range t.words {
		if mark := marks[w.gap]; mark != "" && i > 0 {
			step(mark, mark)
		}
		step(w.s, names[i])
		b.add(sort, "word", w.s)
		if strings.HasPrefix(names[i], "#") {
			b.add("named", names[i])
		}
		whole := "^" + w.s + "$"
		for n := 3; n <= 6; n++ {
			for k := 0; k+n <= len(whole); k++ {
				b.add(sort, "part", whole[k:k+n])
			}
		}
	}
	end := "."
	if t.asks {
		end = "?"
	}
	step(end, end)
	b.add(sort, "long", string(rune('0'+min(len(t.words)/3, 8))))
}

// marks are the gaps between words, as words.
var marks = [...]string{space: "", comma: ",", colon: ",", sentence: ".", asked: "?"}

// names are what the words are to the lexicon: a secret (#), what is one in company, or
// their classes.
func (t *text) names() []string {
	names := make([]string, len(t.words))
	for i, w := range t.words {
		names[i] = "_"
		if len(w.head) > 0 {
			names[i] = "#" + w.head[0]
		} else if c := w.class &^ dull; c != 0 {
			names[i] = strconv.Itoa(int(c))
		}
	}
	for _, m := range t.mentions(nil) {
		for i := m.from; i < m.to; i++ {
			names[i] = "#" + string(m.kind)
		}
	}
	return names
}

// dull are classes that say little.
var dull = classes("en other glue")
