//go:build browser

package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestASearchLeadsToTheQuestion, even far up in a long chat, and one that waits to its card.
func TestASearchLeadsToTheQuestion(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", configured(t, map[string]string{"gateway.json": `{"limits": {"requestsPerMinute": 0}}`}))
	post := func(body object) {
		t.Helper()
		status, got := s.post("c", body)
		if status != 200 {
			t.Fatal(status, got)
		}
	}
	post(object{"message": "select"})
	post(object{"answer": object{"value": "fr"}})
	for range 110 {
		post(object{"message": "calculate 2+3"})
	}
	s.post("other", object{"message": "confirm"})

	p := openChatPage(t, s, "", 1200)
	look := func(query string) {
		t.Helper()
		p.until("document.querySelector('#search')")
		p.js("const s = document.querySelector('#search'); s.value = ''; s.focus()")
		p.keys(query)
		p.until("find('.results a') && find('.snippet mark') && !find('#side .results ~ .hint')")
	}
	inView := `(() => { const c = [...document.querySelectorAll('.transcript askgate-clarification')].find((c) => c.shadowRoot?.textContent.includes('Which language')); const at = c?.getBoundingClientRect();
		return at && at.top > 0 && at.bottom < innerHeight && document.activeElement === c })()`
	look("french translated")
	p.keys(kb.Enter)
	p.until("location.hash.startsWith('#assistant/c/clr_') && " + inView)
	p.shot("page-search-question")
	p.js("scrollTo(0, document.documentElement.scrollHeight)")
	p.until("!" + inView)
	p.click("#side .results a") // once more
	p.until(inView)
	p.do(chromedp.Reload())
	p.until(inView)

	look("send the report now")
	p.keys(kb.Enter)
	p.until("location.hash.startsWith('#assistant/other/clr_') && find('.title')?.textContent.includes('Send the report now')")

	// Older messages that cannot be loaded are not asked for at each draw.
	p.js(`globalThis.tries = 0;
		globalThis.instead = (url) => (url.includes("before=") && ++tries ? new Response(JSON.stringify({detail: "Try later."}), {status: 503}) : undefined)`)
	look("french translated")
	p.keys(kb.Enter)
	p.until("find('#trouble')?.textContent.includes('Try later.')")
	p.js("globalThis.drawn = 0; const next = () => requestAnimationFrame(() => ++drawn < 30 && next()); next()")
	p.until("globalThis.drawn === 30")
	if n := eval[int](p, "tries"); n != 1 {
		t.Errorf("%d requests", n)
	}
}
