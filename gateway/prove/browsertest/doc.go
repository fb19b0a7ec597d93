// Package browsertest tests the card and the pages in a real browser: that they work as
// documented, and that they are accessible.
//
//	chromium <── chromedp ── test
//	   │
//	   └─ http ──> proxy that can be cut ──> the askgate binary (example, page)
//	   └─ http ──> gateway/web alone, with a page around one card
//
// All of it is behind the build tag browser, because it needs Chromium:
//
//	go test -tags browser ./gateway/prove/browsertest
//
// ASKGATE_TEST_CHROMIUM is the path of the browser, by default chromium-headless-shell or chromium
// of the PATH. ASKGATE_SCREENSHOTS names a folder for a picture of each state.
//
// The main flows of the chat page also run in Firefox, over WebDriver BiDi, and in WebKitGTK, over
// WebDriver, one table for both. They are behind the build tag browsers:
//
//	go test -tags browsers ./gateway/prove/browsertest
//
// They need firefox-esr or firefox, and WebKitWebDriver with its MiniBrowser and Xvfb, in the PATH.
package browsertest
