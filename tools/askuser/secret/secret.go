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
	r := Reader{theLexicon(), map[string][]phrase{}}
	for _, name := range words {
		p := phrase{kind: Password}
		for _, w := range newText(r.lex, name).words {
			p.words = append(p.words, w.s)
		}
		if len(p.words) > 0 {
			r.own[p.words[0]] = append(r.own[p.words[0]], p)
		}
	}
	return &r
}

// text reads a text, with "password" for an admin's own names.
func (r *Reader) text(raw string) *text {
	t := newText(r.lex, raw)
	for i := 0; i < len(t.words); i++ {
		if p, ok := t.phraseAt(i, r.own); ok {
			w := word{s: "password", entry: r.lex.word("password"), gap: t.words[i].gap}
			t.words = slices.Replace(t.words, i, i+len(p.words), w)
		}
	}
	return t
}

// Find says which parts of a question ask the person to write a secret down, in their
// order; each is read in the light of the others. It is pure and deterministic.
func (r *Reader) Find(parts []tools.Part) (found []Finding) {
	read := r.read(parts)
	for i, p := range parts {
		if !written(p) {
			continue
		}
		b, f := r.signs(read, i)
		if k := slices.IndexFunc(read[i], shaped); k >= 0 {
			found = append(found, Finding{i, Key, read[i][k].name})
		} else if b.score() > 0 {
			found = append(found, f)
		} else if k := slices.IndexFunc(read[i], orders); k >= 0 {
			found = append(found, Finding{i, read[i][k].mentions(nil)[0].kind, read[i][k].name})
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

// field is a text of a part.
type field struct {
	name, sort, raw string
	*text
}

// shaped: a placeholder shows a secret.
func shaped(f field) bool { return f.sort == "placeholder" && secretShape.MatchString(f.raw) }

// orders: an option asks for a secret, as a question of its own would: "Type your password".
func orders(f field) bool {
	if f.sort != "option" {
		return false
	}
	var b bag
	ordered := false
	for _, m := range f.mentions(nil) {
		signs, asks := f.signs(m, "question")
		ordered = ordered || asks
		for _, s := range signs {
			b.bits(s)
		}
	}
	b.text("question", f.text)
	b.end()
	return ordered && b.score() > 0
}

// read reads the texts of all parts.
func (r *Reader) read(parts []tools.Part) [][]field {
	read := make([][]field, len(parts))
	for i, p := range parts {
		put := func(name, sort, raw string) {
			read[i] = append(read[i], field{name, sort, raw, r.text(raw)})
		}
		put("header", "header", p.Header)
		put("context", "context", p.Context)
		put("validation.message", "context", cmp.Or(p.Validation, &tools.Validation{}).Message)
		put("question", "question", p.Question)
		put("placeholder", "placeholder", p.Placeholder)
		for k := 0; p.AllowOther && k < len(p.Options); k++ {
			put(fmt.Sprintf("options[%d].label", k), "option", p.Options[k].Label)
			put(fmt.Sprintf("options[%d].description", k), "option", p.Options[k].Description)
		}
	}
	return read
}

// topic is a secret that was named elsewhere.
type topic struct {
	kind        Kind
	where       string
	class, next class // the words around it, and the one behind it
}

// signs are those of a part, and what it asks for if they say so.
func (r *Reader) signs(read [][]field, i int) (b bag, of Finding) {
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
	of = Finding{Part: i}
	put := func(kind Kind, field string, signs []sign) {
		if of.Kind == "" {
			of.Kind, of.Field = kind, field
		}
		for _, s := range signs {
			b.bits(s)
		}
	}
	for _, f := range read[i] {
		if f.sort == "option" {
			continue // see orders
		}
		found, rest := f.mentions(elsewhere), 0
		for _, m := range found {
			signs, asks := f.signs(m, f.sort)
			if asks || f.sort == "question" || f.sort == "placeholder" { // beside these a statement asks for nothing
				put(m.kind, f.name, signs)
			}
			_, rest = f.around(m.from, m.to, sentence)
		}
		topics = append(topics, f.topics(f.sort, found)...)
		for _, t := range topics {
			if f.sort == "question" && rest < len(f.words) {
				put(t.kind, f.name, f.recalls(rest, t))
			}
		}
	}
	for _, f := range read[i] {
		if f.sort != "option" {
			b.text(f.sort, f.text)
		}
	}
	b.end()
	if of.Kind == "" {
		of.Kind, of.Field = guess(read[i]), "question"
	}
	return b, of
}

// guess is the kind of what is described, and not named: "the digits that open the door".
func guess(fields []field) Kind {
	for _, f := range fields {
		for _, w := range f.words {
			for _, family := range w.head {
				if kind := families[family]; kind != "" {
					return kind
				}
			}
		}
	}
	return Password
}

// families are the kinds that heads of nouns are most often.
var families = map[string]Kind{"code": Code, "number": Code, "tan": Code, "app": Code, "key": Key, "token": Key, "words": Key}
