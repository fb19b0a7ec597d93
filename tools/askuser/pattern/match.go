package pattern

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// MatchTimeout is how long the texts of one answer may take to match together. The bound of Check keeps ordinary answers
// far below it: of 27,428 texts of 4,000 characters that were built to be slow for accepted patterns, three reached it, on
// a busy machine.
const MatchTimeout = 2 * time.Second

var (
	// ErrMismatch says that a text does not match.
	ErrMismatch = errors.New("the text does not match the pattern")
	// ErrLimit says that a text was not judged, because that takes too long.
	ErrLimit = errors.New("matching the text takes too long")

	errInvalid = errors.New("the pattern or the text cannot be read")
)

// The clock of regexp2's timeouts is a goroutine that the first match starts. It is started here, and never stops: if a
// test of testing/synctest started it, it would belong to that test's bubble.
func init() {
	clock := regexp2.MustCompile("")
	clock.MatchTimeout = 200 * 365 * 24 * time.Hour
	if _, err := clock.MatchString(""); err != nil {
		panic(err)
	}
}

// Matcher matches the texts of one answer, which have MatchTimeout together. The zero value is ready. It is not safe for
// concurrent use.
type Matcher struct{ spent time.Duration }

// Match returns nil if the whole text matches as new RegExp('^(?:'+source+')$', flags) would have it, ErrMismatch if not,
// ErrLimit where that cannot be told in time, and another error for a pattern that Check would not accept and for text
// that is not UTF-8. The pattern is compiled at each call, which takes microseconds and happens once per answer.
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
	case err != nil: // its text has the answer in it
		return ErrLimit
	case !matched:
		return ErrMismatch
	}
	return nil
}

// compile has regexp2 read the pattern as a browser does.
func compile(source string, unicode bool) (*regexp2.Regexp, error) {
	options := regexp2.ECMAScript
	if unicode {
		options |= regexp2.Unicode
	} else {
		source = spellUnits(source)
	}
	return regexp2.Compile("^(?:"+source+")$", options)
}

// spellUnits writes the characters that are two UTF-16 units as these two, which a pattern without u consists of. A
// backslash before such a character is one before its first unit, and means nothing.
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
