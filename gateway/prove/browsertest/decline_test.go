//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A call that an application has to run, on a page that is not that application.
func TestACallThatThePageCannotRunIsDeclinedOrStopped(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	model := upstream(t, func(said string, results []string, d deltas) {
		if len(results) == 0 {
			d.calls("pick_color", `{"palette": "warm"}`)
			return
		}
		if said == "pick again" {
			<-held
		}
		d.words("The tool said: " + results[0])
		d.end("stop")
	})
	s := newSite(t, "", model, configured(t, map[string]string{"gateway.json": guideConfig, "apps/travel.json": strings.Replace(guideApp, `"clock"`, `"pick_color"`, 1),
		"tools.json": `[{"id": "pick_color", "type": "client", "name": {"en": "Pick a colour"}, "description": {"en": "Lets the person pick a colour."}, "parameters": {"type": "object", "properties": {"palette": {"type": "string"}}}}]`}))
	defer close(held)
	p := openChatPage(t, s, "", 375)
	p.write("pick")
	p.until("find('#unhandled').textContent.includes('Nothing on this page can run “pick_color”')")
	p.accessible("unhandled")
	p.fits("unhandled")
	p.shot("page-unhandled")
	p.click("#decline-call")
	p.says("declined this call")
	p.idle()

	p.write("pick again")
	p.until("find('#unhandled')")
	p.click("#stop-call")
	p.idle()
	p.until("!find('#unhandled') && find('.transcript .notice')")
}

// A refused call is not shown as done: not at once, and not after a reload.
func TestARefusedCallIsNotShownAsDone(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", guide(t, nil), configured(t, map[string]string{"gateway.json": guideConfig, "tools.json": guideTools, "apps/travel.json": guideApp}))
	p := openChatPage(t, s, "", 1000)
	p.write("what time")
	p.until("find('#refuse[aria-disabled=false]')")
	p.click("#refuse")
	const denied = "document.querySelector('.fate.bad')?.textContent === 'denied' && !document.querySelector('.fate.good, .closed.answered')"
	p.until(denied)
	p.idle()
	p.do(chromedp.Reload())
	p.until(denied)
	p.shot("page-denied")

	// On the card, where nothing else of it is shown.
	c := showCard(t, editable())
	c.js(`Object.assign(card, {state: "answered", answer: {value: "no"}, answeredBy: "Ada"}); await card.updateComplete`)
	c.until("find('.closed.denied .mark').textContent === '×' && find('.outcome').textContent === 'Denied by Ada' && !find('.answer')")
}

// The composer is next to the question, in sight, and writing in it does not close the question.
func TestWritingInsteadKeepsTheQuestionInSight(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	for _, width := range []int64{1000, 375} {
		p := openChatPage(t, s, "", width)
		p.write("select")
		p.until("find('.title')")
		p.click(".instead button")
		p.until("document.activeElement === find('#message')")
		p.keys("Lat")
		p.until(`[find(".title"), document.querySelector("#message"), document.querySelector("#send")].every((e) => { const r = e.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight && r.right <= innerWidth; })`)
		p.fits("instead")
		p.click("#instead-hint button")
		p.until("document.querySelector('#message') && card.shadowRoot.activeElement") // with what was written, for later
		p.click(".instead button")
		p.until("document.querySelector('#message')?.value === 'Lat' && document.activeElement === document.querySelector('#message')")
		p.keys("in", kb.Enter)
		p.says("Latin")
	}
}

func TestWhatWasNotChosenCanBeSeen(t *testing.T) {
	t.Parallel()
	p := showCard(t, asked(question("multiselect", "Which?", object{"options": languages})))
	p.js(`Object.assign(card, {state: "answered", answer: {values: ["de", "es"]}}); await card.updateComplete`)
	p.until("find('.answer').textContent === 'German, Spanish' && !find('.others').open")
	p.click(".others summary")
	p.until("find('.others ul').checkVisibility() && [...card.shadowRoot.querySelectorAll('.others li')].map((li) => li.className + li.querySelector('[dir]').textContent).join() === 'French,takenGerman,takenSpanish,English'")
	if eval[bool](p, "getComputedStyle(find('.others li')).color === getComputedStyle(find('.others .taken')).color") {
		t.Error("options that were not chosen look like chosen ones")
	}
}

// A text has its own direction, whatever the page's: the question with the text around it, and each
// line of a message.
func TestTextsHaveTheirOwnDirection(t *testing.T) {
	t.Parallel()
	p := showCard(t, asked(question("select", "ما اللغة؟", object{"options": options("العربية", "ar", "English", "en")})))
	p.until("getComputedStyle(find('.content')).direction === 'rtl' && find('.pick').getBoundingClientRect().left > find('.label').getBoundingClientRect().right")
	p.js(`Object.assign(card, {state: "answered", answer: {value: "ar"}, answeredBy: "عمر"}); await card.updateComplete`)
	p.until("getComputedStyle(find('.said')).direction === 'rtl' && find('.outcome').textContent === 'Answered by \u2068عمر\u2069'")
	p.js("document.documentElement.dir = 'rtl'")
	p.reopen(asked(question("select", "Which?", object{"options": languages})))
	p.until("getComputedStyle(find('.content')).direction === 'ltr'")

	s := newSite(t, "", answers(t, "Two lines:\n\n- one\n- مرحبا بالعالم"))
	q := openChatPage(t, s, "", 1000)
	q.write("hello")
	q.says("مرحبا")
	q.idle()
	q.until(`(() => { const range = document.createRange(), li = [...document.querySelectorAll("askgate-markdown li")].at(-1), box = li.getBoundingClientRect(); range.selectNodeContents(li);
		return getComputedStyle(li).unicodeBidi === "plaintext" && box.right - range.getBoundingClientRect().right < 2 && range.getBoundingClientRect().left - box.left > 100; })()`)
}
