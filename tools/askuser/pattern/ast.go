package pattern

// kind is the kind of a node of the syntax tree.
type kind uint8

const (
	kindEmpty  kind = iota // matches the empty text
	kindChar               // one code point (one UTF-16 unit without u) from set
	kindConcat             // kids in sequence
	kindAlt                // the first of kids that leads to a match
	kindGroup              // kids[0], captured as group number when capture > 0
	kindLoop               // kids[0], min to max times
	kindAssert             // one of ^ $ \b \B, in assert
	kindLook               // kids[0] ahead or behind, without moving
	kindRef                // the text of group number ref
)

// unbounded is the max of a loop without an upper limit.
const unbounded = 1<<31 - 1

// node is a node of the syntax tree. The kind determines which fields are used.
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
	from, to   int  // its position in the source, in units of the parser
}

// tree is a parsed pattern.
type tree struct {
	root    *node
	src     []rune // code points with u, UTF-16 units without
	unicode bool
	groups  int // capture groups
	refs    bool
	// boundaries is set if there is a \b or \B, or a ^ or $ that may not be at an end.
	boundaries bool
}

// position converts an index of src to a count of code points from 1, for messages.
func (t *tree) position(unit int) int { return position(t.src, unit) }

// text returns the source between two indexes, shortened in the middle, for messages.
func (t *tree) text(from, to int) string {
	s := []rune(unitsToText(t.src[from:to]))
	if len(s) > 40 {
		s = append(append(s[:24:24], '…'), s[len(s)-12:]...)
	}
	return string(s)
}
