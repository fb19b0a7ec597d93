package textsearch

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxWords is the maximum number of words of a query. Further ones are ignored.
const MaxWords = 32

// Words are the words of a query. The zero value finds nothing.
type Words struct {
	words [][]byte
}

// NewWords splits a query at white space into words, all of which have to occur.
func NewWords(query string) Words {
	var w Words
	for word := range strings.FieldsSeq(query) {
		folded := AppendFolded(nil, word)
		if len(folded) > 0 && len(w.words) < MaxWords && !slices.ContainsFunc(w.words, func(b []byte) bool { return bytes.Equal(b, folded) }) {
			w.words = append(w.words, folded)
		}
	}
	return w
}

// None reports whether there are no words.
func (w Words) None() bool { return len(w.words) == 0 }

// Set is a set of the words of a query.
type Set uint32

// All returns the set of all words.
func (w Words) All() Set { return 1<<len(w.words) - 1 }

// Finder searches many texts. It is not safe for concurrent use.
type Finder struct {
	Words
	buffer []byte
}

// In returns the words that occur in a text.
func (f *Finder) In(text string) (found Set) {
	f.buffer = AppendFolded(f.buffer[:0], text)
	for i, word := range f.words {
		if bytes.Contains(f.buffer, word) {
			found |= 1 << i
		}
	}
	return found
}

// Piece is a part of a snippet.
type Piece struct {
	Text  string `json:"text"`
	Match bool   `json:"match,omitempty"`
}

// The approximate number of code points of a snippet, and of those before the first word.
const snippetLength, snippetBefore = 160, 40

// Snippet returns the part of a text around the first of the words, on one line; nil if none
// occurs.
func (w Words) Snippet(text string) []Piece {
	text = strings.ToValidUTF8(text, "\ufffd")
	first := w.first(text)
	if first < 0 {
		return nil
	}
	from, to := around(text, first)
	return w.pieces(strings.Join(strings.Fields(text[from:to]), " "), from > 0, to < len(text))
}

// first returns the position of the first of the words, -1 if none occurs.
func (w Words) first(text string) int {
	folded, at := AppendFolded(nil, text), -1
	for _, word := range w.words {
		if i := bytes.Index(folded, word); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	if at < 0 {
		return -1
	}
	var one [64]byte
	for i, r := range text { // the position in the unfolded text
		n := len(appendRune(one[:0], r))
		if at < n {
			return i
		}
		at -= n
	}
	return -1
}

// around returns the start and end of a snippet, between words if possible.
func around(text string, first int) (from, to int) {
	from = first
	for range snippetBefore {
		_, n := utf8.DecodeLastRuneInString(text[:from])
		from -= n
	}
	if i := strings.IndexFunc(text[from:first], unicode.IsSpace); from > 0 && i >= 0 {
		from += i
	}
	to = from
	for range snippetLength {
		_, n := utf8.DecodeRuneInString(text[to:])
		to += n
	}
	if i := strings.LastIndexFunc(text[first:to], unicode.IsSpace); to < len(text) && i > 0 {
		to = first + i
	}
	return from, to
}

// pieces splits a short text into matches and the text between; cutBefore and cutBehind add an ellipsis.
func (w Words) pieces(text string, cutBefore, cutBehind bool) []Piece {
	var folded []byte
	var at []int // the position in text of each byte of folded
	for i, r := range text {
		before := len(folded)
		folded = appendRune(folded, r)
		for range len(folded) - before {
			at = append(at, i)
		}
	}
	at = append(at, len(text))
	marked := make([]bool, len(text))
	for _, word := range w.words {
		for from := 0; ; {
			i := bytes.Index(folded[from:], word)
			if i < 0 {
				break
			}
			end := from + i + len(word)
			last := at[end-1] // mark the whole character if a part of it matches
			_, n := utf8.DecodeRuneInString(text[last:])
			for j := at[from+i]; j < last+n; j++ {
				marked[j] = true
			}
			from = end
		}
	}
	var list []Piece
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && marked[end] == marked[i] {
			end++
		}
		list = append(list, Piece{text[i:end], marked[i]})
		i = end
	}
	const ellipsis = "…"
	if cutBefore {
		list = slices.Insert(list, 0, Piece{Text: ellipsis})
	}
	if cutBehind {
		list = append(list, Piece{Text: ellipsis})
	}
	return slices.CompactFunc(joined(list), func(_, b Piece) bool { return b.Text == "" })
}

// joined joins adjacent pieces of the same kind.
func joined(list []Piece) []Piece {
	for i := len(list) - 1; i > 0; i-- {
		if list[i].Match == list[i-1].Match {
			list[i-1].Text += list[i].Text
			list = slices.Delete(list, i, i+1)
		}
	}
	return list
}
