//go:build browser

package browsertest

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// A model's thinking is shown where it occurred: as it arrives, next to a question that waits after
// a reload, and before each text of the chat later on.
func TestThoughtsAreShownAfterAReload(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", configured(t, map[string]string{"gateway.json": guideConfig, "apps/travel.json": guideApp}), upstream(t, func(_ string, results []string, d deltas) {
		if results == nil {
			d.thought("They do not say ")
			d.thought("where they begin.")
			d.words("One question first.")
			d.calls("ask_user", `{"question": "Where do you begin?", "options": ["Town", "Village"]}`)
			return
		}
		d.thought("From there it is a day.")
		d.words("Go west.")
		d.end("stop")
	}))
	p := openChatPage(t, s, "", 1000)
	thoughts := func() []string {
		return eval[[]string](p, "[...document.querySelectorAll('.transcript .thoughts, .transcript .item.assistant')].map((e) => (e.matches('.thoughts') ? 'thought: ' : 'said: ') + e.textContent.trim())")
	}
	p.write("Find a way to the coast")
	p.until("find('#question')")
	first := thoughts()
	p.do(chromedp.Reload())
	p.until("find('#question')")
	if again := thoughts(); !slices.Equal(again, first) || len(again) != 2 {
		t.Errorf("while the question waits: first %q, after a reload %q", first, again)
	}
	p.keys("1", "\r")
	p.says("Go west.")
	p.idle()
	first = thoughts()
	p.do(chromedp.Reload())
	p.says("Go west.")
	p.idle()
	if again := thoughts(); !slices.Equal(again, first) || len(again) != 4 || again[0] != "thought: They do not say where they begin." || again[2] != "thought: From there it is a day." {
		t.Errorf("at the end: first %q, after a reload %q", first, again)
	}
	if eval[bool](p, "document.querySelector('.transcript .thoughts').checkVisibility()") {
		t.Error("thoughts are unfolded")
	}
	p.click(".transcript details.fold summary")
	p.until("document.querySelector('.transcript .thoughts').checkVisibility()")
	p.accessible("thoughts")
	p.fits("thoughts")
	p.shot("page-thoughts")
}
