package askuser

import (
	"slices"
	"strings"
	"unicode"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/confusable"
)

// allowOther says whether a text may be given in place of the options, or beside them.
func (r *reader) allowOther(path string, v any, kind tools.InputType) bool {
	allowed := r.boolean(path, v)
	choice := kind == tools.Select || kind == tools.Multiselect
	return allowed || choice && r.limits.AllowOther == AllowOtherAlways && (v == nil || !r.admins)
}

// withoutOther drops options that only say what the field for a text of one's own says,
// such as "Other (please specify)", unless no other would be left. What has a description
// means something of its own, and so does what an admin wrote.
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

// spoken is what a person reads out of a label, whatever marks it has: "OTHER: ___" is
// "other". Letters and digits in lower case, one space between words.
func spoken(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(confusable.Fold(s)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), " ")
}
