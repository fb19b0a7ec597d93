//go:build browser

package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// takesWords returns a question that own words answer as well.
func takesWords(inputType string, more object) object {
	return question(inputType, "Which one?", with(more, "allow_other", true))
}

// Own words answer a number, a date, a time, or a yes or no, by keyboard and by pointer, with a value
// next to them where there is one. Without one, the answer has no value.
func TestOwnWordsInPlaceOfAValue(t *testing.T) {
	t.Parallel()
	p := showCard(t, nil)
	for _, tt := range []struct {
		name string
		ask  object
		do   func(p *page)
		want string
	}{
		{"number", takesWords("number", object{"validation": object{"min": 1, "max": 9, "integer": true}}), func(p *page) {
			p.js("find('#other').focus()")
			p.keys("about five", kb.Enter)
		}, `{"other":"about five"}`},
		{"words that are digits", takesWords("number", nil), func(p *page) { p.js("find('#other').focus()"); p.keys("12"); p.click("button.main") }, `{"other":"12"}`},
		{"a number", takesWords("number", nil), func(p *page) { p.keys("12", kb.Enter) }, `{"value":12}`},
		{"a number with words", takesWords("number", nil), func(p *page) { p.keys("12"); p.js("find('#other').focus()"); p.keys("or more", kb.Enter) }, `{"value":12,"other":"or more"}`},
		{"nothing, then words", takesWords("number", nil), func(p *page) {
			p.keys(kb.Enter)
			p.until("find('#error-value') && card.shadowRoot.activeElement === find('#input')")
			p.js("find('#other').focus()")
			p.keys("none")
			p.until("!find('#error-value')")
			p.keys(kb.Enter)
		}, `{"other":"none"}`},
		{"date", takesWords("date", nil), func(p *page) { p.js("find('#other').focus()"); p.keys("on Monday", kb.Enter) }, `{"other":"on Monday"}`},
		{"time", takesWords("datetime", nil), func(p *page) { p.js("find('#other').focus()"); p.keys("at noon", kb.Enter) }, `{"other":"at noon"}`},
		{"confirm by its digit", takesWords("confirm", nil), func(p *page) { p.keys("3", "if it rains", kb.Enter) }, `{"other":"if it rains"}`},
		{"confirm by a click", takesWords("confirm", nil), func(p *page) { p.click("#pick-other"); p.keys("if it rains"); p.click("button.main") }, `{"other":"if it rains"}`},
		{"a yes", takesWords("confirm", nil), func(p *page) { p.keys("3", "x", kb.Escape, "1", kb.Tab); p.click("button.main") }, `{"value":true}`},
		{"earlier words for a number", takesWords("number", object{"earlier": object{"other": "12", "label": "12", "answeredAt": "2026-02-06T10:30:00.000Z"}}), func(p *page) {
			p.until("find('.earlier span').textContent.includes('12') && !find('#input').value")
			p.click(".earlier button")
		}, `{"other":"12"}`},
		{"earlier words for a confirm", takesWords("confirm", object{"earlier": object{"other": "yes", "label": "yes", "answeredAt": "2026-02-06T10:30:00.000Z"}}), func(p *page) { p.click(".earlier button") }, `{"other":"yes"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.t = t
			p.reopen(asked(tt.ask))
			p.start()
			p.until(`find("#other").getAttribute("aria-labelledby").split(" ").map((id) => find("#" + id).textContent.trim()).join(" ").endsWith("Something else")`)
			tt.do(p)
			p.answered(tt.want)
		})
	}
}

// One click still answers yes or no, and can be undone; own words wait for Send. After an undo, nothing
// of either is lost.
func TestOneClickAnswersNextToOwnWords(t *testing.T) {
	t.Parallel()
	ask := asked(takesWords("confirm", nil))
	p := instantly(t, ask)
	p.click(".option")
	p.waits("Yes")
	p.click("#undo")
	p.until("!find('#undo') && !find('.pick:checked') && answers.length === 0")
	p.keys("3", "if it rains")
	p.until("!find('#undo') && find('#pick-other').checked && find('button.main')")
	p.click("button.main")
	p.answered(`{"other":"if it rains"}`)

	p.reopenInstantly(ask)
	p.keys("2")
	p.waits("No")
	p.js("due()")
	p.answered(`{"value":false}`)
}

// In a form, own words are there after a reload, stand in the review, and meet no condition. All of it
// can be read out.
func TestOwnWordsOfAForm(t *testing.T) {
	t.Parallel()
	form := asked(
		with(takesWords("number", nil), "id", "n"),
		with(question("text", "Why so many?", object{"when": object{"question": "n", "is": []string{"12"}}}), "id", "why"),
		with(takesWords("date", nil), "id", "d"),
		with(takesWords("confirm", nil), "id", "c"),
	)
	p := showAt(t, form, 320)
	p.start()
	p.accessible("own words for a number")
	p.js("find('#other').focus()")
	p.keys("12")
	p.set("clarification", nil)
	p.set("clarification", form) // as after a reload
	p.until("find('#other').value === '12' && !find('#input').value")
	p.js("find('#other').focus()")
	p.keys(kb.Enter)
	p.until("find('#input[type=date]')")
	p.accessible("own words for a date")
	p.js("find('#other').focus()")
	p.keys("soon", kb.Enter)
	p.until("find('#pick-other')")
	p.fits("own words for a confirm")
	p.accessible("own words for a confirm")
	p.keys("3", "perhaps", kb.Enter)
	p.until("[...card.shadowRoot.querySelectorAll('.review .answer')].map((e) => e.textContent.trim()).join() === '12,soon,perhaps'")
	p.click("button.main")
	p.answered(`{"answers":[{"other":"12"},{"skipped":true},{"other":"soon"},{"other":"perhaps"}]}`)
}
