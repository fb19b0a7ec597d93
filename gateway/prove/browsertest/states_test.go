//go:build browser

package browsertest

import (
	"strings"
	"testing"
)

var languages = options("French", "fr", "German", "de", "Spanish", "es", "English", "en")

var countries = options("Argentina", "ar", "Austria", "at", "Brazil", "br", "Canada", "ca", "Denmark", "dk", "Finland", "fi",
	"France", "fr", "Germany", "de", "Italy", "it", "Japan", "jp", "Spain", "es", "Switzerland", "ch")

func recommend(list []object, i int, why string) []object {
	out := append([]object(nil), list...)
	o := object{"recommended": true, "description": why}
	for k, v := range out[i] {
		o[k] = v
	}
	out[i] = o
	return out
}

// states lists every appearance of a card: what it asks, and what was done to it.
var states = []struct {
	name string
	ask  object
	then string // statements on card and find
}{
	{name: "text", ask: asked(question("text", "What is the project code?", object{"header": "Project code", "placeholder": "AB-123",
		"context": "The code stands on the first page of the contract.", "validation": object{"pattern": "[A-Z]{2}-[0-9]{3}", "flags": "u", "message": "Two capital letters, a hyphen and three digits, for example AB-123."}}))},
	{name: "text-long", ask: asked(question("text", "What shall the report be about?", object{"validation": object{"min": 3, "max": 300}, "allow_skip": true}))},
	{name: "select", ask: asked(question("select", "Which language should the text be translated into?", object{"header": "Language", "options": languages, "allow_other": true})),
		then: "find('.pick').click()"},
	{name: "select-described", ask: asked(question("select", "Which language should the text be translated into?", object{"header": "Language",
		"options": recommend(recommend(languages[:3], 0, "Chosen most often"), 1, "Formal, with compound nouns as long as they come")[:3], "allow_other": true, "allow_skip": true}))},
	{name: "select-long", ask: asked(question("select", "Where do you live?", object{"header": "Country", "options": recommend(countries, 6, "Most readers live here"), "allow_other": true})),
		then: "find('.list .pick:nth-of-type(1)').click()"},
	{name: "select-searched", ask: asked(question("select", "Where do you live?", object{"options": countries})),
		then: "const s = find('#search'); s.value = 'an'; s.dispatchEvent(new Event('input'))"},
	{name: "multiselect", ask: asked(question("multiselect", "Which sections should the report have?", object{"options": options("Summary", "summary", "Figures", "figures", "Sources", "sources", "Outlook", "outlook"),
		"validation": object{"min": 1, "max": 3}, "allow_other": true})), then: "find('.pick').click(); find('.option:nth-child(3) .pick').click()"},
	{name: "select-searchable", ask: projects("select")},
	{name: "select-stale", ask: projects("select"), then: `find('.pick').click(); card.error = {status: 409, code: "stale_option", detail: "This option is no longer available, so your answer was not saved. Choose one of the current options.",
		question: 0, gone: ["p-1"], options: [{label: "Beta", value: "p-2"}], optionsTotal: 1}`},
	{name: "multiselect-long", ask: asked(question("multiselect", "Which countries have you seen?", object{"options": countries})), then: "find('.pick').click()"},
	{name: "confirm", ask: asked(question("confirm", "Send the report now?", nil))},
	{name: "number", ask: asked(question("number", "How many copies do you need?", object{"validation": object{"min": 1, "max": 10, "integer": true}}))},
	{name: "date", ask: asked(question("date", "When is the report due?", object{"allow_skip": true, "validation": object{"min": "2000-01-01", "max": "2099-12-31"}}))},
	{name: "datetime", ask: asked(question("datetime", "When does the meeting start?", object{"default": "2026-12-31T13:00:00Z", "validation": object{"min": "2026-01-01T00:00:00Z"}}))},
	{name: "scale", ask: asked(question("scale", "How satisfied are you?", object{"validation": object{"max": 10}, "scale": object{"low": "not at all", "high": "entirely"}})), then: "find('.point:nth-child(7) .pick').click()"},
	{name: "rank", ask: asked(question("rank", "What matters most to you?", object{"options": languages})), then: "find('#down-0').click()"},
	{name: "email", ask: asked(question("text", "Where shall the report be sent?", object{"format": "email"})),
		then: "find('#input').value = 'alice'; find('#input').dispatchEvent(new Event('input')); find('button.main').click()"},
	{name: "preview", ask: asked(question("select", "Which layout?", object{"options": previewed(), "allow_other": true}))},
	{name: "preview-chosen", ask: asked(question("select", "Which layout?", object{"options": previewed()})), then: "find('.pick').click()"},
	{name: "file", ask: asked(question("file", "Which price list?", object{"accept": []string{".csv", "text/*"}, "maxBytes": 2_500_000}))},
	{name: "date-other", ask: asked(question("date", "When is the report due?", object{"allow_other": true}))},
	{name: "note", ask: asked(question("confirm", "Send the report now?", nil)), then: "find('.add').click()"},
	{name: "form", ask: form(), then: "find('#input').value = 'Alpha'; find('#input').dispatchEvent(new Event('input'))"},
	{name: "form-2", ask: form(), then: "await toStep(1)"},
	{name: "review", ask: form(), then: "await toStep(3)"},
	{name: "form-hanging", ask: hanging(), then: "find('.pick').click()"},
	{name: "review-hanging", ask: hanging(), then: "find('.pick').click(); await card.updateComplete; find('button.main').click(); await card.updateComplete; find('.pick:last-of-type').click(); await card.updateComplete; find('button.main').click(); await card.updateComplete; find('button.main').click()"},
	{name: "error", ask: asked(question("number", "How many copies do you need?", object{"validation": object{"min": 1, "max": 10}, "allow_other": true})),
		then: "find('#input').value = '11'; find('#input').dispatchEvent(new Event('input')); find('button.main').click()"},
	{name: "refused-422", ask: asked(question("select", "Which language?", object{"options": languages, "allow_other": true})),
		then: `find('.pick').click(); card.error = {status: 422, code: "invalid_answer", errors: [{question: 0, field: "value", code: "option", message: "Choose one of the options."}]}`},
	{name: "not-sent", ask: asked(question("confirm", "Send the report now?", nil)), then: `card.error = {status: 0, code: "offline"}`},
	{name: "offline", ask: asked(question("confirm", "Send the report now?", nil)), then: "online(false)"},
	{name: "sending", ask: asked(question("select", "Which language?", object{"options": languages})), then: "find('.pick').click(); await card.updateComplete; find('button.main').click()"},
	{name: "disabled", ask: asked(question("select", "Which language?", object{"options": languages})), then: "card.disabled = true"},
	{name: "instant", ask: asked(question("select", "Which language should the text be translated into?", object{"options": languages, "allow_other": true})), then: "card.instant = true; await card.updateComplete; find('#pick-1').focus()"},
	{name: "instant-chosen", ask: asked(question("select", "Which language should the text be translated into?", object{"options": languages, "allow_other": true})),
		then: "card.instant = true; await card.updateComplete; find('#pick-1').focus(); find('#pick-1').click()"},
	{name: "right-to-left", ask: asked(question("select", "ما اللغة؟", object{"options": options("العربية", "ar", "English", "en"), "context": "اختر لغة النص (PDF) قبل 10:30.", "allow_other": true}))},
	{name: "deadline", ask: with(asked(question("confirm", "Send the report now?", nil)), "expiresAt", "2031-05-01T12:00:00.000Z")},
	{name: "approval", ask: with(with(with(with(asked(question("confirm", "Allow delete_file?", nil)), "kind", "approval"), "toolName", "delete_file"),
		"arguments", object{"path": "reports/2026/january.pdf", "force": true}), "warning", "This cannot be undone.")},
	{name: "approval-editable", ask: editable()},
	{name: "approval-remember", ask: with(editable(), "remember", "chat"), then: "await readToEnd()"},
	{name: "approval-denied", ask: editable(), then: `Object.assign(card, {state: "answered", answer: {value: "no"}, answeredBy: "Alice", answeredAt: "2026-02-06T10:31:00.000Z"})`},
	{name: "approval-quorum", ask: quorum(yes("alice"))},
	{name: "approval-quorum-mine", ask: with(quorum(yes("alice")), "respond", true), then: "card.subject = 'alice'"},
	{name: "approval-quorum-others", ask: with(quorum(yes("alice")), "mayAnswer", false)},
	{name: "approval-quorum-closed", ask: quorum(yes("alice"), no("Bartholomäus van der Wijngaarden-Oldenbroek")), then: `Object.assign(card, {state: "answered", answer: {value: "no", note: "Too much."}, answeredBy: "Bartholomäus van der Wijngaarden-Oldenbroek", answeredAt: "2026-02-06T10:31:00.000Z"})`},
	{name: "approval-respond", ask: with(with(editable(), "respond", true), "remember", "chat"), then: "await readToEnd()"},
	{name: "approval-responding", ask: with(editable(), "respond", true), then: "await readToEnd(); find('#respond').click(); await card.updateComplete; find('#result').value = 'The customer has withdrawn.'; find('#result').dispatchEvent(new Event('input'))"},
	{name: "approval-responding-faulty", ask: with(editable(), "respond", true), then: "await readToEnd(); find('#respond').click(); await card.updateComplete; find('#reply').click()"},
	{name: "approval-responded", ask: with(editable(), "respond", true), then: `Object.assign(card, {state: "answered", answer: {value: "no", result: "The customer has withdrawn."}, answeredBy: "Alice", answeredAt: "2026-02-06T10:31:00.000Z"})`},
	{name: "approval-exact", ask: with(with(editable(), "argumentsText", "{\n  \"iban\": \"DE02\\u202e1234\",\n  \"amount\": 9007199254740993\n}"),
		"argumentFields", []object{{"name": "iban", "title": "Account", "text": `"DE02\u202e1234"`}, {"name": "amount", "title": "Amount", "text": "9007199254740993"}})},
	{name: "approval-unfounded", ask: with(with(with(editable(), "unfounded", []string{"/path"}), "warning", "You didn’t give “path”. The assistant filled this in: please check."),
		"argumentFields", []object{{"name": "force", "title": "Even if it is in use", "text": "true"}, {"name": "path", "title": "File", "text": `"reports/2026/january.pdf"`}})},
	{name: "approval-long", ask: with(editable(), "argumentsText", "{\n"+strings.Repeat("  \"padding\": 1,\n", 60)+"  \"zz_delete_all\": true\n}")},
	{name: "details", ask: permission(60, "Yes, and from now on Bash(make:*) in this project", "yes-1")},
	{name: "details-read", ask: permission(1, "Yes, and from now on Bash(make:*) in this project", "yes-1")},
	{name: "approval-editing", ask: with(editable(), "remember", "chat"), then: "await readToEnd(); find('#edit-arguments').click()"},
	{name: "approval-faulty", ask: editable(),
		then: "await readToEnd(); find('#edit-arguments').click(); await card.updateComplete; const a = find('#arguments'); a.value = '{\"path\": }'; a.dispatchEvent(new Event('input')); find('button.main').click()"},
	{name: "approval-changed", ask: editable(),
		then: `Object.assign(card, {state: "answered", answer: {value: "yes", arguments: {path: "reports/2026/february.pdf", force: false}, note: "not January"}})`},
	{name: "asked-by", ask: with(with(asked(question("text", "What is your customer number?", nil)), "askedBy", "crm.example.org"), "warning", "This question comes from an outside service. Never enter a password here.")},
	{name: "earlier", ask: asked(question("select", "Which language should the text be translated into?", object{"options": languages,
		"earlier": object{"value": "de", "label": "German", "answeredAt": "2026-02-06T10:30:00.000Z"}}))},
	{name: "earlier-text", ask: asked(question("text", "What shall the report be about?", object{"allow_skip": true,
		"earlier": object{"value": "The sales of January", "label": "The sales of January, by country and by product, with a table for each", "answeredAt": "2026-02-06T10:30:00.000Z"}}))},
	{name: "default", ask: with(with(asked(question("text", "What is your address?", object{"default": "name@example.org", "allow_skip": true})), "askedBy", "crm.example.org"), "warning", "This question comes from an outside service. Never enter a password here.")},
	{name: "default-chosen", ask: asked(question("multiselect", "Which countries have you seen?", object{"options": countries, "default": []string{"at", "ca"}}))},
	{name: "secret", ask: asked(question("text", "What is the password of the staging server?", object{"secret": "password"}))},
	{name: "asked-by-program", ask: with(asked(question("confirm", "Deploy now?", nil)), "askedBy", with(deploys, "kind", "program"))},
	{name: "for-role", ask: with(with(asked(question("confirm", "Restart the database?", object{"header": "Production"})), "askedBy", with(deploys, "kind", "program")), "waitsFor", object{"role": "oncall"})},
	{name: "for-others", ask: with(with(editable(), "waitsFor", object{"role": "finance"}), "mayAnswer", false)},
	{name: "not-told", ask: with(asked(question("confirm", "Restart the database?", nil)), "notTold", []string{"mail", "slack"}), then: saysNotTold},
	{name: "others-not-told", ask: with(with(with(editable(), "waitsFor", object{"role": "finance"}), "mayAnswer", false), "notTold", []string{"mail", "slack"}), then: saysNotTold},
	{name: "asked-by-link", ask: with(with(asked(question("confirm", "The agency asks you to visit a page on pay.example.org. Are you done there?", object{"context": "Please enter your card there.", "link": "https://pay.example.org/checkout?id=7"})),
		"askedBy", "The agency"), "toolName", "travel__pay")},
	{name: "asked-by-slot", ask: asked(question("confirm", "May I?", nil)),
		then: `const b = document.createElement("b"); b.slot = "asker"; b.textContent = "Accounting"; card.append(b); card.requestUpdate(); await card.updateComplete; if (!b.assignedSlot) throw new Error("the asker has no place")`},
	{name: "input", ask: with(with(with(asked(question("text", "Pick a colour", nil)), "kind", "input"), "toolName", "pick_color"), "arguments", object{"palette": "warm"})},
	{name: "answered", ask: asked(question("select", "Which language should the text be translated into?", object{"options": languages})),
		then: `Object.assign(card, {state: "answered", answer: {value: "fr", note: "formal"}, answeredAt: "2026-02-06T10:31:00.000Z"}); await card.updateComplete; find('.others').open = true`},
	{name: "answered-form", ask: form(), then: `Object.assign(card, {state: "answered", answeredBy: "Alice", answer: {answers: [{value: "Alpha"}, {value: "pdf", note: "in colour"}, {skipped: true}]}})`},
	{name: "answered-hanging", ask: hanging(), then: `Object.assign(card, {state: "answered", answer: {answers: [{value: "paper"}, {value: "no"}, {skipped: true}]}})`},
	{name: "answered-elsewhere", ask: asked(question("select", "Which language?", object{"options": languages, "allow_other": true})),
		then: `find('#other').value = "Latin"; find('#other').dispatchEvent(new Event('input')); card.error = {status: 409, code: "already_answered", outcome: "answered", answer: {value: "de"}}`},
	{name: "kept", ask: asked(question("select", "Which language should the text be translated into?", object{"options": languages, "kept": "unasked"})), then: "find('.pick').click(); find('.again input').click()"},
	{name: "remembered", ask: asked(question("select", "Which language should the text be translated into?", object{"options": languages})),
		then: `Object.assign(card, {state: "remembered", answer: {value: "fr"}, answeredAt: "2026-02-06T10:31:00.000Z"})`},
	{name: "expired", ask: asked(question("text", "What is the project code?", nil)),
		then: `find('#input').value = "AB-1"; find('#input').dispatchEvent(new Event('input')); card.error = {status: 410, code: "clarification_closed", state: "expired"}`},
	{name: "superseded", ask: asked(question("confirm", "Send the report now?", nil)), then: `card.state = "superseded"`},
	{name: "cancelled", ask: asked(question("confirm", "Send the report now?", nil)), then: `card.state = "cancelled"`},
	{name: "skipped", ask: asked(question("text", "Anything else?", object{"allow_skip": true})), then: `card.state = "skipped"`},
	{name: "declined", ask: asked(question("text", "How old are you?", nil)), then: `Object.assign(card, {state: "declined", answer: {declined: true}})`},
}

// saysNotTold fails unless the card names the channels that could tell no one.
const saysNotTold = `if (![...card.shadowRoot.querySelectorAll('.waits')].some((e) => e.textContent.endsWith(": mail, slack"))) throw new Error("it does not say who could not be told")`

func with(c object, key string, value any) object {
	out := object{key: value}
	for k, v := range c {
		if k != key {
			out[k] = v
		}
	}
	return out
}

// previewed lists options of which two have a preview.
func previewed() []object {
	list := recommend(options("Letter", "letter", "Table", "table", "As before", "old"), 1, "Shorter")
	list[0]["preview"] = "# Dear Alice,\n\nthe *report* has **three** parts:\n\n1. Sales\n2. Costs\n   - of staff\n   - of `IT`\n\n> as you asked\n\n---\n[The figures](https://example.org/q3) ![a chart](https://example.org/chart.png)"
	list[1]["preview"] = "| Part | Sum |\n| --- | ---: |\n| Sales | 12 |\n\n```\n<b>not bold</b>\n```"
	return list
}

// hanging is a form whose other questions depend on the first.
func hanging() object {
	return asked(
		question("select", "How do you want the report?", object{"id": "how", "header": "Form", "options": options("On paper", "paper", "As a file", "file"), "allow_other": true}),
		question("confirm", "In colour?", object{"id": "colour", "when": object{"question": "how", "is": []string{"paper"}}}),
		question("number", "How many copies in colour?", object{"id": "copies", "when": object{"question": "colour", "is": []string{"yes"}}}),
	)
}

// editable is an approval whose arguments may be changed.
func editable() object {
	ask := asked(question("confirm", "Allow delete_file?", nil))
	ask["kind"], ask["toolName"], ask["editable"] = "approval", "delete_file", true
	ask["arguments"] = object{"path": "reports/2026/january.pdf", "force": true}
	ask["argumentsText"] = "{\n  \"force\": true,\n  \"path\": \"reports/2026/january.pdf\"\n}"
	return ask
}

func form() object {
	return asked(
		question("text", "Which project is it about?", object{"header": "Project"}),
		question("select", "Which format would you like?", object{"header": "Format", "options": options("PDF document", "pdf", "Word document", "docx"), "allow_other": true}),
		question("date", "When is the report due?", object{"header": "Due date", "allow_skip": true}),
	)
}

// readToEnd waits until a call was in view, toStep fills in the form up to a step; 3 is the review.
const toStep = `globalThis.readToEnd = async () => { while (find("#edit-arguments").disabled) await new Promise(requestAnimationFrame); };
globalThis.toStep = async (n) => {
	const enter = async (id, v) => { find(id).value = v; find(id).dispatchEvent(new Event("input")); };
	const next = async () => { await card.updateComplete; find("button.main").click(); await card.updateComplete; };
	if (n > 0) { await enter("#input", "Alpha"); await next(); }
	if (n > 1) { find(".pick").click(); await next(); }
	if (n > 2) { await enter("#input", "2026-12-01"); await next(); }
}`

func TestEveryStateIsAccessibleInEveryLight(t *testing.T) {
	t.Parallel()
	p := open(t, cardSite(t), 800)
	p.until("globalThis.ready")
	p.js(toStep + "\n" + clockwork)
	for _, look := range []struct {
		name           string
		width          int64
		feature, value string
		page           string
		axe            bool // in each color scheme and width once: this takes most of the time
	}{
		{"light", 800, "prefers-color-scheme", "light", "", true},
		{"dark", 800, "prefers-color-scheme", "dark", "", false},
		{"narrow", 320, "prefers-color-scheme", "light", "", false},
		{"rtl", 800, "prefers-color-scheme", "light", "document.documentElement.dir = 'rtl'", false},
		{"de", 320, "prefers-color-scheme", "dark", "document.documentElement.dir = ''; card.locale = 'de'", true},
		{"forced", 800, "forced-colors", "active", "card.locale = 'en'", true},
	} {
		p.resize(look.width)
		p.media(look.feature, look.value)
		p.js(look.page)
		for _, s := range states {
			name := look.name + "-" + s.name
			p.reopen(s.ask)
			p.js(s.then + "\n; await card.updateComplete; await card.updateComplete;")
			if look.axe {
				p.accessible(name)
			}
			p.fits(name)
			p.shot(name)
		}
	}
}

// WCAG 2.5.5 in full: 44 CSS pixels in each direction, except for words within a line and the box
// inside an option, which can be pressed as a whole.
func TestEverythingToPressIsLargeEnough(t *testing.T) {
	t.Parallel()
	p := open(t, cardSite(t), 320)
	p.until("globalThis.ready")
	p.js(toStep + "\n" + clockwork)
	for _, s := range states {
		p.reopen(s.ask)
		p.js(s.then + "\n; await card.updateComplete")
		for _, small := range eval[[]string](p, `[...card.shadowRoot.querySelectorAll("button, .option, .own, textarea, input:not(.pick)")]
			.filter((e) => !e.closest(".own") || e.matches(".own")).map((e) => [e, e.getBoundingClientRect()])
			.filter(([, r]) => r.height < 44 || r.width < 44).map(([e, r]) => e.outerHTML.slice(0, 80) + " " + r.width + "x" + r.height)`) {
			t.Errorf("%s: %s", s.name, small)
		}
	}
}

func TestTheCardSpeaksTheReadersLanguage(t *testing.T) {
	t.Parallel()
	p := open(t, cardSite(t), 800)
	p.until("globalThis.ready")
	for locale, want := range map[string]string{"de": "Senden", "de-AT": "Senden", "fr": "Envoyer", "es": "Enviar", "en-GB": "Send", "tlh": "Send"} {
		p.js("card.locale = %s", locale)
		p.reopen(asked(question("number", "Wie viele?", nil)))
		p.until("find('button.main').textContent.trim() === %s", want)
	}
	p.js("card.locale = ''; document.documentElement.lang = 'de'")
	p.reopen(asked(question("number", "Wie viele?", nil)))
	p.until("find('button.main').textContent.trim() === 'Senden'")
	p.start()
	p.keys("1,5", "\r") // as it is written there
	p.answered(`{"value":1.5}`)

	p.reopen(asked(question("number", "Wie viele?", nil)))
	p.set("messages", object{"card.send": "Ab damit"})
	p.until("find('button.main').textContent.trim() === 'Ab damit'")
}

func TestThePageDecidesHowTheCardLooks(t *testing.T) {
	t.Parallel()
	p := showCard(t, asked(question("confirm", "Sure?", nil)))
	surface := func() string { return eval[string](p, "getComputedStyle(find('.card')).backgroundColor") }
	p.media("prefers-color-scheme", "dark")
	dark := surface()
	p.set("theme", "light")
	light := surface()
	p.media("prefers-color-scheme", "light")
	p.set("theme", "dark")
	if light == dark || surface() != dark {
		t.Errorf("light %s, dark %s, dark again %s", light, dark, surface())
	}
	p.js("card.style.setProperty('--askgate-surface', 'rgb(1, 2, 3)')")
	if got := surface(); got != "rgb(1, 2, 3)" {
		t.Errorf("the page's surface is %s", got)
	}
	p.media("prefers-reduced-motion", "reduce")
	if got := eval[string](p, "getComputedStyle(find('.option')).transitionDuration"); got != "0s" {
		t.Errorf("an option moves for %s", got)
	}
}

func TestTextOfAModelIsText(t *testing.T) {
	t.Parallel()
	const evil = `<img src=x onerror="globalThis.hit = true"><b>bold</b>`
	ask := asked(question("select", evil, object{"header": evil, "context": evil, "placeholder": evil, "validation": object{"message": evil},
		"options": []object{{"label": evil, "value": "v", "description": evil, "recommended": true}}}))
	ask["link"] = evil
	ask["askedBy"], ask["warning"], ask["toolName"], ask["arguments"] = evil, evil, evil, object{"a": evil}
	p := showCard(t, ask)
	if eval[bool](p, "Boolean(globalThis.hit) || card.shadowRoot.querySelector('img, b') !== null") {
		t.Error("a text became an element")
	}
	p.js(`Object.assign(card, {state: "answered", answer: {value: %s, note: %s}, answeredBy: %s}); await card.updateComplete`, evil, evil, evil)
	if eval[bool](p, "Boolean(globalThis.hit) || card.shadowRoot.querySelector('img, b') !== null") {
		t.Error("a text of the folded card became an element")
	}
}

func TestLinksLeadToPagesOnly(t *testing.T) {
	t.Parallel()
	for link, want := range map[string]string{
		"https://pay.example.org/x?id=7": "https://pay.example.org/x?id=7 pay.example.org https://pay.example.org/x?id=7 _blank noopener noreferrer",
		"http://127.0.0.1:9/":            "http://127.0.0.1:9/ 127.0.0.1:9 http://127.0.0.1:9/ _blank noopener noreferrer",
		"javascript:alert(1)":            "none",
		"data:text/html,x":               "none",
		"/relative":                      "none",
		"":                               "none",
	} {
		p := showCard(t, asked(question("confirm", "Been there?", object{"link": link})))
		got := eval[string](p, `(() => { const a = card.shadowRoot.querySelector("a");
			return a ? [a.href, a.querySelector("b").textContent, a.querySelector("span").textContent, a.target, a.rel].join(" ") : "none"; })()`)
		if got != want {
			t.Errorf("%q: %s", link, got)
		}
	}
}

// The time from an event to its question on the screen is logged, not judged: it depends on the
// machine.
func TestAQuestionIsSeenSoon(t *testing.T) {
	t.Parallel()
	p := showCard(t, nil)
	ms := eval[[]float64](p, `(async () => { const out = [];
		for (let i = 0; i < 5; i++) {
			card.clarification = null; await card.updateComplete; await new Promise(requestAnimationFrame);
			const from = performance.now();
			card.clarification = %s;
			await card.updateComplete;
			await new Promise((seen) => requestAnimationFrame(() => setTimeout(seen)));
			if (!find(".title")) throw new Error("it is not there");
			out.push(performance.now() - from);
		}
		return out; })()`, asked(question("select", "Where do you live?", object{"options": countries, "allow_other": true})))
	t.Logf("from event to screen, the first including loading the card: %.1f ms", ms)
}
