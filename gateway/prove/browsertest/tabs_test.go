//go:build browser

package browsertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// streams lists the paths of the streams that browsers have open.
func (s *site) streams() (paths []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.live {
		if strings.HasSuffix(r.URL.Path, "/events") {
			paths = append(paths, r.URL.Path)
		}
	}
	return paths
}

// settles waits until that many streams are open: closing one takes a moment.
func (s *site) settles(p *page, want int) {
	s.t.Helper()
	for end := time.Now().Add(patience); len(s.streams()) != want; p.frame() {
		if time.Now().After(end) {
			s.t.Fatalf("%d streams are open, want %d: %v", len(s.streams()), want, s.streams())
		}
	}
}

// Over HTTP/1.1 a browser has six connections to a server: any number of windows manages with them.
// Headless Chromium reports all of them as visible.
func TestManyWindowsShareFewConnections(t *testing.T) {
	t.Parallel()
	const windows = 8
	s := newSite(t, "", configured(t, map[string]string{"gateway.json": `{"limits": {"requestsPerMinute": 0}}`}))
	for i := range windows {
		if status, _ := s.post(fmt.Sprint("c", i), object{"message": fmt.Sprint("confirm ", i)}); status != 200 {
			t.Fatal(status)
		}
	}
	all := []*page{openChatPage(t, s, "#assistant/c0", 1000)}
	for i := 1; i < windows; i++ {
		all = append(all, all[0].alongside(fmt.Sprintf("%s/#assistant/c%d", s.url, i)))
	}
	count := func(n int) { // those on the screen are not counted
		t.Helper()
		for i, p := range all {
			p.until("(([n]) => document.title.startsWith(`(${n}) `) && find('#inbox-button .badge').textContent === String(n))([%s - (document.querySelector('#question') ? 1 : 0)])", n)
			if i == 0 {
				s.settles(p, 4)
			}
		}
	}
	for i, p := range all {
		p.until("find('.bubble').textContent === %s && find('.title').textContent.includes('report')", fmt.Sprint("confirm ", i))
	}
	count(windows)

	// A new question appears in each window's count, and in its chat, with or without a stream.
	if status, _ := s.post("c0", object{"message": "number"}); status != 200 { // in place of the one before
		t.Fatal(status)
	}
	s.post("new", object{"message": "text"})
	count(windows + 1)
	all[0].until("find('#input') && find('.title').textContent.includes('copies')")

	// A window without a stream gets one as soon as the user does something there.
	all[1].start()
	all[1].keys("1", kb.Enter)
	all[1].says("You answered: yes")
	all[1].idle()
	count(windows)
	all[1].until("!document.querySelector('#side nav a[aria-current] .waits')")

	// All of them survive a restart of the gateway.
	s.kill()
	s.run()
	s.post("newer", object{"message": "text"})
	count(windows + 1)
}

// A browser without shared workers: a window that is not visible has no streams.
func TestWindowsWithoutAWorkerLetGoOfTheirStreams(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.post("c", object{"message": "confirm"})
	p := open(t, "about:blank", 1000)
	p.visit("about:blank")
	p.early("delete globalThis.SharedWorker; globalThis.seen = true; Object.defineProperty(document, 'visibilityState', {get: () => seen ? 'visible' : 'hidden'}); Object.defineProperty(document, 'hidden', {get: () => !seen})")
	p.visit(s.url + "/#assistant/c")
	p.until("find('.title')")
	s.settles(p, 2)
	p.js("globalThis.seen = false; document.dispatchEvent(new Event('visibilitychange'))")
	s.settles(p, 0)
	s.post("c", object{"message": "number"})
	p.js("globalThis.seen = true; document.dispatchEvent(new Event('visibilitychange'))")
	p.until("find('#input')")
	s.settles(p, 2)
}
