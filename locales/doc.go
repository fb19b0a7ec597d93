// Package locales holds every text of AskGate itself that a person can read:
// problem details, what is wrong with an answer, the words for yes and no, the
// chat page and its card, the demo model. Texts of an admin (prompts, names) and texts of a
// model never pass through here.
//
//	active.en.json  ┐                 ┌─ Match(Accept-Language) ── language
//	active.de.json  ├─ New ── Catalog ┼─ Text(language, id, data) ─ one text
//	active.fr.json  │                 └─ All(language) ─────────── texts of page and card
//	active.es.json  ┘
//
// The files are flat, one id per line, with parameters ({{.Max}}) and conditions of Go's templates
// (see render), and an object of plural forms, named as in Unicode's CLDR, where there is a count. The ids
// are grouped by their first word:
//
//	title.<code>    short name of a problem       problem.<code>  its explanation
//	detail.<key>    what exactly is malformed     answer.<code>   why an answer is refused
//	confirm.*       yes and no                    approval.*      asking to allow a tool
//	turn.*          notices of the turn engine    page.*          the chat page
//	demo.*          what the demo model says      card.*          the card that draws a question
//	webhook.*       what webhooks are told, in messages for people
//	report.*        what to do about a question
//
// To add a language, add one file active.<tag>.json with the same ids: it is
// found by its name, and the tests compare its ids, parameters and plural forms with
// those of the others.
package locales
