//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestThePageIsWorkedByKeys(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	defer close(held)
	s := newSite(t, "", guide(t, held), configured(t, map[string]string{"gateway.json": guideConfig, "tools.json": guideTools, "apps/assistant.json": strings.ReplaceAll(guideApp, "travel", "assistant")}))
	for _, chat := range []string{"older", "newer"} {
		if status, _ := s.post(chat, object{"message": chat + ": cut"}); status != 200 {
			t.Fatal(status)
		}
	}
	p := openChatPage(t, s, "", 1200)
	p.until("document.activeElement.id === 'message' && document.querySelectorAll('#side nav a').length === 2")

	// Keys write, wherever the focus is; Esc leaves the field and makes them shortcuts.
	p.keys("?n")
	p.js("document.activeElement.blur()")
	p.keys("j")
	p.js("find('#new').focus()")
	p.keys("b")
	p.until("find('#message').value === '?njb' && document.activeElement.id === 'message' && !find('#shortcuts-dialog').open && !location.hash && !find('.letters')")
	p.keys(kb.Escape)
	p.until("document.activeElement === document.body && find('.letters').checkVisibility() && find('#news').textContent.includes('Letters are shortcuts now')")
	p.accessible("letters")
	p.shot("page-light-letters")
	p.keys("?")
	p.until("find('#shortcuts-dialog').open")
	p.accessible("shortcuts")
	p.fits("shortcuts")
	p.shot("page-light-shortcuts")
	p.resize(375)
	p.fits("shortcuts on a phone")
	p.shot("page-phone-shortcuts")
	p.resize(1200)
	p.keys("n", kb.Escape) // above the page there is only the list
	p.until("!find('#shortcuts-dialog').open && find('#message').value === '?njb'")

	p.keys("j")
	p.until("find('.bubble')?.textContent === 'newer: cut'")
	p.keys("j")
	p.until("find('.bubble')?.textContent === 'older: cut'")
	p.keys("j") // there is none below
	p.keys("k")
	p.until("find('.bubble')?.textContent === 'newer: cut'")
	p.keys("i")
	p.until("location.hash === '#/inbox' && find('#inbox')")
	p.keys("k")
	p.keys("n")
	p.until("find('.greeting') && document.activeElement.id === 'message'")
	p.js("find('#message').value = ''; find('#message').dispatchEvent(new Event('input'))")
	p.write("hold")
	p.says("first words")
	p.keys(kb.Escape, "s")
	p.until("!find('#stop') && find('.transcript .notice')")
	p.keys("m")
	p.until("document.activeElement.id === 'message'")

	// The list of chats can be hidden, and stays hidden.
	p.keys(kb.Escape, "b")
	p.until("!find('#side').checkVisibility() && find('.menu').checkVisibility()")
	p.accessible("sideless")
	p.fits("sideless")
	p.shot("page-light-sideless")
	p.do(chromedp.Reload())
	p.until("find('#message') && !find('#side').checkVisibility()")
	p.click(".menu")
	p.until("find('#side').checkVisibility() && document.activeElement.id === 'hide-side' && !find('.menu').checkVisibility()")
	p.keys(kb.Enter)
	p.until("!find('#side').checkVisibility() && document.activeElement.matches('.menu')")
	p.keys(kb.Escape, "b")
	p.until("find('#side').checkVisibility()")

	// When shortcuts are off, letters do nothing; the list can still be shown.
	p.press('/', kb.ModifierCtrl)
	p.until("find('#shortcuts-dialog').open")
	p.click("#keys-on")
	p.keys(kb.Escape)
	p.until("!find('#shortcuts-dialog').open")
	p.keys(kb.Escape, "b", "?")
	p.press('/', kb.ModifierCtrl)
	p.until("find('#shortcuts-dialog').open && find('#side').checkVisibility() && !find('#keys-on').checked && find('#message').value === 'b?'")
}

// Letters are shortcuts only after an Escape that did nothing else, until a click or a question.
func TestAnEscapeMakesLettersShortcuts(t *testing.T) {
	t.Parallel()
	p, questions := runsLate(t)
	p.until("document.activeElement.id === 'message'")
	dark := "document.documentElement.dataset.theme"
	// set puts the focus on the page and types t, which is a letter of the message, or changes the theme.
	types := func(why string) {
		t.Helper()
		was := eval[string](p, "find('#message').value + '|' + "+dark)
		p.js(blurred)
		p.keys("t")
		p.until("document.activeElement.id === 'message' && find('#message').value + '|' + "+dark+" === %s", strings.Replace(was, "|", "t|", 1))
		if eval[bool](p, "Boolean(find('.letters'))") {
			t.Errorf("after %s, letters are still said to be shortcuts", why)
		}
	}
	acts := func() {
		t.Helper()
		was := eval[string](p, "find('#message').value + '|' + "+dark)
		p.keys("t")
		p.until("find('#message').value + '|' + "+dark+" !== %s && find('#message').value === %s && document.activeElement.id !== 'message'", was, strings.Split(was, "|")[0])
	}
	types("no Escape")
	p.keys(kb.Escape)
	acts()
	acts()
	p.click(".transcript")
	types("a click")

	// Escapes that close something.
	p.js("find('#delete-chat').closest('[popover]').showPopover()")
	p.until("document.querySelector(':popover-open')")
	p.keys(kb.Escape)
	p.until("!document.querySelector(':popover-open')")
	types("a menu")
	p.press('/', kb.ModifierCtrl)
	p.until("find('#shortcuts-dialog').open")
	p.keys(kb.Escape)
	p.until("!find('#shortcuts-dialog').open")
	types("a dialog")
	p.js("find('#search').focus()")
	p.keys(kb.Escape)
	types("another field")
	p.js("find('#message').focus()")
	p.composes("に")
	p.key(input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "Escape", WindowsVirtualKeyCode: 27})
	p.composes("")
	types("an input method")

	p.keys(kb.Escape)
	acts()
	questions <- askOwn
	p.until("find('#question') && find('.pick') && !find('section.early') && find('#message').value.startsWith('t')")
	types("a question")

	// On the card, an Escape undoes its answer, and another one leaves its field.
	p.click(".option")
	p.until("find('#undo')")
	p.keys(kb.Escape)
	p.until("!find('#undo') && !find('.pick:checked')")
	types("an undo")
	p.js("find('#other').focus()")
	p.keys(kb.Escape)
	p.until("card.shadowRoot.activeElement?.matches('.pick')")
	p.keys("o")
	p.until("find('#other').value === 'o'")
	p.js("find('.pick').focus()")
	p.keys(kb.Escape)
	p.until("find('.letters')")
	acts()
	p.keys("2")
	p.until("find('#pick-1').checked")
}

// A chosen theme takes precedence over the system's, at once in all windows, for the card and the
// admin view as well, and from the first paint on.
func TestAThemeIsChosen(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1200)
	p.write("select")
	p.until("find('.title')")
	q := p.alongside(s.url + "/admin")
	dark := "getComputedStyle(document.body).backgroundColor === 'rgb(18, 20, 25)'"
	for _, system := range []string{"light", "dark"} {
		p.media("prefers-color-scheme", system)
		for i, look := range []struct{ theme, dark string }{{"dark", dark}, {"light", "!(" + dark + ")"}} {
			p.js("const s = find('#theme'); s.value = %s; s.dispatchEvent(new Event('change'))", look.theme)
			p.until(look.dark)
			p.until("getComputedStyle(card).colorScheme === %s && document.querySelector('#theme').value === %s", look.theme, look.theme)
			q.until("getComputedStyle(document.documentElement).colorScheme === %s", look.theme)
			p.accessible("theme " + look.theme)
			p.shot("page-theme-" + system + "-" + look.theme)
			if i == 0 {
				p.do(chromedp.Reload())
				p.until("find('#theme')?.value === %s && find('.title') && "+look.dark, look.theme)
			}
		}
	}
	p.js("document.activeElement?.blur(); find('#theme').value = ''; find('#theme').dispatchEvent(new Event('change'))")
	p.until(dark + " && !('theme' in document.documentElement.dataset)") // the system's again
	if blocking := eval[bool](p, "(async () => { const html = await (await fetch('/')).text(), at = (s) => html.indexOf(s); return at('dist/theme-') > 0 && at('dist/theme-') < at('dist/page-style-') && at('dist/theme-') < at('type=\"module\"') })()"); !blocking {
		t.Error("the theme comes after the first paint")
	}
}
