//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A person forgets an answer: the page says what stays and asks again, and the deletion shows at once,
// in another window and after a reload, too.
func TestAPersonForgetsAnAnswer(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", upstream(t, func(_ string, results []string, d deltas) {
		if len(results) == 0 {
			d.calls("ask_user", `{"question":"Where do you live?","input_type":"text"}`)
			return
		}
		d.words("Noted.")
		d.end("stop")
	}))
	p := openChatPage(t, s, "", 1000)
	p.write("Hi")
	p.until("find('askgate-clarification') && find('#input')")
	p.js("find('#input').focus()")
	p.keys("Zebratown")
	p.keys("\r")
	p.says("Noted.")
	p.until("find('page-forget button')")
	other := openChatPage(t, s, eval[string](p, "location.hash"), 1000)
	other.until("find('page-forget button')")
	p.click("page-forget button")
	p.until("find('page-forget .forget') && find('page-forget').textContent.includes('stays')")
	p.accessible("forget")
	p.click("page-forget .plain")
	p.until("!find('page-forget .forget') && find('page-forget button')")
	p.click("page-forget button")
	p.click("page-forget .danger")
	for name, page := range map[string]*page{"here": p, "there": other} {
		page.until("!find('page-forget') && " + shown + ".includes('This answer was deleted')")
		if got := eval[string](page, "document.body.textContent + "+shown); strings.Contains(got, "Zebratown") {
			t.Errorf("%s, the page still has it", name)
		}
	}
	p.do(chromedp.Reload())
	p.until(shown + ".includes('This answer was deleted')")
}

// shown is the text of the closed question.
const shown = "(document.querySelector('.transcript askgate-clarification')?.shadowRoot?.textContent ?? document.querySelector('.transcript askgate-clarification')?.textContent ?? '')"
