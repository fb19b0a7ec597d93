package demo

import (
	"regexp"
	"strings"
	"unicode"
)

// scene is one thing that the demo shows. Its name is also the value of the menu's option.
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

// scenes lists the scenes in the order of the menu.
var scenes = []scene{
	sceneTrip, sceneReport, sceneMeeting,
	sceneText, sceneSelect, sceneMultiselect, sceneConfirm, sceneNumber, sceneDate,
	sceneForm, sceneRepair, sceneRefused, sceneCap, sceneCalculate,
}

// keywords has the words of the scenes in all languages, the most specific scene first: "a form with
// a text" means a form, and "choix multiple" means several choices.
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

// expression matches a whole calculation: digits, operators, parentheses.
var expression = regexp.MustCompile(`[-+(\s]*\d[\d\s.,+\-*/()^%]*`)

// wish is the most words of a message that asks for a scene. A longer message is meant for a model,
// and a word such as "text" in it does not ask for a scene.
const wish = 12

// sceneOf chooses a scene by the words of a message. If it knows none of them, it returns sceneMenu.
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

// calculation returns the expression in a message, or 2+3.
func calculation(message string) string {
	if e := strings.TrimSpace(expression.FindString(message)); e != "" && len(e) <= 200 {
		return e
	}
	return "2+3"
}
