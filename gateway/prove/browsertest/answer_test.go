//go:build browser

package browsertest

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// answered waits for the card's only answer, and compares it as JSON, without the ids that are sent
// with every answer.
func (p *page) answered(want string) {
	p.t.Helper()
	p.until("answers.length > 0")
	got := eval[[]object](p, "answers")
	if len(got) != 1 {
		p.t.Fatalf("%d answers: %v", len(got), got)
	}
	if got[0]["toolCallId"] != "call_1" || got[0]["clarificationId"] != "clr_1" {
		p.t.Errorf("the answer names no question: %v", got[0])
	}
	delete(got[0], "toolCallId")
	delete(got[0], "clarificationId")
	var wanted object
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		p.t.Fatal(err)
	}
	if !reflect.DeepEqual(got[0], wanted) {
		raw, _ := json.Marshal(got[0])
		p.t.Errorf("answered %s, want %s", raw, want)
	}
}

// focused returns the element that has the focus: its id, or its class.
func (p *page) focused() string {
	p.t.Helper()
	return eval[string](p, "(card.shadowRoot.activeElement?.id || card.shadowRoot.activeElement?.className) ?? ''")
}

// start puts the focus where the card puts it, once a waiting call was in view.
func (p *page) start() {
	p.t.Helper()
	p.js("card.focus(); await card.updateComplete")
	p.until("card.shadowRoot.activeElement && !find('.decide[aria-disabled=true]')")
}

func TestEachKindOfAnswerIsThatOfTheContract(t *testing.T) {
	t.Parallel()
	p := showCard(t, nil)
	for _, tt := range []struct {
		name string
		ask  object
		do   func(p *page)
		want string
	}{
		{"text", question("text", "Who?", nil), func(p *page) { p.keys("Ada", " 😀", kb.Enter) }, `{"value":"Ada 😀"}`},
		{"text of lines", question("text", "Who?", nil), func(p *page) { p.keys("a"); p.shiftEnter(); p.keys("b", kb.Enter) }, `{"value":"a\nb"}`},
		{"number", question("number", "How many?", nil), func(p *page) { p.keys("3", kb.Enter) }, `{"value":3}`},
		{"number by steps", question("number", "How many?", object{"validation": object{"min": 2, "max": 4}}), func(p *page) {
			p.keys(kb.ArrowUp, kb.ArrowUp, kb.ArrowUp, kb.ArrowUp, kb.ArrowDown, kb.Enter)
		}, `{"value":3}`},
		{"number by buttons", question("number", "How many?", object{"validation": object{"min": 2, "integer": true}}), func(p *page) {
			p.click(".step:last-child")
			p.click(".step:last-child")
			p.click("button.main")
		}, `{"value":3}`},
		{"number with more digits than a float", question("number", "How many?", nil), func(p *page) { p.keys("12345678901234567890", kb.Enter) }, `{"value":"12345678901234567890"}`},
		{"date", question("date", "When?", nil), func(p *page) { p.keys("12012026", kb.Enter) }, `{"value":"2026-12-01"}`},
		{"time", question("datetime", "When?", nil), func(p *page) {
			p.inZone("UTC")
			p.js("find('#input').value = '2026-12-01T14:00'; find('#input').dispatchEvent(new Event('input')); await card.updateComplete")
			p.until("find('#written').textContent.includes('2026')")
			p.keys(kb.Enter)
		}, `{"value":"2026-12-01T14:00:00+00:00"}`},
		{"scale by digit", question("scale", "How?", object{"validation": object{"max": 10}, "scale": object{"low": "bad", "high": "good"}}), func(p *page) { p.keys("0", kb.Enter) }, `{"value":10}`},
		{"scale by pointer", question("scale", "How?", object{"validation": object{"max": 5}}), func(p *page) { p.click(".point:nth-child(4)"); p.click("button.main") }, `{"value":4}`},
		{"rank by keys", question("rank", "Which first?", object{"options": languages}), func(p *page) {
			p.keys(kb.ArrowDown, kb.End, kb.ArrowUp)
			p.until("find('[role=status]').textContent === 'French, 3 of 4'")
			p.click("button.main")
		}, `{"values":["de","es","fr","en"]}`},
		{"rank by buttons", question("rank", "Which first?", object{"options": languages}), func(p *page) { p.click("#up-3"); p.click("#down-0"); p.click("button.main") }, `{"values":["de","fr","en","es"]}`},
		{"rank as shown", question("rank", "Which first?", object{"options": languages}), func(p *page) {
			p.click("button.main") // refused: it may not have been looked at
			p.until("find('#error-values')")
			p.click("#rank-keep")
			p.click("button.main")
		}, `{"values":["fr","de","es","en"]}`},
		{"select by digit", question("select", "Which?", object{"options": languages}), func(p *page) { p.keys("2", kb.Enter) }, `{"value":"de"}`},
		{"select by arrows", question("select", "Which?", object{"options": languages}), func(p *page) { p.keys(kb.ArrowDown, kb.ArrowDown, kb.Enter) }, `{"value":"es"}`},
		{"select by pointer", question("select", "Which?", object{"options": languages}), func(p *page) { p.click(".option:nth-child(4)"); p.click("button.main") }, `{"value":"en"}`},
		{"select from many", question("select", "Where?", object{"options": countries}), func(p *page) { p.keys("swi", kb.Enter, kb.Enter) }, `{"value":"ch"}`},
		{"select from many by digit", question("select", "Where?", object{"options": countries}), func(p *page) {
			p.keys("an", kb.Escape, "3", kb.Enter)
		}, `{"value":"fr"}`},
		{"multiselect in option order", question("multiselect", "Which?", object{"options": languages}), func(p *page) { p.keys("3", "1", kb.Enter) }, `{"values":["fr","es"]}`},
		{"multiselect by arrows", question("multiselect", "Which?", object{"options": languages}), func(p *page) { p.keys(" ", kb.ArrowDown, kb.ArrowRight, " ", kb.Enter) }, `{"values":["fr","es"]}`},
		{"multiselect from many", question("multiselect", "Where?", object{"options": countries}), func(p *page) {
			p.keys("jap", kb.Enter)
			p.click("#search")
			p.keys(kb.Backspace, kb.Backspace, kb.Backspace, "aus", kb.Enter, kb.Enter)
		}, `{"values":["at","jp"]}`},
		{"yes", question("confirm", "Sure?", nil), func(p *page) { p.keys("1", kb.Enter) }, `{"value":true}`},
		{"no", question("confirm", "Sure?", nil), func(p *page) { p.click(".option:nth-child(2)"); p.keys(kb.Enter) }, `{"value":false}`},

		{"other instead", question("select", "Which?", object{"options": languages, "allow_other": true}), func(p *page) {
			p.keys("1")
			p.click("#other")
			p.keys("Latin", kb.Enter)
		}, `{"other":"Latin"}`},
		{"other by digit", question("select", "Which?", object{"options": languages, "allow_other": true}), func(p *page) { p.keys("5", "Latin", kb.Enter) }, `{"other":"Latin"}`},
		{"other, and back to an option", question("select", "Which?", object{"options": languages, "allow_other": true}), func(p *page) {
			p.click("#other")
			p.keys("Latin")
			p.click(".option:nth-child(2)")
			p.until("find('#other').value === 'Latin'")
			p.click("button.main")
		}, `{"value":"de"}`},
		{"other as well", question("multiselect", "Which?", object{"options": languages, "allow_other": true}), func(p *page) {
			p.keys("1")
			p.click("#other")
			p.keys("Latin", kb.Enter)
		}, `{"values":["fr"],"other":"Latin"}`},
		{"other than a date", question("date", "When?", object{"allow_other": true}), func(p *page) { p.click("#other"); p.keys("next week", kb.Enter) }, `{"other":"next week"}`},
		{"note", question("confirm", "Sure?", nil), func(p *page) {
			p.keys("1")
			p.click(".add")
			p.keys("but only today", kb.Enter)
		}, `{"value":true,"note":"but only today"}`},
		{"skip", question("text", "Who?", object{"allow_skip": true}), func(p *page) { p.keys("half an ans"); p.click(".aside button:nth-child(1)") }, `{"skipped":true}`},
		{"decline, with a note", question("text", "Who?", nil), func(p *page) {
			p.click(".add")
			p.keys("none of your business")
			p.click(".aside button")
		}, `{"declined":true,"note":"none of your business"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.t = t
			p.reopen(asked(tt.ask))
			p.start()
			tt.do(p)
			p.answered(tt.want)
			p.until("card.shadowRoot.querySelector('.spinner')") // and it is locked
			p.js("find('button.main').click()")
			p.answered(tt.want)
		})
	}
}

func TestAFormGoesStepByStepAndIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	p := showCard(t, form())
	p.start()
	p.until("find('.where').textContent.includes('1 of 3')")
	p.keys("Alpha", kb.Enter)
	p.until("find('.where').textContent.includes('2 of 3')")
	p.until("find('[role=status]').textContent.includes('Which format')") // announced
	p.keys(kb.Enter)                                                      // refused, because nothing is chosen
	p.until("find('#error-value')")
	p.keys("2", kb.Enter)
	p.until("find('.where').textContent.includes('3 of 3')")
	p.click(".plain") // back
	p.until("find('.pick:checked').getAttribute('aria-labelledby') === 'label-1'")
	p.click(".plain")
	p.until("find('#input').value === 'Alpha'")
	p.keys(kb.Enter)
	p.until("find('.where').textContent.includes('2 of 3')")
	p.keys(kb.Enter)
	p.until("find('.where').textContent.includes('3 of 3')")
	p.click(".aside button:nth-child(1)") // skip
	p.until("find('.review')")
	for _, said := range []string{"Alpha", "Word document", "Skipped"} {
		p.until("find('.review').textContent.includes(%s)", said)
	}
	if n := eval[int](p, "answers.length"); n != 0 {
		t.Fatalf("%d answers before the review", n)
	}
	p.click(".review li:nth-child(2) button") // change the second
	p.until("find('.where').textContent.includes('2 of 3')")
	p.keys("1", kb.Enter)
	p.until("find('.where').textContent.includes('3 of 3')")
	p.click(".aside button:nth-child(1)")
	p.until("find('.review')")
	p.keys(kb.Enter)
	p.answered(`{"answers":[{"value":"Alpha"},{"value":"pdf"},{"skipped":true}]}`)
}

func TestAFormCanBeDeclinedInPartAndAsAWhole(t *testing.T) {
	t.Parallel()
	p := showCard(t, form())
	p.js(toStep + "; await toStep(2)")
	p.click(".aside button:nth-child(2)")
	p.until("find('.review')")
	p.click("button.main")
	p.answered(`{"answers":[{"value":"Alpha"},{"value":"pdf"},{"declined":true}]}`)

	p = showCard(t, form())
	p.js(toStep + "; await toStep(3)")
	p.click(".aside button")
	p.answered(`{"declined":true}`)
}

func TestInvalidInputIsReportedAtItsFieldAndKept(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		ask   object
		typed string
		want  string
	}{
		{"pattern, in the asker's words", question("text", "Code?", object{"validation": object{"pattern": "[A-Z]{2}-[0-9]{3}", "flags": "u", "message": "Like AB-123."}}), "AB-1234", "Like AB-123."},
		{"blank", question("text", "Who?", nil), "\u200b ", "An empty text is not an answer."},
		{"nothing", question("text", "Who?", nil), "", "Answer this question."},
		{"too long, in code points", question("text", "Who?", object{"validation": object{"max": 3}}), "😀😀😀😀", "Too long: 4 characters (limit 3)"},
		{"no number", question("number", "How many?", nil), "many", "Enter a number."},
		{"too much", question("number", "How many?", object{"validation": object{"max": 10}}), "11", "The number must be at most 10."},
		{"a fraction", question("number", "How many?", object{"validation": object{"integer": true}}), "1.5", "Enter a whole number."},
		{"a note too long", question("text", "Who?", nil), "x", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := showCard(t, asked(tt.ask))
			p.start()
			field := "input"
			if tt.want == "" { // the note
				p.keys("x")
				p.click(".add")
				p.js("find('#note').value = 'y'.repeat(2001); find('#note').dispatchEvent(new Event('input')); await card.updateComplete")
				field, tt.want, tt.typed = "note", "Too long: 2001 characters (limit 2000)", ""
			} else if tt.typed != "" {
				p.js("find('#input').value = %s; find('#input').dispatchEvent(new Event('input')); await card.updateComplete", tt.typed)
			}
			p.click("button.main")
			p.until("find('.error')?.textContent === %s", tt.want)
			p.until("find('[role=status]').textContent.includes(%s)", tt.want)
			p.until("find('#'+%s).getAttribute('aria-invalid') === 'true'", field)
			p.until("find('#'+%s).getAttribute('aria-describedby').split(' ').includes(find('.error').id)", field)
			if got := p.focused(); got != field {
				t.Errorf("the focus is on %q", got)
			}
			if tt.typed != "" && field == "input" {
				p.until("find('#input').value === %s", tt.typed)
			}
			if n := eval[int](p, "answers.length"); n != 0 {
				t.Errorf("%d answers", n)
			}
		})
	}
}

func TestARefusedAnswerComesBackToItsField(t *testing.T) {
	t.Parallel()
	p := showCard(t, form())
	p.js(toStep + "; await toStep(3); find('button.main').click(); await card.updateComplete")
	p.until("answers.length === 1 && find('.spinner')")
	p.set("error", object{"status": 422, "code": "invalid_answer", "errors": []object{{"question": 0, "field": "value", "code": "pattern", "message": "No such project."}}})
	p.until("find('.where').textContent.includes('1 of 3')")
	p.until("find('#error-value').textContent === 'No such project.'")
	p.until("find('#input').value === 'Alpha'")
	p.keys("x")
	p.until("!find('.error')") // fixed
	p.keys(kb.Enter, kb.Enter, kb.Enter)
	p.until("find('.review')")
	p.click("button.main")
	p.until("answers.length === 2")
}

func TestALateAnswerShowsWhatCounts(t *testing.T) {
	t.Parallel()
	p := showCard(t, asked(question("select", "Which?", object{"options": languages, "allow_other": true})))
	p.start()
	p.keys("5", "Latin", kb.Enter)
	p.until("answers.length === 1")
	p.set("error", object{"status": 409, "code": "already_answered", "outcome": "answered", "answer": object{"value": "de", "note": "formal"}})
	p.until("find('.answer').textContent === 'German' && find('.noted').textContent.includes('formal')")
	p.until("find('.notice').textContent.includes('another window')")
	p.until("find('.unsent').textContent.includes('Latin')") // it can still be copied
	p.until("card.shadowRoot.activeElement === find('.closed')")

	p = showCard(t, asked(question("text", "Who?", nil)))
	p.start()
	p.keys("Ada", kb.Enter)
	p.until("answers.length === 1")
	p.set("error", object{"status": 410, "code": "clarification_closed", "state": "expired"})
	p.until("find('.closed.expired') && find('.unsent').textContent.includes('Ada')")
}

func TestWhatCouldNotBeSentCanBeSentAgain(t *testing.T) {
	t.Parallel()
	p := showCard(t, asked(question("text", "Who?", nil)))
	p.start()
	p.keys("Ada", kb.Enter)
	p.until("answers.length === 1")
	p.set("error", object{"status": 0, "code": "offline"})
	p.until("find('.alert').textContent.includes('Your answer is still here') && find('#input').value === 'Ada'")
	p.click("button.main")
	p.until("answers.length === 2")
	p.set("error", object{"status": 429, "code": "rate_limited", "detail": "Please try again in 3 seconds."})
	p.until("find('.alert').textContent === 'Please try again in 3 seconds.'")
	p.set("state", "answered")
	p.set("answer", object{"value": "Ada"})
	p.until("find('.closed.answered .answer').textContent === 'Ada'")
}

func TestTheDraftIsReportedAsItGrows(t *testing.T) {
	t.Parallel()
	p := showCard(t, asked(question("multiselect", "Which?", object{"options": languages})))
	p.js("globalThis.drafts = []; document.addEventListener('askgate-draft', (e) => drafts.push(e.detail))")
	p.start()
	p.keys("2", "1")
	p.until(`drafts.map(({draft}) => draft.rev + draft.drafts[0].choices.join()).join(" ") === "1de 2de,fr"`)
	p.until(`JSON.stringify(drafts.map(({draft, ...detail}) => detail)) === '[{"clarificationId":"clr_1","answer":{"values":["de"]}},{"clarificationId":"clr_1","answer":{"values":["fr","de"]}}]'`)
}

// A default is visible, and counts if the user sends it, not if they skip the question.
func TestADefaultIsOfferedAndSentOnlyByThePerson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		part        object
		shown, sent string
	}{
		"text":        {question("text", "Where?", object{"default": "Lisbon"}), "find('#input').value === 'Lisbon'", `{"value":"Lisbon"}`},
		"number":      {question("number", "How much?", object{"default": 0.5}), "find('#input').value === '0.5'", `{"value":0.5}`},
		"large":       {question("number", "How much?", object{"default": 9007199254740991}), "find('#input').value === '9007199254740991'", `{"value":9007199254740991}`},
		"date":        {question("date", "When?", object{"default": "2026-12-01"}), "find('#input').value === '2026-12-01'", `{"value":"2026-12-01"}`},
		"select":      {question("select", "Which?", object{"options": languages, "default": "de"}), "find('.option.chosen .label').textContent.trim() === 'German'", `{"value":"de"}`},
		"multiselect": {question("multiselect", "Which?", object{"options": languages, "default": []string{"de", "fr"}}), "card.shadowRoot.querySelectorAll('.option.chosen').length === 2", `{"values":["fr","de"]}`},
		"yes":         {question("confirm", "Sure?", object{"default": true}), "find('.option.chosen .label').textContent.trim() === 'Yes'", `{"value":true}`},
		"no":          {question("confirm", "Sure?", object{"default": false}), "find('.option.chosen .label').textContent.trim() === 'No'", `{"value":false}`},
	} {
		t.Run(name, func(t *testing.T) {
			c.part["allow_skip"] = true
			for button, want := range map[string]string{"button.main": c.sent, ".aside button": `{"skipped":true}`} {
				p := showCard(t, asked(c.part))
				p.js("globalThis.sent = []; document.addEventListener('askgate-answer', (e) => { const { toolCallId, clarificationId, ...a } = e.detail; sent.push(a); })")
				p.until(c.shown)
				p.until("sent.length === 0")
				p.js("find('" + button + "').click()")
				p.until("JSON.stringify(sent) === '[" + want + "]'")
			}
		})
	}
	p := showCard(t, asked(question("text", "Where?", object{"default": "Lisbon"})))
	p.set("state", "expired")
	p.until("find('.closed.expired') && !card.shadowRoot.textContent.includes('Lisbon')") // the user did not write it
}

func TestBeingOfflineIsShownUntilItIsOver(t *testing.T) {
	t.Parallel()
	p := showCard(t, asked(question("text", "Who?", nil)))
	p.js("online(false)")
	p.until("find('.alert').textContent.includes('You are offline')")
	p.js("online(true)")
	p.until("!find('.alert')")
}

// A page that draws itself again from its state sets pending again and again.
func TestSettingWhatWasSetUndoesNothing(t *testing.T) {
	t.Parallel()
	p := showCard(t, asked(question("text", "Who?", nil)))
	again := func() {
		p.set("state", "pending")
		p.set("clarification", asked(question("text", "Who?", nil)))
	}
	p.start()
	p.keys("Ada")
	again()
	p.until("find('#input').value === 'Ada'")
	p.keys(kb.Enter)
	p.until("find('.spinner')")
	again()
	p.until("find('.spinner')")
	p.set("error", object{"status": 410, "code": "clarification_closed", "state": "cancelled"})
	again()
	p.until("find('.closed.cancelled')")
	ask := asked(question("text", "And now?", nil))
	ask["clarificationId"] = "clr_2"
	p.set("clarification", ask)
	p.until("find('#input').value === '' && find('.title').textContent === 'And now?'")
}

func TestAReloadInMidFormLosesNothing(t *testing.T) {
	t.Parallel()
	p := showCard(t, form())
	p.js(toStep + "; await toStep(1)")
	p.click(".add")
	p.keys("in colour")
	p.click("#other")
	p.keys("LaTeX")
	p.do(chromedp.Reload())
	p.until("globalThis.ready")
	p.set("clarification", form())
	p.until("find('.where').textContent.includes('2 of 3')")
	p.until("find('#other').value === 'LaTeX' && find('.own .pick').checked && find('#note').value === 'in colour'")
	p.click(".plain")
	p.until("find('#input').value === 'Alpha'")

	// An accepted answer is forgotten.
	p.set("state", "superseded")
	p.until("find('.unsent').textContent.includes('LaTeX')")
	p.js("card.state = 'pending'; await card.updateComplete")
	p.js(toStep + "; await toStep(3); find('button.main').click(); await card.updateComplete; card.state = 'answered'; await card.updateComplete")
	p.until("!find('.unsent') && sessionStorage.length === 0")
}

func TestEscLeavesAFieldAndItsText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		field string
		ask   object
	}{
		{"#input", question("text", "Who?", nil)},
		{"#input", question("number", "How many?", nil)},
		{"#search", question("select", "Where?", object{"options": countries})},
		{"#other", question("select", "Which?", object{"options": languages, "allow_other": true})},
	} {
		p := showCard(t, asked(tt.ask))
		p.click(tt.field)
		p.keys("12", kb.Escape)
		p.until("find(%s).value === '12' && card.shadowRoot.activeElement !== find(%s)", tt.field, tt.field)
		if p.focused() == "" {
			t.Errorf("%s: nothing has the focus", tt.field)
		}
	}
}
