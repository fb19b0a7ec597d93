//go:build browser

package browsertest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/channels"
	"github.com/askgate/askgate/gateway/channels/mail"
	"github.com/askgate/askgate/gateway/channels/mail/mailtest"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/tools"
)

// mails are messages that look different from each other. Each changes a question with options.
var mails = []struct {
	name   string
	change func(*channels.Message)
}{
	{"question", func(m *channels.Message) { m.C.ExpiresAt = time.Date(2027, 3, 31, 12, 0, 0, 0, time.UTC) }},
	{"reminder", func(m *channels.Message) { m.Reminder = 1 }},
	{"approval", func(m *channels.Message) {
		m.C.ToolName, m.C.Arguments = "refund_customer", `{"amount":1250.50,"iban":"DE89370400440532013000","note":"Broken on arrival\nSecond case","lines":[{"sku":"A-1","count":2}],"made_up":true}`
		m.C.Question = tools.Question{
			Kind: tools.KindApproval, Titles: map[string]string{"amount": "Amount in EUR"}, Unknown: []string{"made_up"}, Unfounded: []string{"/iban"}, Reason: "Refunds above 1,000 EUR are asked about.",
			Parts: []tools.Part{{ID: "q1", Question: "Allow refund_customer?", InputType: tools.Confirm}},
		}
	}},
	{"role", func(m *channels.Message) {
		m.Role, m.Personal, m.Link = "finance", false, "https://ask.example.org/?inbox"
	}},
	{"form", func(m *channels.Message) {
		more := tools.Part{ID: "q2", Question: "When do you want to travel?", InputType: tools.Date, Context: "Fares are lower before 15 March."}
		m.C.Question.Parts = append(m.C.Question.Parts, more)
	}},
	{"written from right to left", func(m *channels.Message) {
		const word = "السؤال الذي يحتاج إلى إجابة واضحة من الشخص المسؤول عن المشروع "
		m.C.Question.Parts[0].Question, m.C.Question.Parts[0].Context = strings.Repeat(word, 12)+"؟", "https://example.org/"+strings.Repeat("x", 300)
		m.C.Question.Parts[0].Options = []tools.Option{{Label: strings.Repeat(word, 3), Value: "a", Description: word}, {Label: strings.Repeat("W", 200), Value: "b"}, {Label: "لا", Value: "c"}}
	}},
}

// A mail is read in each language, window and color scheme: nothing is wider than the window, axe has nothing to say
// once the mail stands below its subject as in a mail program, and nothing is loaded.
func TestMailsCanBeRead(t *testing.T) {
	t.Parallel()
	catalog, err := locales.New()
	if err != nil {
		t.Fatal(err)
	}
	server := mailtest.New(t, mailtest.Options{})
	sender, err := mail.New(config.Channel{ID: "mail", Type: config.ChannelMail, Server: "smtp://" + server.Address, From: "Ask <ask@example.org>"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sender.Close)
	pages := http.NewServeMux()
	at := httptest.NewServer(pages)
	t.Cleanup(at.Close)
	for _, language := range []string{"en", "de", "fr", "es"} {
		for _, c := range mails {
			m := &channels.Message{
				ID: "1.0", Thread: "t", Email: "alice@example.org", Language: language, App: "Travel desk", Asker: "Travel desk", Link: "https://ask.example.org/answer/SEALED", Personal: true, Texts: true,
				C: &chat.Clarification{ID: "clr_1", State: tools.StatePending, Question: tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{{
					ID: "q1", Question: "Which train should I book to Lisbon?", Context: "The first one leaves too early for breakfast.", InputType: tools.Select,
					Options: []tools.Option{{Label: "07:12, direct", Value: "a"}, {Label: "09:40, one change in Madrid", Value: "b", Description: "Cheaper, and 50 minutes longer"}},
				}}}},
			}
			m.Text = func(id string, params map[string]any) string { return catalog.Text(language, id, params) }
			c.change(m)
			if _, err := sender.Send(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			letter, name := (<-server.Got).Open(t), language+" "+c.name
			pages.HandleFunc("/"+strings.ReplaceAll(name, " ", "-"), func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				w.Header().Set("Link", `<data:,>; rel="icon"`)
				_, _ = w.Write([]byte(letter.HTML))
			})
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := open(t, at.URL+"/"+strings.ReplaceAll(name, " ", "-"), 320)
				for _, width := range []int64{320, 800} {
					p.resize(width)
					for _, scheme := range []string{"light", "dark"} {
						p.media("prefers-color-scheme", scheme)
						state := strings.ReplaceAll("mail-"+name+"-"+scheme, " ", "-") + map[int64]string{320: "-narrow"}[width]
						p.fits(state)
						p.shot(state)
					}
				}
				if got := eval[[]string](p, `performance.getEntriesByType("resource").map((e) => e.name)`); len(got) > 0 {
					t.Errorf("the mail loads %q", got)
				}
				// axe takes what has no background for white.
				p.js(`document.documentElement.style.background = "Canvas";
					const main = document.createElement("main");
					main.append(Object.assign(document.createElement("h1"), {textContent: %s}), ...document.body.childNodes);
					document.body.append(main)`, letter.Subject)
				for _, scheme := range []string{"light", "dark"} {
					p.media("prefers-color-scheme", scheme)
					p.accessible(name + " " + scheme)
				}
			})
		}
	}
}
