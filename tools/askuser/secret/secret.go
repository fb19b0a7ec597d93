package secret

import (
	"fmt"
	"regexp"

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
	own []phrase
}

// New makes a reader. words are an admin's own names of secrets, of one or several words.
func New(words []string) *Reader {
	r := &Reader{lex: theLexicon()}
	for _, name := range words {
		p := phrase{kind: Password}
		for _, w := range newText(r.lex, nil, name).words {
			p.words = append(p.words, w.s)
		}
		if len(p.words) > 0 {
			r.own = append(r.own, p)
		}
	}
	return r
}

// Find says which parts of a question ask the person to write a secret down, in their
// order; each is read in the light of the others. It is pure and deterministic.
func (r *Reader) Find(parts []tools.Part) (all []Finding) {
	read := r.read(parts)
	for i := range parts {
		r.each(parts, read, i, func(field string, kind Kind, s signs) bool {
			found := s == nil || s.score(r.lex) > 0
			if found {
				all = append(all, Finding{i, kind, field})
			}
			return !found
		})
	}
	return all
}

// Signs are what speaks for and against each place of the last part that may ask for a
// secret, by the names in weights.txt: what secreteval fits the weights to.
func (r *Reader) Signs(parts []tools.Part) (all [][]string) {
	r.each(parts, r.read(parts), len(parts)-1, func(_ string, _ Kind, s signs) bool {
		if s != nil {
			all = append(all, s)
		}
		return true
	})
	return all
}

// shapes are placeholders that show a secret: how keys of well-known services begin (from
// their own patterns for secret scanning), key files, numbers of cards, passwords in URLs.
var shapes = regexp.MustCompile(`^(sk-|[sr]k_(live|test)_|gh[opsu]_|github_pat_|glpat-|AKIA|xox[bpa]-|AIza|eyJ|-----BEGIN)|://[^/\s:@]+:[^/\s@]+@|\b\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{4}\b|^\d{3}-\d{2}-\d{4}$|^[•●*]{4,}$`)

// field is a text of a part.
type field struct {
	name, sort string
	raw        string
	*text
}

// Places of fields in what read returns; the options follow.
const (
	header = iota
	context
	message
	question
	placeholder
	options
)

// read reads the texts of all parts.
func (r *Reader) read(parts []tools.Part) [][]field {
	all := make([][]field, len(parts))
	for i, p := range parts {
		said := ""
		if p.Validation != nil {
			said = p.Validation.Message
		}
		fields := []field{{name: "header", sort: "header", raw: p.Header}, {name: "context", sort: "context", raw: p.Context},
			{name: "validation.message", sort: "context", raw: said}, {name: "question", sort: "question", raw: p.Question},
			{name: "placeholder", sort: "placeholder", raw: p.Placeholder}}
		for k := 0; p.AllowOther && k < len(p.Options); k++ {
			fields = append(fields, field{name: fmt.Sprintf("options[%d].label", k), sort: "option", raw: p.Options[k].Label},
				field{name: fmt.Sprintf("options[%d].description", k), sort: "context", raw: p.Options[k].Description})
		}
		for k := range fields {
			fields[k].text = newText(r.lex, r.own, fields[k].raw)
		}
		all[i] = fields
	}
	return all
}

// each gives the signs of all that parts[i] may ask for, in order, until yield is false;
// nil signs need no more.
func (r *Reader) each(parts []tools.Part, read [][]field, i int, yield func(field string, kind Kind, s signs) bool) {
	if p := parts[i]; p.InputType != tools.Text && p.InputType != tools.Number && !p.AllowOther {
		return // what was offered is known to the model
	}
	var company []word // what else is said
	topics := map[string]Kind{}
	for k, fields := range read {
		for at, f := range fields[:options] {
			if k == i || at == header || at == question {
				company = append(company, f.words...)
			}
			if m := f.mentions(nil); k != i && at == question && len(m) > 0 {
				topics["part"] = m[0].kind
			}
		}
	}
	for at, f := range read[i] {
		if len(f.words) == 0 && at != placeholder {
			continue
		}
		if at == placeholder && shapes.MatchString(f.raw) {
			yield(f.name, Key, nil)
			return
		}
		mentions := f.mentions(company)
		for _, m := range mentions {
			s := f.signs(m, f.sort)
			if beside := at < question || at > placeholder; beside && !s.orders() {
				continue // a statement beside the question asks for nothing
			}
			if !yield(f.name, m.kind, s) {
				return
			}
		}
		if at < question && len(mentions) > 0 {
			topics[f.sort] = mentions[0].kind
		}
		if last, _ := f.around(len(f.words)-1, len(f.words), sentence); at == question && (len(mentions) == 0 || mentions[len(mentions)-1].from < last) {
			if len(mentions) > 0 {
				topics["text"] = mentions[0].kind
			}
			for _, where := range [...]string{"text", "header", "context", "part"} {
				if kind, named := topics[where]; named && !yield(f.name, kind, f.recalls(where, kind)) {
					return
				}
			}
		}
	}
}
