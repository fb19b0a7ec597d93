package main

import (
	_ "embed"
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser/secret"
)

//go:embed testdata/frames.txt
var frames string

// place is where a frame has its noun.
var place = regexp.MustCompile(`\b(N1?|BARE)\b`)

// article is what BARE leaves out.
var article = regexp.MustCompile(`^(the|your|an?|our|de[rnms]|das|die|Ihre?n?|deine?n?|eine?n?|l[ea]s?|l'|votre|ta|tu|su|una?|une|el|los|las|un|de vos) ?`)

// noun is a noun of a frame, in the accusative and the nominative.
type noun struct {
	kind                   secret.Kind
	accusative, nominative string
}

// generate composes n questions of frames and nouns; which of them ask for a secret is known
// by how they were made.
func generate(n int, seed uint64) []record {
	random := rand.New(rand.NewPCG(seed, 1))
	forms, secrets, plains := map[string][]string{}, map[string][]noun{}, map[string][]noun{}
	for line := range strings.Lines(frames) {
		name, list, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		language, what, _ := strings.Cut(name, " ")
		switch what {
		case "secret":
			for of := range strings.SplitSeq(list, "|") {
				kind, names, _ := strings.Cut(strings.TrimSpace(of), "=")
				secrets[language] = append(secrets[language], nouns(secret.Kind(kind), names)...)
			}
		case "plain":
			plains[language] = append(plains[language], nouns("", list)...)
		default:
			for f := range strings.SplitSeq(list, "|") {
				forms[name] = append(forms[name], strings.TrimSpace(f))
			}
		}
	}
	pick := func(list []noun) noun { return list[random.IntN(len(list))] }
	var out []record
	for i := range n {
		language := []string{"en", "de", "fr", "es"}[i%4]
		form := func(what string) string {
			list := forms[language+" "+what]
			return list[random.IntN(len(list))]
		}
		// in is a frame with a noun, now and then with something before, after, or behind the noun.
		in := func(of noun, what string) string {
			before, after, tail := "", "", ""
			if random.IntN(6) == 0 {
				before = form("pre") + " "
			}
			if random.IntN(6) == 0 {
				after = " " + form("post")
			}
			if random.IntN(4) == 0 {
				tail = " " + form("tail")
			}
			of.accusative += tail
			of.nominative += tail
			return strings.ReplaceAll(before+of.in(form(what))+after, " ,", ",")
		}
		of, plain := pick(secrets[language]), pick(plains[language])
		if random.IntN(2) == 0 {
			plain.accusative = pick(secrets[language]).in(form("of"))
			plain.nominative = plain.accusative
		}
		r := record{Language: language}
		asks := func() { r.Kind = of.kind }
		switch random.IntN(24) {
		case 0, 1, 15:
			r.Question = in(plain, "ask")
		case 2, 3, 4, 5:
			r.Question = in(of, "about")
		case 6:
			r.Question = in(plain, "about")
		case 7:
			r.Header, r.Question = of.in("N"), form("unrelated")
		case 12:
			r.Form, r.Question = []tools.Part{{Question: in(of, "ask")}}, form("unrelated")
		case 8:
			if r.Context, r.Question = in(of, "mention"), form("unrelated"); random.IntN(2) == 0 {
				r.Context, r.Question = "", r.Context+" "+r.Question
			}
		case 9, 10:
			asks()
			switch where := in(of, "wanted"); random.IntN(4) {
			case 0:
				r.Header, r.Question = of.in("N"), form("recall")
			case 1:
				r.Context, r.Question = where, form("recall")
			case 2:
				r.Question = where + " " + form("recall")
			case 3:
				r.Form, r.Question = []tools.Part{{Question: where}}, form("recall")
			}
		case 14: // what the question itself does not say
			asks()
			r.Question = form("go")
			switch random.IntN(4) {
			case 0:
				r.Header = in(of, "order")
			case 1:
				r.Context = in(of, "order")
			case 2:
				r.Validation = &tools.Validation{Message: in(of, "order")}
			case 3:
				r.InputType, r.AllowOther, r.Options = tools.Select, true, []tools.Option{{Label: "-"}, {Label: in(of, "order")}}
			}
		case 13:
			r.Context, r.Question = in(of, "about"), form("go")
		case 11:
			asks()
			r.Placeholder, r.Question = of.in("N"), form("recall")
		default:
			asks()
			r.Question = in(of, "ask")
		}
		out = append(out, r)
	}
	return out
}

// in is a frame with the noun in its places.
func (of noun) in(frame string) string {
	return upper(place.ReplaceAllStringFunc(frame, func(n string) string {
		switch n {
		case "N1":
			return of.nominative
		case "BARE":
			return article.ReplaceAllString(of.nominative, "")
		}
		return of.accusative
	}))
}

func nouns(kind secret.Kind, list string) (out []noun) {
	for n := range strings.SplitSeq(list, ";") {
		accusative, nominative, ok := strings.Cut(strings.TrimSpace(n), "~")
		if !ok {
			nominative = accusative
		}
		out = append(out, noun{kind, accusative, nominative})
	}
	return out
}

func upper(s string) string {
	r := []rune(s)
	if len(r) > 0 {
		return strings.ToUpper(string(r[:1])) + string(r[1:])
	}
	return s
}
