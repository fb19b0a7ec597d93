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
	Code     Kind = "code"     // one-time, verification and recovery codes, those of doors and alarms
	Card     Kind = "card"     // number, check digits or data of a payment card
	Key      Kind = "key"      // private, API and recovery keys, tokens, seed phrases, connection strings
	Identity Kind = "identity" // numbers of passport, tax, social security and insurance
)

// Finding is the first secret that a part of a question asks for.
type Finding struct {
	Part  int // index
	Kind  Kind
	Field string // of the part, as the contract names it: question, validation.message
}

// Reader finds questions that ask for secrets. It is safe for concurrent use.
type Reader struct {
	lex *lexicon
	own map[string][]phrase // an admin's names of secrets, by their first word
}

// New makes a reader. words are an admin's own names of secrets, of one or several words.
func New(words []string) *Reader {
	r, own := Reader{lex: theLexicon()}, map[string][]phrase{}
	for _, name := range words {
		var p phrase
		for _, w := range r.words(name) {
			p.words = append(p.words, w.s)
		}
		if n := len(p.words) - 1; n > 0 { // the last one is a mark
			p.words = p.words[:n]
			own[p.words[0]] = append(own[p.words[0]], p)
		}
	}
	return &Reader{r.lex, own}
}

// Find says which parts of a question want a secret of the person, written or picked out, in
// their order; each is read in the light of the others. It is pure and deterministic.
func (r *Reader) Find(parts []tools.Part) (found []Finding) {
	read := r.read(parts)
	for i, p := range parts {
		texts := read
		switch {
		case p.AllowOther, p.InputType == tools.Text, p.InputType == tools.Number:
		case p.InputType == tools.Select, p.InputType == tools.Multiselect:
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

// picked are the texts by which a choice without own words is judged: that a password was wrong,
// or what the other parts ask, does not make a list of ways to go on a secret. So it is the
// question and its header, and they must name one; nil where they do not.
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

// Signs are what speaks for and against the last part's asking for a secret: what secreteval
// fits the weights to.
func (r *Reader) Signs(parts []tools.Part) []Sign {
	b, _ := r.signs(r.read(parts), len(parts)-1)
	return b.signs
}

// secretShape is a placeholder that shows a secret: how keys of well-known services begin
// (from their own patterns for secret scanning), key files, numbers of cards, passwords in URLs.
var secretShape = regexp.MustCompile(`^(sk-|[sr]k_(live|test)_|gh[opsu]_|github_pat_|glpat-|AKIA|xox[bpa]-|AIza|eyJ|-----BEGIN)|://[^/\s:@]+:[^/\s@]+@|\b\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{4}\b|^\d{3}-\d{2}-\d{4}$|^[•●*]{4,}$`)

// Shaped says whether a text has the shape of a secret, whatever it is about.
func Shaped(s string) bool { return secretShape.MatchString(s) }

// field is a text of a part.
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

// signs are those of a part, and what it asks for if they say so, in the field that speaks
// most for it.
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

// kinds are those of names; of nouns that name no secret, what they are most often: "the
// digits that open the door".
var kinds = map[string]Kind{"#password": Password, "#pin": PIN, "#code": Code, "#card": Card, "#key": Key, "#identity": Identity}
var nouns = map[string]Kind{"#number": Code, "#tan": Code, "#app": Code, "#token": Key, "#words": Key}

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

// text adds the signs of a text in the field of that sort: its words, their parts, which stem
// stands beside which word, and what they are to the lexicon, up to three in a row.
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

// sentence adds how a sentence goes: its mark, whether it orders or has a question word,
// how it begins, how long it is, and which secrets it names.
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

// Classes that say how a sentence asks, and those that say little.
var orders, asks, dull = classes("ask need"), classes("wh"), classes("en glue")

// of says whether one of the words is of a class.
func of(list []word, c class) bool {
	return slices.ContainsFunc(list, func(w word) bool { return w.class&c != 0 })
}
