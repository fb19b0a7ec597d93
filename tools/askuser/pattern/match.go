package pattern

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// MatchTimeout is the total time for matching the texts of one answer. Because of the bound of Check, ordinary answers
// take far less: of 27,428 texts of 4,000 characters built to be slow for accepted patterns, three reached it, on a busy
// machine.
const MatchTimeout = 2 * time.Second

var (
	// ErrMismatch means that a text does not match.
	ErrMismatch = errors.New("the text does not match the pattern")
	// ErrLimit means that matching takes too long, so that the result is unknown.
	ErrLimit = errors.New("matching the text takes too long")

	errInvalid = errors.New("the pattern or the text cannot be read")
)

// The clock of regexp2's timeouts is a goroutine that starts with the first match. It is started here and never stops:
// if a test with testing/synctest started it, it would belong to the bubble of that test.
func init() {
	clock := regexp2.MustCompile("")
	clock.MatchTimeout = 200 * 365 * 24 * time.Hour
	if _, err := clock.MatchString(""); err != nil {
		panic(err)
	}
}

// Matcher matches the texts of one answer within a total of MatchTimeout. The zero value is ready to use. It is not safe
// for concurrent use.
type Matcher struct{ spent time.Duration }

// Match returns nil if the whole text matches as with new RegExp('^(?:'+source+')$', flags), ErrMismatch if not, and
// ErrLimit if the time is not enough. It returns another error for a pattern that Check would not accept and for text that
// is not UTF-8. The pattern is compiled at each call, which takes microseconds and happens once per answer.
func (m *Matcher) Match(source, flags, text string) (err error) {
	if !utf8.ValidString(source) || !utf8.ValidString(text) || flags != "" && flags != "u" || utf8.RuneCountInString(source) > maxSource {
		return errInvalid
	}
	begin := time.Now()
	defer func() {
		m.spent += time.Since(begin)
		if recover() != nil {
			err = ErrLimit
		}
	}()
	re, err := compile(source, flags == "u")
	if err != nil {
		return errInvalid
	}
	if re.MatchTimeout = MatchTimeout - m.spent; re.MatchTimeout <= 0 {
		return ErrLimit
	}
	var matched bool
	if flags == "u" {
		matched, err = re.MatchString(text)
	} else {
		matched, err = re.MatchRunes(toUnits(text))
	}
	switch {
	case err != nil: // the error's text contains the answer
		return ErrLimit
	case !matched:
		return ErrMismatch
	}
	return nil
}

// compile compiles the pattern with regexp2, as a browser reads it.
func compile(source string, unicode bool) (*regexp2.Regexp, error) {
	options := regexp2.ECMAScript
	if unicode {
		options |= regexp2.Unicode
	} else {
		source = spellUnits(source)
	}
	return regexp2.Compile("^(?:"+source+")$", options)
}

// spellUnits replaces characters of two UTF-16 units by these units, as a pattern without u reads them. A backslash before
// such a character then precedes the first unit, and has no effect.
func spellUnits(source string) string {
	if strings.IndexFunc(source, isAstral) < 0 {
		return source
	}
	var out strings.Builder
	escaped := false
	for _, r := range source {
		switch {
		case isAstral(r):
			for _, unit := range toUnits(string(r)) {
				fmt.Fprintf(&out, `\u%04x`, unit)
			}
			escaped = false
			continue
		case escaped:
			out.WriteByte('\\')
		}
		if escaped = r == '\\' && !escaped; !escaped {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func isAstral(r rune) bool { return r > 0xFFFF }
