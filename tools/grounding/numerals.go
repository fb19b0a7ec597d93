package grounding

import (
	"strconv"
	"strings"
)

// rank is the position of a number word in a number.
type rank uint8

const (
	unit    rank = iota + 1 // 0 to 19
	ten                     // 20 to 90
	hundred                 // multiplies the number before it
	scale                   // likewise, thousand and more
	whole                   // stands alone: "doscientos" is of rank hundredth
	hundredth
	nth // an ordinal
)

type numeral struct {
	value float64
	rank  rank
}

// numerals has the number words of the four languages, folded.
var numerals = make(map[string]numeral)

func init() {
	list := func(first float64, step float64, rank rank, names string) {
		for i, alternatives := range strings.Fields(names) {
			for name := range strings.SplitSeq(alternatives, "|") {
				numerals[name] = numeral{first + float64(i)*step, rank}
			}
		}
	}
	list(0, 1, unit, "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	list(1, 1, unit, "eins zwei|zwo drei vier funf|fuenf sechs sieben acht neun zehn elf zwolf|zwoelf dreizehn vierzehn funfzehn|fuenfzehn sechzehn siebzehn achtzehn neunzehn")
	list(2, 1, unit, "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize")
	list(0, 1, unit, "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve")
	list(21, 1, whole, "veintiuno|veintiun|veintiuna veintidos veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho veintinueve")
	list(20, 10, ten, "twenty thirty forty fifty sixty seventy eighty ninety")
	list(20, 10, ten, "zwanzig dreissig|dreisig vierzig funfzig|fuenfzig|fuffzig sechzig siebzig achtzig neunzig")
	list(20, 10, ten, "vingt|vingts trente quarante cinquante soixante septante huitante|octante nonante")
	list(20, 10, ten, "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa")
	list(200, 100, hundredth, "doscientos|doscientas trescientos|trescientas cuatrocientos|cuatrocientas quinientos|quinientas seiscientos|seiscientas setecientos|setecientas ochocientos|ochocientas novecientos|novecientas")
	list(100, 0, hundred, "hundred hundreds hundert cent cents cien ciento")
	list(1e3, 0, scale, "thousand tausend mille mil grand")
	list(1e6, 0, scale, "million millions millionen millones millon mio mln")
	list(1e9, 0, scale, "billion billions milliarde milliarden milliard milliards mrd")
	list(12, 0, whole, "dozen dutzend douzaine docena")
	list(10, 5, whole, "dizaine|decena quinzaine|quincena vingtaine|veintena")
	list(30, 10, whole, "trentaine|treintena quarantaine cinquantaine soixantaine")
	list(100, 0, whole, "centaine centena centenar")
	list(1, 1, nth, "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth")
	list(2, 1, nth, "deuxieme troisieme quatrieme cinquieme sixieme septieme huitieme neuvieme dixieme")
	list(1, 1, nth, "primero|primer|primera segundo|segunda tercero|tercer|tercera cuarta quinto|quinta sexto|sexta septimo|septima octavo|octava noveno|novena decimo|decima")
	list(1, 0, nth, "premier premiere")
	list(30, 1, nth, "thirtieth")
	stems := strings.Fields("erst zweit dritt viert funft sechst siebt acht neunt zehnt elft zwolft dreizehnt vierzehnt funfzehnt sechzehnt siebzehnt achtzehnt neunzehnt zwanzigst")
	for _, n := range strings.Fields("ein zwei drei vier funf sechs sieben acht neun") {
		stems = append(stems, n+"undzwanzigst")
	}
	for i, stem := range append(stems, "dreissigst", "einunddreissigst") {
		for _, ending := range []string{"e", "en", "er", "es", "em"} {
			numerals[stem+ending] = numeral{float64(i + 1), nth}
		}
	}
	// Words that count without being numbers.
	list(1, 0, whole, "einmal")
	list(2, 0, whole, "both couple pair twice beide beiden zweimal zweit ambos ambas pareja paire")
	list(3, 1, whole, "thrice|dreimal|dritt viert funft|fuenft sechst siebt")
	list(0, 0, whole, "none nothing keine keinen keiner kein aucun aucune ninguno ninguna ningun")
	numerals["anderthalb"], numerals["eineinhalb"] = numeral{1.5, whole}, numeral{1.5, whole}
	numerals["zweieinhalb"], numerals["dreieinhalb"], numerals["viereinhalb"] = numeral{2.5, whole}, numeral{3.5, whole}, numeral{4.5, whole}
}

// numberOf reads a number in one word.
func numberOf(w string) (numeral, bool) {
	if n, ok := numerals[w]; ok {
		return n, true
	}
	if compound(w) {
		if v, ok := german(w); ok {
			return numeral{v, whole}, true
		}
	}
	return numeral{}, false
}

// compound reports whether a word may be a German number composed of several.
func compound(w string) bool {
	return len(w) >= 8 && len(w) <= 60 && (strings.Contains(w, "und") || strings.Contains(w, "tausend") || strings.HasSuffix(w, "einhalb"))
}

// german reads a compound: "zweitausenddreihunderteinundzwanzig".
func german(w string) (float64, bool) {
	if n, ok := strings.CutSuffix(w, "einhalb"); ok && n != "" {
		v, ok := german(n)
		return v + 0.5, ok
	}
	for _, scale := range []struct {
		name string
		of   float64
	}{{"tausend", 1000}, {"hundert", 100}} {
		left, right, ok := strings.Cut(w, scale.name)
		if !ok {
			continue
		}
		sum := scale.of
		if left != "" {
			v, ok := german(left)
			if !ok {
				return 0, false
			}
			sum *= v
		}
		right = strings.TrimPrefix(right, "und")
		if right == "" {
			return sum, true
		}
		v, ok := german(right)
		return sum + v, ok && v < scale.of
	}
	if w == "ein" || w == "eine" {
		return 1, true
	}
	if n, ok := numerals[w]; ok && n.rank <= ten {
		return n.value, true
	}
	one, tens, ok := strings.Cut(w, "und")
	if !ok {
		return 0, false
	}
	a, ok := german(one)
	b := numerals[tens]
	return a + b.value, ok && a < 10 && b.rank == ten
}

// spelled reads number words from i on. It returns the value, the next token, and whether there is a number.
func (s *passage) spelled(i int) (value float64, next int, ok bool) {
	if s.is(i, "one") && s.pronoun(i-1) {
		return 0, i, false
	}
	var sum, now float64 // the total, and the part below a thousand
	last := rank(0)
	j := i
	for j < len(s.t) && j < i+16 {
		k := j
		if ok && j > i { // skip one "and" or hyphen
			switch s.t[j].text {
			case "and", "et", "y", "-":
				k++
			}
		}
		if k >= len(s.t) || s.t[k].class != word {
			break
		}
		n, is := numberOf(s.t[k].text)
		if !is || !fits(n, now, last, k > j && s.t[j].text != "-") {
			break
		}
		switch n.rank {
		case hundred:
			now = max(now, 1) * 100
		case scale:
			sum += max(now, 1) * n.value
			now = 0
		default:
			if n.value == 20 && last == unit && now == 4 { // quatre-vingts
				now = 80
			} else {
				now += n.value
			}
		}
		last, ok, j = n.rank, true, k+1
		if n.rank == whole && n.value < 20 || n.rank == nth {
			break
		}
	}
	return sum + now, j, ok
}

// pronoun reports whether "one" after i counts nothing: "this one", "the red one".
func (s *passage) pronoun(i int) bool {
	this := []string{"this", "that", "the", "which", "another", "each", "every", "no", "any", "some", "a", "my"}
	return s.is(i, this...) || i > 0 && s.t[i].class == word && s.is(i-1, this...)
}

// fits reports whether a number word continues a number: "two hundred and five" is one
// number, "two and five" are two.
func fits(n numeral, now float64, last rank, and bool) bool {
	if last == 0 {
		return true
	}
	if and && last == unit {
		return false
	}
	rest := int(now) % 100
	switch n.rank {
	case unit:
		if n.value >= 10 {
			return rest == 0 && last != unit || rest == 60 || rest == 80
		}
		return int(now)%10 == 0 && last != unit && last != whole || (rest == 10 || rest == 70 || rest == 90) && last == unit && n.value >= 7 // dix-sept
	case ten:
		return rest == 0 && last != unit && last != whole || last == unit && now == 4 && n.value == 20
	case hundred:
		return now < 100 && !and
	case scale:
		return !and
	case hundredth:
		return last == scale
	case nth:
		return last == ten && n.value < 10
	}
	return n.rank == whole && n.value > 20 && (last == hundred || last == hundredth || last == scale)
}

// written reads figures from i on, in all their meanings: "1.234" is 1234 or 1.234.
func (s *passage) written(i int) (readings []float64, next int) {
	if s.t[i].class != digits {
		return nil, i
	}
	groups := []string{s.t[i].text}
	marks := ""
	j := i + 1
	for j+1 < len(s.t) && len(groups) < 16 && !s.t[j].spaced && s.is(j, ".", ",", "'") &&
		s.t[j+1].class == digits && !s.t[j+1].spaced {
		groups, marks = append(groups, s.t[j+1].text), marks+s.t[j].text
		j += 2
	}
	readings = read(groups, marks)
	if s.listed(i, j, groups, marks) {
		for _, g := range groups {
			readings = append(readings, parse(g))
		}
	}
	// Thousands apart by spaces: "1 234 567,50".
	if marks == "" && len(groups[0]) <= 3 {
		together, k := groups[0], i+1
		for k < len(s.t) && len(together) < 16 && s.t[k].class == digits && s.t[k].spaced && len(s.t[k].text) == 3 {
			together += s.t[k].text
			k++
		}
		if k > i+1 {
			if k+1 < len(s.t) && !s.t[k].spaced && (s.t[k].text == "," || s.t[k].text == ".") && s.t[k+1].class == digits && !s.t[k+1].spaced {
				readings = append(readings, parse(together+"."+s.t[k+1].text))
			} else {
				readings = append(readings, parse(together))
			}
		}
	}
	return readings, j
}

// read reads groups of figures and the marks between them.
func read(groups []string, marks string) (readings []float64) {
	if marks == "" {
		return []float64{parse(groups[0])}
	}
	end := len(groups) - 1
	last := marks[end-1]
	decimal := strings.Count(marks, string(last)) == 1 && last != '\''
	thousands := len(groups[0]) <= 3
	for i, g := range groups[1:] {
		if i < end-1 && (len(g) != 3 || marks[i] != marks[0]) {
			thousands = false
		}
	}
	if decimal && (end == 1 || thousands) {
		readings = append(readings, parse(strings.Join(groups[:end], "")+"."+groups[end]))
	}
	if thousands && len(groups[end]) == 3 && marks[0] == last {
		readings = append(readings, parse(strings.Join(groups, "")))
	}
	if len(readings) > 0 {
		return readings
	}
	if strings.Contains(marks, ",") && strings.Contains(marks, ".") { // a list of fractions
		from := 0
		for i := range len(groups) {
			if i == end || marks[i] == ',' {
				readings = append(readings, read(groups[from:i+1], marks[from:i])...)
				from = i + 1
			}
		}
		return readings
	}
	for _, g := range groups { // a list, or a version
		readings = append(readings, parse(g))
	}
	return readings
}

// listed records figures with commas between them, from i to next, as the numbers of a list,
// such as an array or a row of a table. They may also be one number.
func (s *passage) listed(i, next int, groups []string, marks string) bool {
	if marks == "" || strings.Trim(marks, ",") != "" {
		return false
	}
	enclosed := i > 0 && !s.t[i].spaced && s.is(i-1, "[", ",") ||
		next < len(s.t) && !s.t[next].spaced && (s.is(next, "]") || s.is(next, ",") && next+1 < len(s.t) && !s.t[next+1].spaced)
	return enclosed || len(groups) > 2 || len(groups[1]) > 3
}

func parse(figures string) float64 {
	v, err := strconv.ParseFloat(figures, 64)
	if err != nil {
		return -1
	}
	return v
}
