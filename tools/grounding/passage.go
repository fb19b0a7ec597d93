package grounding

// passage has the tokens of a text and the facts read from it.
type passage struct {
	t []token
	f *facts
}

// numberReader reads numbers and their units, and does arithmetic with them.
type numberReader struct {
	*passage
	lastEnd        int // end of the last duration
	lastSeconds    float64
	people, groups float64 // people counted so far: "two adults and a child"
}

// is reports whether the word at i is one of words.
func (s *passage) is(i int, of ...string) bool {
	if i < 0 || i >= len(s.t) {
		return false
	}
	for _, w := range of {
		if s.t[i].text == w {
			return true
		}
	}
	return false
}

// tight reports whether the token at i directly follows the one before it.
func (s *passage) tight(i int) bool { return i < len(s.t) && !s.t[i].spaced }

func (s *passage) isDigits(i int) bool { return i >= 0 && i < len(s.t) && s.t[i].class == digits }

func (s *passage) isWordOrDigit(i int) bool { return i < len(s.t) && s.t[i].class != mark }

func (s *passage) weekdayAt(i int) bool {
	_, ok := weekdayNames[s.t[i].text]
	return ok
}

// at1 returns the word at i, if there is one.
func (s *passage) at1(i int) string {
	if i < 0 || i >= len(s.t) {
		return ""
	}
	return s.t[i].text
}

// bury records the numbers of a date or a time.
func (s *passage) bury(of ...int) {
	for _, v := range of {
		s.f.number(float64(v), buried)
	}
}

// ends reports whether a sentence or phrase ends before j.
func (s *passage) ends(j int) bool {
	return !s.isWordOrDigit(j) || s.is(j, "instead", "please", "then", "actually", "bitte", "dann", "svp", "stp", "plutot", "mejor", "porfa")
}
