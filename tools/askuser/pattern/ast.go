package pattern

// kind says what a node of the syntax tree is.
type kind uint8

const (
	kindEmpty  kind = iota // matches the empty text
	kindChar               // one code point (one UTF-16 unit without u) out of set
	kindConcat             // kids one after the other
	kindAlt                // the first of kids that leads on to a match
	kindGroup              // kids[0], captured as group number when capture > 0
	kindLoop               // kids[0], min to max times
	kindAssert             // one of ^ $ \b \B, in assert
	kindLook               // kids[0] ahead or behind, without moving
	kindRef                // the text of group number ref
)

// unbounded is the max of a loop without an upper bound.
const unbounded = 1<<31 - 1

// node is one node of the syntax tree. Which fields have a meaning depends on kind.
type node struct {
	kind       kind
	kids       []*node
	set        set
	min, max   int  // loop
	lazy       bool // loop
	capture    int  // group: its number, 0 for (?:)
	first, end int  // loop: the capture groups inside are first <= n < end
	assert     byte // '^', '$', 'b', 'B'
	behind     bool // look
	negative   bool // look
	ref        int  // back-reference: the group's number
	from, to   int  // where it stands in the source, in units of the parser
}

// tree is a parsed pattern.
type tree struct {
	root    *node
	src     []rune // code points with u, UTF-16 units without
	unicode bool
	groups  int // capture groups
	refs    bool
	// boundaries says that there is a \b or \B, or a ^ or $ that may stand elsewhere than at an end.
	boundaries bool
}

// position turns an index into src into a count of code points from 1, for messages.
func (t *tree) position(unit int) int { return position(t.src, unit) }

// text gives the source between two indexes, shortened in the middle, for messages.
func (t *tree) text(from, to int) string {
	s := []rune(unitsToText(t.src[from:to]))
	if len(s) > 40 {
		s = append(append(s[:24:24], '…'), s[len(s)-12:]...)
	}
	return string(s)
}
