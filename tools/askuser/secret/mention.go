package secret

// mention is where a text names a secret.
type mention struct {
	kind       Kind
	start, end int  // of its words
	weak       bool // it may be something else: a pin of a board
	plural     bool
	your       bool // the person's own
	indefinite bool
	the        int // where its article stands, or its owner; -1 for neither
}

// How far a noun's company may stand from it, in words.
const (
	near = 3
	far  = 8 // "the three digits on the back of your card"
)

// any says whether a word in [from, to) of a clause is of a class.
func (t *text) any(from, to int, c class) bool { return t.index(from, to, c) >= 0 }

func (t *text) index(from, to int, c class) int {
	for i := max(from, 0); i < min(to, len(t.words)); i++ {
		if t.words[i].class&c != 0 {
			return i
		}
	}
	return -1
}

// mentionAt reads the word at i as a secret. [from, to) is its clause.
func (t *text) mentionAt(i, from, to int) (m mention, ok bool) {
	w := t.words[i]
	if w.class&nouns == 0 {
		return m, false
	}
	m = mention{start: i, end: i + 1, plural: w.class&plural != 0}
	around := func(before, after int, c class) bool { return t.any(max(from, i-before), min(to, i+after+1), c) }
	switch c := w.class; {
	case c&password != 0:
		m.kind = Password
		if around(1, 4, once) {
			m.kind = Code
		}
	case c&pin != 0:
		ok := w.caps || around(near, near, your|ofCard|card|code|digits|number)
		m.kind, m.weak = PIN, !ok
		if i+1 < to && t.words[i+1].class&article != 0 && t.words[i+1].class&english != 0 && t.english || m.plural { // PIN the message
			return m, false
		}
	case c&oneTime != 0:
		m.kind = Code
	case c&checkCode != 0:
		m.kind = Card
	case c&identity != 0:
		m.kind = Identity
	case c&(number|digits|details) != 0:
		return t.figures(m, i, from, to)
	default:
		m.kind = t.qualified(c, i, from, to)
	}
	if m.kind == "" {
		return m, false
	}
	m.end += t.tail(i+1, to)
	t.owner(&m, from)
	return m, !t.modifies(m, to)
}

// qualified is the kind of a noun that is a secret in company only.
func (t *text) qualified(c class, i, from, to int) Kind {
	around := func(before, after int, c class) bool { return t.any(max(from, i-before), min(to, i+after+1), c) }
	mine := t.any(max(from, i-4), i, your)
	switch {
	case c&code != 0:
		return t.codeAt(c, i, from, to)
	case c&key != 0:
		if around(2, 2, noKey) || !mine && !around(2, near, ofKey) {
			return ""
		}
	case c&token != 0:
		if !mine && !around(2, 2*far, ofKey) && !around(0, 2, your) {
			return ""
		}
	case c&secretWord != 0:
		if !around(2, 2, ofSecret) {
			return ""
		}
	case !around(1, near, ofPhrase):
		return ""
	}
	return Key
}

// codeAt is the kind of a code, "" for one that opens nothing.
func (t *text) codeAt(c class, i, from, to int) Kind {
	for to < len(t.words) && to < i+far && t.words[to].gap != sentence { // der Code, den du bekommen hast
		to++
	}
	around := func(before, after int, c class) bool { return t.any(max(from, i-before), min(to, i+after+1), c) }
	switch {
	case around(1, 2, noCode) && c&ofCode == 0:
		return ""
	case around(0, near+1, card|ofCard):
		return PIN
	case around(near, 5, ofCode|digits|once|pin), around(1, 0, ofLogin):
		return Code
	case !t.english && around(0, 1, prep) && around(0, 2, ofLogin): // code de connexion
		return Code
	case i > 0 && t.words[i-1].class&article != 0 && t.any(0, from, ofCode): // a number was sent to you: enter that code
		return Code
	}
	return ""
}

// figures reads a number, digits or data: of a card or a person.
func (t *text) figures(m mention, i, from, to int) (mention, bool) {
	w := t.words[i]
	reach := near + 1
	if w.class&digits != 0 {
		reach = far
	}
	if w.class&number != 0 && t.any(max(from, i-2), min(to, i+near+2), ofPerson) && (w.class&ofPerson != 0 || t.any(from, to, ofPerson|ofCode)) {
		m.kind = Identity
		t.owner(&m, from)
		return m, true
	}
	if w.class&details != 0 && (t.any(max(from, i-1), min(to, i+near), ofLogin) || w.class&plural != 0 && t.any(max(from, i-2), i, your)) {
		m.kind = Password
		t.owner(&m, from)
		return m, true
	}
	if w.class&(number|digits) != 0 && t.any(i, min(to, i+far+1), ofApp) {
		m.kind = Code
		t.owner(&m, from)
		return m, true
	}
	at := i
	if w.class&card == 0 {
		at = t.index(max(from, i-2), min(to, i+reach+1), card)
	}
	switch {
	case at < 0 || t.any(max(from, at-1), min(to, at+near), noCard):
		return m, false
	case w.class&details != 0 && w.class&ofCard == 0 && !t.any(max(from, min(i, at)-2), min(to, at+near), ofCard|your):
		return m, false
	}
	m.kind = Card
	m.start, m.end = min(i, at), max(i, at)+1
	if t.any(m.start, m.end, about|what|hand) {
		return m, false
	}
	m.end += t.tail(m.end, to)
	t.owner(&m, from)
	return m, true
}

// tail is how many words from i on belong to a noun before them.
func (t *text) tail(i, to int) int {
	n := 0
	for i+n < to && t.words[i+n].class&(code|number|key|digits|ofKey|ofPhrase|phraseWords|phrase) != 0 && t.words[i+n].class&(prep|hand) == 0 {
		n++
	}
	return n
}

// owner notes whose a secret is, by the words before it: "your old admin password".
func (t *text) owner(m *mention, from int) {
	m.your, m.the = t.any(m.start, m.end, your), -1
	for i := m.start - 1; i >= max(from, m.start-4); i-- {
		c := t.words[i].class
		m.your = m.your || c&your != 0
		m.indefinite = m.indefinite || c&indefinite != 0
		if c&(article|your) != 0 {
			m.the = i
		}
		if c&(article|your|prep|hand|what) != 0 {
			break
		}
	}
}

// modifies says that a secret's name only stands before what is meant: the password
// manager, an API-key-rotation.
func (t *text) modifies(m mention, to int) bool {
	if m.end >= to {
		return false
	}
	next := t.words[m.end]
	if t.english && next.gap == space && next.class&(hand|manage) != 0 { // which key type, password reset
		return true
	}
	return !next.known() && (next.joined || t.english && !next.adverb)
}
