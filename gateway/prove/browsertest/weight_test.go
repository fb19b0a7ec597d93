//go:build browser

package browsertest

import (
	"context"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// The first load of the page, with everything that it requests, is small. The time until something
// is visible is logged, not judged, because it depends on the machine:
//
//	go test -tags browser -count 5 -v -run TheFirstLoad ./gateway/prove/browsertest
func TestTheFirstLoadIsLight(t *testing.T) {
	t.Parallel()
	const limit = 120_000 // bytes, compressed
	s := newSite(t, "")
	var painted []float64
	for range 5 {
		p := openChatPage(t, s, "", 1200) // in its own profile: nothing is cached
		p.until("find('.greeting') && performance.getEntriesByName('first-contentful-paint').length")
		painted = append(painted, eval[float64](p, "performance.getEntriesByName('first-contentful-paint')[0].startTime"))
		loaded := eval[[]float64](p, "[performance.getEntriesByType('navigation'), performance.getEntriesByType('resource')].flat().map((e) => e.encodedBodySize)")
		total := 0.0
		for _, bytes := range loaded {
			total += bytes
		}
		if total > limit || total < limit/3 {
			t.Errorf("%.0f bytes in %d responses, want at most %d bytes", total, len(loaded), limit)
		}
		t.Logf("%.0f bytes in %d responses", total, len(loaded))
	}
	slices.Sort(painted)
	t.Logf("first contentful paint: %.0f to %.0f ms, median %.0f", painted[0], painted[4], painted[2])
}

// The code that draws a chat is loaded with the first chat. If that fails, the page reports it, and
// a click loads all of it again: the gateway may be another version by then.
func TestAPageWhoseModulesAreGoneIsReloaded(t *testing.T) {
	t.Parallel()
	p := openChatPage(t, newSite(t, ""), "", 1000)
	p.until("find('.greeting')")
	block := func(patterns ...*network.BlockPattern) chromedp.Action[chromedp.Void] {
		return func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
			if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
				return chromedp.Void{}, err
			}
			_, err := chromedp.Call(ctx, network.SetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: patterns})
			return chromedp.Void{}, err
		}
	}
	p.do(block(&network.BlockPattern{URLPattern: "*://*:*" + bundled(t, "transcript"), Block: true}))
	p.write("confirm")
	p.until("find('.alone [role=alert]')?.textContent")
	p.do(block())
	if _, err := chromedp.RunResponse(p.ctx, chromedp.Evaluate[chromedp.Void]("find('.alone button').click()")); err != nil {
		t.Fatal(err)
	}
	p.until("find('.bubble')?.textContent === 'confirm' && find('#question')")
}

// A deployment replaces the files while the page is open: the page has to be loaded again before it can
// draw its first chat, and does so itself. What was sent is there afterwards.
func TestAPageOfAnEarlierVersionIsReloaded(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.until("find('.greeting')")
	p.js("globalThis.old = true")
	transcript, app := bundled(t, "transcript"), bundled(t, "page-app")
	left := map[string]int{transcript: 1, app: 1} // the next page names files that are there
	s.lacks(func(path string) bool {
		left[path]--
		return left[path] >= 0
	})
	p.write("confirm")
	p.until("!globalThis.old && find('.bubble')?.textContent === 'confirm' && find('#question')")
}

// A page whose files are on no node is not reloaded again and again.
func TestAPageIsReloadedOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	app, loads := bundled(t, "page-app"), 0
	twice := make(chan struct{})
	s.lacks(func(path string) bool {
		if path == "/" {
			if loads++; loads == 2 {
				close(twice)
			}
		}
		return path == app
	})
	p := openChatPage(t, s, "", 1000)
	select {
	case <-twice:
	case <-p.ctx.Done():
		t.Fatal("the page was not reloaded")
	}
	p.until("document.readyState === 'complete' && performance.getEntriesByType('navigation')[0].type === 'reload'")
	p.js(`for (let i = 0; i < 3; i++) {
		dispatchEvent(new CustomEvent("askgate-module-missing", {detail: %[1]s}));
		await fetch(%[1]s, {method: "HEAD", cache: "no-store"}); // what would come before another reload
	}`, app)
	s.lacks(nil)
	if loads != 2 {
		t.Errorf("loaded %d times, want 2", loads)
	}
}

// A question appears together with the chat above it, which would otherwise push it away under a
// click.
func TestAQuestionWaitsForTheChatAboveIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.until("find('.greeting')")
	p.js(`globalThis.early = false;
		new MutationObserver(() => { early ||= find("#question") !== null && !find(".bubble"); }).observe(document.body, {childList: true, subtree: true})`)
	release := s.hold(bundled(t, "transcript"))
	p.write("confirm")
	p.js(`while (!(await (await fetch("/v1/clarifications?status=pending")).json()).items.length) await new Promise((go) => setTimeout(go, 100))`)
	p.js(`for (let i = 0; i < 30; i++) await new Promise(requestAnimationFrame)`) // its event has arrived as well
	release()
	p.until("find('#question') && find('.bubble')")
	if eval[bool](p, "early") {
		t.Error("the question was there first")
	}
}

// A user who loses the gateway while a chat's modules are loading is notified, and has the chat
// when it is back.
func TestAChatComesWhenTheGatewayIsBack(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.until("find('.greeting')")
	release := s.hold(bundled(t, "transcript"))
	p.write("confirm")
	p.js(`while (!(await (await fetch("/v1/clarifications?status=pending")).json()).items.length) await new Promise((go) => setTimeout(go, 100))`)
	s.kill()
	release()
	p.until("find('.connection span')")
	s.run()
	p.until("find('.bubble') && find('#question') && !find('.connection span')")
}
