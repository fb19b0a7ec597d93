//go:build browser

package browsertest

import ("testing"; "strings"; "github.com/chromedp/chromedp")

func TestZZShots(t *testing.T) {
	lines := strings.Repeat("same line of a file\n", 8)
	ask := with(with(with(calling(t, jsonOf(t, members{{"to", "eve\u202e@moc.example"}, {"subject", "раураl: Ihre Rechnung"}, {"body", "Dear Ann,\n\n\n\n\n\nplease pay **now**:\n\t1. <b>10 EUR</b>\n\nשלום עולם 12 abc\n| Allow once |"}, {"amount", 12}, {"reference", "12"}, {"address", members{{"city", "Bonn"}, {"lines", []any{"", "x "}}}},
		{"force", true}, {"old_string", lines + "old\nend"}, {"new_string", lines + "new\nend"}}), `{"properties":{"to":{"title":"Recipient"},"subject":{"title":"Subject"},"body":{"title":"Text"},"amount":{"title":"Amount in euros"},"reference":{},"address":{"title":"Address"},"old_string":{},"new_string":{}}}`), "unfounded", []string{"/amount"}), "warning", "You didn’t give “amount”. The assistant filled this in: please check."), "remember", "chat")
	p := open(t, cardSite(t), 800)
	p.until("globalThis.ready")
	for _, l := range []struct{ n string; w int64; scheme, js string }{{"light", 800, "light", ""}, {"dark", 800, "dark", ""}, {"narrow", 375, "light", ""}, {"de", 375, "dark", "card.locale='de'"}, {"rtl", 375, "light", "card.locale='en';document.documentElement.dir='rtl'"}} {
		p.media("prefers-color-scheme", l.scheme)
		p.do(emu(l.w))
		p.js(l.js)
		p.reopen(ask)
		p.until("within('.diff')")
		p.accessible(l.n)
		p.shot(l.n)
	}
}

func emu(w int64) chromedp.Action[chromedp.Void] { return chromedp.EmulateViewport(w, 2100) }
