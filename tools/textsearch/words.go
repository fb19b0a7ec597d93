package textsearch

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxWords is how many words of a query count.
const MaxWords = 32

// Words are what a query looks for. The zero value finds nothing.
type Words struct {
	words [][]byte
}

// NewWords reads a query: words between white space, all of which have to occur.
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

// None says that there is nothing to look for.
func (w Words) None() bool { return len(w.words) == 0 }

// Set is some of the words.
type Set uint32

// All is all of them.
func (w Words) All() Set { return 1<<len(w.words) - 1 }

// Finder looks through many texts; for one goroutine.
type Finder struct {
	Words
	buffer []byte
}

// In is which of the words occur in a text.
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

// About how many code points a snippet has, and of them before the first word.
const snippetLength, snippetBefore = 160, 40

// Snippet is the piece of a text around the first of the words in it, on one line; nil where
// none occurs.
func (w Words) Snippet(text string) []Piece {
	text = strings.ToValidUTF8(text, "\ufffd")
	first := w.first(text)
	if first < 0 {
		return nil
	}
	from, to := around(text, first)
	return w.pieces(strings.Join(strings.Fields(text[from:to]), " "), from > 0, to < len(text))
}

// first is where the first of the words begins, -1 where none occurs.
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
	for i, r := range text { // back to where it stands in the text
		n := len(appendRune(one[:0], r))
		if at < n {
			return i
		}
		at -= n
	}
	return -1
}

// around is where a snippet begins and ends, between words where there are some nearby.
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

// pieces are those of a short text, some of which match; cut says where it goes on.
func (w Words) pieces(text string, cutBefore, cutBehind bool) []Piece {
	var folded []byte
	var at []int // where in the text each of its bytes is from
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
			last := at[end-1] // of a character of which only a part was looked for, all
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

// joined puts pieces together that follow one another and are of a kind.
func joined(list []Piece) []Piece {
	for i := len(list) - 1; i > 0; i-- {
		if list[i].Match == list[i-1].Match {
			list[i-1].Text += list[i].Text
			list = slices.Delete(list, i, i+1)
		}
	}
	return list
}
