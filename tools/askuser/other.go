package askuser

import (
	"slices"
	"strings"
	"unicode"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/confusable"
)

// allowOther reports whether the user may write a text in place of a value, or with it. A template
// that says something decides itself.
func (r *reader) allowOther(path string, v any, kind tools.InputType) bool {
	always := types[kind].other
	return r.boolean(path, v) || always != "" && (always == r.limits.AllowOther || r.limits.AllowOther == AllowOtherAlways) && (v == nil || !r.admins)
}

// alwaysSkips reports whether the user may skip a question whatever it says in allow_skip. A template
// that says something decides itself.
func (r *reader) alwaysSkips(v any) bool {
	return r.limits.AllowSkip == AllowSkipAlways && (v == nil || !r.admins)
}

// withoutOther drops options that only duplicate the field for the user's own text, such as
// "Other (please specify)", unless no option would remain. An option with a description has a
// meaning of its own, as does one written by an admin: these stay.
func (r *optionReader) withoutOther(options []tools.Option) []tools.Option {
	if r.admins {
		return options
	}
	others := make(map[string]bool, len(r.words.OtherWords))
	for _, w := range r.words.OtherWords {
		others[spoken(w)] = true
	}
	delete(others, "")
	left := slices.DeleteFunc(slices.Clone(options), func(o tools.Option) bool {
		return o.Description == "" && others[spoken(o.Label)]
	})
	if len(left) == 0 || len(left) == len(options) {
		return options
	}
	r.repaired(RepairOtherOption)
	return left
}

// spoken returns the words of a label without punctuation, in lower case with one space
// between them: "OTHER: ___" becomes "other".
func spoken(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(confusable.Fold(s)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), " ")
}
