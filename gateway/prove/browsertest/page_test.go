//go:build browser

package browsertest

import (
	"context"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// openChatPage shows the chat page of a gateway, at an address below its root.
func openChatPage(t *testing.T, s *site, address string, width int64) *page {
	t.Helper()
	p := open(t, "about:blank", width)
	p.visit(s.url + "/" + address)
	return p
}

// visit opens the chat page in this tab.
func (p *page) visit(url string) {
	p.t.Helper()
	if p.helped {
		p.do(chromedp.Navigate(url))
		return
	}
	p.helped = true
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: pageHelpers})
		return chromedp.Void{}, err
	}, chromedp.Navigate(url))
	p.t.Cleanup(func() {
		if v := eval[[]string](p, "globalThis.violations ?? []"); len(v) > 0 {
			p.t.Errorf("the page's policy refused %q", v)
		}
	})
}

// alongside opens the chat page in a second tab of the same profile.
func (p *page) alongside(url string) *page {
	p.t.Helper()
	q := p.another("about:blank")
	q.visit(url)
	return q
}

// write types a message and sends it.
func (p *page) write(message string) {
	p.t.Helper()
	p.until("find('#message')")
	p.js("find('#message').focus()")
	p.keys(message, "\r")
}

// says waits for a text in the transcript.
func (p *page) says(text string) {
	p.t.Helper()
	p.until("find('.transcript').innerText.includes(%s)", text)
}

// idle waits until the composer is there and nothing is running.
func (p *page) idle() {
	p.t.Helper()
	p.until("find('#message') && !find('#stop') && !find('.work')")
}
