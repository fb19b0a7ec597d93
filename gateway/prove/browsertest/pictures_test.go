//go:build browser

package browsertest

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// docs/card.md shows the types that take more than a text or a click.
func TestThePicturesOfTypesCanBeTaken(t *testing.T) {
	t.Parallel()
	p := showAt(t, nil, 560)
	p.inZone("Europe/Berlin")
	for _, s := range states {
		if !slices.Contains([]string{"datetime", "scale", "rank"}, s.name) {
			continue
		}
		p.reopen(s.ask)
		p.js(s.then + "; await card.updateComplete")
		p.do(chromedp.EmulateViewport(560, eval[int64](p, "Math.ceil(card.getBoundingClientRect().bottom) + 16")))
		p.shot("type-" + s.name)
	}
}

// The README shows the page while a question is being answered: "make pictures" saves what this
// test sees.
func TestTheReadmesPicturesCanBeTaken(t *testing.T) {
	t.Parallel()
	for _, theme := range []string{"light", "dark"} {
		p := openChatPage(t, newSite(t, ""), "", 1000)
		p.media("prefers-color-scheme", theme)
		p.do(chromedp.EmulateViewport(1000, 760))
		p.write("Show me a select")
		p.until("find('.title')?.textContent.includes('Which language')")
		p.click(".option:nth-child(2)")
		p.until("find('.option:nth-child(2) input').checked")
		p.shot("question-" + theme) // at once: the answer is sent five seconds after the click
	}
}
