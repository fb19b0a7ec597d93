// Package browsertest asks a real browser: does the card do what it says, and can
// everybody use it?
//
//	chromium <── chromedp ── test
//	   │
//	   └─ http ──> proxy that can be cut ──> the askgate binary (example, page)
//	   └─ http ──> gateway/web alone, with a page around one card
//
// All of it stands behind the build tag browser, as it needs Chromium:
//
//	go test -tags browser ./gateway/browsertest
//
// ASKGATE_TEST_CHROMIUM is the path of the browser, by default chromium of the
// PATH. ASKGATE_SCREENSHOTS names a folder that takes a picture of each state.
package browsertest
