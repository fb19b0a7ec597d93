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
	p.js("const back = document.querySelectorAll('.unsent [data-unsend]')[1]; back.click(); back.click()") // before the page draws
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
	lose := func(responses int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lose = responses
	}
	lose(1000)
	p.write("one")
	p.until("document.querySelector('.unsent') && !document.querySelector('.unsent [data-unsend]')") // the gateway may have it
	lose(0)
	p.says("To one.")
	p.until("!find('.unsent') && find('#message').value === ''")
	p.idle()
	p.write("two")
	p.says("To two.")
	p.until(bubbles + " === 'one | two'")
}

// A message that the gateway has accepted, although a proxy said otherwise, is not accepted again when the
// person sends it again.
func TestAMessageThatMayHaveArrivedArrivesOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", echo(t))
	p := openChatPage(t, s, "", 1000)
	p.write("hello")
	p.says("To hello.")
	p.idle()
	p.js(`globalThis.instead = async (url, init) => {
		if (init?.method !== "POST" || !url.endsWith("/messages")) return undefined;
		await real(url, init);
		return new Response(JSON.stringify({code: "unavailable", detail: "Try later."}), {status: 503});
	}`)
	p.write("one")
	p.says("To one.")
	p.until("find('#trouble').textContent.includes('Try later.') && find('#message').value === 'one'")
	p.js("globalThis.instead = null; find('#message').focus()")
	p.keys(kb.Enter)
	p.until("find('#message').value === ''")
	p.write("two")
	p.says("To two.")
	p.until(bubbles + " === 'hello | one | two' && !find('.queued')")
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

// An answer is sent later, too. A decision about a call is not: the card keeps it, and says so.
func TestAnAnswerIsSentLaterButNoApproval(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", guide(t, nil), configured(t, map[string]string{"gateway.json": guideConfig, "tools.json": guideTools, "apps/travel.json": guideApp}))
	p := openChatPage(t, s, "", 1000)
	p.write("ask")
	p.until("find('#pick-0')")
	p.offline(true)
	p.start()
	p.keys("1", kb.Enter)
	p.until("document.querySelector('.unsent .bubble')?.textContent.startsWith('Answer to')")
	p.offline(false)
	p.says("Thank you")
	p.until("!document.querySelector('.unsent')")
	p.idle()

	p.write("what time")
	p.until("find('#allow[aria-disabled=false]')")
	p.offline(true)
	p.click("#allow")
	p.until("find('.alert')?.textContent.includes('cannot be reached') && !document.querySelector('.unsent')")
	p.offline(false)
	p.until("find('#allow[aria-disabled=false]')") // nothing was decided
	p.click("#allow")
	p.idle()
}

// While an answer waits, also after a reload, its card takes no other; taken back, it does again.
func TestACardWhoseAnswerWaitsTakesNoOther(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", guide(t, nil), configured(t, map[string]string{"gateway.json": guideConfig, "tools.json": guideTools, "apps/travel.json": guideApp}))
	p := openChatPage(t, s, "", 1000)
	p.write("ask")
	p.until("find('#pick-0')")
	p.js("globalThis.instead = (url, init) => { if (init?.method === 'POST' || url.endsWith('/v1/session')) throw new TypeError('away'); }")
	p.start()
	p.keys("1", kb.Enter)
	p.until("sessionStorage['askgate:outbox']?.includes('clarificationId')")
	p.js(`const entries = JSON.parse(sessionStorage["askgate:outbox"]);
		entries[0].at -= 11 * 60_000; // so that it waits for the person
		entries[0].tried = false;
		sessionStorage["askgate:outbox"] = JSON.stringify(entries);`)
	p.do(chromedp.Reload())
	p.until("find('.unsent [data-unsend]') && document.querySelector('#question')?.disabled")
	p.click(".unsent [data-unsend]")
	p.until("!document.querySelector('.unsent') && document.querySelector('#question').disabled === false")
}

// A secret that waits for a connection is in memory only. The card keeps what was typed, as before.
func TestASecretWaitsInMemoryOnly(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", configured(t, map[string]string{"gateway.json": strings.Replace(guideConfig, "{", `{"clarifications": {"secrets": "warn"}, `, 1), "apps/travel.json": guideApp}),
		upstream(t, func(_ string, results []string, d deltas) {
			if len(results) == 0 {
				d.calls("ask_user", `{"question": "What is the password?"}`)
				return
			}
			d.text("Thank you.")
			d.end("stop")
		}))
	p := openChatPage(t, s, "", 1000)
	p.write("hello")
	p.until("find('#input')")
	p.offline(true)
	p.start()
	p.keys("open sesame", kb.Enter)
	p.until("document.querySelector('.unsent')")
	p.until("!sessionStorage['askgate:outbox']")
	p.offline(false)
	p.says("Thank you.")
}

// What waits for a connection is gone when its person signs out.
func TestSigningOutForgetsWhatWasNotSent(t *testing.T) {
	t.Parallel()
	const key = "ag_browser_test_forgets_0123456789"
	s := newSite(t, "", configured(t, map[string]string{
		"gateway.json": `{"auth": {"mode": "apiKeys", "keys": [{"id": "ada", "hash": "` + hashOf(key) + `", "tenant": "t", "subject": "ada"}]}}`,
	}))
	p := openChatPage(t, s, "", 1000)
	p.until("find('#key')")
	p.js("find('#key').focus()")
	p.keys(key, kb.Enter)
	p.until("find('#message')")
	p.js("globalThis.instead = (url, init) => { if (init?.method === 'POST') throw new TypeError('away'); }")
	p.write("theirs")
	p.until("document.querySelector('.unsent')")
	p.js("[...document.querySelectorAll('#side button')].find((b) => b.textContent === 'Sign out').click()")
	p.until("find('#key')")
	if stored := eval[string](p, "Object.values(sessionStorage).join()"); strings.Contains(stored, "theirs") {
		t.Errorf("stored: %s", stored)
	}
	p.js("globalThis.instead = null; find('#key').focus()")
	p.keys(key, kb.Enter)
	p.until("find('#message')?.value === '' && find('.greeting') && !document.querySelector('.unsent')")
}
