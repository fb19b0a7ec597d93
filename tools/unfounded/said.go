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

// Said is an index of what was said. Find may be called by several goroutines at once, as long
// as none calls With.
type Said struct {
	index    index
	facts    *facts
	acronyms map[string]bool
	seen     map[seen]bool // the texts, also those that were too much
	size     int           // bytes that were read
}

// seen identifies a text that was read.
type seen struct {
	content string
	at      int64
}

func (t *Text) seen() seen { return seen{t.Content, t.At.UnixNano()} }

// Read makes the index, in time linear in the texts. Their order is that of their times. Of
// more than 1 MiB, the first text counts, which is a prompt as a rule, and the last ones.
func Read(texts []Text) *Said { return (*Said)(nil).With(texts) }

// With is the index of these texts. Where s, which may be nil, is one of some of them and of no
// others, it is added to, and only the rest is read; s must not be used any more.
func (s *Said) With(texts []Text) *Said {
	all := make(map[seen]bool, len(texts))
	var fresh []Text
	size, old := 0, 0
	for i := range texts {
		key := texts[i].seen()
		if all[key] {
			continue
		}
		all[key] = true
		if s != nil && s.seen[key] {
			old++
			continue
		}
		fresh = append(fresh, texts[i])
		size += len(texts[i].Content)
	}
	most := 2 * maxSaid // so that what is longer is not read again at each step
	if s == nil || old < len(s.seen) || s.size+size > most {
		s, most = &Said{facts: newFacts(), acronyms: make(map[string]bool)}, maxSaid
		fresh = unique(texts)
	}
	s.seen = all
	slices.SortStableFunc(fresh, func(a, b Text) int { return a.At.Compare(b.At) })
	s.read(fresh, most-s.size)
	s.index.done()
	return s
}

// unique are texts of which none is twice there.
func unique(texts []Text) (all []Text) {
	there := make(map[seen]bool, len(texts))
	for i := range texts {
		if key := texts[i].seen(); !there[key] {
			there[key] = true
			all = append(all, texts[i])
		}
	}
	return all
}

// read adds texts of at most so many bytes: the first, of up to half of them, and the last ones.
func (s *Said) read(texts []Text, left int) {
	room := make([]int, len(texts)) // of each text, the bytes at its end that are read
	for i := range texts {
		at, most := (len(texts)-i)%len(texts), left
		if i == 0 && len(texts) > 1 {
			most = left / 2
		}
		room[at] = min(most, len(texts[at].Content))
		left -= room[at]
	}
	var tokens []token
	for i, text := range texts {
		content := text.Content[len(text.Content)-room[i]:]
		s.size += len(content)
		if strings.IndexByte(content, '\\') >= 0 && strings.IndexAny(content, `{["`) == 0 {
			content += " " + unescaped(content)
		}
		for content != "" {
			n := cut(content)
			tokens = lex(content[:n], tokens[:0])
			content = content[n:]
			s.add(tokens, text.At)
			s.facts.breakOff()
		}
		s.facts.reckon()
	}
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
