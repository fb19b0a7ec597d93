//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// edits replaces the text of the nth message of the person's, which forks the chat.
func (p *page) edits(n, text string) {
	p.t.Helper()
	from := eval[string](p, "location.hash")
	p.until("document.querySelectorAll('.item.user [data-change]:enabled').length === 3")
	p.js("document.querySelectorAll('.item.user [data-change]')[" + n + "].click()")
	p.until("document.activeElement.id === 'change'")
	p.js("document.activeElement.select()")
	p.keys(text, kb.Enter)
	p.until("location.hash !== '"+from+"' && log().includes(%s)", text)
	p.idle()
}

// TestForksOfForksPartAtTheirMessages: each message at which branches part has a control for what
// differs there, which leads to the version that was written to last, and keeps the focus. One branch
// can be deleted, also the first: the others stay.
func TestForksOfForksPartAtTheirMessages(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", answers(t, "Fine."))
	p := openChatPage(t, s, "", 1000)
	for _, said := range []string{"one", "two", "three"} {
		p.write(said)
		p.until("log().at(-2) === %s && log().at(-1) === 'Fine.'", said)
		p.idle()
	}
	first := eval[string](p, "location.hash")
	const controls = "[...document.querySelectorAll('.parting')].map((e) => e.previousElementSibling.querySelector('.bubble').textContent + ' ' + e.textContent.trim()).join()"
	const entries = "document.querySelectorAll('#side nav li').length"
	p.edits("2", "third")
	second := eval[string](p, "location.hash")
	p.until(controls + " === 'third 2 of 2' && " + entries + " === 1")
	p.js("find('.previous').click()")
	p.until("location.hash === '" + first + "' && " + controls + " === 'three 1 of 2'")
	p.js("find('.next').click()")
	p.until("location.hash === '" + second + "' && " + controls + " === 'third 2 of 2'")
	p.until("log().length === 6")
	p.edits("0", "first")
	third := eval[string](p, "location.hash")
	p.until(controls + " === 'first 2 of 2' && " + entries + " === 1")

	// Back to the version that was written to last, which parts from another further down.
	p.js("find('.previous').click()")
	p.until("location.hash === '" + second + "' && " + controls + " === 'one 1 of 2,third 2 of 2'")
	p.until("document.activeElement.matches('.next') && document.activeElement.closest('.parting').previousElementSibling.textContent.includes('one') && find('#news').textContent.includes('1 of 2')")
	p.js("[...document.querySelectorAll('.previous')].at(-1).click()")
	p.until("location.hash === '" + first + "' && " + controls + " === 'one 1 of 2,three 1 of 2'")
	p.until("document.activeElement.matches('.next') && document.activeElement.closest('.parting').previousElementSibling.textContent.includes('three')")
	p.resize(375)
	p.js("document.documentElement.dir = 'rtl'")
	p.fits("nested branches, right to left")
	p.shot("branches-nested-rtl-375")
	p.js("document.documentElement.dir = 'ltr'")
	p.resize(1000)

	// Only this branch is deleted.
	p.click("#erase")
	p.until("find('#erase-dialog').open && find('#erase-dialog').textContent.includes('all 3 of its branches')")
	p.accessible("delete a branch")
	p.shot("delete-branch")
	p.resize(375)
	p.fits("delete a branch")
	p.shot("delete-branch-375")
	p.resize(1000)
	p.click("#erase-branch")
	p.until("!find('#erase-dialog').open && location.hash === '" + second + "' && " + controls + " === 'one 1 of 2' && " + entries + " === 1")
	for hash, want := range map[string]int{first: 404, second: 200, third: 200} {
		if status, _ := s.call("GET", "/v1/apps/assistant/chats/"+strings.Split(hash, "/")[1], "", nil); status != want {
			t.Errorf("%s: %d, want %d", hash, status, want)
		}
	}
	p.click("#erase")
	p.until("find('#erase-dialog').open && find('#erase-dialog').textContent.includes('all 2 of its branches')")
	p.click("#erase-dialog .danger")
	p.until("find('.greeting') && " + entries + " === 0")
}
