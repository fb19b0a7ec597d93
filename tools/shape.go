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

// edgeSigns end or begin a word and mean nothing there. Inside of one, and before a digit, they
// do: 3.5 is not 35, and .5 is not 5.
const edgeSigns = ".,;:"

// Fold is a text without what makes no other question of it: the case and width of letters, how
// white space is written, the signs ? ! ¿ ¡ … wherever they stand, and . , ; : at the edges of
// words. Apostrophes, quotation marks and dashes are the same however they are drawn, and so are
// ß and its capital letter. All other signs stay: C# is not C, and -5 is not 5. Two texts whose
// folds are equal say the same; it is made so that the reverse may be wrong, and that never: ß is
// not ss, ² is not 2.
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

// spoken is s in small letters, and with white space for the signs that say how it is said. The
// sign of "not equal" is not one of them.
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

// small is the one letter that stands for all that differ from r in case only.
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

// shape is what a part asks: the words, how it is answered, and among what.
type shape struct {
	Text   string    `json:"text"`
	Type   InputType `json:"type"`
	Values []string  `json:"values,omitempty"`
	// Options from elsewhere are the same as long as they come from the same place: what is
	// there changes, and a question holds only the first of them.
	Template  string `json:"template,omitempty"`
	Arguments string `json:"arguments,omitempty"`
}

// Shape identifies what is asked, in 16 hexadecimal digits: the folded text, the type and the
// set of option values of each part, in their order. It is stored, and stays the same in all
// versions of the gateway.
func (q Question) Shape() string {
	shapes := make([]shape, len(q.Parts))
	for i := range q.Parts {
		shapes[i] = q.shape(i)
	}
	encoded, err := json.Marshal(shapes)
	if err != nil {
		return "" // strings always have a JSON
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

// AsksPart says that a part of q asks what a part of another question asks: the words, the type and
// the options are the same.
func (q Question) AsksPart(part int, other Question, of int) bool {
	return q.shape(part).equal(other.shape(of))
}

// Repeats says that q asks again what another question asked: each part has the same shape, and
// what it shows beside that is the same, too. "Is this right?" is another question below another
// text, and so is 1 or 2 where these stand for something else.
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

// shown is what a person reads of a part beside its words, in any order of the options.
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
