//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Three questions of one step, the second of which recommends nothing.
const (
	whichFormat = `{"question": "Which format?", "input_type": "select", "options": [{"label": "PDF", "value": "pdf", "recommended": true}, {"label": "Word", "value": "docx"}]}`
	whichName   = `{"question": "Which name?"}`
	sendNow     = `{"question": "Send it now?", "input_type": "select", "options": [{"label": "Now", "value": "now"}, {"label": "Later", "value": "later", "recommended": true}]}`
)

// asksSeveral is an upstream that asks questions in one step, and then repeats the answers it got.
func asksSeveral(t *testing.T, questions ...string) func(*site) {
	return upstream(t, func(_ string, results []string, d deltas) {
		if len(results) == 0 {
			var calls []string
			for _, q := range questions {
				calls = append(calls, "ask_user", q)
			}
			d.calls(calls...)
			return
		}
		for i := range results {
			results[i], _, _ = strings.Cut(results[i], "\n\n[gateway]")
		}
		d.words("Told: " + strings.Join(results, " | ") + ".")
		d.end("stop")
	})
}

// formHelpers look into the form of the page: page is the card in view, at is its position.
const formHelpers = `globalThis.form = () => document.querySelector("#questions");
globalThis.page = () => [...form().shadowRoot.querySelectorAll("askgate-clarification")].find((c) => !c.hidden);
globalThis.inPage = (s) => page()?.shadowRoot.querySelector(s);
globalThis.take = () => [...page().shadowRoot.querySelectorAll("button.quiet")].find((b) => b.textContent === "Use recommended answers").click();
globalThis.at = () => inPage(".where span")?.textContent ?? "";`

// openForm has the questions asked, and waits until the first is shown.
func openForm(t *testing.T, questions ...string) (*site, *page) {
	t.Helper()
	s := newSite(t, "", asksSeveral(t, questions...))
	p := openChatPage(t, s, "", 1000)
	p.js(formHelpers)
	p.write("Report, please")
	p.until("form() && inPage('.title')")
	return s, p
}

// Several questions of one step are the pages of one form: they are answered one after another,
// reviewed, and sent together.
func TestQuestionsOfOneStepAreOneForm(t *testing.T) {
	t.Parallel()
	_, p := openForm(t, whichFormat, whichName, sendNow)
	p.until("at() === '1 of 3' && inPage('.title').textContent === 'Which format?' && page().shadowRoot.activeElement")
	p.shot("several-first")
	p.keys("2")
	p.until("at() === '2 of 3' && inPage('#input')")
	p.until("page().shadowRoot.activeElement?.id === 'input'")
	p.keys("Alpha", kb.Enter)
	p.until("at() === '3 of 3' && page().shadowRoot.activeElement")
	p.js("inPage('[part=back]').click()") // the typed text is still there
	p.until("at() === '2 of 3' && inPage('#input').value === 'Alpha'")
	p.js("inPage('button.main').click()")
	p.until("at() === '3 of 3' && page().shadowRoot.activeElement")
	p.keys("1")
	p.until("form().shadowRoot.querySelector('.head')")
	p.until("[...form().shadowRoot.querySelectorAll('askgate-clarification')].every((c) => !c.hidden && c.shadowRoot.querySelector('.review'))")
	p.shot("several-review")
	p.until("form().shadowRoot.activeElement?.matches('button.main')")
	p.keys(kb.Enter)
	p.says("Told: Word (docx) | Alpha | Now (now).")
	for i, want := range []string{"Which format? Word", "Which name? Alpha", "Send it now? Now"} {
		if got := p.transcript()[i+1]; !strings.Contains(got, want) {
			t.Errorf("the transcript has %q, not %q", got, want)
		}
	}
	p.until("Object.keys(sessionStorage).every((k) => !k.startsWith('askgate:draft:'))")
}

// One click fills in the recommended answers where the user has not answered yet, and shows them;
// nothing is chosen before, and the click sends nothing.
func TestTheRecommendedIsTakenAtOnce(t *testing.T) {
	t.Parallel()
	_, p := openForm(t, whichFormat, `{"questions": [`+sendNow+`, `+whichFormat+`]}`)
	p.until("at() === '1 of 3' && !inPage('.pick:checked')")
	p.keys("2")
	p.until("at() === '2 of 3'")
	p.shot("several-recommended")
	p.js("take()")
	p.until("form().shadowRoot.querySelector('.head')")
	said := eval[[]string](p, "[...form().shadowRoot.querySelectorAll('askgate-clarification')].flatMap((c) => [...c.shadowRoot.querySelectorAll('.answer')].map((a) => a.textContent))")
	if got := strings.Join(said, ", "); got != "Word, Later, PDF" { // the chosen option stays
		t.Errorf("to be sent: %s", got)
	}
	p.js("form().shadowRoot.querySelectorAll('askgate-clarification')[1].shadowRoot.querySelectorAll('.review button')[1].click()")
	p.until("at() === '3 of 3' && inPage('.pick').checked") // one of several parts is changed
	p.js("inPage('[part=back]').click()")
	p.until("at() === '2 of 3'")
	p.js("inPage('[part=back]').click()")
	p.until("at() === '1 of 3'")
	p.js("take()")
	p.until("form().shadowRoot.activeElement?.matches('button.main')")
	p.keys(kb.Enter)
	p.says("Told: Word (docx) | Q1 (Send it now?): Later (later)")
}

// If one question has no recommendation, the form does not offer to use the recommended answers.
func TestTheRecommendedIsOfferedWhereEveryQuestionHasOne(t *testing.T) {
	t.Parallel()
	_, p := openForm(t, whichFormat, whichName)
	p.until("inPage('button.quiet') && !page().shadowRoot.textContent.includes('Use recommended answers')")
}

// A question that is answered elsewhere in the meantime disappears from the form. The rest of the form
// keeps what was typed, even over a reload, and is sent.
func TestWhatIsAnsweredElsewhereLeavesTheForm(t *testing.T) {
	t.Parallel()
	s, p := openForm(t, whichFormat, whichName, sendNow)
	chat := eval[string](p, "location.hash.split('/')[1]")
	p.js("inPage('.pick').click()")
	p.until("at() === '2 of 3' && page().shadowRoot.activeElement")
	p.keys("Alpha")
	p.until("inPage('#input').value === 'Alpha'")
	p.do(chromedp.Reload())
	p.js(formHelpers)
	p.until("form() && at() === '1 of 3' && inPage('.pick').checked")
	p.js("inPage('button.main').click()")
	p.until("at() === '2 of 3' && inPage('#input').value === 'Alpha'")
	if status, body := s.post(chat, object{"answer": object{"toolCallId": "call_1", "value": "docx"}}); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	p.until("at() === '1 of 2' && inPage('#input')?.value === 'Alpha'")
	if status, body := s.post(chat, object{"answer": object{"toolCallId": "call_3", "value": "now"}}); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	p.until("!form() && find('#input').value === 'Alpha'") // alone, it is an ordinary card
	p.js("find('button.main').click()")
	p.says("Told: Word (docx) | Alpha | Now (now).")
}

// An answer that the gateway refuses is shown on its page; a question that was answered in another
// window a moment before does not keep the others from being sent.
func TestARefusedFormShowsWhatItIsAbout(t *testing.T) {
	t.Parallel()
	s, p := openForm(t, whichFormat, whichName, sendNow)
	chat := eval[string](p, "location.hash.split('/')[1]")
	fill := func() {
		t.Helper()
		p.js("inPage('.pick').click()")
		p.until("at() === '2 of 3' && page().shadowRoot.activeElement")
		p.keys("Alpha", kb.Enter)
		p.until("at() === '3 of 3' && page().shadowRoot.activeElement")
		p.keys("1")
		p.until("form().shadowRoot.activeElement?.matches('button.main')")
	}
	fill()
	p.js(`const id = form().clarifications[1].clarificationId;
		globalThis.refuse = {status: 422, code: "invalid_answer", errors: [{question: 0, field: "value", code: "pattern", message: "No such name.", clarificationId: id}]}`)
	p.keys(kb.Enter)
	p.until("at() === '2 of 3' && inPage('#error-value').textContent === 'No such name.' && inPage('#input').value === 'Alpha'")
	p.js("globalThis.refuse = {status: 503, code: 'overloaded', detail: 'Too much is in flight.'}; inPage('button.main').click()")
	p.until("at() === '3 of 3'")
	p.js("inPage('button.main').click()")
	p.until("form().shadowRoot.querySelector('.head')")
	p.js("form().shadowRoot.querySelector('button.main').click()")
	p.until("form().shadowRoot.querySelector('.alert')?.textContent === 'Too much is in flight.'")
	p.js(`globalThis.refuse = {status: 409, code: "already_answered", clarificationId: form().clarifications[0].clarificationId, outcome: "answered", answer: {value: "pdf"}}`)
	p.js("form().shadowRoot.querySelector('button.main').click()")
	p.until("form().shadowRoot.querySelectorAll('askgate-clarification').length === 2 && form().shadowRoot.querySelector('.alert').textContent.startsWith('One of these was answered elsewhere')")
	p.shot("several-elsewhere")
	p.js("globalThis.refuse = null; form().shadowRoot.querySelector('button.main').click()")
	p.until("!form()") // the refusal was made up: the first question still waits
	if status, body := s.post(chat, object{"answer": object{"toolCallId": "call_1", "value": "docx"}}); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	p.says("Told: Word (docx) | Alpha | Now (now).")
}

// A form is accessible in every color scheme and size.
func TestTheFormIsAccessible(t *testing.T) {
	t.Parallel()
	_, p := openForm(t, whichFormat, sendNow)
	for _, look := range []struct {
		name           string
		width          int64
		feature, value string
	}{{"light", 1000, "prefers-color-scheme", "light"}, {"dark", 1000, "prefers-color-scheme", "dark"}, {"narrow", 320, "prefers-color-scheme", "light"}, {"forced", 1000, "forced-colors", "active"}} {
		p.resize(look.width)
		p.media(look.feature, look.value)
		p.js("form().shadowRoot.querySelector('.head') && form().shadowRoot.querySelector('askgate-clarification').shadowRoot.querySelector('.review button').click()")
		p.until("at() === '1 of 2'")
		p.shot("several-" + look.name)
		p.accessible("several-" + look.name)
		p.fits("several-" + look.name)
		p.js("take()")
		p.until("form().shadowRoot.querySelector('.head')")
		p.accessible("several-review-" + look.name)
		p.fits("several-review-" + look.name)
		p.shot("several-review-" + look.name)
	}
}
