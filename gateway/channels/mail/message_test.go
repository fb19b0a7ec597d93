package mail_test

import (
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/channels"
	"github.com/askgate/askgate/gateway/channels/mail/mailtest"
	"github.com/askgate/askgate/tools"
)

// heads are all the fields that a message may have.
var heads = []string{"Auto-Submitted", "Content-Type", "Date", "From", "In-Reply-To", "Message-Id", "Mime-Version", "References", "Subject", "To", "X-Auto-Response-Suppress"}

func names(h mail.Header) (all []string) {
	for name := range h {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// links returns the addresses that an HTML text leads to. The test fails if opening it loads
// anything, or runs anything.
func links(t testing.TB, text string) (all []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	allowed := strings.Fields("html head meta title body div p br strong a ul li span code")
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if !slices.Contains(allowed, n.Data) {
			t.Errorf("the element %s is in %s", n.Data, text)
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "href" && n.Data == "a":
				all = append(all, a.Val)
			case !slices.Contains(strings.Fields("style dir lang charset name content"), a.Key) || strings.Contains(a.Val, "url("):
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
	return all
}

// shown returns the words of an HTML text.
func shown(text string) string {
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return ""
	}
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// A question with its options, each with a link that chooses it, in both forms.
func TestAQuestion(t *testing.T) {
	t.Parallel()
	l := sent(t, message())
	if got := names(l.Header); !slices.Equal(got, heads) {
		t.Errorf("%v", got)
	}
	if l.Subject != "Helper needs your answer" || l.Get("From") != `"Ask" <ask@example.org>` || l.Get("To") != "<alice@example.org>" || l.Get("Auto-Submitted") != "auto-generated" || l.Get("X-Auto-Response-Suppress") != "All" {
		t.Errorf("%v", l.Header)
	}
	if at, err := l.Date(); err != nil || time.Since(at).Abs() > time.Hour {
		t.Errorf("%v %v", at, err)
	}
	want := "Helper has a question for you.\n\n> Which **language**?\n\n> - German\nhttps://ask.example.org/answer/SEALED?value=de\n> - French & more\n> the other one\nhttps://ask.example.org/answer/SEALED?value=fr%26x%3D1\n\n" +
		"Each option opens a page where it is already chosen. It counts once you confirm it there.\n\nAnswer:\nhttps://ask.example.org/answer/SEALED\n\n" +
		"-- \nThe links answer in your name, without signing in. Do not forward this message.\nReplies to this message are not read.\n"
	if text := strings.ReplaceAll(l.Text, "\r\n", "\n"); text != want {
		t.Errorf("%s", text)
	}
	if got := links(t, l.HTML); !slices.Equal(got, []string{"https://ask.example.org/answer/SEALED?value=de", "https://ask.example.org/answer/SEALED?value=fr%26x%3D1", "https://ask.example.org/answer/SEALED"}) {
		t.Errorf("%v", got)
	}
	for _, said := range []string{"Helper has a question for you.", "Which **language**?", "French & more", "the other one", "Do not forward"} {
		if !strings.Contains(shown(l.HTML), said) {
			t.Errorf("%q is not in %s", said, shown(l.HTML))
		}
	}
}

// Without texts a message has who asks, until when, and a link.
func TestNoTexts(t *testing.T) {
	t.Parallel()
	l := sent(t, message(func(m *channels.Message) {
		m.Texts = false
		m.C.ExpiresAt = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
		m.C.Question.Warning, m.C.Question.Details, m.C.Question.Reason = "language", "language", "language"
	}))
	for _, text := range []string{l.Text, l.HTML} {
		if strings.Contains(text, "language") || strings.Contains(text, "German") || strings.Contains(text, "value=") {
			t.Errorf("%s", text)
		}
	}
	if !strings.Contains(l.Text, "Helper has a question for you.") || !strings.Contains(l.Text, "Answer by 2 March 2026, 09:30 UTC.") || !strings.Contains(l.Text, "https://ask.example.org/answer/SEALED") {
		t.Errorf("%s", l.Text)
	}
	if got := links(t, l.HTML); !slices.Equal(got, []string{"https://ask.example.org/answer/SEALED"}) {
		t.Errorf("%v", got)
	}
}

func approval(m *channels.Message) {
	m.C.ToolName, m.C.Arguments = "pay", `{"amount":100.50,"to":"Bob <b>","note":"line 1\nline 2","nested":{"a":[1,2]},"made_up":true,"flag":"true"}`
	m.C.Question = tools.Question{
		Kind: tools.KindApproval, Titles: map[string]string{"amount": "Amount in EUR"}, Unknown: []string{"made_up"}, Unfounded: []string{"/to"}, Reason: "Above 100 EUR.", Warning: "Check the recipient.",
		Parts: []tools.Part{{ID: "q1", Question: "Allow pay?", InputType: tools.Confirm, Options: []tools.Option{{Label: "Yes", Value: "yes"}, {Label: "No", Value: "no"}}}},
	}
}

// An approval says what would run, and has one link to allow and one to refuse it.
func TestAnApproval(t *testing.T) {
	t.Parallel()
	l := sent(t, message(approval))
	text := strings.ReplaceAll(l.Text, "\r\n", "\n")
	for _, said := range []string{
		"Helper needs your decision.", "> Allow pay?\n\n> Above 100 EUR.\n", "\n> flag: \"true\"\n\n> - Allow once\nhttps://ask.example.org/answer/SEALED?value=yes\n> - Deny\nhttps://ask.example.org/answer/SEALED?value=no\n", "> Above 100 EUR.\n", "> Check the recipient.\n",
		"> Tool: pay\n", "> Amount in EUR (amount): 100.50\n", "> to [Filled in by the assistant]: Bob <b>\n", `> note: "line 1\nline 2"` + "\n", "> nested: {\n>   \"a\": [", "> made_up [Not one of the tool’s parameters]: true\n", `> flag: "true"` + "\n",
	} {
		if !strings.Contains(text, said) {
			t.Errorf("%q is not in %s", said, text)
		}
	}
	if got := links(t, l.HTML); len(got) != 3 || !strings.Contains(shown(l.HTML), "Bob <b>") || !strings.Contains(shown(l.HTML), "Amount in EUR (amount): 100.50") {
		t.Errorf("%v %s", got, shown(l.HTML))
	}
	l = sent(t, message(approval, func(m *channels.Message) { m.C.Arguments, m.C.Question.Unknown = "{}", nil }))
	if !strings.Contains(l.Text, "No arguments") {
		t.Errorf("%s", l.Text)
	}
}

// What a role decides is decided by who signs in: the message gives no rights.
func TestForARole(t *testing.T) {
	t.Parallel()
	l := sent(t, message(approval, func(m *channels.Message) {
		m.C.For, m.Role, m.Link, m.Personal = "finance", "finance", "https://ask.example.org/?inbox", false
	}))
	if strings.Contains(l.Text+l.HTML, "value=") || !strings.Contains(l.Text, "Helper needs a decision from people with the role finance.") || !strings.Contains(l.Text, "Sign in to answer.") || strings.Contains(l.Text, "in your name") {
		t.Errorf("%s", l.Text)
	}
	if got := links(t, l.HTML); !slices.Equal(got, []string{"https://ask.example.org/?inbox"}) {
		t.Errorf("%v", got)
	}
}

// What takes more than one choice has one link; what a link cannot carry is not one.
func TestWhatALinkCanChoose(t *testing.T) {
	t.Parallel()
	part := func(p tools.Part) func(*channels.Message) {
		return func(m *channels.Message) { m.C.Question.Parts = []tools.Part{p} }
	}
	options := []tools.Option{{Label: "One", Value: "1"}, {Label: "Two", Value: "2"}}
	for name, c := range map[string]struct {
		change func(*channels.Message)
		values string
	}{
		"text":        {part(tools.Part{InputType: tools.Text}), ""},
		"multiselect": {part(tools.Part{InputType: tools.Multiselect, Options: options}), ""},
		"confirm":     {part(tools.Part{InputType: tools.Confirm}), "yes no"},
		"words":       {part(tools.Part{InputType: tools.Confirm, Options: []tools.Option{{Label: "Sure", Value: "yes"}, {Label: "Never", Value: "no"}}}), "yes no"},
		"several":     {func(m *channels.Message) { m.C.Question.Parts = append(m.C.Question.Parts, m.C.Question.Parts[0]) }, ""},
		"details": {func(m *channels.Message) {
			m.C.Question.Details = "all of it"
			part(tools.Part{InputType: tools.Select, Options: []tools.Option{{Value: "yes"}, {Value: "always"}, {Value: "no"}}})(m)
		}, "yes no"},
		"long":           {part(tools.Part{InputType: tools.Select, Options: []tools.Option{{Label: "Long", Value: strings.Repeat("ü", 100)}, {Label: "Short", Value: "s"}}}), "s"},
		"odd":            {part(tools.Part{InputType: tools.Select, Options: []tools.Option{{Label: "Odd", Value: "\r\n\"><script>&#?"}}}), "\r\n\"><script>&#?"},
		"in other words": {part(tools.Part{InputType: tools.Select, AllowOther: true, Options: options}), "1 2"},
	} {
		l := sent(t, message(c.change))
		var values []string
		for _, link := range links(t, l.HTML) {
			u, err := url.Parse(link)
			if err != nil || !strings.HasPrefix(link, "https://ask.example.org/answer/SEALED") {
				t.Errorf("%s: %s", name, link)
			} else if u.RawQuery != "" {
				values = append(values, u.Query().Get("value"))
				if !strings.Contains(l.Text, link) {
					t.Errorf("%s: the text lacks %s", name, link)
				}
			}
		}
		if got := strings.Join(values, " "); got != c.values {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// All messages of a chat to a person are one thread, whatever a mail program goes by: the subject, but for
// "Re:", and the root. Each message has its own id, which stays when it is sent again.
func TestThreads(t *testing.T) {
	t.Parallel()
	first := sent(t, message())
	again := sent(t, message())
	reminder := sent(t, message(func(m *channels.Message) { m.ID, m.Reminder = "12.1", 1 }))
	next := sent(t, message(approval, func(m *channels.Message) { m.ID, m.C.ID = "13.0", "clar_2" }))
	other := sent(t, message(func(m *channels.Message) { m.ID, m.Thread, m.C.ID = "14.0", "conv_2.alice", "clar_3" }))
	elsewhere := sent(t, message(func(m *channels.Message) { m.Thread, m.C.ID = "conv_9.alice", "clar_9" }))
	id := func(l mailtest.Letter) string { return l.Get("Message-ID") }
	if id(first) != id(again) || !regexp.MustCompile(`^<[0-9a-f]{32}@example\.org>$`).MatchString(id(first)) {
		t.Errorf("%s %s", id(first), id(again))
	}
	all := []string{id(first), id(reminder), id(next), id(other), id(elsewhere)}
	slices.Sort(all)
	if len(slices.Compact(all)) != 5 {
		t.Errorf("%v", all)
	}
	for _, l := range []mailtest.Letter{reminder, next} {
		if l.Get("References") != first.Get("References") || l.Get("In-Reply-To") != first.Get("References") || strings.TrimPrefix(l.Subject, "Re: ") != first.Subject {
			t.Errorf("%v", l.Header)
		}
	}
	if reminder.Subject != "Re: Helper needs your answer" || !strings.Contains(reminder.Text, "Reminder: this is still waiting.") || !strings.Contains(reminder.HTML, "Reminder: this is still waiting.") {
		t.Errorf("%q %s", reminder.Subject, reminder.Text)
	}
	if other.Get("References") == first.Get("References") {
		t.Error("another chat is in the same thread")
	}
}

// A question of any length becomes a short message with the link.
func TestLongQuestions(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("wörter & <tags> ", 2000) // 32,000 characters
	for name, change := range map[string]func(*channels.Message){
		"question": func(m *channels.Message) { m.C.Question.Parts[0].Question = long },
		"context":  func(m *channels.Message) { m.C.Question.Parts[0].Context = long },
		"details":  func(m *channels.Message) { m.C.Question.Details = long },
		"options": func(m *channels.Message) {
			m.C.Question.Parts[0].Options = slices.Repeat([]tools.Option{{Label: long[:4000], Value: "v"}}, 200)
		},
		"parts": func(m *channels.Message) {
			m.C.Question.Parts = slices.Repeat([]tools.Part{{Question: long[:4100], InputType: tools.Text}}, 20)
		},
		"arguments": func(m *channels.Message) {
			approval(m)
			m.C.Arguments = `{"` + strings.Repeat("n", 200) + `":"` + long + `","to":"` + long + `"}`
		},
	} {
		l := sent(t, message(change))
		if len(l.Text) > 30_000 || len(l.HTML) > 100_000 || !utf8.ValidString(l.Text) || !strings.Contains(l.Text, "…") || !strings.Contains(l.Text, "This text is shortened.") ||
			!strings.Contains(l.HTML, "This text is shortened.") || !slices.Contains(links(t, l.HTML), "https://ask.example.org/answer/SEALED") {
			t.Errorf("%s: %d, %d bytes: %.200s … %s", name, len(l.Text), len(l.HTML), l.Text, l.Text[max(0, len(l.Text)-400):])
		}
	}
	l := sent(t, message(func(m *channels.Message) {
		m.C.Question.Parts[0].Options = slices.Repeat([]tools.Option{{Label: "A", Value: "v"}}, 30)
		m.C.Question.Parts[0].OptionsTotal = 45
	}))
	if !strings.Contains(l.Text, "More options: 25") || strings.Contains(l.Text, "shortened") {
		t.Errorf("%s", l.Text)
	}
}

// The times are those of the zone of the quiet time.
func TestTimesOfAZone(t *testing.T) {
	t.Parallel()
	until := func(m *channels.Message) { m.C.ExpiresAt = time.Date(2026, 7, 1, 22, 30, 0, 0, time.UTC) }
	for language, want := range map[string]string{
		"en": "Answer by 2 July 2026, 00:30 CEST.", "de": "Antwort bis 02.07.2026, 00:30 CEST.", "es": "Responda antes de: 02/07/2026, 00:30 CEST.", "fr": "Répondez avant\u202f: 02/07/2026 à 00:30 CEST.", "it": "Answer by 2 July 2026, 00:30 CEST.",
	} {
		l := sent(t, message(until, func(m *channels.Message) { m.Language = language }), func(c *config.Channel) { c.Quiet.Zone = "Europe/Berlin" })
		if !strings.Contains(l.Text, want) {
			t.Errorf("%s: %s", language, l.Text)
		}
	}
}

// FuzzMessage: whatever the texts are, the message has the same fields in its head, the HTML has
// nothing but words and our links, and no line of the text passes for the gateway's.
func FuzzMessage(f *testing.F) {
	f.Add("Helper", "Which?", "German", "de")
	f.Add("a\r\nBcc: eve@example.org", "\r\n\r\n.\r\nQUIT\r\n", "\n\nhttps://evil.example", "\r\n")
	f.Add("Größe\u2028X-Evil: 1", "\u202egnp.exe", "<img src=x onerror=alert(1)>", "\"><a href=javascript:alert(1)>")
	f.Add("=?utf-8?q?=0D=0ABcc:_eve@example.org?=", "\x00\xff", "</p><script>", "?value=x&y#z")
	f.Add(strings.Repeat("ä", 300), strings.Repeat("x", 2000), strings.Repeat(" ", 300), "")
	f.Fuzz(func(t *testing.T, asker, question, label, value string) {
		l := sent(t, message(func(m *channels.Message) {
			m.Asker = asker
			p := &m.C.Question.Parts[0]
			p.Question, p.Options = question, []tools.Option{{Label: label, Value: value, Description: question}}
			m.C.Question.Warning = label
		}))
		if got := names(l.Header); !slices.Equal(got, heads) {
			t.Errorf("%v", got)
		}
		for name, values := range l.Header {
			if len(values) != 1 || strings.ContainsAny(values[0], "\r\n\x00") {
				t.Errorf("%s: %q", name, values)
			}
		}
		if strings.ContainsFunc(l.Subject, func(r rune) bool { return r < ' ' || r == '\u2028' || r == '\u202e' }) || !strings.HasSuffix(l.Subject, "needs your answer") && len([]rune(l.Subject)) < 200 {
			t.Errorf("%q", l.Subject)
		}
		for _, link := range links(t, l.HTML) {
			if !strings.HasPrefix(link, "https://ask.example.org/answer/SEALED") {
				t.Errorf("%s", link)
			}
		}
		for _, line := range strings.FieldsFunc(l.Text, tools.LineBreak) {
			if strings.HasPrefix(line, "http") && !strings.HasPrefix(line, "https://ask.example.org/answer/SEALED") {
				t.Errorf("%q in %s", line, l.Text)
			}
		}
	})
}
