//go:build browser

package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// pushes presses the button of the transcript with that label, by keyboard.
func (p *page) pushes(label string) {
	p.t.Helper()
	p.until("[...document.querySelectorAll('.transcript button')].some((b) => b.textContent.trim() === %s && !b.disabled)", label)
	p.js("[...document.querySelectorAll('.transcript button')].findLast((b) => b.textContent.trim() === '" + label + "').focus()")
	p.keys(kb.Enter)
}

func TestAPersonChangesTheirMind(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.write("select")
	p.until("find('.title')?.textContent.includes('Which language') && card.shadowRoot.activeElement")
	p.keys("5", "Latin", kb.Enter)
	p.says("You answered: Other: Latin")
	p.idle()
	old := eval[string](p, "location.hash")

	// Another answer: the card is open again, with the answer that was given.
	p.pushes("Change")
	const changed = "document.querySelector('#change').shadowRoot"
	p.until("document.querySelector('#change')?.shadowRoot.activeElement && " + changed + ".querySelector('#other')?.value === 'Latin'")
	p.keys("1") // the first option
	p.until(changed + ".querySelector('.pick:checked')?.value !== undefined")
	p.keys(kb.Enter)
	p.until("location.hash !== '" + old + "' && location.hash.includes('/fork-')")
	p.until("log().length === 4 && !log()[2].includes('Latin') && log()[3].startsWith('You answered: ')")
	p.idle()
	const at = "find('.branches span')?.textContent"
	p.until(at + " === '2 of 2' && find('.parting').previousElementSibling.querySelector('askgate-clarification')")
	p.until("document.querySelectorAll('#side nav li').length === 1 && !find('.forked') && find('#side nav a').hash === location.hash && find('#side nav a').ariaCurrent")
	fork := eval[string](p, "location.hash")
	p.do(chromedp.Reload()) // the stored state
	p.until("log().length === 4 && !log()[2].includes('Latin') && " + at + " === '2 of 2'")

	// The old branch is unchanged.
	p.js("find('.previous').click()")
	p.until("location.hash === '" + old + "' && " + at + " === '1 of 2'")
	p.says("You answered: Other: Latin")

	// Another message. The chat that is left is unchanged as well.
	p.pushes("Edit")
	p.until("document.activeElement.id === 'change' && document.activeElement.value === 'select'")
	p.keys(kb.Escape)
	p.until("!find('#change') && document.activeElement.textContent.trim() === 'Edit'")
	p.pushes("Edit")
	p.until("document.activeElement.id === 'change'")
	p.js("document.activeElement.select()")
	p.keys("number", kb.Enter)
	p.until("location.hash !== '" + old + "' && location.hash !== '" + fork + "' && log()[0] === 'number' && find('#input')")
	p.start()
	p.keys("7", kb.Enter)
	p.says("You answered: 7")
	p.idle()

	// The same again: this time the question.
	edited := eval[string](p, "location.hash")
	p.pushes("Regenerate")
	p.until("location.hash !== '" + edited + "' && log()[0] === 'number' && find('#input') && !find('.transcript').innerText.includes('You answered')")
	p.until(at + " === '3 of 3' && document.querySelectorAll('.branches').length === 1 && document.querySelectorAll('#side nav li').length === 1")
}

func TestAChangeThatIsRefusedStaysOnTheCard(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 400)
	p.write("text")
	p.until("find('#input')")
	p.start()
	p.keys("AB-123", kb.Enter)
	p.says("You answered: AB-123")
	p.idle()
	p.pushes("Change")
	const input = "document.querySelector('#change')?.shadowRoot.querySelector('#input')"
	p.until(input + "?.value === 'AB-123' && document.querySelector('#change').shadowRoot.activeElement")
	p.js(`globalThis.refuse = {status: 422, code: "invalid_answer", errors: [{question: 0, field: "value", code: "pattern", message: "No such project."}]}`)
	p.keys(kb.Enter)
	p.until("document.querySelector('#change').shadowRoot.querySelector('#error-value')?.textContent === 'No such project.'")
	p.js("globalThis.refuse = null")
	p.click("#change ~ .hint button") // Cancel
	p.until("!document.querySelector('#change') && log()[2].includes('AB-123')")
}
