//go:build browser

package browsertest

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/profiler"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// longChatMessages is larger for measurements: the times are logged, not judged.
//
//	go test -tags browser -count 1 -v -run "ALongChatIs|TypingInALongChat" ./gateway/prove/browsertest -messages 2000
var longChatMessages = flag.Int("messages", 320, "messages of the long chat")

// replies are what the model writes in a long chat.
var replies = []string{
	"A short one.",
	"## Title\n\nA paragraph with **bold**, `code` and [a link](https://example.org/).\n\n- one\n- two\n- three\n",
	strings.Repeat("A longer paragraph that wraps over several lines of the page. ", 12),
	"```\nfor {\n\tfmt.Println(\"Hello\")\n}\n```\n\nThat prints a greeting.",
	"| city | people |\n|---|---|\n| Bern | 134,000 |\n| Zurich | 443,000 |\n\n1. first\n2. second",
}

// longChats returns a site with the chats "long" and "short".
func longChats(t *testing.T) *site {
	t.Helper()
	s := newSite(t, "", configured(t, map[string]string{"gateway.json": `{"limits": {"requestsPerMinute": 0}}`}), upstream(t, func(said string, _ []string, d deltas) {
		n := 0
		_, _ = fmt.Sscanf(said, "Question %d", &n)
		d.text(replies[n%len(replies)] + fmt.Sprintf("\n\nReply %d.", n))
		d.end("stop")
	}))
	for chat, messages := range map[string]int{"long": *longChatMessages, "short": 2} {
		for n := range messages / 2 {
			if status, stream := s.post(chat, object{"message": fmt.Sprintf("Question %d: what comes next?", n)}); status != http.StatusOK {
				t.Fatalf("message %d: %d\n%s", n, status, stream)
			}
		}
	}
	return s
}

// loadAll opens a chat and loads all of its older messages. It returns the most layouts that one load
// took.
func (p *page) loadAll(chat string, messages int) (layouts float64) {
	p.t.Helper()
	p.until("find('#message')")
	for shown := 0; shown < messages; {
		before, from := p.metric("LayoutCount"), eval[float64](p, "performance.now()")
		if shown == 0 {
			p.js("location.hash = %s", "#assistant/"+chat)
		} else {
			p.js("find('.older button').click()")
		}
		shown = min(shown+200, messages)
		p.until(`document.querySelectorAll(".user").length === %s && document.querySelectorAll("askgate-markdown").length === %s
			&& [...document.querySelectorAll("askgate-markdown")].every((m) => m.textContent.includes("Reply"))`, shown/2, shown/2)
		p.js("await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame)")
		took := p.metric("LayoutCount") - before
		p.t.Logf("%d of %d messages of %q: %.0f layouts, drawn after %.0f ms", shown, messages, chat, took, eval[float64](p, "performance.now()")-from)
		layouts = max(layouts, took)
	}
	return layouts
}

// metric returns a counter of the page.
func (p *page) metric(name string) float64 {
	p.t.Helper()
	value := -1.0
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		if _, err := chromedp.Call(ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
			return chromedp.Void{}, err
		}
		got, err := chromedp.Call(ctx, performance.GetMetrics, cdp.Empty{})
		if err != nil {
			return chromedp.Void{}, err
		}
		for _, m := range got.Metrics {
			if m.Name == name {
				value = m.Value
			}
		}
		return chromedp.Void{}, nil
	})
	if value < 0 {
		p.t.Fatalf("no metric %q", name)
	}
	return value
}

// calls returns how often the page's own functions were called while do ran.
func (p *page) calls(do func()) int64 {
	p.t.Helper()
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		if _, err := chromedp.Call(ctx, profiler.Enable, cdp.Empty{}); err != nil {
			return chromedp.Void{}, err
		}
		_, err := chromedp.Call(ctx, profiler.StartPreciseCoverage, profiler.StartPreciseCoverageParams{CallCount: new(true)})
		return chromedp.Void{}, err
	})
	do()
	var calls int64
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		got, err := chromedp.Call(ctx, profiler.TakePreciseCoverage, cdp.Empty{})
		if err != nil {
			return chromedp.Void{}, err
		}
		for _, script := range got.Result {
			for _, f := range script.Functions {
				if strings.Contains(script.URL, "/assets/") && len(f.Ranges) > 0 {
					calls += f.Ranges[0].Count
				}
			}
		}
		_, err = chromedp.Call(ctx, profiler.StopPreciseCoverage, cdp.Empty{})
		return chromedp.Void{}, err
	})
	return calls
}

// The browser lays out the messages of a chat together, not one by one: each layout visits all of them.
func TestALongChatIsLaidOutAsAWhole(t *testing.T) {
	t.Parallel()
	p := openChatPage(t, longChats(t), "", 1000)
	if layouts := p.loadAll("long", *longChatMessages); layouts > 40 {
		t.Errorf("one load of up to 200 messages took %.0f layouts", layouts)
	}
}

// A key that is typed draws the composer, and no message again: it costs the same in a chat of any length.
func TestTypingInALongChatDrawsNoMessage(t *testing.T) {
	t.Parallel()
	s := longChats(t)
	const keys = 10
	calls := map[string]int64{}
	for chat, messages := range map[string]int{"long": *longChatMessages, "short": 2} {
		p := openChatPage(t, s, "", 1000)
		p.loadAll(chat, messages)
		p.js(`globalThis.took = []; find("#message").focus();
			addEventListener("keydown", ({timeStamp}) => requestAnimationFrame(() => setTimeout(() => took.push(performance.now() - timeStamp))), true)`)
		p.keys("a") // enables the button
		p.until("took.length === 1")
		calls[chat] = p.calls(func() {
			for i := range keys {
				p.press('x', kb.ModifierNone)
				p.until("took.length === %s", i+2)
			}
		})
		took := eval[[]float64](p, "took.slice(1)")
		slices.Sort(took)
		t.Logf("%d messages: %d calls per key; a key is drawn after %.0f ms (median), %.0f ms at most", messages, calls[chat]/keys, took[keys/2], took[keys-1])
	}
	if calls["short"] < keys {
		t.Fatal("no calls were counted")
	}
	if more := (calls["long"] - calls["short"]) / keys; more > int64(*longChatMessages/10) {
		t.Errorf("a key takes %d more calls in a chat of %d messages than in one of 2", more, *longChatMessages)
	}
}
