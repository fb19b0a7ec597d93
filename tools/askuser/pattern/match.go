package pattern

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

const (
	// matchTimeout is the most that one match may take on the server. What Check accepts stays far below it.
	matchTimeout = 250 * time.Millisecond
	// clockPeriod is how often regexp2's clock ticks while a match runs: how late the timeout can be. Its default of
	// 100 ms would let a match run for up to 450 ms.
	clockPeriod = 5 * time.Millisecond
)

func init() {
	regexp2.SetTimeoutCheckPeriod(clockPeriod) // not safe to call while anything matches
}

// Match reports whether the whole answer matches, exactly as new RegExp('^(?:'+source+')$', flags) would. A match that
// hits the time limit or the limit of the engine's stack, a pattern that does not compile, and text that is not UTF-8
// count as no match. It is safe for concurrent use; the pattern is compiled at each call, which costs microseconds and
// happens once per answer of a person.
func Match(source, flags, answer string) (matched bool) {
	defer func() {
		if recover() != nil {
			matched = false
		}
	}()
	if !utf8.ValidString(source) || !utf8.ValidString(answer) || flags != "" && flags != "u" {
		return false
	}
	re, err := compileServer(source, flags)
	if err != nil {
		return false
	}
	// The error is dropped on purpose: regexp2 writes the whole answer into it.
	if flags == "u" {
		matched, err = re.MatchString(answer)
	} else {
		matched, err = re.MatchRunes(toUnits(answer))
	}
	return matched && err == nil
}

// compileServer compiles a pattern as the server runs it: with u on code points, without u on UTF-16 units.
func compileServer(source, flags string) (re *regexp2.Regexp, err error) {
	defer func() {
		if r := recover(); r != nil {
			re, err = nil, fmt.Errorf("the engine gave up")
		}
	}()
	options := regexp2.ECMAScript
	if flags == "u" {
		options |= regexp2.Unicode
	} else {
		source = spellUnits(source)
	}
	re, err = regexp2.Compile("^(?:"+source+")$", options)
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = matchTimeout
	return re, nil
}

// spellUnits writes characters beyond the BMP as two escapes, as a browser without u reads them.
func spellUnits(source string) string {
	out := make([]byte, 0, len(source))
	escaped := false
	for _, r := range source {
		if r <= 0xFFFF {
			out = utf8.AppendRune(out, r)
			escaped = r == '\\' && !escaped
			continue
		}
		if escaped { // "\" before the first unit is an identity escape
			out = out[:len(out)-1]
		}
		for _, u := range toUnits(string(r)) {
			out = fmt.Appendf(out, `\u%04x`, u)
		}
		escaped = false
	}
	return string(out)
}
