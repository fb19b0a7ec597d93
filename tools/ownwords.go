package tools

import (
	"regexp"
	"slices"
	"strings"
)

// attempts are the texts that a person who gives no own words writes, by input type: values, and
// what is meant as one but is mistyped or written in another way. Only the check tells these apart.
var attempts = map[InputType]*regexp.Regexp{
	Number:   regexp.MustCompile(`^[-+−]?[.,]?\p{Nd}[\p{Nd}.,'’ \x{a0}\x{202f}]*(?:[eE][-+]?\p{Nd}+)?$`),
	Date:     regexp.MustCompile(`^` + attemptedDay + `$`),
	Datetime: regexp.MustCompile(`^` + attemptedDay + `(?:[Tt ]+[\d:.]+ ?(?:[Zz]|UTC|GMT|[-+][\d:]+)?)?$`),
	Confirm:  regexp.MustCompile(`^(?i:yes|no|true|false)$`),
}

const attemptedDay = `\d{1,4}([-./] ?\d{1,4}){2}`

// OwnWords reports whether a text that a client sends as the answer to a part, without saying in
// which field of Answer it belongs, is Answer.Other: the part takes one, and the text is not meant
// as a value. It is false for types whose values are texts, or options of the asker; those of a
// confirm count as values.
func (p *Part) OwnWords(text string) bool {
	attempt := attempts[p.InputType]
	if !p.AllowOther || attempt == nil {
		return false
	}
	text = strings.TrimSpace(text)
	named := func(o Option) bool { return strings.EqualFold(text, o.Value) || strings.EqualFold(text, o.Label) }
	return !attempt.MatchString(text) && !slices.ContainsFunc(p.Options, named)
}
