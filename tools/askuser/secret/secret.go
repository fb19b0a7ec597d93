package secret

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/askgate/askgate/tools"
)

// Kind is the kind of a secret.
type Kind string

// The kinds.
const (
	Password Kind = "password" // login data, answers to security questions, the admin's own words
	PIN      Kind = "pin"      // and PUK
	Code     Kind = "code"     // one-time, verification and recovery codes, codes of doors and alarms
	Card     Kind = "card"     // number, check digits or other data of a payment card
	Key      Kind = "key"      // private, API and recovery keys, tokens, seed phrases, connection strings
	Identity Kind = "identity" // numbers of passport, tax, social security and insurance
)

// Finding is the first secret that a part of a question asks for.
type Finding struct {
	Part  int // index
	Kind  Kind
	Field string // of the part, by its name in docs/protocol.md: question, validation.message
}

// Reader finds questions that ask for secrets. It is safe for concurrent use.
type Reader struct {
	lex *lexicon
	own map[string][]phrase // an admin's names of secrets, by first word
}

// New returns a reader. words are an admin's own names of secrets, of one or several words.
func New(words []string) *Reader {
	r, own := Reader{lex: theLexicon()}, map[string][]phrase{}
	for _, name := range words {
		var p phrase
		for _, w := range r.words(name) {
			p.words = append(p.words, w.s)
		}
		if n := len(p.words) - 1; n > 0 { // the last one is punctuation
			p.words = p.words[:n]
			own[p.words[0]] = append(own[p.words[0]], p)
		}
	}
	return &Reader{r.lex, own}
}

// Find returns the parts of a question that ask the user to write or pick a secret, in order.
// The other parts are the context of each. It is pure and deterministic.
func (r *Reader) Find(parts []tools.Part) (found []Finding) {
	read := r.read(parts)
	for i, p := range parts {
		texts := read
		switch {
		case p.AllowOther, p.InputType == tools.Text, p.InputType == tools.Number:
		case p.InputType.HasOptions():
			if texts = r.picked(read, i); texts == nil {
				continue
			}
		default:
			continue
		}
		if b, f := r.signs(texts, i); Shaped(p.Placeholder) {
			found = append(found, Finding{i, Key, "placeholder"})
		} else if b.score() > 0 {
			found = append(found, f)
		}
	}
	return found
}

// picked returns the texts that decide about a choice without allow_other: the question and
// its header if they name a secret, otherwise nil. Other fields and parts do not count: a
// wrong password, or a question next to it, does not make a list of next steps a secret.
func (r *Reader) picked(read [][]field, i int) [][]field {
	own := slices.DeleteFunc(slices.Clone(read[i]), func(f field) bool { return f.sort != "question" && f.sort != "header" })
	for _, f := range own {
		if slices.ContainsFunc(r.named(f.words, nil), word.secret) {
			texts := make([][]field, len(read))
			texts[i] = own
			return texts
		}
	}
	return nil
}

// Signs returns the signs for and against the last part asking for a secret. secreteval fits
// the weights to them.
func (r *Reader) Signs(parts []tools.Part) []Sign {
	b, _ := r.signs(r.read(parts), len(parts)-1)
	return b.signs
}

// secretShape matches texts that look like a secret: the prefixes of keys of well-known
// services (from their patterns for secret scanning), key files, card numbers, passwords in
// URLs.
var secretShape = regexp.MustCompile(`^(sk-|[sr]k_(live|test)_|gh[opsu]_|github_pat_|glpat-|AKIA|xox[bpa]-|AIza|eyJ|-----BEGIN)|://[^/\s:@]+:[^/\s@]+@|\b\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{4}\b|^\d{3}-\d{2}-\d{4}$|^[•●*]{4,}$`)

// Shaped reports whether a text has the shape of a secret, regardless of its topic.
func Shaped(s string) bool { return secretShape.MatchString(s) }

// field is a text field of a part.
type field struct {
	name, sort string
	words      []word
}

// read reads the texts of all parts.
func (r *Reader) read(parts []tools.Part) [][]field {
	read := make([][]field, len(parts))
	for i, p := range parts {
		for _, f := range [...][3]string{{"header", "header", p.Header}, {"context", "context", p.Context},
			{"validation.message", "context", cmp.Or(p.Validation, &tools.Validation{}).Message},
			{"question", "question", p.Question}, {"placeholder", "placeholder", p.Placeholder}} {
			if list := r.words(f[2]); len(list) > 0 {
				read[i] = append(read[i], field{f[0], f[1], list})
			}
		}
	}
	return read
}

// signs returns the signs of a part, with the kind of secret that it may ask for and the field
// with the strongest signs.
func (r *Reader) signs(read [][]field, i int) (b bag, of Finding) {
	var elsewhere, named []word
	for k, fields := range read {
		for _, f := range fields {
			if k == i || f.sort == "header" || f.sort == "question" {
				elsewhere = append(elsewhere, f.words...)
			}
		}
	}
	of = Finding{Part: i, Field: "question"}
	most, noun := 0.0, Kind("")
	for k, f := range read[i] {
		list, begin := r.named(f.words, elsewhere), len(b.signs)
		b.text(f.sort, list)
		named = append(named, list...)
		if x := sum(b.signs[begin:]); k == 0 || x > most {
			most, of.Field, named = x, f.name, slices.Concat(list, named)
		}
	}
	b.end()
	for _, w := range append(named, r.named(elsewhere, nil)...) {
		of.Kind, noun = cmp.Or(of.Kind, kinds[w.name]), cmp.Or(noun, nouns[w.name])
	}
	of.Kind = cmp.Or(of.Kind, noun, Password)
	return b, of
}

// kinds has the kinds of names. nouns has the most likely kinds of nouns that do not name a
// secret: "the digits that open the door".
var kinds = map[string]Kind{"#password": Password, "#pin": PIN, "#code": Code, "#card": Card, "#key": Key, "#identity": Identity}
var nouns = map[string]Kind{"#number": Code, "#tan": Code, "#app": Code, "#token": Key, "#words": Key}

// Buckets is the number of distinct signs. Each sign has the weight of its hash. With half as
// many, one more in fifty secrets is missed.
const Buckets = 1 << 18

// Step is the unit of a weight.
const Step = 1.0 / 16

// weights has the weight of each sign, as a signed byte, fitted by secreteval. The last one is
// added for every text.
//
//go:embed weights.bin
var weights string

// Sign is a feature of a question that makes it more or less likely to ask for a secret.
type Sign struct {
	ID    uint32  // below Buckets
	Value float32 // factor of its weight; all signs together are a vector of length 1
}

// bag is a set of signs.
type bag struct {
	seen  [Buckets / 64]uint64
	signs []Sign
}

func (b *bag) add(words ...string) { b.put(1, words...) }

// put adds the sign of some words (hashed with FNV-1a, mixed).
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

// end scales the signs to a vector of length 1.
func (b *bag) end() {
	sum := 0.0
	for _, s := range b.signs {
		sum += float64(s.Value) * float64(s.Value)
	}
	for i := range b.signs {
		b.signs[i].Value /= float32(math.Sqrt(sum))
	}
}

// sum returns the contribution of some signs to the score.
func sum(signs []Sign) (sum float64) {
	for _, s := range signs {
		sum += float64(int8(weights[s.ID])) * float64(s.Value) * Step
	}
	return sum
}

// score is above zero if the question asks for a secret.
func (b *bag) score() float64 { return sum(b.signs) + float64(int8(weights[Buckets-1]))*Step }

// text adds the signs of a text in a field of this sort: its words, their parts, pairs of a
// stem and an adjacent word, and up to three lexicon names in sequence.
func (b *bag) text(sort string, list []word) {
	begin, before, last := 0, word{s: "<", name: "<"}, word{s: "<", name: "<"}
	for i, w := range list {
		b.add("name", w.name)
		b.add("names", last.name, w.name)
		b.add("names", before.name, last.name, w.name)
		b.add("stem behind", last.s, w.s[:min(len(w.s), 4)])
		b.add("stem before", last.s[max(0, len(last.s)-5):], w.s)
		b.add("word", w.s)
		whole := "^" + w.s + "$"
		for n := 3; n <= 6; n++ {
			for k := 0; k+n <= len(whole); k++ {
				b.put(0.5, "part", whole[k:k+n]) // there are many of these
			}
		}
		if w.ends() && i > begin {
			b.sentence(sort, list[begin:i+1])
			begin = i + 1
		}
		before, last = last, w
	}
}

// sentence adds the signs of a sentence: its punctuation, imperative or question word,
// beginning, length, and the secrets that it names.
func (b *bag) sentence(sort string, list []word) {
	how, has := fmt.Sprint(list[len(list)-1].s, of(list, orders), of(list, asks)), "-"
	for i, w := range list {
		if w.secret() {
			has = "#"
			b.add("before", list[0].name, how, list[i+1].name)
			b.add("secret", sort, how, w.name)
		}
	}
	b.add("led", sort, how, has, list[0].name)
	b.add("led", how, has, list[0].name, strconv.Itoa(min(len(list)/3, 5)))
}

// Classes that show how a sentence asks, and classes of little meaning.
var orders, asks, dull = classes("ask need"), classes("wh"), classes("en glue")

// of reports whether one of the words is of a class.
func of(list []word, c class) bool {
	return slices.ContainsFunc(list, func(w word) bool { return w.class&c != 0 })
}
