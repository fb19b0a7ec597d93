package pattern

// segment is a part of an attack: a word that stands there once, or as often as the attack is pumped.
type segment struct {
	word   []uint16
	pumped bool
}

// attack is a family of texts: some prefix, words that are pumped, and an ending that makes the match fail.
type attack struct {
	segments []segment
	endings  [][]uint16
	literal  []uint16 // instead of segments: a text that is used up to a length
	at, end  *node    // the classes in which the pumping begins and ends, for the message

	// Where the pumped loop begins and ends in the loose automaton, to chain attacks; -1 when unknown.
	head, tail int
	word       []uint16
	rank       int // the worse the growth that is expected, the higher
}

// text writes the attack pumped reps times; a literal attack is cut at reps characters.
func (a *attack) text(buffer []uint16, reps int, ending []uint16) []uint16 {
	out := buffer[:0]
	if a.literal != nil {
		out = append(out, a.literal[:min(reps, len(a.literal))]...)
	}
	for _, s := range a.segments {
		n := 1
		if s.pumped {
			n = reps
		}
		for range n {
			out = append(out, s.word...)
		}
	}
	return append(out, ending...)
}

// most is how often the attack can be pumped within length code points. Two of the symbols that half
// names make one code point.
func (a *attack) most(length int, half []bool, ending []uint16) int {
	if a.literal != nil {
		return min(len(a.literal), length-len(ending))
	}
	fixed, each := 2*len(ending), 0 // in halves of a code point
	for _, s := range a.segments {
		if !s.pumped {
			fixed += 2 * len(s.word)
			continue
		}
		for _, c := range s.word {
			if each += 2; half[c] {
				each--
			}
		}
	}
	if each == 0 {
		return 0
	}
	return (2*length - fixed) / each
}

// key spells the segments, for use as a map key; a literal attack has none.
func (a *attack) key() string {
	var key []byte
	for _, s := range a.segments {
		key = append(spell(key, s.word), 0xFF, 0xFF)
	}
	return string(key)
}

func spell(key []byte, word []uint16) []byte {
	for _, c := range word {
		key = append(key, byte(c), byte(c>>8))
	}
	return key
}
