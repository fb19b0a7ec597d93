//go:build browser

package browsertest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// printing shows the page as it is printed.
func (p *page) printing(on bool) {
	p.t.Helper()
	media := ""
	if on {
		media = "print"
	}
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
		return chromedp.Void{}, err
	})
}

// A printed chat has its title, all messages, and its questions with their answers, and nothing to click.
func TestAPrintedChatHasItsQuestionsAndAnswers(t *testing.T) {
	t.Parallel()
	p := openChatPage(t, newSite(t, ""), "", 800)
	p.write("select")
	p.until("find('.title')?.textContent.includes('Which language')")
	p.start()
	p.keys("1")
	p.says("You answered")
	p.idle()
	p.js("find('#message').focus()")
	p.keys("half a message")
	p.printing(true)
	p.shot("print")
	shown := `[...document.querySelectorAll("body *")].filter((e) => e.checkVisibility() && e.getClientRects().length)`
	for _, what := range []string{"#side", ".top", "#message", ".acts", "button", "select", "dialog", ".code-head"} {
		if n := eval[int](p, shown+".filter((e) => e.matches(%s)).length", what); n > 0 {
			t.Errorf("%d of %s are printed", n, what)
		}
	}
	if !eval[bool](p, `(() => {
		const title = document.querySelector("main > h1"), card = document.querySelector(".item askgate-clarification").shadowRoot;
		return title.getBoundingClientRect().height > 10 && title.textContent === "select" && card.querySelector(".asked").checkVisibility() && card.querySelector(".answer").checkVisibility()
			&& [...document.querySelectorAll(".item > h2")].every((h) => h.getBoundingClientRect().width > 10)
			&& getComputedStyle(document.querySelector(".bubble")).color === "rgb(25, 28, 35)"; // light, also in dark windows
	})()`) {
		t.Error("the title, the question, its answer or a name is not printed, or not in light colors")
	}
	p.fits("printed")
	p.printing(false)
	p.until("find('#message').checkVisibility() && find('#side').checkVisibility() !== undefined")
}

// What was decided about a call is printed even if it is folded, long code is printed in full, and
// older messages that are not loaded are counted.
func TestAPrintedChatIsComplete(t *testing.T) {
	t.Parallel()
	p := openChatPage(t, longChats(t), "#assistant/long", 800)
	p.until("document.querySelectorAll('.user').length === 100")
	p.printing(true)
	if got, want := eval[string](p, "document.querySelector('.not-loaded').innerText.match(/\\d+/)[0]"), *longChatMessages-200; got != strconv.Itoa(want) {
		t.Errorf("%s messages are not printed, want %d", got, want)
	}
	p.printing(false)
	if eval[bool](p, "document.querySelector('.not-loaded').checkVisibility()") {
		t.Error("the count is on the screen")
	}
	p.js("find('.older button').click()")
	p.until("document.querySelectorAll('.user').length === %s && !document.querySelector('.not-loaded')", min(*longChatMessages, 400)/2)

	// The whole chat, on paper.
	p.js("document.querySelector('.item:nth-last-child(1) askgate-markdown').content = '```\\n' + 'a line of code\\n'.repeat(500) + 'the end\\n```'; await new Promise((r) => setTimeout(r))")
	var pages int
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		got, err := chromedp.Call(ctx, cdppage.PrintToPDF, cdppage.PrintToPDFParams{})
		if err != nil {
			return chromedp.Void{}, err
		}
		pdf := got.Data
		pages = bytes.Count(pdf, []byte("/Type /Page\n"))
		if dir := os.Getenv("ASKGATE_SCREENSHOTS"); dir != "" {
			err = os.WriteFile(filepath.Join(dir, "print.pdf"), pdf, 0o600)
		}
		return chromedp.Void{}, err
	})
	if pages < 20 {
		t.Errorf("printed on %d pages", pages)
	}
}
