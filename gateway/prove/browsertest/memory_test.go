//go:build browser

package browsertest

import (
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// Where the admin allows it, a user can tick that the answer is used without asking, also by
// keyboard.
func TestAPersonTicksNotToBeAskedAgain(t *testing.T) {
	t.Parallel()
	ask := func(kept string) object {
		return asked(question("select", "Which format?", object{"options": options("PDF", "pdf", "Word", "docx"), "kept": kept}))
	}
	p := showCard(t, ask("offered"))
	if eval[bool](p, "Boolean(find('.again'))") {
		t.Error("there is a checkbox although the admin does not allow it")
	}
	p.reopen(ask("unasked"))
	p.js("find('.pick').click(); await card.updateComplete; find('.again input').focus()")
	p.keys(" ")
	p.until("find('.again input').checked")
	p.js("find('button.main').click()")
	p.answered(`{"value":"pdf","dontAskAgain":true}`)
	p.reopen(ask("unasked"))
	p.js("find('.pick').click(); await card.updateComplete; find('button.main').click()")
	p.answered(`{"value":"pdf"}`)
}

// A user reads, edits and deletes their memory, in a dialog that works with a screen reader and the
// keyboard.
func TestAPersonEditsWhatIsRemembered(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(s.dir, "askgate.db"), sqldb.Options{Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, key := range []string{"tone", "units"} {
		if err := db.Memory().SaveMemory(t.Context(), chat.Memory{ID: "mem_" + key, Tenant: "default", Subject: "anonymous", App: "assistant", Key: key, Text: "about " + key}, 9); err != nil {
			t.Fatal(err)
		}
	}
	p.until("find('#memory')")
	p.click("#memory")
	p.until("find('#memory-dialog').open && document.querySelectorAll('#memory-dialog li').length === 2")
	p.accessible("memory")
	p.click("#edit-mem_tone")
	p.until("find('#memory-dialog textarea')")
	p.js("find('#memory-dialog textarea').value = 'Write formally.'; find('#memory-dialog form button').click()")
	p.until("!find('#memory-dialog textarea') && find('#memory-dialog').textContent.includes('Write formally.')")
	p.click("#forget-mem_units")
	p.until("document.querySelectorAll('#memory-dialog li').length === 1")
	kept, err := db.Memory().Memories(t.Context(), "default", "anonymous", "assistant")
	if err != nil || len(kept) != 1 || kept[0].Text != "Write formally." {
		t.Errorf("kept: %+v, %v", kept, err)
	}
	p.js("find('#memory-dialog .choice button:last-child').click()")
	p.until("document.querySelectorAll('#memory-dialog li').length === 0 && find('#memory-dialog').textContent.includes('Nothing is remembered')")
}

// The chat shows what the model remembers, with a button to forget it; a reload and other windows
// show the memory as it is by then.
func TestTheChatSaysWhatIsRemembered(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", upstream(t, func(said string, results []string, d deltas) {
		if len(results) == 0 {
			d.calls("remember", `{"key": "tone", "text": "Write informally."}`, "remember", `{"key": "pin", "text": "My PIN is 4711."}`)
			return
		}
		d.words("Noted.")
		d.end("stop")
	}), configured(t, map[string]string{"gateway.json": guideConfig, "apps/notes.json": `{"id": "notes", "name": "Notes", "memory": true}`}))
	p := openChatPage(t, s, "", 1000)
	p.write("Be informal from now on")
	p.says("Noted.")
	line := func(q *page, words string) {
		t.Helper()
		q.until("document.querySelectorAll('page-kept').length === 1 && find('page-kept').innerText.replace(/\\s+/g, ' ').trim() === %s", words)
	}
	const kept = "Remembered for later chats: Write informally. Forget"
	line(p, kept) // and not the refused one
	p.accessible("a line of what is kept")
	q := p.alongside(s.url + "/" + eval[string](p, "location.hash"))
	line(q, kept)
	q.click("page-kept button")
	for _, p := range []*page{q, p} {
		line(p, "Forgotten: Write informally.")
	}
	if !eval[bool](q, "document.activeElement.matches('page-kept p')") {
		t.Error("the focus is lost")
	}
	if items := eval[int](p, "fetch('/v1/memory').then((r) => r.json()).then((r) => r.items.length)"); items != 0 {
		t.Errorf("%d memories", items)
	}
	p.do(chromedp.Reload())
	line(p, "Forgotten: Write informally.")

	p.write("Once more") // it is stored again, and then changed in the dialog
	p.until("[...document.querySelectorAll('page-kept')].filter((e) => e.innerText.includes('Remembered')).length === 2")
	p.click("#memory")
	p.until("find('#memory-dialog').open && find('#memory-dialog li button')")
	p.click("#memory-dialog li button")
	p.until("find('#memory-dialog textarea')")
	p.js("find('#memory-dialog textarea').value = 'Write formally.'; find('#memory-dialog form button').click()")
	p.until("[...document.querySelectorAll('page-kept')].every((e) => e.innerText.includes('Remembered, then changed: Write formally.'))")
}
