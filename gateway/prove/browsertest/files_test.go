//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// fileHelpers: choose and drop give the card files of a name and a size; sending are the uploads of
// a page, which a test controls; held returns the element that has the focus.
const fileHelpers = `globalThis.given = (files) => { const d = new DataTransfer(); for (const [name, size, type] of files) d.items.add(new File(["x".repeat(size)], name, {type: type ?? "text/csv"})); return d; };
globalThis.choose = async (...files) => { const i = find("#input"); i.focus(); i.files = given(files).files; i.dispatchEvent(new Event("change", {bubbles: true})); await card.updateComplete; };
globalThis.drop = async (...files) => { const e = new DragEvent("drop", {bubbles: true, cancelable: true, composed: true, dataTransfer: given(files)}); find(".file").dispatchEvent(e); await card.updateComplete; return e.defaultPrevented; };
globalThis.sending = [];
globalThis.sender = (id, file, {signal}) => new Promise((done, fail) => sending.push({id, name: file.name, signal, fail, done: () => done({fileId: "fil_" + "a".repeat(26), name: file.name, type: "text/csv", size: file.size})}));
globalThis.held = () => { const e = card.shadowRoot.activeElement; return e ? e.id || e.textContent.trim() : ""; };
globalThis.news = () => find(".unseen[role=status]").textContent;`

// fileCard opens a card on a page whose uploads the test controls.
func fileCard(t *testing.T, questions ...object) *page {
	t.Helper()
	p := showCard(t, nil)
	p.js(fileHelpers + "card.uploadFile = sender")
	p.set("clarification", asked(questions...))
	return p
}

func (p *page) is(js, want string) {
	p.t.Helper()
	if got := eval[string](p, js); got != want {
		p.t.Errorf("%s: %q, want %q", js, got, want)
	}
}

const prices = `["prices.csv", 1200]`

// A user who cannot see the card hears each step, and the focus is never lost, nor taken from a
// user who has moved on.
func TestAFileIsSentCancelledAndRemovedByKeyboard(t *testing.T) {
	t.Parallel()
	p := fileCard(t, question("file", "Which prices?", object{"accept": []string{".csv"}, "maxBytes": 2000, "allow_skip": true}))
	p.accessible("a file field")
	p.is(`find(".hint").textContent.trim()`, ".csv, up to 2 kB")
	p.js("await choose(" + prices + ")")
	p.is("held() + '; ' + find('#focus-file').textContent + '; ' + news()", "focus-file; Cancel; Uploading prices.csv …")
	p.accessible("a file on its way")
	p.keys(" ") // cancel
	p.until("sending[0].signal.aborted && held() === 'input'")
	p.js("await choose(" + prices + "); sending[1].done()")
	p.until("find('#focus-file')?.textContent === 'Remove' && held() === 'focus-file' && news() === 'prices.csv uploaded'")
	p.is("find('.file span').textContent", "prices.csv (1.2 kB)")
	p.accessible("a file that is there")
	p.keys(" ") // remove
	p.until("held() === 'input'")
	p.js("find('button.main').click(); await card.updateComplete")
	p.is("find('#error-value').textContent + answers.length", "Answer this question.0")
	// The user writes a note in the meantime: the focus stays in it.
	p.js("await choose(" + prices + "); [...card.shadowRoot.querySelectorAll('button')].find((b) => b.textContent.includes('note')).click(); await card.updateComplete; find('#note').focus(); sending[2].done()")
	p.until("find('#focus-file')?.textContent === 'Remove'")
	p.is("held()", "note")
	p.js("find('button.main').click()")
	p.until("answers.length === 1 && answers[0].value === 'fil_' + 'a'.repeat(26)")
}

// An invalid file is reported before it is sent, and a refusal by the gateway in the gateway's
// words.
func TestARefusedFileShowsTheReason(t *testing.T) {
	t.Parallel()
	p := fileCard(t, question("file", "Which prices?", object{"maxBytes": 2000}))
	for _, c := range []struct{ does, want string }{
		{`await choose(["big.csv", 2001])`, "This file is too large (limit 2 kB)."},
		{`await choose(["big.csv", 2500000])`, "This file is too large (limit 2 kB)."},
		{`await drop(["a.csv", 1], ["b.csv", 1])`, "Only one file is accepted."},
		{`await choose(["a.csv", 1]); sending.at(-1).fail({status: 415, detail: "Files of the type text/html are not taken here."})`, "Files of the type text/html are not taken here."},
		{`await choose(["a.csv", 1]); sending.at(-1).fail({status: 0, detail: "Failed to fetch"})`, "The file was not uploaded. Try again."},
	} {
		p.js(c.does)
		p.until("news() === %s && find('#error-file')?.textContent === news() && held() === 'input' && find('#input').ariaInvalid === 'true'", c.want)
		p.js("find('#input').focus()")
	}
	p.is("'' + sending.length", "2")
	p.js(`await drop(["a.csv", 1])`)
	p.until("!find('#error-file') && find('#focus-file').textContent === 'Cancel'")
	p.js("sending.at(-1).done()")
	p.until("find('#focus-file').textContent === 'Remove'")
	// A file dropped onto the existing one replaces it, unless it is refused.
	if !eval[bool](p, `drop(["big.csv", 9000])`) {
		t.Error("the browser opens what is dropped onto a file")
	}
	p.is("find('.file span').textContent", "a.csv (1 byte)")
	p.js(`await drop(["b.csv", 2]); sending.at(-1).done()`)
	p.until("find('.file span').textContent === 'b.csv (2 byte)'")
}

// An upload belongs to its question: another one in the same card shows neither the upload nor its
// error.
func TestAnUploadEndsWithItsQuestion(t *testing.T) {
	t.Parallel()
	ask := question("file", "Which prices?", object{"allow_skip": true})
	p := fileCard(t, ask)
	next := asked(question("file", "And which names?", nil))
	next["clarificationId"] = "clr_2"
	p.js("await choose(" + prices + ")")
	p.set("clarification", next)
	p.js("sending[0].done(); await 0; await card.updateComplete; await card.updateComplete")
	p.is("sending[0].signal.aborted + find('#title').textContent + (find('#input')?.type ?? find('.file').textContent)", "trueAnd which names?file")
	p.js("await choose(" + prices + "); card.state = 'expired'; await card.updateComplete")
	p.is("'' + sending[1].signal.aborted", "true")
	// If the question is skipped during the upload, the file does not come back.
	p.reopen(asked(ask, question("text", "Why?", nil)))
	p.js("await choose(" + prices + "); find('.aside .quiet').click(); await card.updateComplete")
	p.is("'' + sending[2].signal.aborted", "true")
	// The review shows the file's name, not its id.
	p.reopen(asked(ask, question("text", "Why?", object{"allow_skip": true})))
	p.js("await choose(" + prices + "); sending[3].done()")
	p.until("find('#focus-file')?.textContent === 'Remove'")
	p.js("find('button.main').click(); await card.updateComplete; await card.updateComplete; find('.aside .quiet').click(); await card.updateComplete")
	p.is("find('.review .answer').textContent", "prices.csv (1.2 kB)")
}

// End to end on the chat page: chosen, refused, dropped, kept over a reload, sent, and present as a
// link in the transcript, before and after a reload, for the owner only.
func TestAFileAnswersOnTheChatPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", upstream(t, func(said string, results []string, d deltas) {
		if len(results) == 0 {
			d.calls("ask_user", `{"question": "Which prices?", "input_type": "file", "accept": [".csv"], "maxBytes": 2000}`)
			return
		}
		d.words("Thank you for " + strings.Fields(results[0])[0])
		d.end("stop")
	}))
	p := openChatPage(t, s, "", 1000)
	p.write("import my prices")
	p.until("find('#input')?.type === 'file'")
	p.js(fileHelpers)
	p.accessible("a file question")
	p.js(`find("#input").files = given([["page.csv", 0]]).files; const d = new DataTransfer(); d.items.add(new File(["%PDF-1.7\n1 0 obj"], "prices.csv", {type: "text/csv"})); find("#input").files = d.files; find("#input").dispatchEvent(new Event("change"))`)
	p.until("find('#error-file')?.textContent.includes('pdf')")
	p.js(`const d = new DataTransfer(); d.items.add(new File(["name,price\nü,1\n"], "prices <b>.csv", {type: "text/csv"})); find(".file").dispatchEvent(new DragEvent("drop", {bubbles: true, cancelable: true, composed: true, dataTransfer: d}))`)
	p.until("find('#focus-file')?.textContent === 'Remove' && find('.file span').textContent.startsWith('prices <b>.csv (')")
	reload := func() {
		p.do(chromedp.Reload())
		p.until("document.querySelector('askgate-clarification')")
	}
	reload()
	p.until("find('.file span')?.textContent.startsWith('prices <b>.csv (')")
	p.js("find('button.main').click()")
	p.says("Thank you for")
	const link = `document.querySelector(".transcript askgate-clarification").shadowRoot.querySelector(".answer a")`
	for range 2 {
		p.until(link + "?.textContent === 'prices <b>.csv (16 byte)'")
		p.is(`fetch(`+link+`.href).then(async (r) => [r.status, r.headers.get("content-disposition"), await r.text()].join(" "))`,
			"200 attachment; filename*=UTF-8''prices%20%3Cb%3E.csv name,price\nü,1\n")
		if eval[bool](p, "Boolean(document.querySelector('[data-change^=clr_]'))") {
			t.Error("another file can be sent, although no question waits for it")
		}
		reload()
	}
}
