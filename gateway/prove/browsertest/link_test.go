//go:build browser

package browsertest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// told starts a gateway with a webhook, and hands out the links that it is sent.
func told(t *testing.T) (s *site, links chan string) {
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

// Who has the link answers on a page that has nothing else; who comes later sees the answer
// and whose it is.
func TestTheAnswerPage(t *testing.T) {
	s, links := told(t)
	s.post("c", object{"message": "select"})
	link := <-links
	first, late := newPage(t, link), newPage(t, link)
	late.waitFor(`document.querySelector("askgate-clarification")?.shadowRoot.querySelector("input[value=de]")`)
	first.do(chromedp.WaitReady("askgate-clarification"))
	first.waitFor(`document.querySelector("askgate-clarification").shadowRoot.querySelector("input[value=fr]")`)
	first.axe()
	pick := func(p *page, value string) {
		p.t.Helper()
		_ = eval[bool](p, `(() => {
			const card = document.querySelector("askgate-clarification").shadowRoot;
			card.querySelector("input[value=`+value+`]").click();
			return true;
		})()`)
		p.waitFor(`!document.querySelector("askgate-clarification").shadowRoot.querySelector("button.main").disabled`)
		_ = eval[bool](p, `(document.querySelector("askgate-clarification").shadowRoot.querySelector("button.main").click(), true)`)
	}
	pick(first, "fr")
	first.waitFor(`document.querySelector("askgate-clarification").state === "answered" && document.querySelector("p.good")`)
	pick(late, "de")
	late.waitFor(`document.querySelector("askgate-clarification")?.state === "answered"`)
	if text := eval[string](late, `document.querySelector("askgate-clarification").shadowRoot.textContent`); !strings.Contains(text, "French") || !strings.Contains(text, "anonymous") {
		t.Errorf("who comes late reads %q", text)
	}
	late.axe()
	none := newPage(t, link[:len(link)-4]+"AAAA")
	none.waitFor(`document.querySelector("#problem")?.textContent.includes("no such question")`)
}
