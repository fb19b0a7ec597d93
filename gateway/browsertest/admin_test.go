//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The admin view, with a question that waits and one that was answered, in every light.
func TestTheAdminViewIsAccessibleAndShowsWhatWaits(t *testing.T) {
	held := make(chan struct{})
	defer close(held)
	s := newSite(t, "", guide(t, held), configured(t, map[string]string{"gateway.json": guideConfig, "apps/travel.json": guideApp}))
	p := openChatPage(t, s, "", 1200)
	p.write("ask me")
	p.until("find('#question')")
	p.do(chromedp.Navigate(s.url + "/admin"))
	p.until("document.body.innerText.includes('travel')")
	p.settled()
	for _, look := range []struct {
		name           string
		width          int64
		feature, value string
	}{
		{"light", 1200, "prefers-color-scheme", "light"},
		{"dark", 1200, "prefers-color-scheme", "dark"},
		{"narrow", 320, "prefers-color-scheme", "light"},
		{"forced", 640, "forced-colors", "active"},
	} {
		p.resize(look.width)
		p.media(look.feature, look.value)
		name := "admin-" + look.name
		p.accessible(name)
		p.fits(name)
		p.shot(name)
	}
	if text := eval[string](p, "document.body.innerText"); strings.Contains(text, "NaN") || strings.Contains(text, "undefined") || strings.Contains(text, "admin.") {
		t.Errorf("the page shows %.500q", text)
	}
}
