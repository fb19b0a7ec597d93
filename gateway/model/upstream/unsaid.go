package upstream

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/model"
)

const (
	// minSaid is in characters. A stretch of that length that was also said is a quotation.
	minSaid = 12
	// gram is the number of bytes that are looked up at once. In each stretch of minSaid bytes of
	// what was said, one gram begins at a multiple of stride.
	gram   = 8
	stride = minSaid - gram + 1
	// maxSteps bounds the comparisons. A text that needs more counts as a quotation as a whole.
	maxSteps = 1 << 22
	// maxPieces bounds the quoted pieces that are looked up. Further ones count as quotations.
	maxPieces = 64
	// left replaces a quotation.
	left = "…"
)

// SaidIn returns what people, tools and the model have said in a request. It does not include names,
// schemas and the system prompt, which are the admin's, except for personal parts of the prompt.
func SaidIn(req model.Request) []string {
	var said []string
	add := func(s string) {
		if s != "" {
			said = append(said, s)
		}
	}
	for _, s := range req.Personal {
		add(s)
	}
	for i := range req.Messages {
		m := &req.Messages[i]
		add(m.Content)
		for j := range m.ToolCalls {
			add(m.ToolCalls[j].Arguments)
		}
		for j := range m.PDFs {
			add(m.PDFs[j].Name)
		}
		if len(m.Made.State) > 0 {
			var state any
			if json.Unmarshal(m.Made.State, &state) != nil {
				state = string(m.Made.State)
			}
			said = statedIn(said, state)
		}
	}
	return said
}

// statedIn appends the texts in a provider's state. It skips the names of members and words for kinds
// and states, which are the provider's own and appear in its errors.
func statedIn(said []string, state any) []string {
	switch state := state.(type) {
	case string:
		if state != "" {
			said = append(said, state)
		}
	case []any:
		for _, item := range state {
			said = statedIn(said, item)
		}
	case map[string]any:
		for name, value := range state {
			switch name {
			case "type", "format", "role", "status", "phase", "object":
			default:
				said = statedIn(said, value)
			}
		}
	}
	return said
}

// Unsaid removes from a server's text what was said in the request, see Quoted.
func Unsaid(text string, said []string) string { return Without(text, Quoted(text, said)) }

// Without replaces each run of marked bytes of a text with "…".
func Without(text string, quoted []bool) string {
	var b strings.Builder
	for i := range len(text) {
		if !quoted[i] {
			b.WriteByte(text[i])
		} else if i == 0 || !quoted[i-1] {
			b.WriteString(left)
		}
	}
	return b.String()
}

// Quoted marks the bytes of a server's text that were said in the request: each run of 12
// characters or more, and each quoted piece of any length, that occurs in the request. Both may be escaped as in JSON. For 10 MB of what was said, and a text of some KiB, it takes
// some milliseconds.
func Quoted(text string, said []string) []bool {
	if text == "" || len(said) == 0 {
		return make([]bool, len(text))
	}
	all := said
	for _, s := range said {
		if strings.IndexByte(s, '\\') >= 0 {
			all = append(all[:len(all):len(all)], string(unescaped(form{b: []byte(s)}).b))
		}
	}
	q := newQuotation(text)
	if !q.stretches(all) {
		for i := range q.marked {
			q.marked[i] = true
		}
	}
	q.pieces(all)
	return q.marked
}

// form is a decoded form of a text. from and to are the range of bytes of the text that each byte
// comes from; they are nil if they are not needed.
type form struct {
	b        []byte
	from, to []int32
}

func plainly(s string) form {
	f := form{b: []byte(s), from: make([]int32, len(s)), to: make([]int32, len(s))}
	for i := range len(s) {
		f.from[i], f.to[i] = int32(i), int32(i+1)
	}
	return f
}

// unescaped decodes a text as the inside of a JSON string. Unlike Unescape, it accepts any text.
func unescaped(f form) form {
	out := form{b: make([]byte, 0, len(f.b))}
	var r [utf8.UTFMax]byte
	for i := 0; i < len(f.b); {
		size, piece := 1, f.b[i:i+1]
		if f.b[i] == '\\' && i+1 < len(f.b) {
			switch plain := short[f.b[i+1]]; {
			case plain != 0:
				size, piece = 2, append(r[:0], plain)
			case f.b[i+1] == '\'':
				size, piece = 2, f.b[i+1:i+2]
			case f.b[i+1] == 'u':
				if c, n := escapedRune(f.b[i:]); n > 0 {
					size, piece = n, utf8.AppendRune(r[:0], c)
				}
			}
		}
		out.b = append(out.b, piece...)
		if f.from != nil {
			for range piece {
				out.from = append(out.from, f.from[i])
				out.to = append(out.to, f.to[i+size-1])
			}
		}
		i += size
	}
	return out
}

// escapedRune reads \uXXXX, or two of them for one code point; n is 0 for anything else.
func escapedRune(b []byte) (r rune, n int) {
	r, ok := hex4(b)
	if !ok {
		return 0, 0
	}
	if low, ok := hex4(b[6:]); ok {
		if pair := utf16.DecodeRune(r, low); pair != unicode.ReplacementChar {
			return pair, 12
		}
	}
	return r, 6
}

// quotation finds the parts of a text that were said. It searches three forms of the text at once: the
// text itself, unescaped once, and unescaped twice, with a byte between them that no text contains.
type quotation struct {
	form
	covered []bool // bytes of the form
	marked  []bool // bytes of the text
}

const between = 0xff

func newQuotation(text string) *quotation {
	q := &quotation{form: plainly(text), marked: make([]bool, len(text))}
	for f, n := q.form, 0; n < 2 && strings.IndexByte(string(f.b), '\\') >= 0; n++ {
		f = unescaped(f)
		q.b = append(append(q.b[:len(q.b):len(q.b)], between), f.b...)
		q.from = append(append(q.from[:len(q.from):len(q.from)], 0), f.from...)
		q.to = append(append(q.to[:len(q.to):len(q.to)], 0), f.to...)
	}
	q.covered = make([]bool, len(q.b))
	return q
}

// mark notes that bytes of the form were said.
func (q *quotation) mark(from, to int) {
	for i := from; i < to; i++ {
		q.covered[i] = true
		for at := q.from[i]; at < q.to[i]; at++ {
			q.marked[at] = true
		}
	}
}

// deep reports whether a gram need not be looked at: each stretch that it may be a part of is already
// marked, or contains another gram.
func (q *quotation) deep(at int) bool {
	for i := at - 1; i >= max(0, at-stride) && q.b[i] != between; i-- {
		if !q.covered[i] {
			return false
		}
	}
	for i := at; i < min(len(q.b), at+gram+stride) && q.b[i] != between; i++ {
		if !q.covered[i] {
			return false
		}
	}
	return true
}

func load(s string, i int) uint64 {
	s = s[i : i+gram]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

const hashBits = 16

func hash(v uint64) uint64 { return v * 0x9e3779b97f4a7c15 >> (64 - hashBits) }

// stretches marks the stretches of minSaid characters or more. It returns false if there is too much
// to compare.
func (q *quotation) stretches(said []string) bool {
	if len(q.b) < gram {
		return true
	}
	var has [1 << hashBits / 64]uint64
	grams, at := string(q.b), map[uint64][]int32{}
	for i := 0; i+gram <= len(grams); i++ {
		v := load(grams, i)
		h := hash(v)
		has[h/64] |= 1 << (h % 64)
		at[v] = append(at[v], int32(i))
	}
	steps := 0
	for _, s := range said {
		for i := 0; i+gram <= len(s); i += stride {
			v := load(s, i)
			if h := hash(v); has[h/64]>>(h%64)&1 == 0 {
				continue
			}
			places := at[v]
			kept := places[:0]
			for _, p := range places {
				if steps++; steps > maxSteps {
					return false
				}
				if q.deep(int(p)) {
					continue
				}
				kept = append(kept, p)
				steps += q.extend(s, i, int(p)) / gram
			}
			if len(kept) < len(places) {
				at[v] = kept
			}
		}
	}
	return true
}

// extend marks the stretch around a gram that s has at i and the form at p, if it is long enough,
// and returns its length.
func (q *quotation) extend(s string, i, p int) int {
	from, to := 0, gram
	for i+from > 0 && p+from > 0 && s[i+from-1] == q.b[p+from-1] {
		from--
	}
	for i+to < len(s) && p+to < len(q.b) && s[i+to] == q.b[p+to] {
		to++
	}
	if to-from < minSaid {
		return to - from
	}
	begin, end := p+from, p+to
	for begin < end && !utf8.RuneStart(q.b[begin]) {
		begin++
	}
	for end > begin && end < len(q.b) && !utf8.RuneStart(q.b[end]) {
		end--
	}
	if utf8.RuneCount(q.b[begin:end]) >= minSaid {
		q.mark(begin, end)
	}
	return to - from
}

// span is a piece of the form.
type span struct{ from, to int }

// pieces marks the quoted pieces that are shorter than a stretch.
func (q *quotation) pieces(said []string) {
	wanted := map[string][]span{}
	for _, s := range q.quoted() {
		text := string(q.b[s.from:s.to])
		if _, known := wanted[text]; !known && len(wanted) == maxPieces {
			q.mark(s.from, s.to)
			continue
		}
		wanted[text] = append(wanted[text], s)
	}
	var begins [1 << 16 / 64]uint64 // set of the first two bytes of the wanted pieces
	byPrefix := map[uint16][]string{}
	for text := range wanted {
		if len(text) == 1 {
			for _, s := range said {
				if strings.Contains(s, text) {
					q.markAll(wanted[text])
					break
				}
			}
			continue
		}
		k := uint16(text[0]) | uint16(text[1])<<8
		begins[k/64] |= 1 << (k % 64)
		byPrefix[k] = append(byPrefix[k], text)
	}
	for _, s := range said {
		if len(byPrefix) == 0 {
			return
		}
		for i := 0; i+1 < len(s); i++ {
			k := uint16(s[i]) | uint16(s[i+1])<<8
			if begins[k/64]>>(k%64)&1 == 0 {
				continue
			}
			var kept []string
			for _, text := range byPrefix[k] {
				if strings.HasPrefix(s[i:], text) {
					q.markAll(wanted[text])
				} else {
					kept = append(kept, text)
				}
			}
			if byPrefix[k] = kept; len(kept) == 0 {
				delete(byPrefix, k)
				begins[k/64] &^= 1 << (k % 64)
			}
		}
	}
}

func (q *quotation) markAll(spans []span) {
	for _, s := range spans {
		q.mark(s.from, s.to)
	}
}

// closers has the closing quotation mark for each opening one.
var closers = map[rune]rune{'\'': '\'', '"': '"', '`': '`', '“': '”', '‘': '’', '«': '»', '„': '“', '‹': '›'}

// quoted returns the pieces between quotation marks that are shorter than a stretch. If a mark may
// open, close, or be an apostrophe, it returns all pieces that may begin there.
func (q *quotation) quoted() []span {
	var spans []span
	opened := map[rune]bool{} // by kind: whether an odd number of marks came before
	var before rune
	for i := 0; i < len(q.b); {
		r, size := utf8.DecodeRune(q.b[i:])
		closer, opens := closers[r]
		if opens && closer == r {
			opens = !opened[r] || !wordly(before)
			opened[r] = !opened[r]
		}
		if opens {
			for at, n := i+size, 0; at < len(q.b) && q.b[at] != between && n < minSaid; n++ {
				c, w := utf8.DecodeRune(q.b[at:])
				if c == closer && n > 0 {
					end := at
					for end > i+size && q.b[end-1] == '\\' { // it escapes the closing mark
						end--
					}
					if end > i+size {
						spans = append(spans, span{i + size, end})
					}
				}
				at += w
			}
		}
		if before = r; q.b[i] == between {
			clear(opened)
		}
		i += size
	}
	return spans
}

func wordly(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
