//go:build browser

package browsertest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// early runs a script in each further document of this window, before the scripts of the page.
func (p *page) early(script string) {
	p.t.Helper()
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return chromedp.Void{}, err
	})
}

// frame lets the page draw a little.
func (p *page) frame() {
	p.t.Helper()
	p.js("await new Promise(requestAnimationFrame)")
}

func TestAProgramsQuestionDoesNotBlockTheChat(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.write("confirm")
	p.until("find('.title')")
	p.start()
	p.keys("1", kb.Enter)
	p.says("You answered: yes")
	p.idle()
	p.js("find('#message').focus()")
	p.keys("half a mess")
	chat := eval[string](p, "location.hash.split('/')[1]")
	first := s.asks("", object{"chatId": chat, "question": "Deploy now?", "options": []string{"yes", "no"}, "askedBy": deploys})
	p.until("find('.title').textContent === 'Deploy now?' && find('.asker').textContent === 'CI #4711 (deploy 2.1) asks'")
	p.until("find('#message').value === 'half a mess' && document.activeElement.id === 'message' && !/^[(]/.test(document.title) && !find('.instead')")
	p.accessible("program")
	p.shot("page-program")
	for s.state(first, "")["seenAt"] == nil {
		p.frame()
	}

	// The user continues chatting, and both stay unchanged.
	p.js("find('#message').select()")
	p.keys("calculate 2+3", kb.Enter)
	p.says("2+3")
	p.until("find('#message') && !find('#stop') && find('.title').textContent === 'Deploy now?'")
	if status, _ := s.call("POST", "/v1/clarifications/"+first+"/messages", "", object{"message": "The build is **green**."}); status >= 300 {
		t.Fatal(status)
	}
	p.until("find('h2.asker').textContent === 'CI #4711 (deploy 2.1)' && [...document.querySelectorAll('.assistant strong')].at(-1).textContent === 'green'")
	second := s.asks("", object{"chatId": chat, "question": "And tell the customers?", "input_type": "confirm", "askedBy": deploys})
	p.until("document.title.startsWith('(1) ')") // the first is on the screen
	p.js("card.focus()")
	p.until("card.shadowRoot.activeElement")
	p.keys("2", kb.Enter)
	p.until("find('.title').textContent === 'And tell the customers?' && !/^[(]/.test(document.title)")
	p.start()
	p.keys("1", kb.Enter)
	p.until("!find('#question') && !/^[(]/.test(document.title) && find('#message')")
	for id, want := range map[string]string{first: "no", second: "yes"} {
		if got := s.state(id, ""); got["state"] != "answered" || fmt.Sprint(got["answer"].(map[string]any)["value"]) != want {
			t.Errorf("%v", got)
		}
	}
	live := p.transcript()
	p.do(chromedp.Reload())
	p.until("find('.bubble')")
	p.shown(live...)
	if !strings.Contains(strings.Join(live, "\n"), "CI #4711 (deploy 2.1) asks Deploy now? no All 2 options Answered") {
		t.Errorf("the transcript is\n%s", strings.Join(live, "\n"))
	}
}

// Data that the page requested before it had a stream may arrive after newer events of the stream.
func TestAnOldListDoesNotHideWhatWaits(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	connect := s.hold("/v1/events")
	p := open(t, "about:blank", 1000)
	p.early(`{
		const { fetch } = globalThis;
		globalThis.fetch = async (...about) => {
			const response = await fetch(...about);
			if (!String(about[0].url ?? about[0]).includes("/v1/clarifications?")) return response;
			const text = await response.text();
			await new Promise((resolve) => { globalThis.arrive = resolve; });
			return new Response(text, response);
		};
	}`)
	p.visit(s.url + "/")
	p.until("globalThis.arrive && find('#message')")
	connect()
	s.asks("", object{"question": "Deploy now?", "askedBy": deploys})
	p.until("document.title.startsWith('(1) ')")
	p.js("arrive()")
	for range 10 {
		p.frame()
	}
	p.is("document.title.slice(0, 4)", "(1) ")
}

func TestAProgramBeginsAChat(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	connect := s.hold("/v1/events")
	p := openChatPage(t, s, "", 1000)
	p.until("find('#message') && find('#side nav .hint')") // the list of chats is loaded

	// While the page has no inbox stream: the list has the chat as soon as the count has it.
	first := s.asks("", object{"question": "Are you there?", "askedBy": deploys})
	connect()
	p.until("document.title.startsWith('(1) ') && document.querySelectorAll('#side nav a').length === 1 && find('#side .waits')")
	if status, got := s.call("POST", "/v1/clarifications/"+first+"/answer", "", object{"value": "yes"}); status != 200 {
		t.Fatal(status, got)
	}
	p.until("!/^[(]/.test(document.title)")

	id := s.asks("", object{"question": "Deploy now?", "options": []string{"yes", "no"}, "askedBy": deploys})
	p.until("document.title.startsWith('(1) ') && document.querySelectorAll('#side nav a').length === 1 && find('#side .waits') && find('#news').textContent.includes('Deploy now?')")
	p.js("find('#inbox-button').focus()")
	p.keys(kb.Enter)
	p.until("location.hash === '#/inbox' && card.shadowRoot.querySelector('.title').textContent === 'Deploy now?' && document.activeElement.matches('#inbox h1')")
	p.accessible("inbox")
	p.shot("page-inbox")
	p.keys(kb.Tab, kb.Enter)
	p.until("find('.title').textContent === 'Deploy now?' && location.hash.startsWith('#assistant/ask-') && !find('#inbox')")
	p.start()
	p.keys("1", kb.Enter)
	p.until("card.shadowRoot.querySelector('.closed.answered') && !/^[(]/.test(document.title)")
	if got := s.state(id, ""); got["state"] != "answered" {
		t.Errorf("%v", got)
	}
}

// TestTheInboxStaysWhereItIs: newest first, answered in place; what is on the screen is not counted, and
// nothing of it moves when another question arrives or one is answered elsewhere.
func TestTheInboxStaysWhereItIs(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	asks := func(question string) string {
		return s.asks("", object{"question": question, "options": []string{"yes", "no"}, "askedBy": deploys})
	}
	first, second := asks("First?"), asks("Second?")
	s.post("c", object{"message": "confirm"})
	p := openChatPage(t, s, "", 375)
	p.until("document.title.startsWith('(3) ') && find('#inbox-button .badge').textContent === '3'")
	overlap := `(() => { const [icon, badge] = ['svg', '.badge'].map((s) => find('#inbox-button ' + s).getBoundingClientRect()); return badge.left < icon.right && icon.left < badge.right })()`
	if eval[bool](p, overlap) {
		t.Error("the number covers the icon")
	}
	p.js("location.hash = '#/inbox'")
	titles := "[...document.querySelectorAll('#inbox askgate-clarification')].map((c) => c.shadowRoot.querySelector('.asked, .title')?.textContent).join()"
	p.until(titles + ".endsWith('Second?,First?') && !find('#inbox-button .badge') && !/^[(]/.test(document.title)")
	p.accessible("inbox with cards")
	p.fits("inbox with cards")
	tops := "[...document.querySelectorAll('#inbox .entries li')].map((li) => li.getBoundingClientRect().top).join()"
	p.settled()
	before := eval[string](p, tops)

	third := asks("Third?")
	p.until("find('#fresh')?.textContent === '1 new' && find('#inbox-button .badge').textContent === '1' && document.title.startsWith('(1) ')")
	if status, got := s.call("POST", "/v1/clarifications/"+second+"/answer", "", object{"value": "yes"}); status != 200 {
		t.Fatal(status, got)
	}
	p.until("document.getElementById(%s).querySelector('askgate-clarification').shadowRoot.querySelector('.closed')", second)
	p.settled()
	if after := eval[string](p, tops); after != before {
		t.Errorf("what is on the screen moves from %s to %s", before, after)
	}
	p.accessible("a new one")
	p.shot("page-inbox-new")

	// Nothing counts as on the screen of a window that is hidden.
	p.js("Object.defineProperty(document, 'hidden', { value: true, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))")
	p.until("document.title.startsWith('(3) ')")
	p.js("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
	p.until("document.title.startsWith('(1) ')")

	p.js("document.querySelector('#fresh').focus()")
	p.keys(kb.Enter)
	p.until("!find('#fresh') && "+titles+".startsWith('Third?,') && !"+titles+".includes('Second?') && document.activeElement.closest('li')?.id === %s && !/^[(]/.test(document.title)", third)
	p.keys("1", kb.Enter)
	for s.state(third, "")["state"] != "answered" {
		p.frame()
	}
	p.until("document.getElementById(%s).querySelector('askgate-clarification').shadowRoot.querySelector('.closed.answered')", third)

	// A question of the user's own chat is answered here, and the turn goes on.
	own := "[...document.querySelectorAll('#inbox askgate-clarification')].find((c) => c.clarification.kind === 'question' && c.clarification.chatId === 'c')"
	p.js(own + ".focus()")
	p.until(own + ".shadowRoot.activeElement")
	p.keys("1", kb.Enter)
	p.until(own + ".state === 'answered'")
	p.js("find('#inbox .to-chat[href$=\"/c\"]').click()")
	p.says("You answered: yes")
	if got := s.state(first, ""); got["state"] != "pending" {
		t.Errorf("%v", got)
	}
}

// Two users hold a role: a question to the role is in the inboxes of both, and in no chat of
// theirs.
func TestAQuestionToARoleIsAnsweredInTheInbox(t *testing.T) {
	t.Parallel()
	keys := map[string]string{"ci": "ag_inbox_test_ci_0123456789abcdef", "alice": "ag_inbox_test_alice_0123456789abc", "bob": "ag_inbox_test_bob_0123456789abcde"}
	entry := func(name, roles, more string) string {
		return fmt.Sprintf(`{"id": %q, "hash": %q, "tenant": "acme", "subject": %q, "roles": [%s]%s}`, name, hashOf(keys[name]), name, roles, more)
	}
	s := newSite(t, "", configured(t, map[string]string{"gateway.json": `{"auth": {"mode": "apiKeys", "keys": [` +
		entry("ci", "", `, "mayAsk": ["role:oncall"]`) + ", " + entry("alice", `"oncall"`, "") + ", " + entry("bob", `"oncall"`, "") + `]}}`}))
	enter := func(name string) *page {
		p := openChatPage(t, s, "", 1000)
		p.until("find('#key')")
		p.js("find('#key').focus()")
		p.keys(keys[name], kb.Enter)
		p.until("find('#message')")
		return p
	}
	alice, bob := enter("alice"), enter("bob")
	id := s.asks(keys["ci"], object{"to": object{"role": "oncall"}, "question": "Restart the database?", "options": []string{"yes", "no"}, "askedBy": deploys})
	for _, p := range []*page{alice, bob} {
		p.until("document.title.startsWith('(1) ') && document.querySelectorAll('#side nav a').length === 0")
		p.visit(s.url + "/?inbox")
		p.until("location.hash === '#/inbox' && card.shadowRoot.querySelector('.for').textContent.includes('oncall')")
	}
	alice.accessible("inbox of a role")
	alice.shot("page-inbox-role")
	for s.state(id, keys["ci"])["seenAt"] == nil {
		alice.frame()
	}
	alice.js("card.focus()")
	alice.until("card.shadowRoot.activeElement")
	alice.keys("2", kb.Enter)
	for _, p := range []*page{alice, bob} {
		p.until("card.shadowRoot.querySelector('.closed.answered').textContent.includes('alice') && card.shadowRoot.querySelector('.closed time') && !/^[(]/.test(document.title)")
	}
	bob.accessible("answered by another")
	bob.shot("page-inbox-closed")
	if got := s.state(id, keys["ci"]); got["state"] != "answered" || got["answeredBy"].(map[string]any)["subject"] != "alice" {
		t.Errorf("%v", got)
	}
}

// Several cards in the inbox can be told apart, and changes from while the page was away appear.
func TestSeveralQuestionsToARole(t *testing.T) {
	t.Parallel()
	keys := map[string]string{"ci": "ag_several_test_ci_0123456789abcdef", "alice": "ag_several_test_alice_0123456789a", "bob": "ag_several_test_bob_0123456789abc"}
	entry := func(name, more string) string {
		return fmt.Sprintf(`{"id": %q, "hash": %q, "tenant": "acme", "subject": %q%s}`, name, hashOf(keys[name]), name, more)
	}
	s := newSite(t, "", configured(t, map[string]string{"gateway.json": `{"auth": {"mode": "apiKeys", "session": {"secret": "0123456789abcdef0123456789abcdef"}, "keys": [` +
		entry("ci", `, "mayAsk": ["role:oncall"]`) + ", " + entry("alice", `, "roles": ["oncall"]`) + ", " + entry("bob", `, "roles": ["oncall"]`) + `]}}`}))
	p := openChatPage(t, s, "", 375)
	p.until("find('#key')")
	p.js("find('#key').focus()")
	p.keys(keys["alice"], kb.Enter)
	p.until("find('#message')")
	var ids []string
	for i := range 3 {
		ids = append(ids, s.asks(keys["ci"], object{"to": object{"role": "oncall"}, "question": fmt.Sprint(strings.Repeat("long", 30), "<script>", i), "options": []string{"yes", "no"},
			"askedBy": object{"name": "<b>ci</b>", "title": strings.Repeat("long", 40)}}))
	}
	p.visit(s.url + "/?inbox")
	p.until("document.querySelectorAll('#inbox askgate-clarification').length === 3")
	p.fits("several")
	p.accessible("several")
	p.shot("page-inbox-several")
	bobs := func(i int) string {
		return fmt.Sprintf("(([c, i]) => c[i].state === 'answered' && c[i].shadowRoot.textContent.includes('bob'))([document.querySelectorAll('#inbox askgate-clarification'), %d])", 2-i) // newest first
	}
	answer := func(i int) {
		if status, got := s.call("POST", "/v1/clarifications/"+ids[i]+"/answer", keys["bob"], object{"value": "yes"}); status != 200 {
			t.Fatal(status, got)
		}
	}
	s.disconnect()
	answer(0)
	s.reconnect()
	p.until(bobs(0))
	s.kill()
	s.run()
	answer(1)
	p.until(bobs(1) + " && !/^[(]/.test(document.title)") // the last one is on the screen
	// A user who answers without a connection learns afterwards that another answer was first.
	s.disconnect()
	answer(2)
	p.js("const c = document.querySelectorAll('#inbox askgate-clarification')[0]; const o = c.shadowRoot.querySelectorAll('.pick')[1]; o.focus(); o.click(); await c.updateComplete")
	p.keys(kb.Enter) // at once
	s.reconnect()
	p.until(bobs(2))
}

// An approval that another person decides: its owner sees whom it waits for, and holders of the
// role decide.
func TestAnApprovalWaitsForARole(t *testing.T) {
	t.Parallel()
	keys := map[string]string{"alice": "ag_approval_test_alice_0123456789", "bob": "ag_approval_test_bob_0123456789ab"}
	entry := func(name, roles string) string {
		return fmt.Sprintf(`{"id": %q, "hash": %q, "tenant": "acme", "subject": %q, "roles": [%s]}`, name, hashOf(keys[name]), name, roles)
	}
	s := newSite(t, "", guide(t, nil), configured(t, map[string]string{
		"gateway.json": strings.Replace(guideConfig, "{", `{"auth": {"mode": "apiKeys", "keys": [`+entry("alice", `"finance"`)+", "+entry("bob", `"finance"`)+`]}, `, 1),
		"tools.json":   `[{"id": "clock", "name": {"en": "Clock"}, "needsApproval": {"by": {"role": "finance"}}}]`, "apps/travel.json": guideApp,
	}))
	enter := func(name string) *page {
		p := openChatPage(t, s, "", 1000)
		p.until("find('#key')")
		p.js("find('#key').focus()")
		p.keys(keys[name], kb.Enter)
		p.until("find('#message')")
		return p
	}
	alice, bob := enter("alice"), enter("bob")
	alice.write("what time")
	alice.until("card.shadowRoot.querySelector('.waits').textContent.includes('finance') && find('#message') && !find('#stop')")
	if buttons := eval[int](alice, "card.shadowRoot.querySelectorAll('button, input').length"); buttons != 0 {
		t.Errorf("the owner can press %d things", buttons)
	}
	alice.accessible("approval by others")
	alice.shot("page-approval-others")
	bob.until("document.title.startsWith('(1) ')")
	bob.js("location.hash = '#/inbox'")
	bob.until("card.shadowRoot.querySelector('.call') && card.shadowRoot.querySelector('.decide[aria-disabled=false]')")
	if alices := eval[string](alice, "document.title"); strings.HasPrefix(alices, "(") {
		t.Errorf("a question that waits for others is counted: %s", alices)
	}
	bob.shot("page-approval-holder")
	bob.accessible("approval by a holder")
	bob.js("card.focus()")
	bob.until("card.shadowRoot.activeElement")
	bob.keys("1", kb.Enter)
	bob.until("card.shadowRoot.querySelector('.closed.answered').textContent.includes('bob')")
	alice.says("Thank you")
	alice.idle()
	alice.printing(true) // who decided, and about what, is on paper
	alice.until("find('.transcript details .label').getBoundingClientRect().height > 5 && find('.transcript details pre').checkVisibility({contentVisibilityAuto: true})")
	alice.printing(false)
	alice.js("document.querySelector('.transcript details').open = true")
	alice.until("find('.transcript details').innerText.includes('Allowed by bob')")
}

// notes are the notifications of a page that counts them: permission is the user's answer to the
// browser.
const notes = `globalThis.notes = []; globalThis.prompts = 0;
globalThis.Notification = class {
	static permission = "default";
	static requestPermission() { prompts++; return Promise.resolve(Notification.permission = "granted"); }
	constructor(title, options) { Object.assign(this, {title, ...options}); notes.push(this); }
	close() { this.closed = true; }
};
let hidden = false;
globalThis.hide = (is) => { hidden = is; document.dispatchEvent(new Event("visibilitychange")); };
Object.defineProperty(document, "visibilityState", {get: () => hidden ? "hidden" : "visible"});
Object.defineProperty(document, "hidden", {get: () => hidden});`

func TestAnUnseenQuestionIsAnnouncedOutsideOfThePage(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.until("find('#message')")
	p.early(notes)
	p.do(chromedp.Reload())
	p.until("find('#message')")
	p.write("confirm")
	p.until("find('.title')")
	if n := eval[int](p, "prompts + notes.length"); n != 0 {
		t.Errorf("%d prompts and notifications for a question in view", n)
	}
	p.js("hide(true)")
	first := s.asks("", object{"question": "Deploy now?", "options": []string{"yes", "no"}, "askedBy": deploys})
	p.until("prompts === 1 && notes.length === 1 && notes[0].title === 'CI #4711 (deploy 2.1) asks' && notes[0].body === 'Deploy now?'")
	p.js("location.hash = ''")
	second := s.asks("", object{"question": "And now?", "askedBy": deploys})
	p.until("prompts === 1 && notes.length === 2")
	if got := s.state(first, ""); got["seenAt"] != nil {
		t.Errorf("the question counts as seen: %v", got["seenAt"])
	}
	// It disappears when the question is answered elsewhere, and a click leads to the question.
	if status, got := s.call("POST", "/v1/clarifications/"+second+"/answer", "", object{"value": "x"}); status != 200 {
		t.Fatal(status, got)
	}
	p.until("notes[1].closed")
	p.js("hide(false); notes[0].onclick()")
	p.until("find('.title').textContent === 'Deploy now?' && notes[0].closed")
	for s.state(first, "")["seenAt"] == nil {
		p.frame()
	}
	// Asked only once.
	p.do(chromedp.Reload())
	p.until("find('.title')")
	p.js("hide(true)")
	s.asks("", object{"question": "Once more?", "askedBy": object{"name": "other"}})
	p.until("document.title.startsWith('(3) ')")
	p.frame()
	if n := eval[int](p, "prompts + notes.length"); n != 0 {
		t.Errorf("asked again: %d", n)
	}
}
