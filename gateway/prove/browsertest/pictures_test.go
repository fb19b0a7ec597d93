//go:build browser

package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
)

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
