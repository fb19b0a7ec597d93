//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

const (
	whichFiles = `{"question": "Which files?", "header": "Files", "input_type": "multiselect", "options": [{"label": "Report", "value": "report"}, {"label": "Data", "value": "data"}]}`
	withHeader = `{"question": "Which format?", "header": "Format", "input_type": "select", "options": [{"label": "PDF", "value": "pdf"}, {"label": "Word", "value": "docx"}]}`
	plainNow   = `{"question": "Send it now?", "input_type": "select", "options": [{"label": "Now", "value": "now"}, {"label": "Later", "value": "later"}]}`
)

// countKeys counts the keys that are pressed on the page from now on.
const countKeys = "globalThis.pressed = 0; addEventListener('keydown', (e) => { if (e.isTrusted) pressed++; }, {capture: true})"

// Two choices, several choices, a choice and sending take six keys at most, in one question of several
// parts as well as in several questions of one step.
func TestAFormTakesOneKeyPerChoice(t *testing.T) {
	t.Parallel()
	t.Run("one question", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, "", asksSeveral(t, `{"questions": [`+strings.Join([]string{whichFormat, withHeader, whichFiles, plainNow}, ", ")+`]}`))
		p := openChatPage(t, s, "", 1000)
		p.write("Report, please")
		p.until("find('.title') && card.shadowRoot.activeElement?.matches('.pick')")
		p.keys("") // once the card accepts keys
		p.js(countKeys)
		p.strike("211\r1\r")
		p.says("Told: Q1 (Which format?): Word (docx)")
		p.until("pressed === 6 && log().some((s) => s.includes('Now (now)') && s.includes('Report (report)'))")
	})
	t.Run("several questions", func(t *testing.T) {
		t.Parallel()
		_, p := openForm(t, whichFormat, `{"questions": [`+withHeader+`, `+whichFiles+`]}`, plainNow)
		p.until("page().shadowRoot.activeElement?.matches('.pick')")
		p.keys("")
		p.js(countKeys)
		p.strike("211\r1\r")
		p.says("Told: Word (docx) | Q1 (Which format?): PDF (pdf)")
		p.until("pressed === 6 && log().some((s) => s.includes('Report (report) | Now (now).'))")
	})
}

// A click goes on as well. The second click of a double click, which lands on the next question, does not
// answer it; the last one leads to the review, and nothing is sent before its button is pressed.
func TestAClickGoesOnToTheNextQuestion(t *testing.T) {
	t.Parallel()
	p := showCard(t, nil)
	p.js(halfSecond)
	which := question("select", "Which?", object{"options": languages, "allow_other": true})
	due := func() {
		t.Helper()
		p.until("grace.length === 1 && find('section.early')")
		p.js("due(); await card.updateComplete")
	}
	p.reopen(asked(which, question("confirm", "Sure?", nil), which))
	p.js("card.instant = true; await card.updateComplete")
	due()
	p.hit(".option:nth-child(2)")
	p.until("find('.title').textContent === 'Sure?' && card.shadowRoot.activeElement?.id === 'pick-0'")
	p.hit(".option:nth-child(2)")
	p.hit(".tab")
	p.untouched("the second click of a double click")
	due()
	p.hit(".option:nth-child(1)")
	p.until("find('.title').textContent === 'Which?'")
	due()
	p.hit("#other") // words of one's own do not go on
	p.strike("Latin")
	p.until("find('#other').value === 'Latin' && find('.where').textContent.includes('3 of 3')")
	p.strike("\r")
	p.until("find('.review') && card.shadowRoot.activeElement?.matches('button.main')")
	p.hit("button.main")
	p.untouched("a click on what sends all")
	p.strike("\r")
	p.answered(`{"answers":[{"value":"de"},{"value":true},{"other":"Latin"}]}`)
}

// A question that the user has gone back to, by Back, a tab or the review, stays until Next.
func TestAQuestionThatOneGoesBackToStays(t *testing.T) {
	t.Parallel()
	which := func(header string) object {
		return question("select", header+"?", object{"header": header, "options": languages})
	}
	p := showCard(t, nil)
	p.reopen(asked(which("A"), which("B"), which("C")))
	p.js("card.instant = true; await card.updateComplete")
	at := func(title string) {
		t.Helper()
		p.until("find('.title').textContent === %s && find('.tab[aria-current]')?.textContent.includes(%s) && card.shadowRoot.activeElement?.matches('.pick')", title+"?", title)
	}
	stays := func(title, key string) {
		t.Helper()
		at(title)
		p.keys(key)
		p.until("find(%s).checked", "#pick-"+string(key[0]-1))
		at(title)
	}
	p.start()
	p.keys("1")
	at("B")
	p.click("[part=back]")
	stays("A", "2")
	p.click("button.main")
	at("B")
	p.keys("1") // it was not answered before
	at("C")
	p.click(".tabs li:nth-child(2) button")
	stays("B", "3")
	p.click(".tabs li:nth-child(3) button")
	at("C")
	p.click("button.main") // it has no answer
	p.until("find('.error')")
	p.keys("4")
	p.until("find('.review')")
	p.click(".review li:nth-child(3) button")
	stays("C", "1")

	// The same after the card was drawn again.
	p.js("const c = card.clarification; card.clarification = null; await card.updateComplete; card.clarification = c; await card.updateComplete")
	p.start()
	stays("C", "2")
	p.click("button.main")
	p.until("find('.review')")
	p.keys(kb.Enter)
	p.answered(`{"answers":[{"value":"de"},{"value":"es"},{"value":"de"}]}`)

	_, q := openForm(t, withHeader, plainNow)
	q.until("page().shadowRoot.activeElement?.matches('.pick')")
	q.keys("1")
	q.until("at() === '2 of 2' && page().shadowRoot.activeElement?.matches('.pick')")
	q.js("inPage('.tab').click()")
	q.until("at() === '1 of 2' && page().shadowRoot.activeElement?.matches('.pick')")
	q.keys("2")
	q.until("inPage('#pick-1').checked && at() === '1 of 2'")
	q.js("inPage('.tabs li:nth-child(2) button').click()")
	q.until("at() === '2 of 2' && page().shadowRoot.activeElement?.matches('.pick')")
	q.keys("2")
	q.until("form().shadowRoot.activeElement?.matches('button.main')")
	q.js("form().shadowRoot.querySelector('askgate-clarification').shadowRoot.querySelector('.review button').click()")
	q.until("at() === '1 of 2' && page().shadowRoot.activeElement?.matches('.pick')")
	q.keys("1")
	q.until("inPage('#pick-0').checked && at() === '1 of 2'")
}

// The tabs have the headers of the questions, else their numbers, and a tick if the question is answered.
// They are buttons: Tab and Enter lead to a question, in any order.
func TestTheTabsShowWhatIsAnswered(t *testing.T) {
	t.Parallel()
	_, p := openForm(t, `{"questions": [`+withHeader+`, `+plainNow+`]}`, whichFiles)
	tabs := func(want string) {
		t.Helper()
		p.until("[...page().shadowRoot.querySelectorAll('.tab')].map((b) => (b.querySelector('.tick') ? '✓' : '') + b.innerText.split(':')[0].trim() + (b.ariaCurrent === 'step' ? '*' : '')).join(' ') === %s", want)
	}
	tabs("Format* 2 Files")
	p.until("page().shadowRoot.activeElement?.matches('.pick')")
	p.js("inPage('.tabs li:nth-child(3) button').focus()")
	p.keys(kb.Enter)
	tabs("Format 2 Files*")
	p.until("page().shadowRoot.activeElement?.matches('.pick')")
	p.keys("1")
	tabs("Format 2 ✓Files*")
	p.until("inPage('.tabs li:nth-child(3) button').textContent.includes('Which files?, answered')")
	p.js("inPage('.tab').click()")
	tabs("Format* 2 ✓Files")
	p.until("page().shadowRoot.activeElement?.matches('.pick')")
	p.keys("2")
	p.js("inPage('button.main').click()")
	tabs("✓Format 2* ✓Files")
	for _, look := range []struct {
		name           string
		width          int64
		feature, value string
		dir            string
	}{{"light", 1000, "prefers-color-scheme", "light", "ltr"}, {"dark", 375, "prefers-color-scheme", "dark", "ltr"}, {"rtl", 375, "prefers-color-scheme", "light", "rtl"}, {"forced", 320, "forced-colors", "active", "ltr"}} {
		p.resize(look.width)
		p.media(look.feature, look.value)
		p.js("document.documentElement.dir = %s", look.dir)
		p.accessible("tabs " + look.name)
		p.fits("tabs " + look.name)
		p.shot("tabs-" + look.name)
	}
	if !eval[bool](p, "document.documentElement.dir = 'rtl', inPage('.tab').getBoundingClientRect().left > inPage('.tabs li:nth-child(2) button').getBoundingClientRect().left") {
		t.Error("right to left, the tabs are in the wrong order")
	}
}

// Without instant, a choice stays, and a question on which one click is not enough always does.
func TestAFormGoesOnOnlyWhereOneClickAnswers(t *testing.T) {
	t.Parallel()
	p := showCard(t, nil)
	name := question("text", "Who?", nil)
	plain := question("select", "Which?", object{"options": languages})
	for _, tt := range []struct {
		name    string
		part    object
		instant bool
		before  string
	}{
		{"without instant", plain, false, ""},
		{"several choices", question("multiselect", "Which?", object{"options": languages}), true, ""},
		{"a preview", question("select", "Which?", object{"options": []object{{"label": "A", "value": "a", "preview": "text"}, {"label": "B", "value": "b"}}}), true, ""},
		{"a secret", with(plain, "secret", true), true, ""},
		{"a note", plain, true, "find('.add').click(); await card.updateComplete; find('.pick').focus()"},
	} {
		p.reopen(asked(tt.part, name))
		p.js("card.instant = %s; await card.updateComplete", tt.instant)
		p.start()
		p.js(tt.before)
		p.keys("1")
		p.until("find('#pick-0').checked")
		p.js("await card.updateComplete")
		if at := eval[string](p, "find('.where').textContent.trim()"); at != "1 of 2" {
			t.Errorf("%s: at %s", tt.name, at)
		}
	}

	// A choice that leaves no other question to ask leads to the review as well.
	p.reopen(asked(with(question("confirm", "Sure?", nil), "id", "sure"), with(name, "when", object{"question": "sure", "is": []string{"yes"}})))
	p.js("card.instant = true; await card.updateComplete")
	p.start()
	p.keys("2")
	p.until("find('.review') && answers.length === 0 && card.shadowRoot.activeElement?.matches('button.main')")
	p.keys(kb.Enter)
	p.answered(`{"answers":[{"value":false},{"skipped":true}]}`)
}
