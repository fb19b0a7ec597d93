package askuser

import (
	"regexp"
	"strings"
	"sync"

	"github.com/askgate/askgate/tools"
)

// The parts of the formats: regular expressions that mean the same in RE2 and in JavaScript,
// and that no text causes to backtrack for long. gateway/web/static/card/formats.js has the
// same ones, and a test compares the results of the two.
const (
	mailLocal = `[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_\x60{|}~-]{1,64}`
	mailLabel = `[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?`
	mailMost  = 254 // code points

	beyond  = `[^\x00-\x7F\p{Z}\p{Cc}\p{Cf}\p{Co}]` // not ASCII
	uriChar = `(?:[A-Za-z0-9._~!$&'()*+,;=:@/?#\[\]-]|%[0-9A-Fa-f]{2}|` + beyond + `)`
	uriUser = `(?:(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})+@)?`
	uriName = `(?:[A-Za-z0-9_-]|` + beyond + `)+`
	uriHost = `(?:\[[0-9A-Fa-f:.]{2,45}\]|` + uriName + `(?:\.` + uriName + `)*\.?)`

	phoneGap  = "[ \u00a0\u2009\u202f\u2010\u2011\u2013()./-]{0,4}"
	phoneMore = `(?: {0,2}(?:[Ee][Xx][Tt]\.?|[Xx]|#) ?[0-9]{1,6})?`

	some     = `[0-9]{1,9}(?:[.,][0-9]{1,9})?`
	isoDays  = `(?:` + some + `Y)?(?:` + some + `M)?(?:` + some + `W)?(?:` + some + `D)?`
	isoTime  = `(?:` + some + `H)?(?:` + some + `M)?(?:` + some + `S)?`
	days     = `(?:` + some + ` ?[Ww] ?)?(?:` + some + ` ?[Dd] ?)?`
	hours    = `(?:` + some + ` ?[Hh] ?)?(?:` + some + ` ?[Mm](?:[Ii][Nn])? ?)?(?:` + some + ` ?[Ss](?:[Ee][Cc])?)?`
	hourOnly = `[0-9]{1,4} ?[Hh] ?[0-5][0-9]` // 1h30, as in French
)

func whole(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:` + expression + `)$`) })
}

var (
	email    = whole(mailLocal + `@` + mailLabel + `(?:\.` + mailLabel + `)*`)
	uri      = whole(`[A-Za-z][A-Za-z0-9+.-]{0,31}:` + uriChar + `+`)
	webURI   = tools.Late(`^(?:[Hh][Tt][Tt][Pp][Ss]?|[Ww][Ss][Ss]?|[Ff][Tt][Pp]):`)
	hosted   = whole(`[A-Za-z]+://` + uriUser + uriHost + `(?::[0-9]{1,5})?(?:[/?#]` + uriChar + `*)?`)
	phone    = whole(`(?:\+|00)?(?:` + phoneGap + `[0-9]){3,15}\)?` + phoneMore)
	duration = whole(`P` + isoDays + `(?:T` + isoTime + `)?|` + days + hours + `|` + hourOnly)
	withUnit = whole(`P.*[0-9][A-Z]|[^P].*`) // all parts of an ISO duration are optional
)

// formats has, by name, a function that reports whether a text is in the format.
var formats = map[string]func(s string) bool{
	tools.FormatEmail: func(s string) bool { return email().MatchString(s) && count(s) <= mailMost },
	tools.FormatURI: func(s string) bool {
		return uri().MatchString(s) && (!webURI().MatchString(s) || hosted().MatchString(s))
	},
	tools.FormatPhone:    func(s string) bool { return phone().MatchString(s) },
	tools.FormatDuration: func(s string) bool { return duration().MatchString(s) && withUnit().MatchString(s) },
}

// hasFormat reports whether s is in a format. Any text is in the format "", or in one that only a newer build knows.
func hasFormat(format, s string) bool {
	has := formats[format]
	return has == nil || has(s)
}

// trimmed returns s without the white space that copying may add at the ends. No format allows it there.
func trimmed(s string) string { return strings.Trim(s, " \t\r\n\u00a0") }

// formatAliases has the words of other systems for the formats. Those in formatTypes are
// also accepted as an input type.
var formatAliases = map[string]string{
	tools.FormatEmail:    "mail emailaddress mailaddress idnemail",
	tools.FormatURI:      "url link website webaddress iri",
	tools.FormatPhone:    "tel telephone phonenumber mobile",
	tools.FormatDuration: "timespan iso8601duration",
}

var formatWords = names(formatAliases)

const formatTypes = "email mail emailaddress uri url website tel telephone phone phonenumber duration"

// format reads the format of a text, which can also be in its rules or be its type. A text
// with the format of a date or a time becomes one. The format of any other type is dropped.
func (r *reader) format(path string, f map[string]any, kind tools.InputType) (tools.InputType, string) {
	path += fieldFormat
	v := f[fieldFormat]
	if rules, ok := (&findings{}).unnest(f["validation"]).(*object); ok && v == nil {
		if v = rules.values[fieldFormat]; v != nil {
			r.repaired(RepairValidation)
		}
	}
	typed, _ := f["input_type"].(string)
	named := formatWords[canonical(strings.TrimSpace(typed))]
	s, isText := v.(string)
	word := canonical(strings.TrimSpace(s))
	switch {
	case v == nil || isText && tools.Blank(s):
		return kind, named
	case kind != tools.Text:
		r.repaired(RepairDropped)
		return kind, ""
	case !isText:
		r.refuse(ReasonWrongKind, path, " must be a text: one of email, uri, phone or duration.")
		return kind, ""
	case formatWords[word] != "":
		if formatWords[word] != s {
			r.repaired(RepairFormat)
		}
		return kind, formatWords[word]
	case typeWords[word] == string(tools.Date), typeWords[word] == string(tools.Datetime):
		r.repaired(RepairTypeWord)
		return tools.InputType(typeWords[word]), ""
	case typeWords[word] == string(tools.Text):
		r.repaired(RepairDropped)
		return kind, named
	}
	r.refuse(ReasonUnknownFormat, path, " %s is unknown: use email, uri, phone or duration, or leave it out.", quoted(s))
	return kind, ""
}
