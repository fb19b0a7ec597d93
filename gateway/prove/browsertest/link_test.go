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
