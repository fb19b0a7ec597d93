//go:build browsers

package browsertest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

// flows are what people do on the chat page. Each claim holds in every engine.
var flows = []struct {
	claim string
	run   func(t *testing.T, e engine)
}{
	{"a message gets its answer, in an installation without sign-in", message},
	{"one click answers a question, after the time to undo", oneClick},
	{"keys answer a question", byKeys},
	{"a form is filled in, reviewed and sent once", formWithReview},
	{"a call is allowed only after its end was in view", approval},
	{"a message in mid-sentence keeps its text and focus when a question comes", typing},
	{"a reload keeps the question, what was typed in it, and the draft", reload},
	{"a gateway that is killed and started again keeps the question, and takes its answer once", killed},
	{"a message that waits for its turn can be taken back", queued},
	{"the inbox shows and answers what a program asks", inbox},
	{"a dark theme stays, and right-to-left text is set from the right", darkAndRTL},
	{"formulas are typeset, and code is colored", formulaAndCode},
	{"a file answers a question", fileAnswer},
}

// TestTheMainFlowsWorkInOtherEngines runs each flow in each engine, one at a time: only one window has
// the focus.
func TestTheMainFlowsWorkInOtherEngines(t *testing.T) {
	testenv.Clear()
	for _, engine := range engines {
		t.Run(engine.name, func(t *testing.T) {
			running := engine.start(t)
			for _, flow := range flows {
				t.Run(flow.claim, func(t *testing.T) { flow.run(t, running) })
			}
		})
	}
}

func message(t *testing.T, e engine) {
	w := show(t, e, answers(t, "All is **well**."))
	w.write("How are you?")
	w.says("All is well.")
	w.until("find('.bubble').textContent === 'How are you?' && find('askgate-markdown strong').textContent === 'well' && find('#message').value === '' && document.activeElement.id === 'message'")
	w.until("location.hash.startsWith('#assistant/') && document.querySelectorAll('#side nav a').length === 1")
}

func oneClick(t *testing.T, e engine) {
	w := show(t, e)
	w.js(clockwork)
	w.write("select")
	w.until("find('#pick-1') && !card.shadowRoot.querySelector('button.main')")
	w.click("find('.option:nth-child(2)')")
	w.until("find('#undo') && find('.option.chosen .label').textContent.trim() === 'German' && grace.length === 1")
	if got := strings.Join(value[[]string](w, "log()"), "\n"); strings.Contains(got, "You answered") {
		t.Errorf("an answer is sent before the time to undo is over: %s", got)
	}
	w.click("find('#undo')")
	w.until("!find('#undo') && grace.length === 0")
	w.click("find('.option:nth-child(2)')")
	w.until("find('#undo')")
	w.js("due()")
	w.says("You answered: German (de)")
}

func byKeys(t *testing.T, e engine) {
	w := show(t, e)
	w.write("select")
	w.until("card.shadowRoot.activeElement")
	w.keys(arrowDown + enter)
	w.says("You answered: German (de)") // once the time to undo is over
	w.until("document.activeElement.id === 'message'")
	w.write("select")
	w.until("find('#question') && card.shadowRoot.activeElement")
	w.keys("5")
	w.keys("Latin" + enter)
	w.says("You answered: Other: Latin")
}

// repeats is a model that makes calls, pairs of name and arguments, and then repeats their results.
func repeats(t *testing.T, calls ...string) func(*site) {
	return upstream(t, func(_ string, results []string, d deltas) {
		if len(results) == 0 {
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

func formWithReview(t *testing.T, e engine) {
	w := show(t, e, repeats(t, "ask_user", `{"questions": [{"question": "Which format?", "header": "Format", "options": [{"label": "PDF", "value": "pdf"}, {"label": "Word", "value": "docx"}]},
		{"question": "Which name?", "header": "Name", "input_type": "text"}, {"question": "Which files?", "header": "Files", "input_type": "multiselect", "options": [{"label": "Report", "value": "report"}, {"label": "Data", "value": "data"}]}]}`))
	w.write("Report, please")
	w.until("find('.title')?.textContent === 'Which format?' && find('.where').textContent.includes('1 of 3')")
	w.click("find('.option:nth-child(2)')")
	w.until("find('.where').textContent.includes('2 of 3') && card.shadowRoot.activeElement === find('#input')")
	w.keys("Alpha" + enter)
	w.until("find('.where').textContent.includes('3 of 3') && card.shadowRoot.activeElement?.matches('.pick')")
	w.click("find('.option:nth-child(1)')")
	w.until("find('#pick-0').checked")
	w.click("find('button.main')")
	w.until("find('.review') && ['Word', 'Alpha', 'Report'].every((s) => find('.review').textContent.includes(s)) && card.shadowRoot.activeElement?.matches('button.main')")
	w.keys(enter)
	w.says("Told: ")
	w.until("log().filter((s) => s.includes('Word') && s.includes('Alpha') && s.includes('Report')).length >= 1 && !find('#question') && find('#message')")
}

func approval(t *testing.T, e engine) {
	var called atomic.Int32
	board := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		called.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"posted": true}`)
	}))
	t.Cleanup(board.Close)
	w := show(t, e, repeats(t, "post", `{"text": "`+strings.Repeat(`line\n`, 100)+`"}`), configured(t, map[string]string{"tools.json": `[{"id": "post", "type": "http", "needsApproval": true, "description": {"en": "Posts a text."},
		"parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": false}, "http": {"url": "` + board.URL + `"}}]`,
		"apps/assistant.json": `{"id": "assistant", "name": "Assistant", "tools": ["ask_user", "post"]}`}))
	w.write("Post it")
	w.until("find('#allow[aria-disabled=true]') && find('#call').shadowRoot.querySelector('.end')")
	w.js("find('#allow').click()") // without scrolling to it
	w.until("find('.error')?.textContent === 'Scroll to the end first.'")
	if called.Load() != 0 {
		t.Error("the call is made before it is allowed")
	}
	w.js("find('#call').shadowRoot.querySelector('.end').scrollIntoView({block: 'center'})")
	w.until("find('#allow[aria-disabled=false]') && !find('.decide[aria-disabled=true]')")
	w.click("find('#allow')")
	w.says("Told: ")
	if n := called.Load(); n != 1 {
		t.Errorf("the call is made %d times", n)
	}
}

func typing(t *testing.T, e engine) {
	asks := make(chan struct{})
	w := show(t, e, upstream(t, func(_ string, results []string, d deltas) {
		if len(results) > 0 {
			d.words("Told: " + results[0])
			d.end("stop")
			return
		}
		d.words("One moment ")
		<-asks
		d.calls("ask_user", `{"question": "Which way?", "options": ["By train", "By bus"], "allow_other": false}`)
	}))
	ask := sync.OnceFunc(func() { close(asks) })
	t.Cleanup(ask)
	w.write("Go")
	w.says("One moment")
	w.js("find('#message').focus()")
	w.keys("Also n")
	ask()
	w.until("find('#question') && find('.title') && !find('section.early')")
	w.until("document.activeElement.id === 'message' && find('#message').value === 'Also n'")
	w.keys(" 2t")
	w.until("find('#message').value === 'Also n 2t' && !find('.pick:checked')")
	w.click("find('.option:nth-child(1)')")
	w.says("Told: By train")
	w.until("find('#message').value === 'Also n 2t' && !find('#question')")
}

func reload(t *testing.T, e engine) {
	w := show(t, e)
	w.write("form")
	w.until("find('.where')?.textContent.includes('1 of 3') && card.shadowRoot.activeElement")
	w.keys("Alpha" + enter)
	w.until("find('.where').textContent.includes('2 of 3')")
	w.again()
	w.until("find('.where')?.textContent.includes('2 of 3')")
	w.click("find('[part=back]')")
	w.until("find('#input').value === 'Alpha'")
	w.click("document.querySelector('.instead button')")
	w.until("document.activeElement.id === 'message'")
	w.keys("half a mess")
	w.again()
	w.until("find('.where') && document.querySelector('#message')?.value === 'half a mess'")
}

func killed(t *testing.T, e engine) {
	w := show(t, e)
	w.write("select")
	w.until("find('.title') && card.shadowRoot.activeElement")
	w.keys("5")
	w.keys("Latin")
	w.s.kill()
	w.until("find('.connection span')")
	w.until("find('#other').value === 'Latin'")
	w.s.run()
	w.until("!find('.connection span') && find('#other').value === 'Latin'")
	w.click("find('button.main')")
	w.says("You answered: Other: Latin")

	// The answer itself may meet a gateway that is gone.
	w.write("select")
	w.until("find('#question') && card.shadowRoot.activeElement")
	w.s.kill()
	w.until("find('.connection span')")
	w.keys("5")
	w.keys("Greek" + enter)
	w.until("find('.unsent .bubble')?.textContent.startsWith('Answer to')")
	w.s.run()
	w.says("You answered: Other: Greek")
	w.until("!find('.unsent') && log().filter((s) => s.includes('You answered')).length === 2")
}

func queued(t *testing.T, e engine) {
	let := make(chan struct{})
	w := show(t, e, upstream(t, func(said string, _ []string, d deltas) {
		d.text("To " + said)
		<-let
		d.text(".")
		d.end("stop")
	}))
	finish := sync.OnceFunc(func() { close(let) })
	t.Cleanup(finish)
	const waiting = "[...document.querySelectorAll('.queued .bubble')].map((b) => b.textContent).join(' | ')"
	w.write("hold on")
	w.says("To hold on")
	w.write("too early")
	w.until(waiting + " === 'too early'")
	w.write("and more")
	w.until(waiting + " === 'too early | and more' && find('#message').value === '' && !document.querySelector('.queued [data-back]').disabled")
	w.click("document.querySelector('.queued [data-back]')")
	w.until(waiting + " === 'and more' && find('#message').value === 'too early' && document.activeElement.id === 'message'")
	finish()
	w.says("To and more.")
	w.until("[...document.querySelectorAll('.user .bubble')].map((b) => b.textContent).join(' | ') === 'hold on | and more' && !find('.queued') && find('#message').value === 'too early'")
}

func inbox(t *testing.T, e engine) {
	w := show(t, e)
	w.js(clockwork) // the choice is sent by Enter, not by the time to undo
	id := w.s.asks("", object{"question": "Deploy now?", "options": []string{"yes", "no"}, "askedBy": deploys})
	w.until("document.title.startsWith('(1) ') && find('#inbox-button .badge').textContent === '1'")
	w.click("document.querySelector('#inbox-button')")
	w.until("location.hash === '#/inbox' && card?.shadowRoot.querySelector('.title, .asked')?.textContent === 'Deploy now?' && !/^[(]/.test(document.title)")
	w.until("document.activeElement.matches('#inbox h1')") // the page moves the focus there, after it is drawn
	w.js("card.focus()")
	w.until("card.shadowRoot.activeElement")
	w.keys("2")
	w.until("card.shadowRoot.querySelector('#pick-1').checked")
	w.keys(enter)
	w.until("card.shadowRoot.querySelector('.closed.answered')")
	if got := w.s.state(id, ""); got["state"] != "answered" || got["answer"].(map[string]any)["value"] != "no" {
		t.Errorf("the program sees %v", got)
	}
}

func darkAndRTL(t *testing.T, e engine) {
	w := show(t, e, upstream(t, func(_ string, results []string, d deltas) {
		if len(results) == 0 {
			d.words("مرحبا، هذا نص من اليمين إلى اليسار.")
			d.calls("ask_user", `{"question": "أي لغة؟", "options": ["العربية", "الإنجليزية"]}`)
			return
		}
		d.words("شكرا.")
		d.end("stop")
	}))
	const dark = "getComputedStyle(document.body).backgroundColor === 'rgb(18, 20, 25)' && getComputedStyle(document.documentElement).colorScheme === 'dark'"
	w.js("find('#theme').value = 'dark'; find('#theme').dispatchEvent(new Event('change'))")
	w.until(dark)
	w.again()
	w.until("find('#message') && " + dark)
	w.write("مرحبا")
	w.until("find('.title') && getComputedStyle(card).colorScheme === 'dark'")
	w.until("find('.pick').getBoundingClientRect().left > find('.label').getBoundingClientRect().right")
	w.until(`(() => { // the full stop is to the left of the first letter
		const words = document.querySelector("askgate-markdown p").firstChild, at = (i) => {
			const one = document.createRange();
			one.setStart(words, i);
			one.setEnd(words, i + 1);
			return one.getBoundingClientRect().left;
		};
		return words.data.endsWith(".") && at(words.length - 1) < at(0);
	})()`)
	w.js("document.documentElement.dir = 'rtl'")
	w.until("find('#side').getBoundingClientRect().left > document.querySelector('#question').getBoundingClientRect().right")
	w.until("document.scrollingElement.scrollWidth <= innerWidth")
	w.click("find('.option:nth-child(1)')")
	w.says("شكرا.")
}

func formulaAndCode(t *testing.T, e engine) {
	w := show(t, e, answers(t, "Let $x^2$ be:\n\n$$\n\\frac{a}{b}\n$$\n\n```go\nfunc a() {}\n```\n"))
	w.write("How?")
	w.until("document.querySelectorAll('.formula .katex').length === 2 && document.querySelector('.hl-keyword')?.textContent === 'func'")
	w.until("[...document.fonts].some((f) => f.family.includes('KaTeX') && f.status === 'loaded')")
	w.until("(() => { const {width, height} = document.querySelector('.formula.display').getBoundingClientRect(); return width > 0 && height > 20 })()")
	w.until("getComputedStyle(document.querySelector('.hl-keyword')).color !== getComputedStyle(document.querySelector('.code code')).color")
}

func fileAnswer(t *testing.T, e engine) {
	w := show(t, e, repeats(t, "ask_user", `{"question": "Which list?", "input_type": "file", "accept": [".csv"], "maxBytes": 100}`))
	w.write("Go")
	w.until("find('#input')?.type === 'file' && !find('section.early')")
	choose := func(name, text string) {
		w.js("const of = new DataTransfer(); of.items.add(new File([%s], %s, {type: 'text/csv'})); find('#input').files = of.files; find('#input').dispatchEvent(new Event('change', {bubbles: true}))", text, name)
	}
	choose("list.csv", strings.Repeat("x", 200))
	w.until("card.shadowRoot.textContent.includes('too large (limit 100 byte')")
	choose("list.csv", "a;b\n1;2")
	w.until("find('.file')?.textContent.includes('list.csv (') && find('#focus-file')?.textContent === 'Remove'")
	w.click("find('button.main')")
	w.says("Told: list.csv (text/csv, 7 bytes)")
	w.again()
	w.says("Told: list.csv (text/csv, 7 bytes)")
}
