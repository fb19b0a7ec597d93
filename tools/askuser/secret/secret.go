package secret

import (
	"cmp"
	"fmt"
	"maps"
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
type Reader struct{ lex *lexicon }

// New makes a reader. words are an admin's own names of secrets, of one or several words.
func New(words []string) *Reader {
	lex := *theLexicon()
	lex.phrases = maps.Clone(lex.phrases)
	for _, name := range words {
		p := phrase{kind: Password}
		for _, w := range newText(&lex, name).words {
			p.words = append(p.words, w.s)
		}
		if len(p.words) > 0 {
			lex.phrases[p.words[0]] = slices.Concat([]phrase{p}, lex.phrases[p.words[0]])
		}
	}
	return &Reader{&lex}
}

// Find says which parts of a question ask the person to write a secret down, in their
// order; each is read in the light of the others. It is pure and deterministic.
func (r *Reader) Find(parts []tools.Part) (found []Finding) {
	for _, p := range r.places(parts) {
		if n := len(found); (n == 0 || found[n-1].Part < p.Part) && (p.signs == nil || r.lex.score(p.signs) > 0) {
			found = append(found, p.Finding)
		}
	}
	return found
}

// Signs are what speaks for and against each place of the last part that may ask for a
// secret: what secreteval fits the weights to.
func (r *Reader) Signs(parts []tools.Part) (all [][]Sign) {
	for _, p := range r.places(parts) {
		if p.Part == len(parts)-1 {
			all = append(all, p.signs)
		}
	}
	return all
}

// secretShape is a placeholder that shows a secret: how keys of well-known services begin
// (from their own patterns for secret scanning), key files, numbers of cards, passwords in URLs.
var secretShape = regexp.MustCompile(`^(sk-|[sr]k_(live|test)_|gh[opsu]_|github_pat_|glpat-|AKIA|xox[bpa]-|AIza|eyJ|-----BEGIN)|://[^/\s:@]+:[^/\s@]+@|\b\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{4}\b|^\d{3}-\d{2}-\d{4}$|^[•●*]{4,}$`)

// Shaped says whether a text has the shape of a secret, whatever it is about.
func Shaped(s string) bool { return secretShape.MatchString(s) }

// field is a text of a part.
type field struct {
	name, sort, raw string
	*text
}

// read reads the texts of all parts.
func (r *Reader) read(parts []tools.Part) [][]field {
	read := make([][]field, len(parts))
	for i, p := range parts {
		put := func(name, sort, raw string) {
			read[i] = append(read[i], field{name, sort, raw, newText(r.lex, raw)})
		}
		put("header", "header", p.Header)
		put("context", "context", p.Context)
		put("validation.message", "context", cmp.Or(p.Validation, &tools.Validation{}).Message)
		put("question", "question", p.Question)
		put("placeholder", "placeholder", p.Placeholder)
		for k := 0; p.AllowOther && k < len(p.Options); k++ {
			put(fmt.Sprintf("options[%d].label", k), "option", p.Options[k].Label)
			put(fmt.Sprintf("options[%d].description", k), "context", p.Options[k].Description)
		}
	}
	return read
}

// place is where a question may ask for a secret; without signs it does.
type place struct {
	Finding
	signs []Sign
}

// topic is a secret that was named elsewhere.
type topic struct {
	kind        Kind
	where       string
	class, next class // the words around it, and the one behind it
}

// places are all that there are, in order.
func (r *Reader) places(parts []tools.Part) (all []place) {
	read := r.read(parts)
	for i, p := range parts {
		if p.InputType != tools.Text && p.InputType != tools.Number && !p.AllowOther {
			continue // what was offered is known to the model
		}
		var elsewhere []word
		var topics []topic
		for k, fields := range read {
			for _, f := range fields {
				if k == i && f.sort != "option" || f.sort == "header" || f.sort == "question" {
					elsewhere = append(elsewhere, f.words...)
					if k != i {
						topics = append(topics, f.topics("part", f.mentions(nil))...)
					}
				}
			}
		}
		for _, f := range read[i] {
			put := func(kind Kind, signs []Sign) { all = append(all, place{Finding{i, kind, f.name}, signs}) }
			if f.sort == "placeholder" && secretShape.MatchString(f.raw) {
				put(Key, nil)
			}
			found, rest := f.mentions(elsewhere), 0
			for _, m := range found {
				signs, asks := f.signs(m, f.sort)
				if asks || f.sort == "question" || f.sort == "placeholder" { // beside these a statement asks for nothing
					put(m.kind, signs)
				}
				_, rest = f.around(m.from, m.to, sentence)
			}
			topics = append(topics, f.topics(f.sort, found)...)
			for _, of := range topics {
				if f.sort == "question" && rest < len(f.words) {
					put(of.kind, f.recalls(rest, of))
				}
			}
		}
	}
	return all
}
