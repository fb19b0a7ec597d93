package grounding

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// key is equal for values that are judged alike.
func (v value) key() string {
	kind := "s"
	text, ok := v.of.(string)
	if n, number := v.of.(json.Number); number && !ok {
		kind, text = "n", n.String()
	}
	return kind + v.name + "\x00" + v.format + "\x00" + strings.Join(v.labels, "\x00") + "\x00" + text
}

// said reports whether a value was said in one of its usual forms.
func (s *Said) said(v value, now time.Time) bool {
	for _, label := range v.labels {
		if s.text(label) {
			return true
		}
	}
	switch of := v.of.(type) {
	case json.Number:
		n, err := of.Float64()
		return err != nil || s.number(v, n) || s.stamp(n, now)
	case string:
		if len(of) > longest {
			return s.composed(of, now)
		}
		return s.string(v, of, now)
	}
	return true
}

const longest = 2000 // maximum bytes of a value that is searched for unchanged

func (s *Said) string(v value, of string, now time.Time) bool {
	tokens := lex(of, nil)
	switch squash(tokens) {
	case "": // punctuation alone cannot be searched for
		return true
	case "true", "false", "yes", "no", "on", "off", "none", "null", "na", "unknown": // not judged
		return true
	}
	if !v.enum {
		if said, is := s.fact(v, of, tokens, now); is {
			return said
		}
	}
	if s.text(of) || s.concept(of) {
		return true
	}
	if v.enum {
		if n, err := strconv.ParseFloat(of, 64); err == nil {
			return s.number(v, n)
		}
		return s.option(squash(tokens))
	}
	if isComposed(v, tokens) {
		return s.composed(of, now)
	}
	return false
}

// nominal has the endings of nouns formed from verbs.
var nominal = []string{"ement", "ment", "ation", "acion", "cion", "tion", "sion", "atur", "ung", "ing", "o", "a", "e"}

// option reports whether one of a few options was said by a word with the same beginning,
// as "musical" for "music" or "cambiarlas" for "cambio", or by its first part, as "einzel"
// for "einzelunterricht".
func (s *Said) option(squashed string) bool {
	if len(squashed) >= 5 && s.index.begins(squashed, 3) {
		return true
	}
	for _, ending := range nominal {
		if root, ok := strings.CutSuffix(squashed, ending); ok && len(root) >= 5 {
			if s.index.begins(root, 6) {
				return true
			}
			break
		}
	}
	for n := 6; n <= len(squashed)-4; n++ {
		if s.index.has(squashed[:n], false) {
			return true
		}
	}
	return false
}

// fact judges a text that consists of a number, a date or a time.
func (s *Said) fact(v value, of string, tokens []token, now time.Time) (said, is bool) {
	if n, err := strconv.ParseFloat(of, 64); err == nil && !math.IsInf(n, 0) && !math.IsNaN(n) {
		if len(of) >= 5 && s.index.has(squash(tokens), false) {
			return true, true
		}
		if len(of) >= 7 && s.phone(of) {
			return true, true
		}
		return s.number(v, n) || len(of) == 8 && s.compact(of, now), true
	}
	if at, day, clock, ok := moment(of); ok {
		if s.moment(at, day, clock, strings.HasSuffix(of, "Z"), now) {
			return true, true
		}
		if clock && isEnd(v.name) { // the end of something whose start and duration were said
			for _, minutes := range s.facts.spans {
				if s.moment(at.Add(-time.Duration(minutes)*time.Minute), day, clock, strings.HasSuffix(of, "Z"), now) {
					return true, true
				}
			}
		}
		if day && !clock && s.leaves(v.name, dayOf(at), now) {
			return true, true
		}
		return false, true
	}
	if seconds, ok := isoDuration(of); ok {
		return s.facts.seconds[round(seconds)], true
	}
	if isPhone(of) {
		return s.phone(of), true
	}
	if isVersion(tokens) { // its parts mean nothing alone
		squashed := strings.TrimPrefix(squash(tokens), "v")
		return s.index.has(squashed, false) || s.index.has("v"+squashed, false), true
	}
	f := newFacts()
	scan := newScanner(tokens, f, dayOf(now))
	scan.run()
	total := 0
	for _, t := range tokens {
		if t.class != mark {
			total++
		}
	}
	if scan.dates > 0 || total == 0 || s.index.has(squash(tokens), false) {
		return true, total > 0 && s.index.has(squash(tokens), false)
	}
	if scan.times == 1 && scan.consumed == total {
		return s.clock(f), true
	}
	if scan.numbers == 1 && scan.consumed >= total-1 {
		last := tokens[len(tokens)-1]
		if _, known := units[last.text]; scan.consumed == total || known || money[last.text] || money[tokens[0].text] {
			for n, as := range f.numbers {
				if as&free != 0 && s.number(v, n) {
					return true, true
				}
			}
			for n := range f.seconds {
				if s.facts.seconds[n] {
					return true, true
				}
			}
			return false, true
		}
	}
	return false, false
}

// isVersion reports whether a text is figures with more than two dots between them, such as a
// version or an IP address.
func isVersion(tokens []token) bool {
	if len(tokens) > 0 && tokens[0].text == "v" {
		tokens = tokens[1:]
	}
	for i, t := range tokens {
		if i%2 == 0 && t.class != digits || i%2 == 1 && t.text != "." {
			return false
		}
	}
	return len(tokens) >= 5
}

// leaves reports whether a day is the last of a stay that begins on a named day and lasts as
// many days as a bare number says: "two" as the answer to how many nights.
func (s *Said) leaves(name string, on int32, now time.Time) bool {
	if !isEnd(name) && !isLeaving(name) {
		return false
	}
	for _, n := range s.facts.bare {
		if s.facts.dated(on-n, dayOf(now)) {
			return true
		}
	}
	if isLeaving(name) { // counted in nights
		return false
	}
	for _, n := range s.facts.stays { // counting the first day
		if s.facts.names(on-n+1, dayOf(now)) {
			return true
		}
	}
	return false
}

// isLeaving reports whether a property is the day on which a stay ends.
func isLeaving(name string) bool {
	name = strings.ToLower(name)
	for _, w := range []string{"out", "leav", "return", "abreise", "ruck", "depart", "retour", "salida", "vuelta"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// isEnd reports whether a property is the time at which something ends.
func isEnd(name string) bool {
	name = strings.ToLower(name)
	if name == "to" || name == "au" || name == "a" || name == "al" {
		return true
	}
	for _, w := range []string{"end", "until", "finish", "bis", "fin", "hasta", "arriv"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// clock reports whether one of the times of day was named.
func (s *Said) clock(of *facts) bool {
	for m := range of.times {
		if of.times[m] && s.facts.times[m] {
			return true
		}
	}
	return false
}

var layouts = []string{
	"2006-01-02", "15:04", "15:04:05", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02T15:04Z07:00",
	"2006-01-02 15:04:05", "2006-01-02 15:04", "2006/01/02", "02.01.2006", "15:04Z07:00", "15:04:05Z07:00", "2006-01",
}

// moment judges a date, a time of day, or both.
func moment(of string) (at time.Time, day, clock, ok bool) {
	if len(of) < 4 || len(of) > 40 || of[0] < '0' || of[0] > '9' {
		return at, false, false, false
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, of); err == nil {
			return at, strings.Contains(layout, "2006"), strings.Contains(layout, "15"), true
		}
	}
	return at, false, false, false
}

func (s *Said) moment(at time.Time, day, clock, utc bool, now time.Time) bool {
	if clock && s.instant(at, day) {
		return true
	}
	minute := at.Hour()*60 + at.Minute()
	timed := !clock || s.facts.times[minute] || day && (minute == 0 || minute == 24*60-1)
	shifted := false
	if !timed && utc {
		for m := minute % 60; m < 24*60; m += 60 {
			shifted = shifted || s.facts.times[m]
		}
	}
	if !timed && !shifted {
		return false
	}
	if !day {
		return true
	}
	on := dayOf(at)
	base := int32(0)
	if !now.IsZero() {
		base = dayOf(now)
	}
	if s.facts.dated(on, base) {
		return true
	}
	if clock && base != 0 && s.facts.times[minute] && (on == base || on == base+1 && minute < now.UTC().Hour()*60+now.UTC().Minute()) {
		return true // "at three" means the next three o'clock
	}
	return shifted && (s.facts.dated(on-1, base) || s.facts.dated(on+1, base))
}

// instant reports whether a time was said as a duration from now. The user's time zone may
// differ by whole hours.
func (s *Said) instant(at time.Time, day bool) bool {
	for _, said := range s.facts.instants {
		off := int(at.Sub(said.UTC()) / time.Minute)
		if !day {
			off = at.Minute() - said.UTC().Minute()
		}
		if off >= -14*60 && off <= 14*60 && ((off+2)%60+60)%60 <= 4 {
			return true
		}
	}
	return false
}

// compact judges a date without separators.
func (s *Said) compact(of string, now time.Time) bool {
	at, err := time.Parse("20060102", of)
	return err == nil && s.moment(at, true, false, false, now)
}

// stamp judges a number as a Unix time.
func (s *Said) stamp(n float64, now time.Time) bool {
	if n >= 1e12 && n < 4.2e12 {
		n /= 1000
	}
	if n < 1e9 || n >= 4.2e9 {
		return false
	}
	return s.moment(time.Unix(int64(n), 0).UTC(), true, true, true, now)
}

// number reports whether a number was said. A number in a date or a time counts only for a
// property that is part of a date or a time.
func (s *Said) number(v value, n float64) bool {
	n = round(n)
	as := s.facts.numbers[n]
	if as&(free|derived) != 0 {
		return true
	}
	name := strings.ToLower(v.name)
	if as&buried != 0 {
		if n >= 1900 && n <= 2200 {
			return true
		}
		for _, part := range []string{"hour", "minute", "day", "month", "year", "time", "stunde", "tag", "monat", "jahr", "heure", "jour", "mois", "annee", "hora", "dia", "mes", "ano"} {
			if strings.Contains(name, part) {
				return true
			}
		}
	}
	return s.counts(v.name, n)
}

// text reports whether a name was said: unchanged, or with all its words close together.
func (s *Said) text(of string) bool {
	if s.named(of) {
		return true
	}
	for _, written := range []*strings.Replacer{shorter, longer} {
		if other := written.Replace(of); other != of && s.named(other) {
			return true
		}
	}
	return false
}

// shorter and longer convert words in addresses to their short and long forms.
var (
	shorter = strings.NewReplacer("straße", "str", "Straße", "Str", "strasse", "str", "Street", "St", "Avenue", "Ave", "Road", "Rd", "Boulevard", "Blvd", "Saint", "St", "Doctor", "Dr", "Platz", "Pl", "platz", "pl")
	longer  = strings.NewReplacer("str.", "straße", "Str.", "Straße", "St.", "Saint", " St", " Street", "Ave", "Avenue", "Rd", "Road", "Blvd", "Boulevard")
)

func (s *Said) named(of string) bool {
	of = bare(of)
	tokens := lex(of, nil)
	if len(tokens) == 0 {
		return true
	}
	if s.spelled(squash(tokens)) {
		return true
	}
	if i := strings.IndexByte(of, '@'); i > 0 { // "anna at example dot com"
		return s.address(of)
	}
	of = s.place(of)
	var content []string
	for _, w := range words(lex(camel(of), nil)) {
		if !stops(w) && !(len(w) <= 2 && w[0] <= '9' && s.facts.numbers[parse(w)]&free != 0) {
			content = append(content, w)
		}
	}
	if len(content) == 0 || len(content) > 12 {
		return false
	}
	if len(content) == 1 {
		return s.spelled(content[0]) || s.index.misspelt(content[0])
	}
	if s.index.near(content) || s.acronym(tokens) {
		return true
	}
	if bare := roots(content); bare != nil && s.index.near(bare) {
		return true
	}
	return len(content) <= 4 && s.mostly(content)
}

// roots returns words without their endings, which vary in use ("Goldener Hirsch", "im
// Goldenen Hirsch"); nil if no word has one.
func roots(content []string) (bare []string) {
	for i, w := range content {
		for _, ending := range []string{"en", "er", "em", "es", "e"} {
			if root, ok := strings.CutSuffix(w, ending); ok && len(root) >= 5 {
				if bare == nil {
					bare = slices.Clone(content)
				}
				bare[i] = root
				break
			}
		}
	}
	return bare
}

// mostly reports whether a name was said with one of its words misspelt.
func (s *Said) mostly(content []string) bool {
	wrong := 0
	for _, w := range content {
		if s.spelled(w) {
			continue
		}
		if wrong++; wrong > 1 || !s.index.misspelt(w) {
			return false
		}
	}
	return wrong == 1
}

// place returns the common name of a place: "Paris" for "Paris, France", "Berlin" for "Europe/Berlin".
func (s *Said) place(of string) string {
	if i := strings.LastIndex(of, ","); i > 0 && lexicon().lands[squash(lex(of[i:], nil))] {
		return of[:i]
	}
	for _, continent := range []string{"Europe/", "America/", "Asia/", "Africa/", "Australia/", "Pacific/", "Atlantic/"} {
		if rest, ok := strings.CutPrefix(of, continent); ok && rest != "" {
			return rest
		}
	}
	return of
}

// spelled reports whether a text without its spaces was said, also without an inflected ending or
// with umlauts spelled out.
func (s *Said) spelled(squashed string) bool {
	inflected := inflects(squashed)
	if s.index.has(squashed, inflected) {
		return true
	}
	if !inflected || len(squashed) < 4 {
		return false
	}
	for _, ending := range endings {
		if root, ok := strings.CutSuffix(squashed, ending); ok && len(root) >= 4 && s.index.has(root, true) {
			return true
		}
	}
	for _, umlaut := range [][2]string{{"ae", "a"}, {"oe", "o"}, {"ue", "u"}} {
		if strings.Contains(squashed, umlaut[0]) && s.index.has(strings.ReplaceAll(squashed, umlaut[0], umlaut[1]), true) {
			return true
		}
	}
	return false
}

// acronym reports whether a name was said by its initials.
func (s *Said) acronym(tokens []token) bool {
	var b strings.Builder
	for _, t := range tokens {
		if t.class == word {
			b.WriteByte(t.text[0])
		}
	}
	return b.Len() >= 2 && s.acronyms[b.String()]
}
