package unfounded

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxSaid = 1 << 20  // bytes that are read: the newest
	chunk   = 32 << 10 // bytes that are taken apart at once
)

// Text is something that was said in a chat.
type Text struct {
	Content string
	At      time.Time // when, for "next Friday"; zero: unknown
}

// Said is an index of what was said. It is not changed once read, and so safe for
// concurrent use.
type Said struct {
	index    index
	facts    *facts
	acronyms map[string]bool
}

// Read makes the index, in time linear in the texts. Of more than 1 MiB, the first text
// counts, which is a prompt as a rule, and the last ones.
func Read(texts []Text) *Said {
	s := &Said{facts: newFacts(), acronyms: make(map[string]bool)}
	left := maxSaid
	var tokens []token
	for i := range texts {
		text, most := texts[(len(texts)-i)%len(texts)], left // the first, then the others from the last on
		if i == 0 && len(texts) > 1 {
			most = left / 2
		}
		content := text.Content
		if len(content) > most {
			content = content[len(content)-most:]
		}
		left -= len(content)
		if strings.IndexByte(content, '\\') >= 0 && strings.IndexAny(content, `{["`) == 0 {
			content += " " + unescaped(content)
		}
		for content != "" {
			n := cut(content)
			tokens = lex(content[:n], tokens[:0])
			content = content[n:]
			s.add(tokens, text.At)
		}
		if left == 0 {
			break
		}
	}
	s.index.done()
	return s
}

// cut is how much of a text is taken apart next: up to white space.
func cut(content string) int {
	if len(content) <= chunk {
		return len(content)
	}
	if n := strings.LastIndexAny(content[:chunk], " \n\t,"); n > chunk/2 {
		return n + 1
	}
	n := chunk
	for n > chunk-utf8.UTFMax && !utf8.RuneStart(content[n]) {
		n--
	}
	return n
}

func (s *Said) add(tokens []token, at time.Time) {
	s.index.add(tokens)
	scan := scanner{t: tokens, f: s.facts, at: at}
	if !at.IsZero() {
		scan.base = dayOf(at)
		if at.Location() == time.UTC || at.Location() == time.Local {
			scan.also = elsewhere(at)
		}
	}
	scan.run()
	for _, t := range tokens {
		if t.upper && len(t.text) >= 2 && len(t.text) <= 6 && len(s.acronyms) < most {
			s.acronyms[t.text] = true
		}
		if code := signs[t.text]; code != "" {
			s.acronyms[code] = true
		}
	}
}

// elsewhere is another day that it may be for the person, of whom only the time is known: in
// America it is still yesterday, in Europe tomorrow already. 0 where it is none.
func elsewhere(at time.Time) int32 {
	switch h := at.UTC().Hour(); {
	case h < 6:
		return dayOf(at.UTC()) - 1
	case h >= 22:
		return dayOf(at.UTC()) + 1
	}
	return 0
}

// Find says which values of a call's required arguments nobody said: their places in the
// arguments (RFC 6901), sorted; nil where there are none. The arguments are an object, the
// schema the parameters of the tool; what cannot be read has no such values. Now is the
// time of the call; it counts for texts of an unknown time.
func (s *Said) Find(arguments string, schema json.RawMessage, now time.Time) []string {
	var found []string
	known := make(map[string]bool)
	for _, v := range required(arguments, schema) {
		key := v.key()
		said, judged := known[key]
		if !judged {
			said = s.said(v, now)
			known[key] = said
		}
		if !said {
			found = append(found, v.pointer)
		}
	}
	slices.Sort(found)
	return found
}
