package grounding

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Read returns an index of the texts, in linear time. The texts must be in the order of their
// times. Of more than 1 MiB, only the first text, usually a prompt, and the last ones count.
func Read(texts []Text) *Said { return (*Said)(nil).With(texts) }

// With returns an index of texts. If s is an index of a subset of them, With extends it and
// reads only the others. s may be nil, and must not be used afterwards.
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
	most := 2 * maxSaid // so that longer texts are not read again at each step
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

// unique returns the texts without duplicates.
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

// read adds texts up to a number of bytes: the first, up to half of that, and the last ones.
func (s *Said) read(texts []Text, left int) {
	room := make([]int, len(texts)) // for each text, the number of bytes at its end that are read
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

// cut returns the length of the part of a text to read next, which ends at white space.
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
	scan := newScanner(tokens, s.facts, 0)
	scan.days.at = at
	if !at.IsZero() {
		scan.days.base = dayOf(at)
		if at.Location() == time.UTC || at.Location() == time.Local {
			scan.days.also = elsewhere(at)
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

// elsewhere returns another day that it may be for the user, whose time zone is unknown: it may
// still be yesterday in America, or already tomorrow in Europe. 0 if there is none.
func elsewhere(at time.Time) int32 {
	switch h := at.UTC().Hour(); {
	case h < 6:
		return dayOf(at.UTC()) - 1
	case h >= 22:
		return dayOf(at.UTC()) + 1
	}
	return 0
}
