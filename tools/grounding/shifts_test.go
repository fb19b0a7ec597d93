package grounding_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// Sentences said on Tuesday, 2026-03-10, each with the name of a property, and for an option the
// values in the schema.
func TestAValueIsSaidRelativeToAnother(t *testing.T) {
	for _, c := range []struct{ said, name, value, options string }{
		{"out on the 3rd of April, back the Sunday after", "return", `"2026-04-05"`, ""},
		{"le 3 avril, retour le dimanche suivant", "retour", `"2026-04-05"`, ""},
		{"el 20 de junio, vuelta a la semana siguiente, el domingo", "vuelta", `"2026-06-28"`, ""},
		{"du lundi 6 avril au jeudi", "au", `"2026-04-09"`, ""},
		{"vom 18. bis 22. Mai. Nein, ich komme Freitag wieder, also bis Donnerstag", "bis", `"2026-05-21"`, ""},
		{"the whole week after Easter", "from", `"2026-04-06"`, ""},
		{"the week before Easter", "from", `"2026-03-30"`, ""},
		{"die Woche nach Ostern", "bis", `"2026-04-10"`, ""},
		{"über Pfingsten", "anreise", `"2026-05-23"`, ""},
		{"le week-end de Pâques", "du", `"2026-04-04"`, ""},
		{"la segunda quincena de agosto", "desde", `"2026-08-16"`, ""},
		{"la première quinzaine d'avril", "au", `"2026-04-15"`, ""},
		{"first week of April", "to", `"2026-04-05"`, ""},
		{"Mitte April", "datum", `"2026-04-15"`, ""},
		{"a mediados de abril", "fecha", `"2026-04-15"`, ""},
		{"ab dem Zwanzigsten", "ab", `"2026-03-20"`, ""},
		{"on the thirty-first", "date", `"2026-03-31"`, ""},
		{"les 14 et 15", "au", `"2026-03-15"`, ""},
		{"am 14. und 15.", "bis", `"2026-03-15"`, ""},
		{"starting Monday, five days", "end", `"2026-03-20"`, ""},
		{"ni mañana ni pasado", "hasta", `"2026-03-12"`, ""},
		{"cette nuit à 3h15", "date", `"2026-03-11"`, ""},
		{"für heut Abend", "datum", `"2026-03-10"`, ""},
		{"prélevé le 15. Je veux résilier", "date", `"2026-03-15"`, ""},
		{"am 18., Lieferung am Tag vorher", "lieferung", `"2026-03-17"`, ""},
		{"two days later than the 14th", "date", `"2026-03-16"`, ""},
		{"born 4 May 91", "dob", `"1991-05-04"`, ""},
		{"um drei viertel fünf", "um", `"16:45"`, ""},
		{"since about 9.40 this morning", "since", `"09:40"`, ""},
		{"salgo a la una", "hora", `"13:00"`, ""},
		{"lieber auf acht", "uhrzeit", `"20:00"`, ""},
		{"eight-ish", "time", `"20:00"`, ""},
		{"Punkt acht", "um", `"20:00"`, ""},
		{"de 8 a 20", "hasta", `"20:00"`, ""},
		{"half an hour before the 9:30 call", "time", `"09:00"`, ""},
		{"an hour and ten", "minutes", `70`, ""},
		{"eine Stunde zwanzig", "minuten", `80`, ""},
		{"one hour 40", "minutes", `100`, ""},
		{"dreiviertel Stunde", "minuten", `45`, ""},
		{"hoy cinco y media", "horas", `5.5`, ""},
		{"ein halbes Pfund Butter", "butter_gramm", `250`, ""},
		{"1m80", "hauteur_cm", `180`, ""},
		{"Rezept verdreifachen, man nimmt 200 g Mehl", "mehl_gramm", `600`, ""},
		{"double-la stp", "facteur", `2`, ""},
		{"No hold bags", "hold_bags", `0`, ""},
		{"ohne Kinder", "kinder", `0`, ""},
		{"Erdgeschoss", "etage", `0`, ""},
		{"Hund kommt auch mit", "hunde", `1`, ""},
		{"zu sechst, davon zwei Kinder", "erwachsene", `4`, ""},
		{"on est sept dont trois ados", "adultes", `4`, ""},
		{"six of us, two of them kids", "adults", `4`, ""},
		{"tres parejas", "adultos", `6`, ""},
		{"me plus three mates", "players", `4`, ""},
		{"an extra bed", "beds", `1`, ""},
		{"our twins", "children", `2`, ""},
		{"hundertfuffzig", "betrag", `150`, ""},
		{"we run v4.18.2", "version", `"4.18.2"`, ""},
		{"35 a month", "frequency", `"monthly"`, "weekly|monthly"},
		{"tous les mardis", "frequence", `"hebdomadaire"`, "hebdomadaire|mensuel"},
		{"être remboursée", "souhait", `"remboursement"`, "remboursement|avoir"},
		{"quiero cambiarlas", "solucion", `"cambio"`, "cambio|reembolso"},
		{"Einzel bitte", "form", `"Einzelunterricht"`, "Einzelunterricht|Gruppenunterricht"},
		{"no rush", "priority", `"low"`, "low|high"},
		{"on prod", "environment", `"production"`, "staging|production"},
		{"large please", "size", `"L"`, "S|M|L"},
	} {
		if got := find(c.said, `{"`+c.name+`":`+c.value+`}`, optional(t, c.name, c.options)); got != nil {
			t.Errorf("%q: %s %s is reported as invented", c.said, c.name, c.value)
		}
	}
}

// Reading a value does not make its neighbors said.
func TestANeighborOfAValueIsNotSaid(t *testing.T) {
	for _, c := range []struct{ said, name, value, options string }{
		{"out on the 3rd of April, back the Sunday after", "return", `"2026-04-06"`, ""},
		{"at Easter", "date", `"2026-04-04"`, ""},
		{"la segunda quincena de agosto", "desde", `"2026-08-15"`, ""},
		{"first week of April", "to", `"2026-04-09"`, ""},
		{"an hour and ten", "minutes", `80`, ""},
		{"two hours for 6 people", "minutes", `126`, ""},
		{"the 9:30 call", "time", `"09:00"`, ""},
		{"auf acht Stühlen", "um", `"20:00"`, ""},
		{"kein Hund", "hunde", `1`, ""},
		{"zu sechst, davon zwei Kinder", "zimmer", `4`, ""},
		{"no hold bags", "guests", `0`, ""},
		{"we run v4.18.2", "version", `"4.18.3"`, ""},
		{"Einzel bitte", "form", `"Gruppenunterricht"`, "Einzelunterricht|Gruppenunterricht"},
		{"quiero cambiarlas", "solucion", `"reembolso"`, "cambio|reembolso"},
		{"on prod", "environment", `"staging"`, "staging|production"},
	} {
		if got := find(c.said, `{"`+c.name+`":`+c.value+`}`, optional(t, c.name, c.options)); got == nil {
			t.Errorf("%q: %s %s counts as said", c.said, c.name, c.value)
		}
	}
}

// optional returns a schema of one property, with its options.
func optional(t *testing.T, name, options string) string {
	t.Helper()
	rules := map[string]any{}
	if options != "" {
		rules["enum"] = strings.Split(options, "|")
	}
	schema, err := json.Marshal(map[string]any{"required": []string{name}, "properties": map[string]any{name: rules}})
	if err != nil {
		t.Fatal(err)
	}
	return string(schema)
}
