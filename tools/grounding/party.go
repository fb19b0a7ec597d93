package grounding

import "strings"

// Companions: the number of people by the words for them. "My parents, my wife and me" are
// four, "mit meinem Bruder" two.

// relatives has words for people, and how many people a word means without a number; 0: not
// known.
var relatives = make(map[string]float64)

func init() {
	list := func(n float64, names string) {
		for w := range wordSet(names) {
			relatives[w] = n
		}
	}
	list(1, `wife husband partner spouse girlfriend boyfriend fiance fiancee son daughter kid child baby toddler brother sister mother father mum mom mam dad
		friend colleague boss coworker cousin aunt uncle nephew niece grandma grandpa grandmother grandfather grandson granddaughter mate buddy neighbour neighbor manager assistant roommate flatmate teenager lad lass missus hubby pal
		frau mann freundin freund verlobte verlobter sohn tochter kind bruder schwester mutter vater mama papa oma opa kollege kollegin kollegen chef chefin tante onkel neffe nichte enkel enkelin nachbar nachbarin mitbewohner mitbewohnerin säugling partnerin
		femme mari compagne compagnon conjoint conjointe copine copain fils fille enfant bébé frère soeur mère père maman papa papi mamie ami amie collègue chef patron patronne tante oncle neveu nièce voisin voisine fiancée
		mujer marido esposa esposo pareja novia novio hijo hija niño niña bebé hermano hermana madre padre mamá papá abuelo abuela amigo amiga colega compañero compañera jefe jefa primo prima tío tía sobrino sobrina vecino vecina`)
	list(2, "parents folks grandparents twins eltern großeltern schwiegereltern zwillinge grands-parents beaux-parents jumeaux jumelles gemelas padres abuelos suegros gemelos mellizos")
	list(0, `sons daughters kids children babies brothers sisters friends colleagues coworkers cousins aunts uncles nephews nieces mates neighbours neighbors teenagers teens
		söhne kinder kindern schwestern freunde freunden freundinnen kolleginnen nachbarn
		enfants frères soeurs amis amies collègues cousins cousines fils filles copains copines voisins
		hijos hijas niños niñas hermanos hermanas amigos amigas colegas compañeros compañeras primos primas tíos tías sobrinos vecinos
		siblings geschwister lads jungs mädels ados gosses petits peques chicos chicas críos`)
	for _, w := range []string{"grands", "beaux"} { // these are two words each
		delete(relatives, w)
	}
	relatives["fils"] = 1
}

// youngs has the relatives who are children.
var youngs = wordSet("kid child baby toddler kind säugling enfant bébé niño niña bebé twins zwillinge jumeaux jumelles gemelos gemelas mellizos")

var (
	selves  = wordSet("me myself ich mich mir moi yo nosotros")
	alones  = wordSet("just only nur bloß juste seulement que solo sólo")
	holders = wordSet(`my our his her their the a an mein meine meinen meiner meinem unser unsere unseren unserer unserem die der den dem ein eine einen einer einem deren
		mon ma mes notre nos son sa ses le la les l un une des leur mi mis nuestro nuestra nuestros nuestras su sus el los las una un`)
	withs    = wordSet("with bringing mit avec con together zusammen ensemble junto")
	adds     = wordSet("and und et y e plus sowie also for für pour para auch noch además & +")
	fillings = wordSet("both beide beiden")
)

// party is the group of people read so far.
type party struct {
	sum        float64
	self       bool // the user is one of them
	items      int
	unknown    bool    // a word for an unknown number of people
	young      float64 // children in the sum
	from, next int     // tokens
}

// partyReader reads groups of people.
type partyReader struct{ *passage }

// parties reads a group of people at i.
func (s *partyReader) parties() {
	var p party
	for i := 0; i < len(s.t); {
		n, self, next := s.companion(i, p.items > 0)
		if kinds[s.t[i].text] == "pet" && (i == 0 || !nones[s.t[i-1].text]) && !strings.HasSuffix(s.t[i].text, "s") {
			s.f.count("pet", 1)
		}
		if nones[s.t[i].text] {
			s.none(i + 1)
		}
		if s.is(i, "erdgeschoss", "parterre") || s.is(i, "eg") && s.t[i].upper || s.is(i, "ground") && s.is(i+1, "floor") || s.is(i, "rez") || s.is(i, "planta") && s.is(i+1, "baja") {
			s.noneOf("floor")
		}
		if alone1[s.t[i].text] {
			s.f.count(heads, 1)
		}
		switch {
		case next > i:
			if p.items == 0 {
				p.from = i
			}
			p.sum += n
			if noun := s.t[next-1].text; youngs[noun] && n > 0 {
				p.young += n
				s.f.count("child", n)
				s.f.count(kindOf(noun), n)
			}
			p.items++
			p.self = p.self || self
			p.unknown = p.unknown || n == 0
			p.next, i = next, next
		case p.items > 0 && s.separates(i):
			i++
		default:
			s.gone(&p)
			p = party{}
			i++
		}
	}
	s.gone(&p)
}

// companion reads one item: a person, or several of a kind.
func (s *partyReader) companion(i int, going bool) (n float64, self bool, next int) {
	t := s.t[i]
	if t.class == mark {
		return 0, false, i
	}
	if selves[t.text] || t.text == "i" && going || t.text == "mi" && (i+1 == len(s.t) || s.t[i+1].class == mark || s.is(i+1, "y", "solo", "sola")) {
		return 1, true, i + 1
	}
	if going && t.capital && !t.upper && t.class == word && s.separates(i-1) && !holders[t.text] && !known(t.text) { // "me and Sam"
		return 1, false, i + 1
	}
	j, held := i, false
	for j < len(s.t) && (holders[s.t[j].text] || fillings[s.t[j].text] && held) && j < i+2 {
		held = true
		if fillings[s.t[j].text] {
			n = 2
		}
		j++
	}
	if s.isArticle(i) {
		n = 1
	}
	if j < len(s.t) && n != 2 {
		if v, k, ok := s.small(j, 20); ok && v > 0 {
			n, j, held = float64(v), k, true
		}
	}
	for k := j; k < len(s.t) && k <= j+1 && s.t[k].class == word; k++ {
		of, ok := relatives[s.t[k].text]
		if s.is(k, "frau", "mann", "femme", "mujer") && !held { // a title: "mit Frau Odenthal"
			break
		}
		person := people[stem(s.t[k].text)] && n > 0
		if ok || person {
			if s.is(k+1, "in") && s.is(k+2, "law") || s.is(k+1, "-") && s.is(k+2, "in") {
				for k+1 < len(s.t) && s.is(k+1, "-", "in", "law", "laws") {
					k++
				}
			}
			if n == 0 || n == 1 && of == 2 {
				n = of
			}
			return n, false, k + 1
		}
		if !held { // an adjective only follows a possessive
			break
		}
	}
	return 0, false, i
}

// known reports whether a word has a known meaning, so that it is not a person's name.
func known(w string) bool {
	_, number := numerals[w]
	_, weekday := weekdayNames[w]
	_, month := monthNames[w]
	return stops(w) || number || weekday || month || adds[w] || withs[w]
}

// gone records the number of people in a list.
func (s *partyReader) gone(p *party) {
	if p.items == 0 || p.unknown {
		return
	}
	i := p.from - 1
	with := i >= 0 && withs[s.t[i].text]
	switch {
	case p.items >= 2 && (p.self || !with):
		s.f.count(heads, p.sum)
		if p.young > 0 { // the others are adults
			s.f.count(heads, p.sum-p.young)
		}
	case with:
		s.f.count(heads, p.sum+1)
		if p.young > 0 {
			s.f.count(heads, p.sum+1-p.young)
		}
	case p.self && (i >= 0 && alones[s.t[i].text] || p.next < len(s.t) && alone1[s.t[p.next].text]):
		s.f.count(heads, 1)
	case p.self && s.is(i, "and", "und", "et", "y", "&"): // "Sam and me"
		for s.separates(i) && i > 0 && s.t[i-1].capital && !s.t[i-1].upper && !known(s.t[i-1].text) {
			p.sum, i = p.sum+1, i-2
			if i < 0 || !s.is(i, ",") {
				break
			}
		}
		if p.sum > 1 {
			s.f.count(heads, p.sum)
		}
	}
	// "They are nine, plus me and Sam", "14 Leute plus Chef".
	plus := false
	for i >= 0 && (s.separates(i) || holders[s.t[i].text]) {
		plus = plus || s.separates(i)
		i--
	}
	for skipped := 0; plus && i >= 0 && skipped < 2; skipped++ {
		if v, _, ok := s.small(i, 999); ok && v > 0 {
			s.f.count(heads, float64(v)+p.sum)
			break
		}
		i--
	}
}

// nones has the words that make the count of the next noun zero.
var nones = wordSet("no without kein keine keinen ohne sans pas aucun aucune sin ningun ninguna")

// none records a count of zero for the noun at i, or after one word at i.
func (s *partyReader) none(i int) {
	for k := i; k < min(i+2, len(s.t)) && s.t[k].class == word; k++ {
		s.noneOf(kindOf(s.t[k].text))
	}
}

func (s *partyReader) noneOf(of string) {
	if len(s.f.counts) < most {
		s.f.counts[counted{of, 0}] = true
	}
}

var alone1 = wordSet("alone allein alleine seul seule solo sola")

// separates reports whether a list of people may continue after the token at i.
func (s *passage) separates(i int) bool {
	return i >= 0 && i < len(s.t) && (adds[s.t[i].text] || withs[s.t[i].text] || s.is(i, ",", "&", "+"))
}
