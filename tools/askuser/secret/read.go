package secret

import (
	"bytes"
	"strings"
)

// maxWords is how much of a text is read, in words. The longest text of a question
// has 500 characters (contract 6.1).
const maxWords = 256

// head is the last noun of a compound, "" for what is none.
func head(w []byte) string {
	for _, h := range heads {
		if len(w) > len(h)+2 && string(w[len(w)-len(h):]) == h {
			return h
		}
	}
	return ""
}

// word is one of a text, by what it can be.
type word struct {
	class  class
	gap    gap // before it
	joined bool
	caps   bool
	figure bool
	marked bool // a question mark follows
	adverb bool // or a participle, by its ending in English
}

// known says that a word is in the lexicon or a number: it has no other matter.
func (w word) known() bool { return w.class != 0 || w.figure }

// read makes words of a text, with what several of them are together.
func read(text string, list []word) []word {
	s := scanner{text: text}
	var before, last string // the two words before, as far as they matter
	for len(list) < maxWords && s.next() {
		var spelled string
		w := word{gap: s.gap, joined: s.joined, caps: s.caps, figure: s.figure}
		if s.length <= maxWord {
			folded := s.folded[:s.length]
			spelled, w.class = joints[string(folded)], classify(folded)
			w.adverb = len(folded) > 4 && (bytes.HasSuffix(folded, ly) || bytes.HasSuffix(folded, ed) || bytes.HasSuffix(folded, ing))
		}
		if s.marked && len(list) > 0 {
			list[len(list)-1].marked = true
		}
		list = append(list, w)
		together(list, before, last, spelled, s.accent)
		before, last = last, spelled
	}
	if s.marked && len(list) > 0 {
		list[len(list)-1].marked = true
	}
	return list
}

var ly, ed, ing = []byte("ly"), []byte("ed"), []byte("ing")

// joints are the words that together looks at.
var joints = func() map[string]string {
	m := map[string]string{}
	for w := range strings.FieldsSeq("passe de mots word pass time one in tan como ou tu il s t a y das da me nos nous faut faudrait falta hace haria have i ich konnte kann darf that") {
		m[w] = w
	}
	return m
}()

// together mends what the last word of a list is, by the words before it.
func together(list []word, before, last, spelled string, accent bool) {
	n := len(list) - 1
	w := &list[n].class
	if last == "that" && *w&nouns != 0 {
		list[n-1].class = article | english
	}
	switch spelled {
	case "passe":
		if last == "de" && n >= 2 { // mot de passe, phrase de passe
			list[n-2].class = password | other
			if before == "mots" {
				list[n-2].class |= plural
			}
			list[n-1].class, *w = glue, glue
		}
	case "word":
		if last == "pass" {
			list[n-1].class, *w = password|english, glue
		}
	case "time":
		if last == "one" {
			list[n-1].class, *w = once|glue, once|glue
		}
	case "in":
		if n > 0 && list[n-1].class&hand != 0 { // type in
			*w = glue
		}
	case "tan":
		if list[n].caps {
			*w = oneTime
		}
	case "como", "ou":
		if accent { // cómo, où
			*w = about | other
		}
	case "tu":
		if accent {
			*w = glue | other
		}
	case "il":
		if last == "s" { // s'il vous plaît
			list[n-1].class = glue
		}
	case "t":
		if last == "a" && list[n].joined { // a-t-il
			list[n-1].class = polar | other
		}
	case "a":
		if last == "y" { // il y a
			*w = polar | other
		}
	case "das", "da":
		if last == "me" || last == "nos" { // ¿me das?
			*w = hand | other
		}
	case "faut", "faudrait":
		if last == "me" || last == "nous" { // il me faut
			*w = hand | other
		}
	case "falta":
		if last == "hace" || last == "haria" {
			*w = hand | other
		}
	case "have":
		if last == "i" || last == "me" { // could I have, let me have
			*w = hand | english
		}
	case "ich":
		if last == "konnte" || last == "kann" || last == "darf" { // darf ich um ... bitten
			*w |= hand
		}
	}
}

// pronouns are those that Spanish joins to a verb: introdúcelo, envíamela.
var pronouns = []string{"melo", "mela", "me", "nos", "lo", "la"}

// classify looks a word up, and a compound by its head.
func classify(w []byte) class {
	if c, ok := words[string(w)]; ok {
		return c
	}
	h := head(w)
	if h == "" {
		for _, us := range pronouns {
			if stem, ok := strings.CutSuffix(string(w), us); ok {
				return words[stem] & (hand | other)
			}
		}
		return 0
	}
	kind := words[h] | other
	stem := w[:len(w)-len(h)]
	of, ok := words[string(stem)]
	if !ok {
		of = words[strings.TrimRight(string(stem), "s")] // Bestätigung-s-code
	}
	const company = ofCode | ofKey | ofPhrase | ofSecret | ofCard | ofPerson | ofLogin | once | card | pin | oneTime
	if kind&password == 0 && of&company == 0 {
		return 0 // Fehlercode, Primärschlüssel, Kundennummer
	}
	if of&(pin|oneTime) != 0 { // TAN-Nummer
		kind |= ofCode
	}
	return kind | of&(company&^(pin|oneTime))
}
