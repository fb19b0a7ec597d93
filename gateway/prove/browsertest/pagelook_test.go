//go:build browser

package browsertest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// sample is an answer with every Markdown construct.
const sample = `# Three ways to the coast

The **shortest** way is *not* the nicest. Press <kbd>Tab</kbd>, or read [the timetable](https://trains.example.org/coast?day=sunday), https://example.org or ![a map](https://maps.example.org/coast.png).

## By train

1. Take the train to Lindau.
2. Change to the boat:
   - it goes every hour,
   - ` + "`ticket --return`" + ` is cheaper.
3. [x] Sit on the left.

| Way | Time | Price |
| --- | ---: | ---: |
| Train and boat | 3:10 | 42 € |
| Car | 2:20 | 31 € |

> The lake is worth a stop.
> Even in the rain.

` + "```go\nfunc main() {\n\tfmt.Println(\"a line that is so long that no telephone can show it as a whole, wherever it is\")\n}\n```" + `

---

مرحبا، هذا نص من اليمين إلى اليسار.`

const askSelect = `{"question": "Where shall the journey begin?", "header": "Start", "options": ["Munich", "Zurich", "Stuttgart"], "allow_other": true}`

// guide is a model with an answer for each state of the page.
func guide(t *testing.T, held <-chan struct{}) func(*site) {
	fails := troubled()
	return upstream(t, func(said string, results []string, d deltas) {
		switch {
		case strings.Contains(said, "trouble"):
			fails(results, d)
		case len(results) > 0:
			d.words("Thank you: " + strings.Join(results, "; ") + ".")
			d.end("stop")
		case strings.Contains(said, "ask two"):
			d.calls("ask_user", askSelect, "ask_user", `{"question": "How many days?", "input_type": "number"}`)
		case strings.Contains(said, "ask"):
			d.words("One thing is open.")
			d.calls("ask_user", askSelect)
		case strings.Contains(said, "form"):
			d.calls("ask_user", `{"questions": [{"question": "Who travels?", "input_type": "text"}, {"question": "Where to?", "options": ["Lindau", "Bregenz"]}, {"question": "When?", "input_type": "date", "allow_skip": true}]}`)
		case strings.Contains(said, "compute"):
			d.thought("The person wants a sum. I have a calculator for this, and I should check what comes out of it.")
			d.words("I compute that.")
			d.calls("calculator", `{"expression": "12*(340+75)"}`, "calculator", `{"expression": "1/0"}`)
		case strings.Contains(said, "time"):
			d.calls("clock", `{"timezone": "Europe/Berlin"}`)
		case strings.Contains(said, "fail"):
			d.w.WriteHeader(http.StatusServiceUnavailable)
		case strings.Contains(said, "hold"):
			d.words("The first words are there, and ")
			<-held
			d.end("stop")
		case strings.Contains(said, "cut"):
			d.words("An answer that does not come to its")
			d.end("length")
		default:
			d.words(sample)
			d.end("stop")
		}
	})
}

const guideConfig = `{"models": {"default": {"provider": "openai", "baseUrl": "$TEST_MODEL", "apiKey": "$OPENAI_API_KEY", "model": "test", "maxRetries": 0}}}`

const guideApp = `{"id": "travel", "name": {"en": "Travel guide", "de": "Reiseführer"}, "description": {"en": "Finds ways, and asks where they shall begin.", "de": "Findet Wege und fragt, wo sie beginnen sollen."},
	"system": "You know all ways.", "tools": ["ask_user", "calculator", "clock"], "starterPrompts": [{"en": "Find a way to the coast", "de": "Finde einen Weg an die Küste"}, {"en": "Plan a weekend in the mountains with children", "de": "Plane ein Wochenende mit Kindern in den Bergen"}]}`

const guideTools = `[{"id": "clock", "name": {"en": "Clock", "de": "Uhr"}, "needsApproval": true, "editable": true, "approvalRemember": "chat"}]`

var pageStates = []struct {
	name string
	do   func(p *page, s *site)
}{
	{"empty", func(p *page, s *site) { p.visit(s.url); p.until("find('.prompts')") }},
	{"answer", func(p *page, s *site) { p.write("Find a way to the coast"); p.says("يسار"); p.idle() }},
	{"asked", func(p *page, s *site) { p.visitNew(); p.write("ask me"); p.until("find('.title')") }},
	{"instead", func(p *page, s *site) { p.click(".instead button"); p.until("find('#instead-hint')") }},
	{"answered", func(p *page, s *site) {
		p.click("#instead-hint button")
		p.until("!find('#instead-hint')")
		p.start()
		p.keys("2", "\r")
		p.says("Thank you")
		p.idle()
	}},
	{"changing", func(p *page, s *site) {
		p.pushes("Change")
		p.until("document.querySelector('#change')?.shadowRoot.querySelector('button.main')")
	}},
	{"editing", func(p *page, s *site) {
		p.click("#change ~ .hint button")
		p.until("document.activeElement.dataset.change") // the focus is back: the key pressed next keeps it
		p.pushes("Edit")
		p.until("document.querySelector('textarea#change')")
	}},
	{"forked", func(p *page, s *site) {
		p.keys("\r")
		p.until("find('.branches')")
		p.until("find('.title')")
		p.start()
		p.keys("2", "\r")
		p.says("Thank you")
		p.idle()
	}},
	{"form", func(p *page, s *site) { p.visitNew(); p.write("form"); p.until("find('.where')") }},
	{"review", func(p *page, s *site) {
		p.start()
		p.keys("Ada", "\r")
		p.until("find('.pick')")
		p.keys("1")
		p.until("find('[type=date], #input') && !find('.pick')")
		p.click(".aside button")
		p.until("find('.review')")
	}},
	{"reviewed", func(p *page, s *site) { p.click("button.main"); p.says("Q3"); p.idle() }},
	{"two", func(p *page, s *site) {
		p.visitNew()
		p.js(formHelpers)
		p.write("ask two")
		p.until("form() && inPage('.title')")
	}},
	{"two-2", func(p *page, s *site) {
		p.until("page().shadowRoot.activeElement")
		p.keys("1")
		p.until("at() === '2 of 2' && page().shadowRoot.activeElement?.id === 'input'")
		p.keys("3", "\r")
	}},
	{"two-read", func(p *page, s *site) {
		p.until("form().shadowRoot.activeElement?.matches('button.main')")
		p.keys("\r")
		p.says("Munich")
		p.idle()
	}},
	{"tools", func(p *page, s *site) {
		p.visitNew()
		p.write("compute")
		p.says("Thank you: 4980")
		p.idle()
		p.js("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
	}},
	{"approval", func(p *page, s *site) { p.visitNew(); p.write("what time"); p.until("find('#edit-arguments')") }},
	{"approvals", func(p *page, s *site) {
		p.start()
		p.keys("2", "\r")
		p.says("day, 20")
		p.idle()
		p.click("#approved")
		p.until("find('#approvals').matches(':popover-open')")
	}},
	{"program", func(p *page, s *site) {
		p.js("find('#approvals').hidePopover()")
		s.travels(eval[string](p, "location.hash.slice(1)"), "Deploy the travel guide now?")
		p.until("find('.title').textContent.includes('Deploy')")
	}},
	{"program-said", func(p *page, s *site) {
		p.start()
		p.keys("1", "\r")
		p.until("find('.closed') || !find('#question')")
		id := s.travels(eval[string](p, "location.hash.slice(1)"), "Tell the customers?")
		s.call("POST", "/v1/clarifications/"+id+"/messages", "", object{"message": "Deployed as **2.1**, see https://ci.example.org/4711."})
		p.until("find('h2.asker')")
	}},
	{"inbox", func(p *page, s *site) {
		s.travels("travel/another", "May the coast be closed for a day, so that the way along it can be repaired before the season begins?")
		p.until("find('#inbox-button .badge')?.textContent === '1'") // the other is on the screen
		p.js("find('#inbox-button').click()")
		p.until("document.querySelectorAll('#inbox .entries li').length === 2")
	}},
	{"inbox-empty", func(p *page, s *site) {
		_, list := s.call("GET", "/v1/clarifications", "", nil)
		for _, c := range list["items"].([]any) {
			s.call("POST", "/v1/clarifications/"+c.(map[string]any)["clarificationId"].(string)+"/cancel", "", object{})
		}
		p.until("[...document.querySelectorAll('#inbox askgate-clarification')].every((c) => c.state === 'cancelled')")
		p.js("location.hash = '#travel'")
		p.until("!find('#inbox')")
		p.js("location.hash = '#/inbox'")
		p.until("find('#inbox') && !find('#inbox .entries li')")
	}},
	{"failed", func(p *page, s *site) { p.visitNew(); p.write("fail"); p.until("find('.transcript .alert')"); p.idle() }},
	{"cut", func(p *page, s *site) { p.write("cut"); p.until("find('.transcript .notice')") }},
	{"trouble", func(p *page, s *site) { p.visitNew(); p.write("go through trouble"); p.failed() }},
	{"trouble-again", func(p *page, s *site) { p.click(".transcript .alert button"); p.says("The sum"); p.failed() }},
	{"trouble-reloaded", func(p *page, s *site) { p.do(chromedp.Reload()); p.says("The sum"); p.failed() }},
	{"trouble-over", func(p *page, s *site) { p.click(".transcript .alert button"); p.says("The sum is 4980."); p.idle() }},
	{"refused-429", func(p *page, s *site) {
		p.js(`globalThis.refuse = {status: 429, code: "rate_limited", detail: "You are sending too many requests. Please try again in 30 seconds.", retryAfter: 30}`)
		p.visitNew()
		p.write("What is the fastest way?")
		p.until("find('#trouble .count')")
	}},
	{"refused-409", func(p *page, s *site) {
		p.js(`globalThis.refuse = {status: 409, code: "turn_in_progress", detail: "The assistant is still working on your last message. Wait until it finishes, or stop it."}`)
		p.visitNew()
		p.write("And back?")
		p.until("find('#trouble .alert')")
	}},
	{"running", func(p *page, s *site) {
		p.js("globalThis.refuse = null; find('#message').value = ''; find('#message').dispatchEvent(new Event('input'))")
		p.write("hold")
		p.says("first words")
	}},
	{"offline", func(p *page, s *site) { s.disconnect(); p.until("find('.connection span')") }},
	{"erase", func(p *page, s *site) {
		s.reconnect()
		p.until("!find('.connection span')")
		p.click("#erase")
		p.until("find('#erase-dialog').open")
	}},
	{"menu", func(p *page, s *site) {
		p.js("find('#erase-dialog').close()")
		p.js("if (innerWidth < 960) find('#side').showPopover()")
	}},
}

// travels has a program ask in a chat of one of the guides, at app/chat.
func (s *site) travels(place, question string) string {
	s.t.Helper()
	app, chat, _ := strings.Cut(place, "/")
	status, got := s.call("POST", "/v1/apps/"+app+"/clarifications", "", object{"chatId": chat, "question": question, "options": []string{"Yes", "Not yet"}, "askedBy": deploys})
	if status != 201 {
		s.t.Fatal(status, got)
	}
	return got["clarificationId"].(string)
}

// visitNew begins a new chat.
func (p *page) visitNew() {
	p.t.Helper()
	p.js("find('#new').click()")
	p.until("find('.greeting')")
}

func TestEveryStateOfThePageIsAccessibleInEveryLight(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	s := newSite(t, "", guide(t, held), configured(t, map[string]string{"gateway.json": guideConfig, "tools.json": guideTools, "apps/travel.json": guideApp, "apps/other.json": strings.ReplaceAll(guideApp, "travel", "other")}))
	defer close(held)
	p := openChatPage(t, s, "", 1200)
	for _, state := range pageStates {
		p.resize(1200)
		p.media("prefers-color-scheme", "light")
		p.js("document.documentElement.dir = 'ltr'")
		state.do(p, s)
		for _, look := range []struct {
			name           string
			width          int64
			feature, value string
			dir            string
			axe            bool // in each color scheme, width and direction: this takes most of the time
		}{
			{"light", 1200, "prefers-color-scheme", "light", "ltr", true},
			{"dark", 1200, "prefers-color-scheme", "dark", "ltr", false},
			{"phone", 390, "prefers-color-scheme", "light", "ltr", false},
			{"phone-dark", 390, "prefers-color-scheme", "dark", "ltr", true},
			{"narrow-rtl", 320, "prefers-color-scheme", "light", "rtl", false},
			{"rtl", 1200, "prefers-color-scheme", "dark", "rtl", true},
			{"forced", 640, "forced-colors", "active", "ltr", true},
		} {
			name := "page-" + look.name + "-" + state.name
			p.resize(look.width)
			p.media(look.feature, look.value)
			p.js(`document.documentElement.dir = %s; for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
				if (innerWidth < 960 && %s === "menu") { find("#side").showPopover(); await new Promise(requestAnimationFrame); }`, look.dir, state.name)
			if look.axe {
				p.accessible(name)
			}
			p.fits(name)
			p.shot(name)
			p.largeEnough(name)
			p.js("if (find('#side').matches(':popover-open')) find('#side').hidePopover()")
		}
	}
}

// largeEnough requires every control to be at least 44 CSS pixels in each direction, except for
// links within a text.
func (p *page) largeEnough(state string) {
	p.t.Helper()
	for _, small := range eval[[]string](p, `[...document.querySelectorAll("button, select, summary, #side nav a, #message")].map((e) => [e, e.getBoundingClientRect()])
		.filter(([e, r]) => e.checkVisibility() && (r.height < 43.9 || r.width < 43.9)).map(([e, r]) => e.outerHTML.slice(0, 80) + " " + r.width + "x" + r.height)`) {
		p.t.Errorf("%s: too small to press: %s", state, small)
	}
}
