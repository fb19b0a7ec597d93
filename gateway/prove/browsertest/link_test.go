//go:build browser

package browsertest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// linked starts a gateway with a webhook, and returns the links that it receives.
func linked(t *testing.T) (s *site, links chan string) {
	t.Helper()
	links = make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var sent struct{ Data struct{ AnswerLink string } }
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		if sent.Data.AnswerLink != "" {
			links <- sent.Data.AnswerLink
		}
	}))
	t.Cleanup(receiver.Close)
	return newSite(t, "", configured(t, map[string]string{"tools.json": `[{"id": "calculator", "needsApproval": true, "editable": true, "approvalRemember": "chat"}]`, "gateway.json": `{"auth": {"session": {"secret": "0123456789abcdef0123456789abcdef"}},
		"webhooks": [{"id": "team", "url": "` + receiver.URL + `", "secret": "whsec_bG9uZy1lbm91Z2gtZm9yLWEtd2ViaG9vaw==", "events": ["clarification.asked"], "answerLink": true}]}`})), links
}

const linkedCard = `document.querySelector("askgate-clarification")`

// pick chooses an option of the linked question, and sends it.
func (p *page) pick(option int) {
	p.t.Helper()
	p.js(`const o = `+linkedCard+`.shadowRoot.querySelectorAll(".pick")[%s]; o.focus(); o.click(); await `+linkedCard+`.updateComplete`, option)
	p.until(linkedCard + `.shadowRoot.querySelector("#undo")`)
	p.keys(kb.Enter) // at once
}

// The link leads to a page with the question and nothing else. Later visitors see that it was
// answered, but not the answer, or by whom.
func TestTheAnswerPage(t *testing.T) {
	t.Parallel()
	s, links := linked(t)
	s.post("c", object{"message": "select"})
	link := <-links
	first, late := open(t, link, 375), open(t, link, 800)
	late.until(linkedCard + `.shadowRoot.querySelector(".pick")`)
	first.until(linkedCard + `.shadowRoot.querySelector(".pick")`)
	first.accessible("open")
	first.fits("open")
	first.pick(0)
	const over = `!` + linkedCard + ` && !/French|anonymous/.test(document.documentElement.outerHTML)`
	first.until(`document.querySelector("p.good") && !` + linkedCard)
	first.accessible("answered")
	late.pick(1)
	late.until(`document.querySelector("#problem")?.textContent.includes("already been answered") && !` + linkedCard)
	late.accessible("too late")
	later := open(t, link, 375)
	later.until(`document.querySelector("#problem")?.textContent.includes("already been answered") && ` + over)
	none := open(t, link[:len(link)-4]+"AAAA", 375)
	none.until(`document.querySelector("#problem")?.textContent.includes("This question does not exist")`)
	none.accessible("none")
}

// A link lets its person decide about one call: the page offers neither "always" nor other
// arguments.
func TestALinkOffersOneDecision(t *testing.T) {
	t.Parallel()
	s, links := linked(t)
	s.post("c", object{"message": "calculate"})
	p := open(t, <-links, 375)
	const button = linkedCard + `?.shadowRoot.querySelector("#allow")`
	p.until(button)
	p.is(`String(`+linkedCard+`.shadowRoot.querySelector("#always, #edit-arguments"))`, "null")
	p.until(button + `.getAttribute("aria-disabled") !== "true"`)
	p.until(linkedCard + `.shadowRoot.querySelector("askgate-arguments").shadowRoot.querySelector("dt").textContent.trim() === "expression"`)
	p.js(button + `.click()`)
	p.until(`document.querySelector("p.good") && !` + linkedCard)
}

// TestALinkTakesAFile: the page uploads it, shows its name and sends it; a question that is answered
// meanwhile takes none.
func TestALinkTakesAFile(t *testing.T) {
	t.Parallel()
	s, links := linked(t)
	id := s.asks("", object{"question": "Which list?", "input_type": "file", "maxBytes": 100})
	link := <-links
	p, late := open(t, link, 375), open(t, link, 800)
	for _, p := range []*page{p, late} {
		p.until(linkedCard + `.shadowRoot.querySelector("#choose")`)
		p.js(`globalThis.choose = (name, text) => {
			const of = new DataTransfer(), input = ` + linkedCard + `.shadowRoot.querySelector("#input");
			of.items.add(new File([text], name, { type: "text/plain" }));
			input.files = of.files;
			input.dispatchEvent(new Event("change"));
		}`)
	}
	p.accessible("a file by link")
	p.fits("a file by link")
	p.shot("link-file")
	p.js(`choose("list.txt", "x".repeat(101))`)
	p.until(linkedCard + `.shadowRoot.querySelector("#error-file")?.textContent.includes("too large")`)
	p.js(`choose("list.txt", "a\nb\n")`)
	p.until(linkedCard + `.shadowRoot.querySelector(".file").textContent.includes("list.txt (4")`)
	p.js(linkedCard + `.shadowRoot.querySelector("button.main").click()`)
	p.until(`document.querySelector("p.good") && !` + linkedCard)
	if got := s.state(id, ""); got["state"] != "answered" || got["answer"].(map[string]any)["file"].(map[string]any)["name"] != "list.txt" {
		t.Errorf("%v", got)
	}
	late.js(`choose("late.txt", "x")`)
	late.until(`document.querySelector("#problem")?.textContent.includes("already been answered") && !` + linkedCard)
}

// An option that the address names is chosen, and counts once it is sent. Opening and leaving the page, as
// scanners of mails do, answers nothing.
func TestALinkChoosesAnOption(t *testing.T) {
	t.Parallel()
	s, links := linked(t)
	id := s.asks("", object{"question": "Which language?", "options": []object{{"label": "German", "value": "de"}, {"label": "French & more", "value": "fr&x"}}})
	link := <-links
	const checked = linkedCard + `?.shadowRoot.querySelector(".pick:checked")`
	for _, nothing := range []string{"", "?value=", "?value=es", "?value=constructor", "?value=%3Cscript%3E", "?values=de"} {
		p := open(t, link+nothing, 375)
		p.until(linkedCard + `?.shadowRoot.querySelector(".pick")`)
		p.is(`String(`+checked+`)`, "null")
		p.is(`String(document.querySelector(".chosen"))`, "null")
	}
	p := open(t, link+"?value=de", 375)
	p.until(checked)
	p.js(`location.href = "about:blank"`)
	p = open(t, link+"?value=fr%26x", 375)
	p.until(checked)
	p.is(`document.querySelector(".chosen").textContent`, "Chosen in the message: French & more. It counts once you confirm it here.")
	p.is(`String([...`+linkedCard+`.shadowRoot.querySelectorAll(".pick")].map((o) => o.checked))`, "false,true")
	p.accessible("chosen")
	p.fits("chosen")
	if got := s.state(id, ""); got["state"] != "pending" || got["seenAt"] != nil {
		t.Errorf("a link that was opened changed it: %v", got)
	}
	p.js(linkedCard + `.shadowRoot.querySelector("button.main").click()`)
	p.until(`document.querySelector("p.good") && !` + linkedCard + ` && !document.querySelector(".chosen")`)
	if got := s.state(id, ""); got["state"] != "answered" || got["answer"].(object)["value"] != "fr&x" {
		t.Errorf("%v", got)
	}
}

// A yes or a no that the address names is chosen; that of an approval stands out.
func TestALinkChoosesADecision(t *testing.T) {
	t.Parallel()
	s, links := linked(t)
	id := s.asks("", object{"question": "Deploy?", "input_type": "confirm"})
	link := <-links
	for value, index := range map[string]string{"yes": "0", "true": "0", "no": "1", "false": "1"} {
		p := open(t, link+"?value="+value, 375)
		p.until(linkedCard + `?.shadowRoot.querySelectorAll(".pick")[` + index + `]?.checked`)
	}
	if got := s.state(id, ""); got["state"] != "pending" {
		t.Errorf("%v", got)
	}
	s.post("c", object{"message": "calculate"})
	link = <-links
	const main = linkedCard + `?.shadowRoot.querySelector(".decide.main")?.id`
	for value, button := range map[string]string{"yes": "allow", "no": "refuse"} {
		p := open(t, link+"?value="+value, 375)
		p.until(main + ` === "` + button + `"`)
		p.is(`String(document.querySelectorAll(".chosen").length)`, "1")
	}
	p := open(t, link+"?value=no", 375)
	p.until(main + ` === "refuse" && ` + linkedCard + `.shadowRoot.querySelector("#refuse").getAttribute("aria-disabled") !== "true"`)
	p.js(linkedCard + `.shadowRoot.querySelector("#refuse").click()`)
	p.until(`document.querySelector("p.good") && !` + linkedCard)
}
