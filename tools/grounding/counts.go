package grounding

import (
	"math"
	"strings"
)

// kinds has the kinds of things that people order, by their names.
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

// kindOf returns the kind that a noun names, or else the stem of the noun.
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

// stem returns the beginning of a word.
func stem(w string) string {
	if len(w) > 4 {
		return w[:4]
	}
	if len(w) == 4 { // plural of three letters
		return strings.TrimSuffix(w, "s")
	}
	return w
}

// unnamed has words in property names that say how many, but not of which things.
var unnamed = wordSet("quantity qty count number num no nr nb total size of the amount anzahl menge stück stueck der quantité nombre de cantidad número cuantos")

// counts reports whether this number was said of the things that the property is named after.
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
