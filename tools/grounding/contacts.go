package grounding

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// address searches for an email address written in words.
func (s *Said) address(of string) bool {
	for _, names := range [][2]string{{"at", "dot"}, {"at", "punkt"}, {"arobase", "point"}, {"arroba", "punto"}} {
		spoken := strings.NewReplacer("@", " "+names[0]+" ", ".", " "+names[1]+" ").Replace(of)
		if s.index.has(squash(lex(spoken, nil)), false) {
			return true
		}
	}
	return false
}

// bare returns an address without the parts that browsers add.
func bare(of string) string {
	if of = strings.TrimPrefix(of, "mailto:"); !strings.Contains(of, "://") {
		return of
	}
	u, err := url.Parse(of)
	if err != nil {
		return of
	}
	return strings.TrimPrefix(strings.TrimSuffix(u.Host+u.RequestURI(), "/"), "www.")
}

// isPhone reports whether a text is a phone number or looks like one.
func isPhone(of string) bool {
	figures := 0
	for _, r := range of {
		switch {
		case r >= '0' && r <= '9':
			figures++
		case !strings.ContainsRune("+-()/. ", r):
			return false
		}
	}
	return figures >= 7 && len(of) <= 40
}

// phone reports whether a phone number was said, with or without its country code.
func (s *Said) phone(of string) bool {
	figures := squash(lex(of, nil))
	if s.index.has(figures, false) || s.index.has("00"+figures, false) {
		return true
	}
	national := strings.TrimLeft(strings.TrimPrefix(figures, "00"), "0")
	for code := 0; code <= 3 && len(national)-code >= 7; code++ {
		rest := national[code:]
		if s.index.has(rest, false) || s.index.has("0"+rest, false) {
			return true
		}
	}
	return false
}

// isoDuration reads an ISO 8601 duration, in seconds.
func isoDuration(of string) (seconds float64, ok bool) {
	rest, is := strings.CutPrefix(of, "P")
	if !is || len(rest) > 30 || rest == "" {
		return 0, false
	}
	timed := false
	for rest != "" {
		if rest[0] == 'T' && !timed {
			timed, rest = true, rest[1:]
			continue
		}
		i := strings.IndexFunc(rest, unicode.IsLetter)
		if i < 1 {
			return 0, false
		}
		n, err := strconv.ParseFloat(rest[:i], 64)
		if err != nil {
			return 0, false
		}
		switch {
		case rest[i] == 'W' && !timed:
			n *= 7 * day
		case rest[i] == 'D' && !timed:
			n *= day
		case rest[i] == 'H' && timed:
			n *= 3600
		case rest[i] == 'M' && timed:
			n *= 60
		case rest[i] == 'S' && timed:
		default:
			return 0, false
		}
		seconds += n
		rest, ok = rest[i+1:], true
	}
	return seconds, ok
}
