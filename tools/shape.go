package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// edgeSigns have no meaning at the edges of a word. Inside a word, and before a digit, they
// do: 3.5 is not 35, and .5 is not 5.
const edgeSigns = ".,;:"

// Fold removes differences that do not change the meaning of a question: case and width of
// letters, the kind of white space, the signs ? ! ¿ ¡ … anywhere, and . , ; : at the edges of
// words. All forms of apostrophes, quotation marks and dashes are equal, as are ß and its
// capital letter. All other signs stay: C# is not C, and -5 is not 5. Texts with equal folds
// always mean the same. The reverse may be false, in doubt: ß is not ss, and ² is not 2.
func Fold(s string) string {
	s = norm.NFC.String(width.Fold.String(strings.ToValidUTF8(s, "\ufffd")))
	var folded strings.Builder
	for word := range strings.FieldsFuncSeq(spoken(s), unicode.IsSpace) {
		word = strings.TrimRight(word, edgeSigns)
		for len(word) > 1 && strings.IndexByte(edgeSigns, word[0]) >= 0 && !startsWithDigit(word[1:]) {
			word = word[1:]
		}
		if word == "" {
			continue
		}
		if folded.Len() > 0 {
			folded.WriteByte(' ')
		}
		folded.WriteString(word)
	}
	return norm.NFC.String(folded.String())
}

// spoken returns s in lower case, with white space in place of the signs that only change the
// tone. != is not one of them.
func spoken(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		switch r {
		case '!':
			if strings.HasPrefix(s[i+1:], "=") {
				break
			}
			r = ' '
		case '?', '¿', '¡', '…':
			r = ' '
		case '‘', '’', '‚', '‛', 'ʼ', '´':
			r = '\''
		case '“', '”', '„', '‟', '«', '»':
			r = '"'
		case '‐', '‑', '‒', '–', '—', '―', '−':
			r = '-'
		}
		if unicode.IsControl(r) {
			r = ' '
		}
		b.WriteRune(small(r))
	}
	return b.String()
}

// small returns the same letter for all letters that differ only in case.
func small(r rune) rune {
	first := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		first = min(first, next)
	}
	return unicode.ToLower(first)
}

func startsWithDigit(s string) bool {
	for _, r := range s {
		return unicode.IsDigit(r)
	}
	return false
}

// shape has the words, the input type and the options of a part.
type shape struct {
	Text   string    `json:"text"`
	Type   InputType `json:"type"`
	Values []string  `json:"values,omitempty"`
	// Options from a source count as the same if the source is the same: their content
	// changes, and a question has only the first ones.
	Template  string `json:"template,omitempty"`
	Arguments string `json:"arguments,omitempty"`
}

// Shape identifies what is asked, in 16 hexadecimal digits: the folded text, the type and the
// set of option values of each part, in order. It is stored, so it must stay the same in all
// versions of the gateway.
func (q Question) Shape() string {
	shapes := make([]shape, len(q.Parts))
	for i := range q.Parts {
		shapes[i] = q.shape(i)
	}
	encoded, err := json.Marshal(shapes)
	if err != nil {
		return "" // cannot happen: strings can always be encoded
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:8])
}

func (q Question) shape(part int) shape {
	p := &q.Parts[part]
	s := shape{Text: Fold(p.Question), Type: p.InputType}
	if source, ok := q.Source(part); ok {
		s.Template, s.Arguments = source.Template, source.Arguments
		return s
	}
	for _, o := range p.Options {
		s.Values = append(s.Values, o.Value)
	}
	slices.Sort(s.Values)
	return s
}

func (s shape) equal(other shape) bool {
	return s.Text == other.Text && s.Type == other.Type && s.Template == other.Template && s.Arguments == other.Arguments &&
		slices.Equal(s.Values, other.Values)
}

// AsksPart reports whether a part of q asks the same as a part of another question: the words,
// the type and the options are the same.
func (q Question) AsksPart(part int, other Question, of int) bool {
	return q.shape(part).equal(other.shape(of))
}

// Repeats reports whether q asks the same as another question: each part has the same shape
// and shows the same other texts. "Is this right?" under another text is another question, as
// is a choice of 1 or 2 with other labels.
func (q Question) Repeats(other Question) bool {
	if q.Kind != KindQuestion || other.Kind != KindQuestion || len(q.Parts) != len(other.Parts) {
		return false
	}
	for i := range q.Parts {
		if !q.AsksPart(i, other, i) || q.shown(i) != other.shown(i) {
			return false
		}
	}
	return true
}

// shown returns the texts of a part apart from its question, regardless of the order of the options.
func (q Question) shown(part int) string {
	p := &q.Parts[part]
	lines := []string{Fold(p.Context), p.Link}
	if p.When != nil {
		lines = append(lines, p.When.Question, strings.Join(p.When.Is, "\x01"))
	}
	if _, live := q.Source(part); !live {
		options := slices.Clone(p.Options)
		slices.SortFunc(options, func(a, b Option) int { return strings.Compare(a.Value, b.Value) })
		for _, o := range options {
			lines = append(lines, o.Value, Fold(o.Label), Fold(o.Description), o.Preview)
		}
	}
	return strings.Join(lines, "\x00")
}
