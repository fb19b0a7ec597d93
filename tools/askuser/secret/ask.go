package secret

import "iter"

// text is a text by its words, and what is known of it.
type text struct {
	words   []word
	english bool
	topic   Kind // the last secret that was named and not asked about
}

// newText reads a text into room, which it may grow.
func newText(s string, room *[]word) text {
	if *room == nil {
		*room = make([]word, 0, 64)
	}
	*room = read(s, (*room)[:0])
	t := text{words: *room}
	var languages class
	for _, w := range t.words {
		languages |= w.class
	}
	t.english = languages&english != 0
	for _, w := range t.words {
		// A word of several languages says nothing of the language.
		if w.class&other != 0 && w.class&english == 0 {
			t.english = false
		}
	}
	for i, w := range t.words {
		if w.class&prep == 0 || w.class&article == 0 {
			continue
		}
		if t.english { // a
			t.words[i].class &^= prep
		} else { // an, a
			t.words[i].class &^= article | indefinite
		}
	}
	return t
}

// clauses gives the clauses, each as [from, to).
func (t *text) clauses() iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		from := 0
		for i := 1; i <= len(t.words); i++ {
			if i == len(t.words) || t.words[i].gap != space {
				if !yield(from, i) {
					return
				}
				from = i
			}
		}
	}
}

// asked is the first secret that a text asks for, "" for none. topic is what was
// named before it.
func (t *text) asked(topic Kind) Kind {
	t.topic = topic
	handing, cards := false, false // the clause before asks for something; a card was named
	for from, to := range t.clauses() {
		if t.words[from].gap == sentence {
			handing = false
		}
		if kind := t.askedIn(from, to); kind != "" {
			return kind
		}
		if handing { // user name, password and code
			if kind := t.bare(from, to); kind != "" {
				return kind
			}
		}
		if t.recalls(from, to) {
			if t.topic != "" {
				return t.topic
			}
			if cards && t.any(from, to, number) {
				return Card
			}
		}
		handing = handing || t.hands(from, to) >= 0
		t.remember(from, to)
		cards = cards || t.any(from, to, card) && !t.any(from, to, noCard)
	}
	return ""
}

func (t *text) remember(from, to int) {
	if t.any(from, to, about) {
		return
	}
	for i := from; i < to; i++ {
		if m, ok := t.mentionAt(i, from, to); ok && !m.weak && (m.kind == Code || !t.governed(m.start, from)) {
			t.topic = m.kind
		}
	}
}

// askedIn is the first secret that a clause asks for.
func (t *text) askedIn(from, to int) Kind {
	for i := from; i < to; i++ {
		m, ok := t.mentionAt(i, from, to)
		if !ok || t.any(m.start-2, m.start, their) {
			continue
		}
		if t.wanted(m, from) || t.used(m, from) || t.handed(m, from, to) || t.told(m, from, to) {
			return m.kind
		}
	}
	return ""
}

// hands is the first word of [from, to) that tells the person to hand something
// over, before which nothing makes it a question about that; -1 for none.
func (t *text) hands(from, to int) int {
	for i := from; i < to; i++ {
		c := t.words[i].class
		switch {
		case c&about != 0:
			return -1
		case c&need != 0 && i > from && !t.any(max(from, i-2), i, self):
		case c&(hand|need) == 0:
		case t.english && i > from && !t.words[i-1].known() && !t.words[i-1].adverb: // users enter
		default:
			return i
		}
	}
	return -1
}

// handed: "Please enter the password", "Kannst du mir das Passwort nennen".
func (t *text) handed(m mention, from, to int) bool {
	if t.governed(m.start, from) {
		return false
	}
	h := t.hands(from, to)
	switch {
	case h < 0 || t.any(from, min(from+2, h), what) || t.words[h].class&need != 0 && m.indefinite:
		return false
	case h < m.start:
		return !t.any(h+1, m.start, that|what)
	}
	// The verb comes last in German only, and in the other languages' "whose
	// password you enter" the clause is about something.
	return !t.english && !t.any(m.end, h, that|what) && !t.any(from, m.start, about)
}

// told: any other sentence that does something with the person's own secret, before
// it is named: "Kindly dictate your password". Not "Have you changed your password".
func (t *text) told(m mention, from, to int) bool {
	if m.weak || t.governed(m.start, from) || t.any(from, to, about|manage) || t.any(from, m.start, that) || t.any(from, from+2, what) {
		return false
	}
	first := t.words[from].class
	if first&polar != 0 || t.any(from, from+2, polar) && first&(join|glue) != 0 {
		return false
	}
	if m.end < to && t.words[m.end].class&(is|polar) != 0 || t.any(m.end, to, is) {
		return false
	}
	if !m.your && (m.the < 0 || m.indefinite || m.plural || t.inQuestion(to)) {
		return false
	}
	for i := from; i < m.start; i++ {
		switch w := t.words[i]; {
		case w.class&(hand|need) != 0 || !w.known():
			return m.your || !t.any(i+1, m.the, article) && !t.any(from, i, self)
		case w.class&(article|your|prep|their) != 0 && !m.your: // the server rejects the password
			return false
		}
	}
	return false
}

// inQuestion says whether the sentence of a clause that ends before to has a
// question mark.
func (t *text) inQuestion(to int) bool {
	for ; to < len(t.words) && t.words[to].gap != sentence; to++ {
	}
	return t.words[to-1].marked
}

// wanted: "What is your password", "Welche PIN hat dein Telefon".
func (t *text) wanted(m mention, from int) bool {
	if m.indefinite || m.weak || m.plural && !m.your {
		return false
	}
	for w := m.start - 1; w >= max(from, m.start-far); w-- {
		if t.words[w].class&what != 0 && t.leads(w, m) {
			return true
		}
	}
	return false
}

// leads says whether nothing but the secret can be what is asked for between a
// question word and its name.
func (t *text) leads(w int, m mention) bool {
	copula, determined, strange := t.words[w].class&is != 0, false, 0
	first := w + 1
	if t.any(w, w+3, is) {
		for i := first; i < m.start; i++ {
			if t.words[i].class&join != 0 { // what are the date and the number of
				first, copula = i+1, true
			}
		}
	}
	for i := first; i < m.start; i++ {
		switch c := t.words[i].class; {
		case c&is != 0 && i <= w+2:
			copula = true
		case c&(article|your) != 0 && strange == 0:
			determined = true
		case c&(article|your|prep|about|that|hand|what|as|their) != 0:
			return false
		case t.words[i].known():
		case c == 0:
			strange++
		}
	}
	if copula || !determined {
		return strange <= near
	}
	return m.end < len(t.words) && t.words[m.end].class&is != 0 // what your password is
}

// used: "What should I use as the password".
func (t *text) used(m mention, from int) bool {
	i := m.start - 1
	for i > from && t.words[i].class&(article|your) != 0 {
		i--
	}
	return i > from && t.words[i].class&as != 0 && t.any(from, i, what)
}

// governed says that a noun before the secret is what is meant: the length of the
// password, le nom de la clé. One of your codes is still a code.
func (t *text) governed(start, from int) bool {
	if c := t.words[start].class; c&prep != 0 && c&(password|key) != 0 { // des Passworts
		return true
	}
	i := start - 1
	modifies := func(w word) bool {
		return w.class&(article|your|prep|hand|need|what|join|that|is|about) == 0
	}
	for ; i >= from && i >= start-near && modifies(t.words[i]); i-- {
	}
	for ; i >= from && t.words[i].class&(article|your) != 0 && t.words[i].class&prep == 0; i-- {
	}
	if i < from || t.words[i].class&prep == 0 || t.words[i].class&hand != 0 {
		return false
	}
	if t.words[i].class&with != 0 && t.hands(from, i) >= 0 { // reply with
		return false
	}
	if c := t.words[i+1].class; t.words[i].class&contracted != 0 && c&(article|your|glue) != 0 { // du in German
		return false
	}
	return i == from || t.words[i-1].class&(part|digits|number|phraseWords) == 0
}

// listed is the secret in a text of nothing but names: "Card number, expiry, CVV".
func (t *text) listed() Kind {
	var found Kind
	for from, to := range t.clauses() {
		if to-from > near+1 {
			return ""
		}
		if found == "" {
			found = t.bare(from, to)
		}
	}
	return found
}

// bare is the secret that [from, to) consists of: "Password?", "API key for Stripe".
func (t *text) bare(from, to int) Kind {
	for i := from; i < to; i++ {
		m, ok := t.mentionAt(i, from, to)
		if !ok || m.weak || m.indefinite || m.plural && !m.your {
			continue
		}
		if t.onlyNames(from, m.start) && t.onlyFor(m.end, to, to-from == len(t.words)) && !t.governed(m.start, from) {
			return m.kind
		}
		return ""
	}
	return ""
}

// onlyNames says that the words before a bare name tell no more than whose it is.
func (t *text) onlyNames(from, to int) bool {
	strange := false
	for i := from; i < to; i++ {
		c := t.words[i].class
		switch {
		case c&(about|that|hand|need|what|is|polar|manage|their|as) != 0:
			return false
		case strange && c&(article|your) != 0: // reset the password
			return false
		case !t.words[i].known():
			strange = true
		}
	}
	return true
}

// onlyFor says that the words after a bare name tell no more than what it is for.
// Where they are the whole text, one may follow like an adjective: mot de passe sudo.
func (t *text) onlyFor(from, to int, whole bool) bool {
	for i := from; i < to; i++ {
		c := t.words[i].class
		switch {
		case c&prep != 0:
			return !t.any(i+2, to, that) && !t.any(i, to, about|is|polar|what|manage)
		case c&(about|that|hand|is|polar|what|manage) != 0:
			return false
		case !t.words[i].known() && (t.english || !whole || i+1 < to):
			return false
		}
	}
	return true
}

// recalls says that a clause asks for what was named before it: "What is it?",
// "Please paste it below".
func (t *text) recalls(from, to int) bool {
	asks := false
	for i := from; i < to; i++ {
		w := t.words[i]
		if !w.known() || w.class&(about|nouns&^number) != 0 {
			return false
		}
		asks = asks || w.class&hand != 0 || w.class&is != 0 && t.any(from, to, what)
	}
	return asks && t.any(from, to, hand|what)
}
