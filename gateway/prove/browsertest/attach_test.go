//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// attachHelpers choose, paste and drop files of [name, content, type]; a picture is one pixel.
const attachHelpers = `globalThis.pixel = Uint8Array.from(atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="), (c) => c.charCodeAt(0));
	globalThis.given = (files) => { const d = new DataTransfer(); for (const [name, content, type] of files) d.items.add(new File([content], name, {type})); return d; };
	globalThis.choose = (...files) => { const input = document.querySelector("#files"); input.files = given(files).files; input.dispatchEvent(new Event("change")); };
	globalThis.paste = (...files) => document.querySelector("#message").dispatchEvent(new ClipboardEvent("paste", {bubbles: true, cancelable: true, clipboardData: given(files)}));
	globalThis.drop = (...files) => document.querySelector("main").dispatchEvent(new DragEvent("drop", {bubbles: true, cancelable: true, dataTransfer: given(files)}));
	globalThis.chips = () => [...document.querySelectorAll(".chips .chip")].map((c) => c.innerText.replace(/\s+/g, " ").trim() + (c.querySelector("progress") ? " …" : "")).join(" | ");
	globalThis.sent = () => [...document.querySelectorAll(".transcript .user")].map((i) => [...i.querySelectorAll(".sent .name, .bubble")].map((n) => n.textContent).join("+")).join(" | ");
	true`

// Files of a message on the chat page: chosen, pasted and dropped, refused, kept over a reload,
// sent and shown, including the failures on the way.
func TestFilesComeWithAMessage(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", configured(t, map[string]string{
		"apps/reader.json": `{"id": "reader", "name": "Reader", "attachments": {"maxFiles": 3, "maxBytes": 2000, "accept": ["text/*", "image/*"]}}`,
		"apps/plain.json":  `{"id": "plain", "name": "Plain"}`,
	}), upstream(t, func(said string, _ []string, d deltas) {
		d.words("You sent " + strings.ReplaceAll(said, "\n", " / "))
		d.end("stop")
	}))
	p := openChatPage(t, s, "", 1000)
	p.until("find('#message')")
	p.is("'' + Boolean(find('#attach'))", "false")
	p.js("find('#app').value = 'reader'; find('#app').dispatchEvent(new Event('change'))")
	p.until("find('#attach')")
	p.js(attachHelpers)

	p.js(`choose(["notes <b>.txt", "first\nsecond"])`)
	p.js(`paste(["image.png", pixel, "image/png"])`)
	p.js(`drop(["evil.txt", "%PDF-1.7\n1 0 obj"], ["one more.txt", "x"])`)
	p.until("!chips().includes('…') && chips().startsWith('notes <b>.txt 12 byte | image.png 70 byte | evil.txt 16 byte Files of type application/pdf are not accepted here')")
	p.until("find('.chip-note').textContent === 'one more.txt was not attached: the limit is 3 files per message.'")
	p.accessible("files to send")
	p.js("find('#message').focus()")
	p.keys("Read this", kb.Enter) // not while one is missing
	p.until("find('#trouble').textContent.includes('a file was not uploaded') && find('#message').value === 'Read this'")
	p.resize(375)
	p.fits("files to send")
	p.shot("attach-375")
	p.resize(1000)
	p.js("[...document.querySelectorAll('.chips .remove')].at(-1).focus()")
	p.keys(kb.Enter)
	p.until("chips() === 'notes <b>.txt 12 byte | image.png 70 byte' && !find('#trouble').textContent && document.activeElement.id === 'message'")
	p.do(chromedp.Reload())
	p.until("find('#app')")
	p.js("find('#app').value = 'reader'; find('#app').dispatchEvent(new Event('change'))") // before the chat has begun, no address contains the app
	p.until("find('#message')?.value === 'Read this'")
	p.js(attachHelpers)
	p.until("chips() === 'notes <b>.txt 12 byte | image.png 70 byte'")
	p.js("find('#message').focus()")
	p.keys(kb.Enter)
	p.says(": / first / second")
	p.idle()
	for range 2 {
		p.until("sent() === 'notes <b>.txt+image.png+Read this' && chips() === '' && find('#message').value === ''")
		p.until("find('.sent img')?.naturalWidth === 1")
		p.is("fetch(document.querySelector('.sent .chip').href).then(async (r) => r.headers.get('content-disposition').split(';')[0] + ' ' + await r.text())", "attachment first\nsecond")
		p.shot("attach-sent")
		p.accessible("files that were sent")
		p.do(chromedp.Reload())
		p.until("find('.sent')")
		p.js(attachHelpers)
	}

	// Another chat, and back.
	p.js(`choose(["waits.txt", "waits"])`)
	p.until("chips() === 'waits.txt 5 byte'")
	p.js("globalThis.chat = location.hash; find('#new').click()")
	p.until("find('.greeting') && chips() === ''")
	p.js("location.hash = chat")
	p.until("chips() === 'waits.txt 5 byte'")
	p.js("find('.chips .remove').click()")

	// Sending waits for uploads; a failed upload can be retried, and nothing typed is lost.
	p.js(`globalThis.whole = XMLHttpRequest.prototype.send; XMLHttpRequest.prototype.send = function (body) { globalThis.release = () => whole.call(this, body); globalThis.lose = () => this.onerror(); }; choose(["slow.txt", "slow"])`)
	p.until("chips() === 'slow.txt 4 byte …'")
	p.js("find('#message').focus()")
	p.keys("Wait for it", kb.Enter)
	p.until("find('#send-hint').textContent.includes('when the files have been uploaded')")
	p.js("lose()")
	p.until("find('#trouble').textContent.includes('a file was not uploaded') && chips().includes('The file was not uploaded. Try again.') && find('#message').value === 'Wait for it'")
	p.js("find('.chip button').click()")
	p.until("chips() === 'slow.txt 4 byte …'")
	p.js("find('#message').focus()")
	p.keys(kb.Enter)
	p.until("find('#send-hint').textContent.includes('when the files have been uploaded')")
	p.js("release()")
	p.says("slow.txt (text/plain, 4 bytes)")
	p.idle()

	// A file that no longer exists is named, and the rest is sent without it.
	p.js(`XMLHttpRequest.prototype.send = whole; choose(["gone.txt", "gone"], ["kept.txt", "kept"])`)
	p.until("chips() === 'gone.txt 4 byte | kept.txt 4 byte'")
	p.js(`const { files } = JSON.parse(Object.entries(sessionStorage).find(([name]) => name.startsWith("askgate:files:"))[1]);
		await fetch("/v1/apps/reader/chats/" + location.hash.split("/")[1] + "/files/" + files[0].fileId, {method: "DELETE"})`)
	p.js("find('#message').focus()")
	p.keys("Both", kb.Enter)
	p.until("chips().startsWith('gone.txt 4 byte This file no longer exists') && find('#message').value === 'Both'")
	p.js("find('.chips .remove').click()")
	p.until("chips() === 'kept.txt 4 byte'")
	p.js("find('#message').focus()")
	p.keys(kb.Enter)
	p.says("Text of kept.txt")
	p.until("sent().endsWith('slow.txt+Wait for it | kept.txt+Both')")
}

// A duplicated tab has a copy of the other's state: the files, and the chat that they were sent to,
// stay the other's.
func TestADuplicatedTabHasAChatOfItsOwn(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", configured(t, map[string]string{"apps/reader.json": `{"id": "reader", "name": "Reader", "attachments": {"maxFiles": 3}}`}), answers(t, "Read."))
	p := openChatPage(t, s, "", 1000)
	p.until("find('#attach')")
	p.js(attachHelpers)
	p.js(`choose(["mine.txt", "mine"])`)
	p.until("chips() === 'mine.txt 4 byte'")
	copied := eval[object](p, "({...sessionStorage})")
	q := p.another(s.url + "/assets/icon.svg")
	q.js("Object.assign(sessionStorage, %s)", copied)
	q.visit(s.url)
	q.until("find('#attach')")
	q.js(attachHelpers)
	q.is("chips()", "")
	q.write("from the copy")
	q.says("Read.")
	p.js("find('#message').focus()")
	p.keys("from the first", kb.Enter)
	p.says("Read.")
	p.until("sent() === 'mine.txt+from the first'")
	q.until("sent() === 'from the copy'")
}
