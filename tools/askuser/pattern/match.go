package pattern

import (
	"errors"
	"sort"
	"unicode/utf8"
)

const (
	// matchSteps is the most that one match may take on the server, in steps of the machine: some 0.4 s. It is counted
	// and not timed, so that an answer is judged alike on a busy machine.
	matchSteps = 1e8
	// matchStack bounds the memory of a match, in frames of 8 bytes.
	matchStack = 1 << 22
)

// ErrLimit says that an answer was not judged, because that takes more steps than a match may.
var ErrLimit = errors.New("the match takes too many steps")

// errInvalid says that pattern or answer cannot be read.
var errInvalid = errors.New("the pattern or the answer is not valid")

// Match reports whether the whole answer matches, exactly as new RegExp('^(?:'+source+')$', flags) would. The error is
// ErrLimit where that cannot be told within the limit of steps, which depends on nothing but the arguments, and another
// one for a pattern that Check would not read and for text that is not UTF-8. It is safe for concurrent use; the pattern
// is read at each call, which costs microseconds and happens once per answer of a person.
func Match(source, flags, answer string) (matched bool, err error) {
	if !utf8.ValidString(source) || !utf8.ValidString(answer) || flags != "" && flags != "u" || utf8.RuneCountInString(source) > maxSource {
		return false, errInvalid
	}
	t, refusal := parse(source, flags == "u")
	if refusal != nil {
		return false, errInvalid
	}
	alpha := newAlphabet(t)
	raw := []rune(answer)
	if !t.unicode {
		raw = toUnits(answer)
	}
	matched, _, over := newMachine(compile(t, alpha)).run(alpha.symbols(raw), raw, matchSteps)
	if over {
		return false, ErrLimit
	}
	return matched, nil
}

func (a *alphabet) symbols(text []rune) []uint16 {
	out := make([]uint16, len(text))
	for i, r := range text {
		out[i] = a.symbol(r)
	}
	return out
}

// symbol gives the minterm of a character.
func (a *alphabet) symbol(r rune) uint16 {
	i := sort.Search(len(a.borders), func(i int) bool { return a.borders[i].from > r }) - 1
	return a.borders[i].symbol
}
