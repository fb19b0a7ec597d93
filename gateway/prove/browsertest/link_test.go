//go:build browser

package browsertest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// linked starts a gateway with a webhook, and hands out the links that it is sent.
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
	return newSite(t, "", configured(t, map[string]string{"gateway.json": `{"auth": {"session": {"secret": "0123456789abcdef0123456789abcdef"}},
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

// Whoever has the link answers on a page that has nothing else; whoever comes later sees the answer
// and whose it is.
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
	first.until(linkedCard + `.state === "answered" && document.querySelector("p.good")`)
	first.accessible("answered")
	late.pick(1)
	late.until(linkedCard + `?.state === "answered"`)
	late.until(linkedCard + `.shadowRoot.textContent.includes("French") && ` + linkedCard + `.shadowRoot.textContent.includes("anonymous")`)
	none := open(t, link[:len(link)-4]+"AAAA", 375)
	none.until(`document.querySelector("#problem")?.textContent.includes("no such question")`)
	none.accessible("none")
}
