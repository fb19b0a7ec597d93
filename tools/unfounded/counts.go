package unfounded

import (
	"math"
	"slices"
	"strings"
)

// counted is a number of things that was said without a number that counts for all: by an
// article ("a room"), by who they are ("my wife and me"), by two days ("from the 3rd to the
// 7th"). It counts only for a property that is named after the things, or after none.
type counted struct {
	of string // the kind of the things
	n  float64
}

const (
	few     = -1 // "ein paar": two or more
	mostFew = 9  // of these
)

// count notes a number of things that a noun names.
func (f *facts) count(of string, n float64) {
	if len(f.counts) < most {
		f.counts[counted{of, n}] = true
		f.counts[counted{"", n}] = true
	}
}

// kinds are the kinds of things that people order, by their names.
var kinds = make(map[string]string)

// heads is the kind of persons.
const heads = "person"

func init() {
	for line := range strings.Lines(`person people persons guest guests adult adults passenger passengers traveller travellers traveler travelers visitor visitors participant participants attendee attendees diner diners cover covers party head heads pax headcount personen leute gast gaste erwachsene erwachsenen teilnehmer reisende reisenden fahrgast fahrgaste besucher personne personnes voyageur voyageurs passager passagers convive convives couvert couverts participants invite invites adulte adultes persona personas comensal comensales huesped huespedes player players spieler spielerin joueur joueurs jugador jugadores mitspieler member members mitglied mitglieder membre membres miembro miembros pasajero pasajeros viajero viajeros adulto adultos asistente asistentes invitado invitados
room rooms zimmer chambre chambres habitacion habitaciones bedroom bedrooms
night nights nacht nachte nachten ubernachtung ubernachtungen nuit nuits nuitee nuitees noche noches
ticket tickets karte karten fahrkarte fahrkarten eintrittskarte billet billets entrada entradas billete billetes boleto boletos
seat seats platz platze sitzplatz place places siege sieges asiento asientos plaza plazas
table tables tisch tische mesa mesas
bag bags luggage baggage suitcase suitcases koffer gepack gepackstuck gepackstucke valise valises bagage bagages maleta maletas equipaje bulto bultos
day days tag tage tagen jour jours journee journees dia dias
week weeks woche wochen semaine semaines semana semanas
month months monat monate monaten mois mes meses
hour hours stunde stunden heure heures hora horas
child children kid kids kind kinder kindern enfant enfants nino ninos nina ninas
pet pets haustier haustiere animal animals animaux animales mascota mascotas hund hunde dog dogs cat cats katze katzen chien chiens chat chats perro perros gato gatos
floor etage stock stockwerk geschoss level etages piso planta
copy copies exemplar exemplare kopie kopien exemplaire exemplaires copie copies ejemplar ejemplares copia copias
box boxes carton cartons karton kartons kiste kisten boite boites caja cajas
percent percentage pct prozent pourcent pourcentage porcentaje
bottle bottles flasche flaschen bouteille bouteilles botella botellas`) {
		names := strings.Fields(line)
		for _, name := range names {
			kinds[name] = names[0]
		}
	}
}

// kindOf is what a noun is a name of: one of the kinds, or what it begins with.
func kindOf(noun string) string {
	if kind, ok := kinds[noun]; ok {
		return kind
	}
	for _, umlaut := range [][2]string{{"ae", "a"}, {"ue", "u"}} {
		if kind, ok := kinds[strings.Replace(noun, umlaut[0], umlaut[1], 1)]; ok {
			return kind
		}
	}
	if len(noun) >= 8 { // a German compound: "doppelzimmer"
		for _, end := range []string{"zimmer", "karte", "karten", "ticket", "platz", "tisch", "koffer", "nacht"} {
			if strings.HasSuffix(noun, end) {
				return kinds[end]
			}
		}
	}
	return stem(noun)
}

// stem is what a word begins with.
func stem(w string) string {
	if len(w) > 4 {
		return w[:4]
	}
	if len(w) == 4 { // of three letters, many
		return strings.TrimSuffix(w, "s")
	}
	return w
}

// unnamed are words in the names of properties that say how many, and not of what.
var unnamed = wordSet("quantity qty count number num no nr nb total size of the amount anzahl menge stück stueck der quantité nombre de cantidad número cuantos")

// counts says whether so many of what the property is named after were said.
func (s *Said) counts(name string, n float64) bool {
	about := func(of string) bool {
		return s.facts.counts[counted{of, n}] || n >= 2 && n <= mostFew && n == math.Trunc(n) && s.facts.counts[counted{of, few}]
	}
	named := false
	for _, w := range words(lex(camel(name), nil)) {
		if unnamed[w] {
			continue
		}
		named = true
		kind := kindOf(w)
		if len(w) > 2 && about(kind) || (kind == "seat" || kind == "ticket") && about(heads) { // for whom else?
			return true
		}
	}
	return !named && about("")
}

// articles are those that count one.
var articles = strings.Fields("a an ein eine einen einer einem n ne nen nem ner un une una")

func (s *scanner) isArticle(i int) bool {
	return i >= 0 && i < len(s.t) && slices.Contains(articles, s.t[i].text)
}

// article notes what is counted by an article alone. Behind an amount it is a rate: "90 a night".
func (s *scanner) article(i int) {
	if !s.isArticle(i) || i+1 >= len(s.t) || s.t[i+1].class != word || s.isAmount(i-1) {
		return
	}
	n, j := 1.0, i+1
	if s.is(j, "paar") && !s.t[j].capital {
		n, j = few, j+1
	}
	if n == 1 && j < len(s.t) {
		if u, ok := units[s.t[j].text]; ok && (u.measure == duration || u.measure == mass || u.measure == volume) && len(s.t[j].text) > 2 {
			s.unit(1, i, j)
			s.stepped(1, i, j)
		}
		s.persons(1, j)
	}
	// The noun stands behind two adjectives at most.
	for k := j; k < min(j+3, len(s.t)) && s.t[k].class == word && !stops[s.t[k].text]; k++ {
		s.f.count(kindOf(s.t[k].text), n)
	}
}

// isAmount says whether the token at i ends an amount: figures, a number word, a currency.
func (s *scanner) isAmount(i int) bool {
	if i < 0 {
		return false
	}
	t := s.t[i]
	_, is := numerals[t.text]
	_, _, half := s.half(i)
	return t.class == digits || money[t.text] || is && t.class == word || half
}

// persons adds up the people of a text: "two adults and a child".
func (s *scanner) persons(v float64, next int) {
	if next < len(s.t) && people[stem(s.t[next].text)] {
		s.people += v
		if s.groups++; s.groups > 1 {
			s.f.number(s.people, derived)
		}
	}
}
