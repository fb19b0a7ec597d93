package secret

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

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
	Field string // of the part, as the contract names it: question, options[2].label
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
		p := phrase{kind: Password}
		for _, w := range r.words(name) {
			if !w.ends() {
				p.words = append(p.words, w.s)
			}
		}
		if len(p.words) > 0 {
			own[p.words[0]] = append(own[p.words[0]], p)
		}
	}
	return &Reader{r.lex, own}
}

// Find says which parts of a question ask the person to write a secret down, in their
// order; each is read in the light of the others. It is pure and deterministic.
func (r *Reader) Find(parts []tools.Part) (found []Finding) {
	read := r.read(parts)
	for i, p := range parts {
		if !written(p) {
			continue
		}
		if b, f := r.signs(read, i); Shaped(p.Placeholder) {
			found = append(found, Finding{i, Key, "placeholder"})
		} else if b.score() > 0 {
			found = append(found, f)
		} else if f, ok := r.ordered(p); ok {
			f.Part = i
			found = append(found, f)
		}
	}
	return found
}

// Signs are what speaks for and against the last part's asking for a secret: what secreteval
// fits the weights to.
func (r *Reader) Signs(parts []tools.Part) []Sign {
	b, _ := r.signs(r.read(parts), len(parts)-1)
	return b.signs
}

// written says whether the person writes: what was offered is known to the model.
func written(p tools.Part) bool {
	return p.InputType == tools.Text || p.InputType == tools.Number || p.AllowOther
}

// secretShape is a placeholder that shows a secret: how keys of well-known services begin
// (from their own patterns for secret scanning), key files, numbers of cards, passwords in URLs.
var secretShape = regexp.MustCompile(`^(sk-|[sr]k_(live|test)_|gh[opsu]_|github_pat_|glpat-|AKIA|xox[bpa]-|AIza|eyJ|-----BEGIN)|://[^/\s:@]+:[^/\s@]+@|\b\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{4}\b|^\d{3}-\d{2}-\d{4}$|^[•●*]{4,}$`)

// Shaped says whether a text has the shape of a secret, whatever it is about.
func Shaped(s string) bool { return secretShape.MatchString(s) }

// ordered finds an option that asks for a secret, as a question would: "Type your password".
func (r *Reader) ordered(p tools.Part) (f Finding, ok bool) {
	for k := 0; p.AllowOther && k < len(p.Options); k++ {
		for _, o := range [][2]string{{"label", p.Options[k].Label}, {"description", p.Options[k].Description}} {
			list := r.words(o[1])
			if !of(list, orders) {
				continue
			}
			if b, f := r.signs([][]field{{{fmt.Sprintf("options[%d].%s", k, o[0]), "question", list}}}, 0); b.score() > 0 {
				return f, true
			}
		}
	}
	return f, false
}

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
	var topics []string
	for k, fields := range read {
		for _, f := range fields {
			if k == i {
				elsewhere = append(elsewhere, f.words...)
			} else if f.sort == "header" || f.sort == "question" {
				elsewhere = append(elsewhere, f.words...)
				for _, w := range r.named(f.words, nil) {
					if w.secret() {
						topics, named = append(topics, "part"+w.name), append(named, w)
					}
				}
			}
		}
	}
	of = Finding{Part: i, Field: "question"}
	var most float64
	for k, f := range read[i] {
		list, begin := r.named(f.words, elsewhere), len(b.signs)
		topics = b.text(f.sort, list, topics)
		if x := sum(b.signs[begin:]); k == 0 || x > most {
			most, of.Field, named = x, f.name, slices.Concat(list, named)
		} else {
			named = append(named, list...)
		}
	}
	b.end()
	of.Kind = kindOf(named)
	return b, of
}

// kinds are those of what is named by itself, or in company; nouns, where nothing is, what
// their heads are most often: "the digits that open the door".
var (
	kinds = map[string]Kind{"#password": Password, "#pin": PIN, "#code": Code, "#card": Card, "#key": Key, "#identity": Identity}
	nouns = map[string]Kind{"#number": Code, "#tan": Code, "#app": Code, "#token": Key, "#words": Key}
)

func kindOf(named []word) Kind {
	for _, list := range [...]map[string]Kind{kinds, nouns} {
		for _, w := range named {
			if kind := list[w.name]; kind != "" {
				return kind
			}
		}
	}
	return Password
}
