package grounding

import (
	"strings"
)

const (
	window = 60  // bytes around the words of a name within which they belong together
	places = 512 // occurrences of a word that are examined
)

// index is a text without the separators between its words, and the positions where words begin.
type index struct {
	text   strings.Builder
	all    string
	starts []uint64 // a bit for each byte
}

func (x *index) begin() {
	at := x.text.Len()
	for len(x.starts) <= at/64 {
		x.starts = append(x.starts, 0)
	}
	x.starts[at/64] |= 1 << (at % 64)
}

// add appends tokens. A border separates them from those of other calls.
func (x *index) add(tokens []token) {
	for i, t := range tokens {
		if t.class == mark {
			continue
		}
		if i == 0 || !joined(tokens[i-1], t) {
			x.begin()
		}
		x.text.WriteString(t.text)
	}
	x.begin()
	x.text.WriteByte(0)
}

// done prepares the index for searches.
func (x *index) done() {
	x.begin()
	x.all = x.text.String()
	x.begin()
}

func (x *index) starting(at int) bool {
	return at/64 < len(x.starts) && x.starts[at/64]&(1<<(at%64)) != 0
}

// endings has the endings of a word that do not change its meaning: plural, case, possessive.
var endings = []string{"s", "es", "e", "n", "en", "er", "em", "x"}

// ends reports whether a word ends at a position, or right after it with one of the endings.
func (x *index) ends(at int, inflected bool) bool {
	if x.starting(at) {
		return true
	}
	if inflected {
		for _, ending := range endings {
			if strings.HasPrefix(x.all[at:], ending) && x.starting(at+len(ending)) {
				return true
			}
		}
	}
	return false
}

// find returns the first position from `from` on at which a squashed text occurs as whole
// words, -1 if there is none.
func (x *index) find(squashed string, from, to int, inflected bool) int {
	if squashed == "" {
		return -1
	}
	to = min(to, len(x.all))
	for from < to {
		at := strings.Index(x.all[from:to], squashed)
		if at < 0 {
			return -1
		}
		at += from
		if x.starting(at) && x.ends(at+len(squashed), inflected) {
			return at
		}
		for from = at + 1; from < to && !x.starting(from); from++ {
		}
	}
	return -1
}

// has reports whether a squashed text occurs as whole words.
func (x *index) has(squashed string, inflected bool) bool {
	return x.find(squashed, 0, len(x.all), inflected) >= 0
}

// begins reports whether a word begins with a text and has at most this many more bytes, as
// "musical" begins with "music".
func (x *index) begins(squashed string, most int) bool {
	for from := 0; ; {
		at := strings.Index(x.all[from:], squashed)
		if at < 0 {
			return false
		}
		at += from
		if x.starting(at) {
			for more := range most + 1 {
				if x.starting(at + len(squashed) + more) {
					return true
				}
			}
		}
		for from = at + 1; from < len(x.all) && !x.starting(from); from++ {
		}
	}
}

// near reports whether the words occur close to each other, in any order.
func (x *index) near(words []string) bool {
	longest, total := 0, 0
	for i, w := range words {
		total += len(w)
		if len(w) > len(words[longest]) {
			longest = i
		}
	}
	reach := total + window
	from := 0
	for range places {
		at := x.find(words[longest], from, len(x.all), inflects(words[longest]))
		if at < 0 {
			return false
		}
		low, high := max(0, at-reach), min(len(x.all), at+reach)
		all := true
		for i, w := range words {
			if i != longest && x.find(w, low, high, inflects(w)) < 0 {
				all = false
				break
			}
		}
		if all {
			return true
		}
		from = at + 1
	}
	return false
}

// inflects reports whether a word may have an ending.
func inflects(w string) bool {
	return len(w) >= 3 && strings.IndexFunc(w, isDigit) < 0
}

// misspelt reports whether a word of six letters or more was said with one letter wrong,
// missing or too many, or with two letters swapped.
func (x *index) misspelt(w string) bool {
	if len(w) < 6 || len(w) > 30 || !inflects(w) {
		return false
	}
	half := len(w) / 2
	for _, part := range []string{w[:half], w[half+1:]} { // one of the halves is spelled correctly
		from := 0
		for range places {
			at := strings.Index(x.all[from:], part)
			if at < 0 {
				break
			}
			at += from
			from = at + 1
			first := at
			for first > 0 && !x.starting(first) && first > at-len(w)-1 {
				first--
			}
			end := first + 1
			for end < len(x.all) && !x.starting(end) && end < first+len(w)+2 {
				end++
			}
			if x.starting(first) && x.starting(end) && slip(w, strings.TrimRight(x.all[first:end], "\x00")) {
				return true
			}
		}
	}
	return false
}

// slip reports whether two words differ in one letter or in two swapped letters.
func slip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch {
	case len(a) < len(b):
		return a[i:] == b[i+1:]
	case i == len(a):
		return true
	case a[i+1:] == b[i+1:]:
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
