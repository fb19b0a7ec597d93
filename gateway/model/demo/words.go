package demo

import (
	"regexp"
	"strings"
	"unicode"
)

// scene is one thing the demo shows. Its name is also the menu option's value.
type scene string

const (
	sceneMenu        scene = "menu"
	sceneTrip        scene = "trip"
	sceneReport      scene = "report"
	sceneMeeting     scene = "meeting"
	sceneTranslate   scene = "translate" // of the app of that name; not in the menu
	sceneText        scene = "text"
	sceneSelect      scene = "select"
	sceneMultiselect scene = "multiselect"
	sceneConfirm     scene = "confirm"
	sceneNumber      scene = "number"
	sceneDate        scene = "date"
	sceneForm        scene = "form"
	sceneRepair      scene = "repair"
	sceneRefused     scene = "refused"
	sceneCap         scene = "cap"
	sceneCalculate   scene = "calculate"
)

// scenes in the order of the menu.
var scenes = []scene{
	sceneTrip, sceneReport, sceneMeeting,
	sceneText, sceneSelect, sceneMultiselect, sceneConfirm, sceneNumber, sceneDate,
	sceneForm, sceneRepair, sceneRefused, sceneCap, sceneCalculate,
}

// keywords of the scenes in all languages, the particular ones first: "a form
// with a text" is a form, and "choix multiple" is no single choice.
var keywords = []struct {
	scene scene
	words string
}{
	{sceneTranslate, "translate translation übersetze übersetzen übersetzung traduis traduire traduction traduce traducir traducción"},
	{sceneCap, "cap limit limits grenze limite límite"},
	{sceneRefused, "refused refuse unsafe abgelehnt ablehnen unsicher refusé refusée rechazada rechazado rechazar"},
	{sceneRepair, "repair repaired reparatur reparieren réparation reparation réparer reparación reparacion reparar"},
	{sceneCalculate, "calculate calculator calc rechne rechnen berechne calcule calculer calculatrice calcul calcula calcular calculadora"},
	{sceneForm, "form formular formulaire formulario"},
	{sceneMultiselect, "multiselect multi multiple mehrfachauswahl mehrfach plusieurs varias varios múltiple"},
	{sceneSelect, "select choice auswahl einfachauswahl choix selección seleccion elección eleccion"},
	{sceneConfirm, "confirm confirmation bestätigung bestaetigung bestätigen confirmer confirmación confirmacion confirmar"},
	{sceneNumber, "number zahl nombre número numero"},
	{sceneDate, "date datum fecha"},
	{sceneText, "text texte texto freitext"},
	{sceneTrip, "trip weekend reise wochenende wochenendreise voyage viaje escapada"},
	{sceneReport, "report bericht rapport informe"},
	{sceneMeeting, "meeting treffen besprechung réunion reunion reunión"},
}

// expression is a whole calculation: digits, operators, parentheses.
var expression = regexp.MustCompile(`[-+(\s]*\d[\d\s.,+\-*/()^%]*`)

// wish is how many words a wish for a scene has at most. What is longer is meant for a model, and
// a word such as "text" in it means no scene.
const wish = 12

// sceneOf chooses by the words of a message; sceneMenu if it knows none.
func sceneOf(message string) scene {
	words := map[string]bool{}
	all := strings.FieldsFunc(strings.ReplaceAll(strings.ToLower(message), "week-end", "weekend"), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, w := range all {
		words[w] = true
	}
	for _, k := range keywords {
		for w := range strings.FieldsSeq(k.words) {
			if words[w] && (len(all) <= wish || k.scene == sceneTranslate) {
				return k.scene
			}
		}
	}
	if whole := strings.TrimSpace(message); strings.ContainsAny(whole, "+-*/^%") && expression.FindString(whole) == whole {
		return sceneCalculate
	}
	return sceneMenu
}

// calculation is what to calculate in a message, by default 2+3.
func calculation(message string) string {
	if e := strings.TrimSpace(expression.FindString(message)); e != "" && len(e) <= 200 {
		return e
	}
	return "2+3"
}
