//go:build browser

package browsertest

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// echo is a model that repeats each message.
func echo(t *testing.T) func(*site) {
	return upstream(t, func(said string, _ []string, d deltas) {
		said, _, _ = strings.Cut(said, "\n")
		d.text("To " + said + ".")
		d.end("stop")
	})
}

// unsent is an expression for what waits for a connection, and bubbles one for what was sent.
const (
	unsent  = "[...document.querySelectorAll('.unsent .bubble')].map((b) => b.textContent).join(' | ')"
	bubbles = "[...document.querySelectorAll('.transcript .user:not(.queued) .bubble')].map((b) => b.textContent).join(' | ')"
)

// offline takes this tab's network away, or gives it back.
func (p *page) offline(is bool) {
	p.t.Helper()
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
		if err == nil {
			_, err = chromedp.Call(ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
				MatchedNetworkConditions: []*network.Conditions{{Offline: is, DownloadThroughput: -1, UploadThroughput: -1}},
			})
		}
		if err == nil {
			_, err = chromedp.Call(ctx, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: is, DownloadThroughput: -1, UploadThroughput: -1})
		}
		return chromedp.Void{}, err
	})
	p.until("navigator.onLine === %s", !is)
}

// What is written without a network is sent when it is back, in order; until then it can be taken back.
func TestWhatIsWrittenOfflineIsSentWhenTheLineIsBack(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", echo(t))
	p := openChatPage(t, s, "", 1000)
	p.write("hello")
	p.says("To hello.")
	p.idle()
	p.offline(true)
	for i, text := range []string{"one", "two", "three"} {
		p.write(text)
		p.until("document.querySelectorAll('.unsent').length === %s && find('#message').value === ''", i+1)
	}
	p.until(unsent + " === 'one | two | three'")
	p.accessible("unsent")
	p.shot("page-unsent")
	p.resize(375)
	p.fits("unsent")
	p.resize(1000)
	p.js("document.querySelectorAll('.unsent [data-unsend]')[1].click()")
	p.until("find('#message').value === 'two' && document.activeElement.id === 'message' && " + unsent + " === 'one | three'")
	p.offline(false)
	p.says("To three.")
	p.until(bubbles + " === 'hello | one | three' && !find('.unsent') && find('#message').value === 'two'")
}

// The gateway is killed: what was sent meanwhile, in a new chat, arrives once it is back, even over a
// reload.
func TestWhatIsWrittenWhileTheGatewayIsAwaySurvivesAReload(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", echo(t))
	p := openChatPage(t, s, "", 1000)
	p.until("find('#message')")
	p.js("globalThis.instead = (url, init) => { if (init?.method === 'POST' || url.endsWith('/v1/session')) throw new TypeError('away'); }")
	p.write("one")
	p.until(unsent + " === 'one'")
	p.write("two")
	p.until(unsent + " === 'one | two'")
	p.do(chromedp.Reload())
	p.says("To two.")
	p.until(bubbles + " === 'one | two' && !find('.unsent')")
}

// A response that is lost does not send a message twice.
func TestALostResponseSendsNothingTwice(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", echo(t))
	p := openChatPage(t, s, "", 1000)
	p.until("find('#message')")
	s.mu.Lock()
	s.lose = 5 // more than the client tries at once
	s.mu.Unlock()
	p.write("one")
	p.says("To one.")
	p.until("!find('.unsent') && find('#message').value === ''")
	p.idle()
	p.write("two")
	p.says("To two.")
	p.until(bubbles + " === 'one | two'")
}

// After ten minutes, the page asks first. What another person wrote in this tab is never sent.
func TestWhatIsOldIsSentOnlyIfThePersonAgrees(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", echo(t))
	p := openChatPage(t, s, "", 1000)
	p.write("hello")
	p.says("To hello.")
	p.idle()
	p.js("globalThis.instead = (url, init) => { if (init?.method === 'POST' || url.endsWith('/v1/session')) throw new TypeError('away'); }")
	for i, text := range []string{"one", "two", "three"} {
		p.write(text)
		p.until("document.querySelectorAll('.unsent').length === %s && find('#message').value === ''", i+1)
	}
	p.js(`const entries = JSON.parse(sessionStorage["askgate:outbox"]);
		entries[0].at -= 11 * 60_000;
		entries[1].at -= 11 * 60_000;
		entries.push({...entries[2], key: "other", content: "theirs", who: '["default","someone"]'});
		sessionStorage["askgate:outbox"] = JSON.stringify(entries);`)
	p.do(chromedp.Reload())
	p.until("find('.unsent .hint')?.textContent.includes('more than 10 minutes ago')")
	p.until(unsent + " === 'one | two | three' && !sessionStorage['askgate:outbox'].includes('theirs')")
	p.accessible("unsent and old")
	p.click(".unsent [data-agree]")
	p.says("To one.")
	p.until("find('.unsent .hint')?.textContent.includes('more than 10 minutes ago') && " + unsent + " === 'two | three'")
	p.click(".unsent [data-unsend]")
	p.says("To three.")
	p.until("find('#message').value === 'two' && !find('.unsent') && " + bubbles + " === 'hello | one | three'")
}

// A message that is refused is in the composer again, and what was written after it waits for the person.
func TestARefusalHoldsWhatWasWrittenAfterIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", echo(t))
	p := openChatPage(t, s, "", 1000)
	p.write("hello")
	p.says("To hello.")
	p.idle()
	s.disconnect()
	p.until("find('.connection span')")
	for i, text := range []string{"one", "two"} {
		p.write(text)
		p.until("document.querySelectorAll('.unsent').length === %s && find('#message').value === ''", i+1)
	}
	p.js(`globalThis.refuse = {status: 413, code: "storage_full", title: "Full", detail: "No room."}`)
	s.reconnect()
	p.until("find('#trouble').textContent.includes('No room.') && find('#message').value === 'one' && " + unsent + " === 'two'")
	p.until("find('.unsent .hint').textContent.includes('On hold')")
	p.js("globalThis.refuse = null")
	p.click(".unsent [data-agree]")
	p.says("To two.")
	p.until(bubbles + " === 'hello | two' && find('#message').value === 'one'")
}

// An answer is sent later, too. A decision about a call is not.
func TestAnAnswerIsSentLaterButNoApproval(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.write("number")
	p.until("find('#input')")
	p.offline(true)
	p.start()
	p.keys("5", kb.Enter)
	p.until("find('.unsent .bubble')?.textContent.startsWith('Answer to')")
	p.offline(false)
	p.says("You answered: 5")
	p.until("!find('.unsent')")
}
