package grounding

// passage is the tokens of a text, and the facts that were read of it.
type passage struct {
	t []token
	f *facts
}

// numberReader reads numbers, what they measure, and what is reckoned of them.
type numberReader struct {
	*passage
	lastEnd        int // behind the last duration
	lastSeconds    float64
	people, groups float64 // who were counted: "two adults and a child"
}

// is says whether the word at i is one of these.
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

// tight says whether the token at i stands right behind the one before it.
func (s *passage) tight(i int) bool { return i < len(s.t) && !s.t[i].spaced }

func (s *passage) isDigits(i int) bool { return i >= 0 && i < len(s.t) && s.t[i].class == digits }

func (s *passage) isWordOrDigit(i int) bool { return i < len(s.t) && s.t[i].class != mark }

func (s *passage) weekdayAt(i int) bool {
	_, ok := weekdayNames[s.t[i].text]
	return ok
}

// at1 is the word at i, if there is one.
func (s *passage) at1(i int) string {
	if i < 0 || i >= len(s.t) {
		return ""
	}
	return s.t[i].text
}

// bury notes numbers that a date or a time was made of.
func (s *passage) bury(of ...int) {
	for _, v := range of {
		s.f.number(float64(v), buried)
	}
}

// ends says whether what is said ends in front of j.
func (s *passage) ends(j int) bool {
	return !s.isWordOrDigit(j) || s.is(j, "instead", "please", "then", "actually", "bitte", "dann", "svp", "stp", "plutot", "mejor", "porfa")
}
