package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/askgate/askgate/gateway/model"
)

// alike are questions, each with others that are the same for people.
var alike = [][]string{
	{"Which format would you like?", "which format would you like", "Which  format would you like ?", "WHICH FORMAT WOULD YOU LIKE?!", "Ｗhich format would you like？", "Which format would you like…"},
	{"Deliver to Berlin, or to Paris?", "Deliver to Berlin or to Paris", "deliver to Berlin; or to Paris.", " Deliver to Berlin, or\tto Paris? "},
	{"Do you write it in C#?", "do you write it in c#", "Do you write it in C# ?"},
	{"Welche Sprache möchten Sie?", "welche sprache möchten sie", "WELCHE SPRACHE MÖCHTEN SIE?", "Welche Sprache mo\u0308chten Sie?", "Welche Sprache möchten Sie …"},
	{"Soll Ärger gemeldet werden, sofort?", "soll ärger gemeldet werden sofort", "Soll Ärger gemeldet werden: sofort?!"},
	{"Quelle langue voulez-vous ?", "quelle langue voulez-vous", "Quelle langue voulez-vous?", "QUELLE LANGUE VOULEZ-VOUS ?", "Quelle langue\u00a0voulez-vous\u202f?"},
	{"Où faut-il l’envoyer, à l’été ?", "où faut-il l’envoyer à l’été", "OÙ FAUT-IL L’ENVOYER, À L’ÉTÉ ?!"},
	{"¿Qué idioma prefiere?", "qué idioma prefiere", "Qué idioma prefiere?", "¡¿QUÉ IDIOMA PREFIERE?!", "¿Que\u0301 idioma prefiere?"},
	{"¿Cuántas copias, señor?", "cuántas copias señor", "¿CUÁNTAS COPIAS, SEÑOR?"},
}

// nearly are pairs of questions that differ for people, however little.
var nearly = [][2]string{
	{"Do you write it in C#?", "Do you write it in C?"}, {"Do you write it in C++?", "Do you write it in C?"}, {"Is it -5 degrees?", "Is it 5 degrees?"},
	{"Is 3.5 right?", "Is 35 right?"}, {"Is .5 right?", "Is 5 right?"}, {"Is it 10%?", "Is it 10?"}, {"Mail to a@b.org?", "Mail to ab.org?"},
	{"Is it 1/2?", "Is it 12?"}, {"Which format?", "Which formats?"}, {"Send it to Ann?", "Send it to Anna?"}, {"Keep the first?", "Keep the last?"},
	{"Delete it?", "Do not delete it?"}, {"At 10:30?", "At 1030?"}, {"Is a != b?", "Is a = b?"}, {"Version 1.10?", "Version 1.1?"}, {"Use #1?", "Use 1?"},
	{"Welche Straße?", "Welche Strasse?"}, {"Möchten Sie das?", "Mochten Sie das?"}, {"Welches Land?", "Welche Länder?"}, {"Am 1.2. oder später?", "Am 12. oder später?"},
	{"Wie viele Kopien?", "Wie viele Kopien noch?"}, {"Mit Rechnung?", "Ohne Rechnung?"}, {"Quelle côte?", "Quelle cote?"}, {"Où aller ?", "Ou aller ?"},
	{"Avec sucre ?", "Sans sucre ?"}, {"Le 3 mai ?", "Le 4 mai ?"}, {"Quel pêcheur ?", "Quel pécheur ?"}, {"¿Cuántos años?", "¿Cuántos anos?"},
	{"¿Tu casa?", "¿Tú casa?"}, {"¿El papa?", "¿El papá?"}, {"¿Con factura?", "¿Sin factura?"}, {"¿Hoy o mañana?", "¿Hoy, mañana?"},
}

// chosen are pairs of calls with the same text that ask among other options, or otherwise.
var chosen = [][2]string{
	{`{"question": "Which?", "options": ["A", "B"]}`, `{"question": "Which?", "options": ["A", "C"]}`},
	{`{"question": "Which?", "options": ["A", "B"]}`, `{"question": "Which?", "options": ["A", "B", "C"]}`},
	{`{"question": "Which?", "options": ["A", "B"]}`, `{"question": "Which?", "input_type": "text"}`},
	{`{"question": "Which?", "options": ["A", "B"], "allow_other": true}`, `{"question": "Which?", "input_type": "multiselect", "options": ["A", "B"], "allow_other": true}`},
}

// ask is a call of ask_user for a text.
func ask(question string) string {
	text, _ := json.Marshal(map[string]any{"question": question, "input_type": "text"}) // strings
	return string(text)
}

// repeats asks each pair in a turn of its own: a person must see the second only if it is another.
func repeats(ctx context.Context, t *table) error {
	var pair [2]string
	h, err := build(ctx, `{"perTurn": 5, "perConversation": 5}`, func(r model.Request) []string {
		if n := len(results(r)); n < len(pair) {
			return []string{pair[n]}
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer h.close()
	shown := func(first, second string) (bool, error) {
		pair = [2]string{first, second}
		e, err := h.turn(ctx, "", "go")
		if err == nil && !e.ended {
			err = fmt.Errorf("the turn of %s does not end", second)
		}
		return e.interruptions == 2, err
	}
	var same, caught, others, lost int
	var faults []string
	for _, set := range alike {
		for _, variant := range set[1:] {
			again, err := shown(ask(set[0]), ask(variant))
			if err != nil {
				return err
			}
			if same++; !again {
				caught++
			} else {
				faults = append(faults, variant)
			}
		}
	}
	different := chosen
	for _, p := range nearly {
		different = append(different, [2]string{ask(p[0]), ask(p[1])})
	}
	for _, p := range different {
		again, err := shown(p[0], p[1])
		if err != nil {
			return err
		}
		if others++; !again {
			lost++
			faults = append(faults, p[1])
		}
	}
	t.add(caught == same, "repeats: the same question, not shown again", fmt.Sprintf("%d of %d%s", caught, same, list(faults)), "all")
	t.add(lost == 0, "repeats: another question, not shown", fmt.Sprintf("%d of %d", lost, others), "none")
	return nil
}

func list(faults []string) string {
	if len(faults) == 0 {
		return ""
	}
	return " (wrong: " + strings.Join(faults, ", ") + ")"
}
