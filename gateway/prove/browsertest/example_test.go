//go:build browser

package browsertest

import (
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const example = "../../../docs/examples/chat.html"

// exampleHelpers are card (the last one of the page) and find, for the helpers of page.
const exampleHelpers = `Object.defineProperty(globalThis, "card", {get: () => [...document.querySelectorAll("askgate-clarification")].at(-1), configurable: true});
globalThis.find = (s) => card.shadowRoot.querySelector(s)`

// openExample shows the example of the documentation in front of a real gateway.
func openExample(t *testing.T) (*page, *site) {
	t.Helper()
	s := newSite(t, example)
	p := open(t, s.url+"/#c1", 800)
	p.js(exampleHelpers)
	return p, s
}

// say writes a message into the example's form.
func (p *page) say(message string) {
	p.t.Helper()
	p.js(`const {message} = document.forms[0]; message.value = %s;
		message.dispatchEvent(new Event("input", {bubbles: true})); document.forms[0].requestSubmit()`, message)
}

// shows waits for text in the log of the example.
func (p *page) shows(text string) {
	p.t.Helper()
	p.until("document.querySelector('#log').textContent.includes(%s)", text)
}

func TestTheExampleAsksAndAnswers(t *testing.T) {
	t.Parallel()
	p, _ := openExample(t)
	p.say("select")
	p.until("find('.title').textContent.includes('Which language')")
	p.start()
	p.keys("2", kb.Enter)
	p.until("find('.closed.answered .answer').textContent === 'German'")
	p.shows("You answered: German (de)")

	p.say("text") // a second question in the same chat
	p.until("find('#input')")
	p.start()
	p.keys("AB-1234", kb.Enter)
	p.until("find('#error-value').textContent.startsWith('Two capital letters')")
	p.keys(kb.Backspace, kb.Enter)
	p.shows("You answered: AB-123")

	p.do(chromedp.Reload())
	p.js(exampleHelpers)
	p.shows("You answered: AB-123")
	if n := eval[int](p, "document.querySelectorAll('askgate-clarification').length"); n != 2 {
		t.Errorf("%d cards after the reload, want the two folded ones", n)
	}
}

func TestTheDocumentationShowsTheExampleUnchanged(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("../../../docs/frontend.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(guide), "```html\n"+string(text)+"```") {
		t.Error("docs/frontend.md shows another example than docs/examples/chat.html")
	}
}

func TestAnAnswerOfAnotherWindowFoldsTheCardHere(t *testing.T) {
	t.Parallel()
	p, s := openExample(t)
	p.say("select")
	p.until("find('.title')")
	q := p.another(s.url + "/#c1")
	q.js(exampleHelpers)
	q.until("find('.title').textContent.includes('Which language')")
	q.start()
	q.keys("1", kb.Enter)
	q.until("find('.closed.answered .answer').textContent === 'French'")
	p.until("find('.closed.answered .answer').textContent === 'French'")
	p.shows("You answered: French (fr)")
}

func TestTheGatewayMayDieUnderAQuestion(t *testing.T) {
	t.Parallel()
	p, s := openExample(t)
	p.say("select")
	p.until("find('.title')")
	p.start()
	p.keys("5", "Latin") // typed, not sent
	s.kill()
	p.keys(kb.Enter) // while the user is away
	p.until("find('.alert')?.textContent.includes('cannot be reached')")
	s.run()
	p.until("find('#other').value === 'Latin'")
	p.click("button.main")
	p.until("find('.closed.answered .answer')?.textContent === 'Latin'")
	p.shows("You answered: Other: Latin")
}

func TestNothingIsLostOrDoubledOverABreak(t *testing.T) {
	t.Parallel()
	p, s := openExample(t)
	p.say("select")
	p.until("find('.title')")
	s.disconnect()
	// In the meantime, another user answers and asks again.
	s.post("c1", object{"answer": object{"value": "es"}})
	s.post("c1", object{"message": "confirm"})
	s.reconnect()
	p.shows("You answered: Spanish (es)")
	p.until("find('.title').textContent.includes('Send the report')")
	got := eval[[]string](p, `[...document.querySelectorAll("#log > *")].map((n) => n.localName === "p" ? n.textContent : n.shadowRoot.querySelector(".asked, .title").textContent)`)
	want := []string{"user: select", "assistant: A single choice", "Which language should the text be translated into?", "assistant: You answered: Spanish (es)", "user: confirm", "assistant: A yes-or-no question.", "Send the report now?"}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("%d: %q, want %q", i, got[i], want[i])
		}
	}
}
