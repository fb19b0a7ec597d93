//go:build browser

package browsertest

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// sends sends a message as a page of the AI SDK does, and returns the chat that took it. The same
// id with another text is an edit, which begins a branch.
func (s *site) sends(chat, id, text string) string {
	s.t.Helper()
	took, _ := s.sendsBehind("", chat, id, text)
	return took
}

// sendsBehind sends it after the message that asked, unless that is "", and also returns the
// message that asks.
func (s *site) sendsBehind(asked, chat, id, text string) (took, asks string) {
	s.t.Helper()
	body := fmt.Sprintf(`{"id":%q,"messages":[%s{"id":%q,"role":"user","parts":[{"type":"text","text":%q}]}],"messageId":%q}`, chat, asked, id, text, id)
	r, err := http.Post(s.target.String()+"/v1/apps/assistant/ai-sdk", "application/json", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	stream, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != 200 {
		s.t.Fatal(r.Status, err)
	}
	if of, call := messageID.FindSubmatch(stream), callID.FindSubmatch(stream); of != nil && call != nil {
		asks = fmt.Sprintf(`{"id":%q,"role":"assistant","parts":[{"type":"tool-ask_user","toolCallId":%q,"state":"input-available","input":{}}]},`, of[1], call[1])
	}
	return r.Header.Get("X-Chat-Id"), asks
}

var messageID, callID = regexp.MustCompile(`"messageId":"([^"]+)"`), regexp.MustCompile(`"toolCallId":"([^"]+)"`)

// TestBranchesPartWhereTheyDiffer: at the question that was answered differently, in each branch,
// and after everything that they have in common.
func TestBranchesPartWhereTheyDiffer(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	_, asked := s.sendsBehind("", "c1", "u1", "select")
	s.sendsBehind(asked, "c1", "u2", "French")
	branch, _ := s.sendsBehind(asked, "c1", "u2", "Spanish")
	if branch == "c1" {
		t.Fatal("no branch")
	}
	for at, id := range map[string]string{"1 of 2": "c1", "2 of 2": branch} {
		p := openChatPage(t, s, "#assistant/"+id, 1000)
		p.until("find('.branches span')?.textContent === %s && find('.parting').previousElementSibling.querySelector('askgate-clarification') && !find('.forked')", at)
		p.until("document.querySelectorAll('.parting').length === 1 && document.querySelectorAll('#side nav li').length === 1")
	}
	// Without the chat that its client knows, one branch is left, and there is nothing to choose.
	s.call("DELETE", "/v1/apps/assistant/chats/c1", "", nil)
	p := openChatPage(t, s, "#assistant/"+branch, 1000)
	p.until("log().length > 2 && !find('.branches') && !find('.forked') && document.querySelectorAll('#side nav li').length === 1")
}

// TestAStepIsTakenWhileTheChatChanges: a change in the open chat, here a typed letter, happens
// between the new address and the event that announces it.
func TestAStepIsTakenWhileTheChatChanges(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", answers(t, "Fine."))
	s.sends("c1", "u1", "hello")
	branch := s.sends("c1", "u1", "hello there")
	p := openChatPage(t, s, "#assistant/c1", 1000)
	const types = "; find('#message').dispatchEvent(new Event('input'))"
	p.until("find('.next:enabled') && find('#message')")
	p.js("find('.next').click()" + types)
	p.until("location.hash === '#assistant/" + branch + "' && log()[0] === 'hello there' && find('.previous:enabled') && find('#message')")
	p.js("find('#inbox-button').click()" + types)
	p.until("location.hash === '#/inbox' && find('#inbox')")
}

// TestBranchesOfAClientAreOneChat: they have one entry in the list, which leads to the branch in which
// a question waits, otherwise to the branch that was written to last. They have a control where they
// part, and are deleted together.
func TestBranchesOfAClientAreOneChat(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.sends("c1", "u1", "select")
	p := openChatPage(t, s, "#assistant/c1", 1000)
	const entries, entry, at = "document.querySelectorAll('#side nav li').length", "document.querySelector('#chat-c1')", "find('.branches span').textContent"
	p.until("find('.title') && " + entries + " === 1 && !find('.branches')")

	// Its client edits the message while the page is open.
	branch := s.sends("c1", "u1", "number")
	p.until(at + " === '1 of 2' && " + entries + " === 1 && " + entry + ".hash === '#assistant/" + branch + "' && " + entry + ".ariaCurrent === 'page' && " + entry + ".querySelector('.waits')")
	p.until("find('.parting').previousElementSibling.matches('.user') && log()[0] === 'select' && find('.previous').disabled")

	// The other branch, by keyboard, and the question that waits in it.
	p.until("(find('.next').focus(), document.activeElement.matches('.next'))")
	p.keys(kb.Enter)
	p.until("location.hash === '#assistant/" + branch + "' && log()[0] === 'number' && " + at + " === '2 of 2' && !find('.forked')")
	p.until("document.activeElement.matches('.previous') && document.activeElement.ariaLabel === 'Previous branch' && find('#news').textContent.includes('2 of 2')")
	p.do(chromedp.Reload())
	p.until(at + " === '2 of 2' && " + entries + " === 1 && log()[0] === 'number' && find('#input')")
	p.start()
	p.keys("7", kb.Enter)
	p.says("You answered: 7")
	p.idle()

	// A question waits in the branch that is not shown: the entry and the inbox lead to it.
	p.until(entry + ".hash === '#assistant/c1' && " + entry + ".querySelector('.waits') && " + entry + ".ariaCurrent === 'page'")
	p.click("#inbox-button")
	p.until("find('#inbox a.to-chat').hash === '#assistant/c1'")
	p.click("#chat-c1")
	p.until("location.hash === '#assistant/c1' && find('.title')?.textContent.includes('Which language') && " + at + " === '1 of 2'")
	p.start()
	p.keys("5", "Latin", kb.Enter)
	p.says("You answered: Other: Latin")
	p.idle()
	p.until(entry + ".hash === '#assistant/c1' && !" + entry + ".querySelector('.waits')")

	// It is written to elsewhere; a fork that is made here is another branch.
	s.sends(branch, "u3", "hello")
	p.until(entry + ".hash === '#assistant/" + branch + "'")
	p.pushes("Regenerate")
	p.until("location.hash.includes('/fork-') && !find('.forked') && " + at + " === '3 of 3' && " + entries + " === 1")
	p.until(entry + ".hash === location.hash && " + entry + ".querySelector('.waits')")
	own := eval[string](p, "location.hash.split('/')[1]")

	// On a phone.
	q := openChatPage(t, s, "#assistant/c1", 375)
	q.until(at + " === '1 of 3'")
	q.until("document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll('.branches button')].every((b) => b.getBoundingClientRect().height >= 44 && b.getBoundingClientRect().right <= innerWidth)")
	q.shot("branches-375")

	// The entry is renamed, and deleted, with all branches.
	p.js(entry + ".focus()")
	p.keys(kb.F2)
	p.until("document.activeElement.id === 'chat-title'")
	p.js("document.activeElement.select()")
	p.keys("Both" + kb.Enter)
	p.until("document.activeElement === " + entry + " && " + entry + ".textContent.trim() === 'Both'")
	for _, id := range []string{"c1", branch, own} {
		if _, got := s.call("GET", "/v1/apps/assistant/chats/"+id, "", nil); got["title"] != "Both" {
			t.Errorf("%s is called %v", id, got["title"])
		}
	}
	p.js(entry + ".parentElement.querySelector('.more').click()")
	p.until("find('#chat-menu').matches(':popover-open')")
	p.click("#delete-chat")
	p.until("find('#erase-dialog').open && find('#erase-dialog').textContent.includes('all 3 of its branches')")
	p.click("#erase-dialog .danger")
	p.until("!find('#erase-dialog').open && " + entries + " === 0 && !" + entry)
	for id, want := range map[string]int{"c1": 404, branch: 404, own: 404} {
		if status, _ := s.call("GET", "/v1/apps/assistant/chats/"+id, "", nil); status != want {
			t.Errorf("%s: %d", id, status)
		}
	}
}

// TestTheControlForBranchesIsAccessible in each color scheme and width, by pointer and keyboard, with
// names that a screen reader reads.
func TestTheControlForBranchesIsAccessible(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", answers(t, "Fine."))
	s.sends("c1", "u1", "hello")
	s.sends("c1", "u1", "hello there")
	last := s.sends("c1", "u1", "good morning")
	p := openChatPage(t, s, "#assistant/"+last, 1280)
	p.until("find('.branches span')?.textContent === '3 of 3' && find('#message')")
	p.js("find('.previous').click()")
	p.until("find('.branches span')?.textContent === '2 of 3' && document.activeElement.matches('.previous:enabled') && !find('.latest')")
	for _, look := range []struct {
		name           string
		width          int64
		feature, value string
		dir            string
	}{
		{"light", 1280, "prefers-color-scheme", "light", "ltr"},
		{"dark", 1280, "prefers-color-scheme", "dark", "ltr"},
		{"phone", 360, "prefers-color-scheme", "light", "ltr"},
		{"phone-dark", 360, "prefers-color-scheme", "dark", "ltr"},
		{"phone-rtl", 320, "prefers-color-scheme", "dark", "rtl"},
		{"forced", 1280, "forced-colors", "active", "ltr"},
	} {
		name := "branches-" + look.name
		p.resize(look.width)
		p.media(look.feature, look.value)
		p.js("document.documentElement.dir = %s; for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame)", look.dir)
		p.js("find('.previous').focus()")
		p.keys(kb.Tab)
		p.until("document.activeElement.matches('.branches .next:focus-visible') && getComputedStyle(document.activeElement).outlineWidth === '2px'")
		if space := eval[float64](p, "(() => { const [text, ring] = ['span', '.next'].map((s) => find('.branches ' + s).getBoundingClientRect()); return document.documentElement.dir === 'rtl' ? text.left - ring.right : ring.left - text.right })()"); space < 4 {
			t.Errorf("%s: the focus ring covers the number: %g px", name, space)
		}
		p.accessible(name)
		p.fits(name)
		p.shot(name)
		p.largeEnough(name)
	}
	if tree := eval[string](p, `[find('.branches'), ...document.querySelectorAll('.branches button')].map((e) => (e.getAttribute('role') ?? 'button') + ' ' + e.ariaLabel).join(', ')`); tree != "group Branches of this chat, button Previous branch, button Next branch" {
		t.Errorf("the control is read as %s", tree)
	}
}
