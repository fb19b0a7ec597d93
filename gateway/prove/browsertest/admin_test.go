//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The admin view, with a question that waits and one that was answered, in every color scheme.
func TestTheAdminViewIsAccessibleAndShowsWhatWaits(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	defer close(held)
	s := newSite(t, "", guide(t, held), configured(t, map[string]string{"gateway.json": guideConfig, "apps/travel.json": guideApp}))
	p := openChatPage(t, s, "", 1200)
	p.write("ask me")
	p.until("find('#question')")
	const version = `(id) => /^AskGate \S/.test(document.querySelector(id)?.textContent)`
	p.until("(" + version + ")('#about')")
	p.do(chromedp.Navigate(s.url + "/admin"))
	p.until("document.body.innerText.includes('travel')")
	p.until("(" + version + ")('#version')")
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

// An admin with only the role admin sees that texts are hidden, and which role shows them.
func TestTheAdminViewHidesWhatIsAskedFromThoseWhoMayNotReadIt(t *testing.T) {
	t.Parallel()
	const admin, reader = "ag_browser_test_admin_0123456789", "ag_browser_test_reader_0123456789"
	held := make(chan struct{})
	defer close(held)
	keys := `{"audit": {"enabled": true}, "auth": {"mode": "apiKeys", "keys": [
		{"id": "a", "hash": "` + hashOf(admin) + `", "tenant": "acme", "subject": "root", "roles": ["admin"]},
		{"id": "r", "hash": "` + hashOf(reader) + `", "tenant": "acme", "subject": "reader", "roles": ["admin", "admin:texts"]}]}, `
	s := newSite(t, "", guide(t, held), configured(t, map[string]string{"gateway.json": strings.Replace(guideConfig, "{", keys, 1), "apps/travel.json": guideApp}))
	p := openChatPage(t, s, "", 1200)
	p.until("find('#key')")
	p.js("find('#key').focus()")
	p.keys(reader, kb.Enter)
	p.write("ask me")
	p.until("find('#question')")
	question := eval[string](p, "find('.title').textContent.trim()")

	if !eval[bool](p, `(async () => (await fetch("/v1/session", {method: "DELETE"})).ok)()`) { // it would be enough for the view as well
		t.Fatal("not signed out")
	}
	p.do(chromedp.Navigate(s.url + "/admin"))
	signIn := func(key string) {
		p.until("document.querySelector('#key') && !document.querySelector('#key').hidden")
		p.js("document.querySelector('#key-input').focus()")
		p.keys(key, kb.Enter)
		p.until("document.querySelector('#pending tbody tr') && document.querySelector('#report tbody tr')")
	}
	signIn(admin)
	if text := eval[string](p, "document.querySelector('#report').innerText"); !strings.Contains(text, "hidden") || strings.Contains(text, question) {
		t.Errorf("an admin's report has %q", text)
	}
	if text := eval[string](p, "document.querySelector('#pending').innerText"); !strings.Contains(text, "hidden") || !strings.Contains(text, "admin:texts") || strings.Contains(text, question) {
		t.Errorf("an admin sees %q", text)
	}
	if text := eval[string](p, "document.querySelector('#faults').innerText"); !strings.Contains(text, "The audit is on, without texts.") {
		t.Errorf("the configuration is shown as %q", text)
	}
	p.accessible("admin-hidden")
	p.shot("admin-hidden")
	p.click("#sign-out")
	signIn(reader)
	if text := eval[string](p, "document.querySelector('#pending').innerText"); strings.Contains(text, "hidden") || !strings.Contains(text, question) {
		t.Errorf("an admin who may read texts sees %q, not %q", text, question)
	}
	if text := eval[string](p, "document.querySelector('#report').innerText"); !strings.Contains(text, question) || strings.Contains(text, "undefined") {
		t.Errorf("the report of an admin who may read texts has %q, not %q", text, question)
	}
	p.js("document.querySelector('#questions').scrollIntoView()")
	p.shot("admin-report")
}
