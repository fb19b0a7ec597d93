//go:build browser

package browsertest

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// transcript returns what the page shows, message by message.
func (p *page) transcript() []string {
	p.t.Helper()
	return eval[[]string](p, "log()")
}

// shown compares the transcript, whose items may end in the label of the Copy button.
func (p *page) shown(want ...string) {
	p.t.Helper()
	p.until("log().length === %s", len(want))
	if got := p.transcript(); !reflect.DeepEqual(got, want) {
		p.t.Errorf("the transcript is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAQuestionTakesTheComposersPlace(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.write("select")
	p.until("find('.title').textContent.includes('Which language') && !document.querySelector('#message')")
	p.until("card.shadowRoot.activeElement")
	p.keys("5", "Latin", kb.Enter) // an answer of its own
	p.says("You answered: Other: Latin")
	p.until("document.activeElement.id === 'message'") // and the focus comes back
	if hash := eval[string](p, "location.hash"); !strings.HasPrefix(hash, "#assistant/") {
		t.Errorf("the chat's address is %q", hash)
	}
	p.until("document.querySelectorAll('#side nav a').length === 1 && find('#side nav a[aria-current]').textContent.trim() === 'select'")

	p.write("number")
	p.until("find('#input')")
	p.click(".instead button") // a message in place of the answer
	p.write("7")
	p.says("You answered: 7")
}

func TestARefusedAnswerStaysInTheDock(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.write("text")
	p.until("find('#input')")
	p.js(`globalThis.refuse = {status: 422, code: "invalid_answer", errors: [{question: 0, field: "value", code: "pattern", message: "No such project."}]}`)
	p.start()
	p.keys("AB-123", kb.Enter)
	p.until("find('#error-value').textContent === 'No such project.' && find('#input').value === 'AB-123'")
	p.js("globalThis.refuse = null")
	p.keys(kb.Enter)
	p.says("You answered: AB-123")
}

func TestAReloadLosesNothingThatWasTyped(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.until("find('#message')")
	p.js("find('#message').focus()")
	p.keys("half a mess") // in a chat that has not begun
	p.do(chromedp.Reload())
	p.until("find('#message').value === 'half a mess'")
	p.js("find('#message').value = ''; find('#message').dispatchEvent(new Event('input'))")

	p.write("form")
	p.until("find('.where')")
	p.start()
	p.keys("Alpha", kb.Enter)
	p.until("find('.where').textContent.includes('2 of 3')")
	p.do(chromedp.Reload())
	p.until("find('.where').textContent.includes('2 of 3')")
	p.click(".plain")
	p.until("find('#input').value === 'Alpha'")

	// Another chat, and back: each keeps the text that was typed in it.
	p.click(".instead button")
	p.until("document.activeElement.id === 'message'")
	p.keys("for the first chat")
	p.js("find('#new').click()")
	p.until("find('.greeting') && find('#message').value === ''")
	p.js("find('#message').focus()")
	p.keys("for a new one")
	p.js("find('#side nav a').click()")
	p.until("find('.where') && find('#message').value === 'for the first chat'")
	p.js("history.back()")
	p.until("find('.greeting') && find('#message').value === 'for a new one'")
}

// gated returns an upstream that sends numbered words, and continues up to the number it is given.
func gated(t *testing.T) (func(*site), chan<- int) {
	upTo := make(chan int)
	said := 0
	return upstream(t, func(_ string, _ []string, d deltas) {
		said = 0
		for n := range upTo {
			for ; said < n; said++ {
				d.text(fmt.Sprintf("w%d ", said))
			}
			if n == 30 {
				break
			}
		}
		d.end("stop")
	}), upTo
}

// numbered returns the first n words of a gated upstream.
func numbered(n int) string {
	var words []string
	for i := range n {
		words = append(words, fmt.Sprint("w", i))
	}
	return strings.Join(words, " ")
}

func (p *page) reads(n int) {
	p.t.Helper()
	p.until("find('askgate-markdown').textContent.trim() === %s", numbered(n))
}

func TestNoWordIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	model, upTo := gated(t)
	s := newSite(t, "", model)
	p := openChatPage(t, s, "", 1000)
	p.write("count")
	upTo <- 5
	p.reads(5)

	p.do(chromedp.Reload()) // in mid-stream
	p.reads(5)
	upTo <- 10
	p.reads(10)

	q := p.alongside(eval[string](p, "location.href")) // a second tab
	q.reads(10)
	upTo <- 15
	p.reads(15)
	q.reads(15)

	s.disconnect() // the connection is cut, and both miss something
	p.until("find('.connection span')")
	upTo <- 20
	s.reconnect()
	p.reads(20)
	q.reads(20)
	p.until("!find('.connection span')")

	upTo <- 30
	p.reads(30)
	q.reads(30)
	p.idle()
	q.idle()
	p.shown("count", numbered(30))
	q.shown("count", numbered(30))
	p.do(chromedp.Reload())
	p.shown("count", numbered(30))
}

func TestWhatOneWindowDoesTheOtherShows(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.write("confirm")
	p.until("find('.title')")
	q := p.alongside(eval[string](p, "location.href"))
	q.until("find('.title')")
	q.start()
	q.keys("2", kb.Enter)
	q.says("You answered: no")
	p.says("You answered: no")
	p.until("find('#message')")
	p.write("date")
	q.until("find('#question')")
	if got, want := q.transcript(), p.transcript(); !reflect.DeepEqual(got, want) {
		t.Errorf("one window shows %q, the other %q", want, got)
	}

	// Deleted there, the chat disappears here, and what was typed here is not sent anywhere.
	q.click("#erase")
	q.until("find('#erase-dialog').open")
	q.shot("page-erase")
	q.js("find('#erase-dialog .danger').click()")
	q.until("find('.greeting') && !find('#erase-dialog').open && document.querySelectorAll('#side nav a').length === 0")
	p.until("find('main > .notice').textContent.includes('That chat was deleted') && find('.greeting')")
}

func TestTheGatewayMayBeKilledUnderThePage(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.write("select")
	p.until("find('.title')")
	p.start()
	p.keys("5", "Latin")
	s.kill()
	p.until("find('.connection span')")
	p.keys(kb.Enter)
	p.until("find('.unsent .bubble')?.textContent.startsWith('Answer to')")
	s.run()
	p.says("You answered: Other: Latin")
	p.until("!find('.unsent')")

	s.kill()
	p.until("find('.connection span')")
	p.write("number")
	p.until("find('.unsent .bubble')?.textContent === 'number' && find('#message').value === ''")
	s.run()
	p.until("find('#input') && !find('.unsent')")
	p.shown("select", "A single choice. One option is recommended, and free text is allowed too.", p.transcript()[2],
		"You answered: Other: Latin Write another word, or anything else to see the menu.", "number", p.transcript()[5])
}

func TestARunIsStoppedAndAFailedOneRepeated(t *testing.T) {
	t.Parallel()
	failing := true
	held := make(chan struct{})
	s := newSite(t, "", configured(t, map[string]string{"gateway.json": guideConfig, "apps/travel.json": guideApp}), upstream(t, func(said string, _ []string, d deltas) {
		switch {
		case said == "fail" && failing:
			d.w.WriteHeader(503)
		case said == "hold":
			d.words("first words")
			<-held
		default:
			d.words("All is well.")
			d.end("stop")
		}
	}))
	defer close(held)
	p := openChatPage(t, s, "", 1000)
	p.write("hold")
	p.says("first words")
	p.click("#stop")
	p.until("find('.transcript .notice').textContent === 'Stopped' && !find('#stop')")

	p.write("fail")
	p.until("find('.transcript .alert button')")
	failing = false
	p.click(".transcript .alert button")
	p.says("All is well.")
	p.until("!find('.transcript .alert button')")
}

func TestTooManyMessagesAreCountedDown(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", answers(t, "Fine."), configured(t, map[string]string{
		"gateway.json": strings.Replace(guideConfig, "{", `{"limits": {"requestsPerMinute": 30, "burst": 1}, `, 1), "apps/travel.json": guideApp}))
	p := openChatPage(t, s, "", 1000)
	p.write("one")
	p.says("Fine.")
	p.write("two")
	p.until("find('#trouble .count') && find('#message').value === 'two' && find('#send').disabled")
	p.until("!find('#trouble .alert') && !find('#send').disabled") // some 2 s later
	p.click("#send")
	p.until("log().filter((s) => s === 'Fine.').length === 2")
}

func TestAKeyOpensThePage(t *testing.T) {
	t.Parallel()
	const key = "ag_browser_test_key_0123456789"
	s := newSite(t, "", answers(t, "Welcome."), configured(t, map[string]string{"gateway.json": strings.Replace(guideConfig, "{",
		`{"auth": {"mode": "apiKeys", "keys": [{"id": "web", "hash": "`+hashOf(key)+`", "tenant": "acme", "subject": "alice", "roles": ["user"]}]}, `, 1),
		"apps/travel.json": guideApp}))
	p := openChatPage(t, s, "", 1000)
	p.until("find('#key')")
	p.accessible("key")
	p.js("find('#key').focus()")
	p.keys("wrong", kb.Enter)
	p.until("find('#key-error').textContent.includes('not valid')")
	p.accessible("key refused")
	p.shot("page-key-refused")
	p.js("find('#key').select()")
	p.keys(key, kb.Enter)
	p.write("hello")
	p.says("Welcome.")
	p.do(chromedp.Reload())
	p.says("Welcome.")
	// Storage that scripts can read does not contain the key.
	if seen := eval[string](p, "document.cookie + JSON.stringify({...sessionStorage, ...localStorage})"); strings.Contains(seen, "askgate=") || strings.Contains(seen, key) {
		t.Errorf("a script can read %q", seen)
	}
	// In the admin view this user is not an admin: the view asks for another key.
	p.do(chromedp.Navigate(s.url + "/admin"))
	p.until("!find('#key').hidden && find('#alert').textContent.includes('admin')")
	p.do(chromedp.Navigate(s.url))
	p.until("find('#new')")
	p.js("[...document.querySelectorAll('.foot button')].at(-1).click()")
	p.until("find('#key')")
	p.do(chromedp.Reload())
	p.until("find('#key')") // signed out for good
	if n := eval[int](p, "sessionStorage.length"); n != 0 {
		t.Errorf("%d entries are stored after signing out", n)
	}
}

func TestThePageSpeaksTheReadersLanguage(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.until("find('#language')")
	speak := func(tag string) {
		t.Helper()
		p.js("const s = find('#language'); s.value = %s; s.dispatchEvent(new Event('change'))", tag)
	}
	for tag, want := range map[string]string{"de": "Neuer Chat", "fr": "Nouvelle conversation", "es": "Chat nuevo", "en": "New chat"} {
		speak(tag)
		p.until("find('#new').textContent.trim() === %s && document.documentElement.lang === %s", want, tag)
	}

	// Of two choices the later one counts, whichever response arrives first: for texts and apps
	// alike.
	for _, held := range []string{`url.startsWith("/page/texts?lang=fr")`, `url.startsWith("/v1/apps?") && init.headers["Accept-Language"] === "fr"`} {
		speak("es")
		p.until("document.title === 'Asistente · AskGate'")
		p.js(`globalThis.late = null; globalThis.instead = (url, init) => ` + held + ` ? new Promise((resolve) => { globalThis.late = resolve; }) : null`)
		speak("fr")
		p.until("late")
		speak("de")
		p.until("document.title === 'Assistent · AskGate'")
		p.js(`late({ok: true, json: async () => ({texts: {}, language: "fr", languages: ["fr"], items: [{id: "assistant", name: "Too late", starterPrompts: []}], nextCursor: null})});
			for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame)`)
		if title := eval[string](p, "document.title + document.documentElement.lang"); title != "Assistent · AskGatede" {
			t.Errorf("the language that was chosen first won: %s", title)
		}
	}
	p.js("globalThis.instead = null")
	p.write("confirm")
	p.until("find('.title').textContent.includes('Bericht') && card.shadowRoot.textContent.includes('Keine Angabe')")
	p.shot("page-de-asked")
	p.accessible("de")
	p.do(chromedp.Reload())
	p.until("document.documentElement.lang === 'de' && find('.title')")
	p.resize(320)
	p.fits("de, narrow")
}

func TestTheKeyboardIsEnough(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.until("document.activeElement.id === 'message'")
	p.keys("select", kb.Enter)
	p.until("card.shadowRoot.activeElement")
	p.keys(kb.ArrowDown, kb.Enter)
	p.says("You answered: German")
	p.until("document.activeElement.id === 'message'")

	tab := func(until string) {
		t.Helper()
		for range 40 {
			if eval[bool](p, until) {
				return
			}
			p.keys(kb.Tab)
		}
		t.Fatalf("no Tab leads to %s", until)
	}
	p.js("document.activeElement.blur(); document.body.focus()")
	tab("document.activeElement.matches('.skip')")
	p.keys(kb.Enter)
	p.until("document.activeElement.id === 'message'")
	tab("document.activeElement.id === 'new'")
	p.keys(kb.Enter)
	p.until("find('.greeting') && document.activeElement.id === 'message'")
	tab("document.activeElement.matches('.prompts button')")
	p.keys(kb.Enter)
	p.until("find('#question') || find('.transcript')")
	p.until("document.querySelectorAll('#side nav a').length === 2")
	tab("document.activeElement.matches('#side li:last-child a')")
	p.keys(kb.Enter)
	p.says("You answered: German")
	tab("document.activeElement.id === 'erase'")
	p.keys(kb.Enter)
	p.until("find('#erase-dialog').open")
	p.keys(kb.Escape)
	p.until("!find('#erase-dialog').open && document.activeElement.id === 'erase'")
	p.keys(kb.Enter, kb.Tab, kb.Enter) // over Cancel to Delete
	p.until("find('.greeting') && document.querySelectorAll('#side nav a').length === 1")
}

func TestTheListOfChatsGoesOn(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", configured(t, map[string]string{"gateway.json": `{"limits": {"requestsPerMinute": 0}}`}))
	for i := range 35 {
		if status, _ := s.post(fmt.Sprint("c", i), object{"message": fmt.Sprint("confirm ", i)}); status != 200 {
			t.Fatal(status)
		}
	}
	p := openChatPage(t, s, "", 1000)
	p.until("document.querySelectorAll('#side nav a').length === 30 && document.querySelectorAll('.waits').length === 30")
	p.click("#side nav > button")
	p.until("document.querySelectorAll('#side nav a').length === 35 && !find('#side nav > button')")
	p.write("select") // a new one comes on top, and those below stay
	p.until("document.querySelectorAll('#side nav a').length === 36 && find('#side nav a').textContent.trim() === 'select'")
	p.js("[...document.querySelectorAll('#side nav a')].at(-1).click()")
	p.until("find('.bubble').textContent === 'confirm 0' && find('.title')")
	p.start()
	p.keys("1", kb.Enter)
	p.says("You answered: yes")
	p.until("find('#side nav a[aria-current]').textContent.trim() === 'confirm 0' && !find('#side nav a[aria-current] .waits')")
}

// TestALongChatIsShownFromItsEnd, and older messages on demand, above what is being read.
func TestALongChatIsShownFromItsEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", configured(t, map[string]string{"gateway.json": `{"limits": {"requestsPerMinute": 0}}`}))
	for i := range 103 { // each with two of the demo's
		if status, _ := s.post("long", object{"message": fmt.Sprint("hello ", i)}); status != 200 {
			t.Fatal(status)
		}
	}
	p := openChatPage(t, s, "#assistant/long", 1000)
	const bubbles = "[...document.querySelectorAll('.bubble')].map((b) => b.textContent)"
	p.until(bubbles + ".join() === Array.from({ length: 66 }, (_, i) => 'hello ' + (i + 37)).join() && find('.older button')")
	p.js("scrollTo({ top: 0 })")
	p.until("scrollY === 0")
	p.js("globalThis.first = find('.bubble'); globalThis.y = first.getBoundingClientRect().top")
	p.js("find('.older button').click()")
	p.until(bubbles + "[0] === 'hello 0' && !find('.older') && document.querySelectorAll('.bubble').length === 103")
	p.until("first.isConnected && first.textContent === 'hello 37' && Math.abs(first.getBoundingClientRect().top - y) < 60")
}

func TestThePageSaysWhatToDoWhereThereIsNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", configured(t, map[string]string{"apps/travel.json": strings.Replace(guideApp, "{", `{"enabled": false, `, 1)}))
	p := openChatPage(t, s, "", 1000)
	p.until("find('.alone').textContent.includes('You don’t have access to any app')")
	p.accessible("no apps")
	p.shot("page-no-apps")
}

func TestAReaderFurtherUpIsNotScrolled(t *testing.T) {
	t.Parallel()
	more := make(chan struct{})
	s := newSite(t, "", upstream(t, func(_ string, _ []string, d deltas) {
		for i := range 60 {
			d.text(fmt.Sprintf("paragraph %d\n\n", i))
		}
		<-more
		d.text("the end")
		d.end("stop")
	}))
	var once sync.Once
	release := func() { once.Do(func() { close(more) }) }
	t.Cleanup(release) // a failing test ends
	p := openChatPage(t, s, "", 1000)
	p.write("go")
	p.says("paragraph 59")
	atEnd := "scrollY > 500 && Math.abs(scrollY + innerHeight - document.documentElement.scrollHeight) < 2"
	p.until(atEnd) // the window follows
	p.js("scrollTo(0, 200)")
	p.until("find('.latest button')")
	p.shot("page-above")
	p.accessible("above")
	release()
	p.says("the end")
	p.until("!find('#stop')")
	if y := eval[float64](p, "scrollY"); y != 200 {
		t.Errorf("the window went from 200 to %v", y)
	}
	p.click(".latest button")
	p.until(atEnd + " && !find('.latest button')")
}
