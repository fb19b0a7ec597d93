package index

import (
	"strings"
	"unicode/utf8"

	"github.com/askgate/askgate/tools"
)

const (
	snippetSize = 240      // code points
	snippetRead = 32 << 10 // bytes of a passage to search
)

// snippet returns, in one line, the part of a text that contains the most words of a query.
func snippet(text string, query []wanted) string {
	text = tools.Clip(text, snippetRead)
	type found struct{ at, word int }
	var hits []found
	pieces(text, func(p piece) bool {
		for i, w := range query {
			if fits(p, w) {
				hits = append(hits, found{p.start, i})
				break
			}
		}
		return true
	})
	best, most := 0, 0
	for i, h := range hits {
		words := map[int]bool{}
		for _, other := range hits[i:] {
			if other.at-h.at > snippetSize*3/4 {
				break
			}
			words[other.word] = true
		}
		if len(words) > most {
			best, most = h.at, len(words)
		}
	}
	start := begin(text, best)
	piece := strings.Join(strings.Fields(text[start:min(len(text), start+snippetSize*utf8.UTFMax*2)]), " ")
	piece = strings.ToValidUTF8(piece, "")
	if start > 0 {
		piece = "… " + piece
	}
	return tools.Shorten(piece, snippetSize)
}

// fits reports whether a word of the query matches a piece of the text.
func fits(p piece, w wanted) bool {
	switch {
	case p.run != w.run:
		return false
	case w.run:
		return strings.Contains(p.folded, w.text)
	case strings.HasPrefix(p.folded, w.text) && (len(w.text) > 2 || len(p.folded) == len(w.text)):
		return true
	}
	for _, s := range w.spelt {
		if p.folded == s {
			return true
		}
	}
	return false
}

// begin returns the beginning of the sentence or line that contains the offset at, if it is near.
func begin(text string, at int) int {
	const far = 60
	from := max(0, at-far)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	if from == 0 {
		return 0
	}
	for _, mark := range []string{"\n", ". ", "。", " "} {
		if i := strings.LastIndex(text[from:at], mark); i >= 0 {
			return from + i + len(mark)
		}
	}
	return at
}
