//go:build browser

package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// longestTask returns the most processor time, in ms, that the main thread of a page took in one
// task while do ran. It counts the thread's own time, so that a busy machine does not matter. Only
// one test at a time may trace.
func (p *page) longestTask(do func()) float64 {
	p.t.Helper()
	type event struct {
		Name     string
		Pid, Tid int
		Tdur     float64 // µs
		Args     struct{ Name string }
	}
	var all []event
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	complete := make(chan struct{})
	if err := chromedp.Listen(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *tracing.EventDataCollected:
			for _, raw := range ev.Value {
				var e event
				if json.Unmarshal(raw, &e) == nil {
					all = append(all, e)
				}
			}
		case *tracing.EventTracingComplete:
			close(complete)
		}
	}); err != nil {
		p.t.Fatal(err)
	}
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, tracing.Start, tracing.StartParams{TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"toplevel", "disabled-by-default-devtools.timeline"}, ExcludedCategories: []string{"*"}}})
		return chromedp.Void{}, err
	})
	do()
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, tracing.End, cdp.Empty{})
		return chromedp.Void{}, err
	})
	select {
	case <-complete:
	case <-ctx.Done():
		p.t.Fatal(ctx.Err())
	}
	main := map[[2]int]bool{}
	for _, e := range all {
		if e.Name == "thread_name" && e.Args.Name == "CrRendererMain" {
			main[[2]int{e.Pid, e.Tid}] = true
		}
	}
	var most float64
	tasks := 0
	for _, e := range all {
		if main[[2]int{e.Pid, e.Tid}] && strings.HasSuffix(e.Name, "RunTask") {
			tasks++
			most = max(most, e.Tdur/1000)
		}
	}
	if tasks == 0 || most == 0 {
		p.t.Fatalf("%d tasks measured", tasks)
	}
	return most
}

// heldAtMost is in ms of processor time. Processors differ: a task that takes 20 to 50 ms on one
// takes 60 on another. A text that is drawn in one piece takes seconds.
const heldAtMost = 200

// shapes are texts of a size at which reading or drawing is expensive: one for each Markdown
// construct.
func shapes(size int) map[string]string {
	all := map[string]string{}
	add := func(name, unit string) { all[name] = strings.Repeat(unit, size/len(unit)) }
	for _, unit := range []string{
		"~~~\n", "~~~", "```\n", "`", "*a", "**", "_a_ ", "[", "![", "](", "[a](b) ", "[a]: b\n", "<", "<b>", "<a ", "<!--", "&amp;", "|", "|a|b\n|-|-\n", "- a\n", "- ", "1. ", "1. a\n", "> ", ">",
		"> a\n\n", "# a\n", "\\", "\n", "\n\n", " \n", "    a\n", "\t", "http://a.b ", "www.a ", "a@b.cc ", "a", "a ", "a\n", "a\n\n", "---\n", "===\n", "~~a~~ ", "**a** ", "- [ ] a\n", "|", "é\U0001F600", "漢", "ا ", "\u200b", "$x$ ", "$x$ $y$\n", "$$x$$\n\n", "\\[x\\]", "$\\frac{a}{b}$ ", "$a",
	} {
		add(fmt.Sprintf("%q", unit), unit)
	}
	all["code"] = "```js\n" + strings.Repeat("const a = [1, 2, 3]; // no more\n", size/32)
	all["a table"] = "|a|b|c|d|\n|-|-|-|-|\n" + strings.Repeat("|1|2|3|4|\n", size/10)
	all["a wide table"] = strings.Repeat("|a", 2000) + "\n" + strings.Repeat("|-", 2000) + "\n" + strings.Repeat("|\n", size/2)
	all["nested"] = func() string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(strings.Repeat("  ", i%60) + "- a\n")
		}
		return b.String()
	}()
	return all
}

// However long and odd a model's text is, drawing it blocks the page only briefly.
func TestALongTextDoesNotHoldThePage(t *testing.T) { // not parallel: it traces
	p := markdownPage(t)
	all := shapes(240_000)
	all["4 MiB of code boxes"] = strings.Repeat("~~~\n", 1<<20)
	all["4 MiB of words"] = strings.Repeat("a ", 2<<20)
	all["4 MiB of one code"] = "```\n" + strings.Repeat("const a = 1\n", 4<<20/12)
	for name, text := range all {
		ms := p.drawing(text)
		for try := 1; try < 3 && ms > heldAtMost; try++ { // a busy machine slows a processor as well
			ms = min(ms, p.drawing(text))
		}
		t.Logf("%s: %.0f ms", name, ms)
		if ms > heldAtMost {
			t.Errorf("%s: the page is blocked for %.0f ms", name, ms)
		}
	}
}

// drawing returns the processor time of the longest task that draws a text, in ms.
func (p *page) drawing(text string) float64 {
	p.t.Helper()
	p.js("document.querySelector('main').replaceChildren(); await frame(); globalThis.written = %s", text)
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) { // the existing content takes no time later
		_, err := chromedp.Call(ctx, heapprofiler.CollectGarbage, cdp.Empty{})
		return chromedp.Void{}, err
	})
	return p.longestTask(func() { p.js("await drawn(written); await new Promise(requestAnimationFrame); await frame()") })
}

// A long text is read in pieces, each once, and all of it is shown.
func TestALongTextIsReadInPieces(t *testing.T) {
	t.Parallel()
	p := markdownPage(t)
	p.js("globalThis.blocks = await import('/assets/page/blocks.js')")
	for name, text := range shapes(100_000) {
		got := eval[struct {
			Longest, Pieces, Blocks int
			Read                    string
		}](p, `(() => {
			const text = %s;
			let at = 0, head = "", longest = 0, pieces = 0, drawn = 0, read = "";
			while (at < text.length) {
				const piece = blocks.pieceAt(text, at, head, drawn);
				longest = Math.max(longest, piece.to - at);
				drawn += piece.tokens.length;
				pieces++;
				read += text.slice(at, piece.to);
				({to: at, head} = piece);
			}
			return {longest, pieces, blocks: drawn, read};
		})()`, text)
		if got.Read != text || got.Longest > 8192 || got.Pieces > len(text)/200+1 || got.Blocks > 2500 {
			t.Errorf("%s: %d pieces of up to %d characters, %d blocks, all of it: %v", name, got.Pieces, got.Longest, got.Blocks, got.Read == text)
		}
	}

	// A construct that is cut at the end of a piece continues: code in its box, a list with its
	// numbers, a table with its head.
	var code, list, table strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&code, "line %d\n\n", i)
		fmt.Fprintf(&list, "%d. item\n", i+1)
		fmt.Fprintf(&table, "| %d | x |\n", i)
	}
	p.js("globalThis.node = await drawn(%s)", "Here:\n\n```js\n"+code.String()+"```\n\nafter")
	if got := eval[string](p, "node.querySelector('code').textContent"); got != code.String() {
		t.Errorf("the code is %d characters, want %d: %.60q", len(got), code.Len(), got)
	}
	p.until("node.querySelectorAll('.code').length === 1 && node.lastElementChild.textContent === 'after'")
	p.js("globalThis.node = await drawn(%s)", list.String())
	p.until("node.querySelectorAll('li').length === 1000 && [...node.querySelectorAll('ol')].at(-1).start === 1001 - [...node.querySelectorAll('ol')].at(-1).children.length")
	p.js("globalThis.node = await drawn(%s)", "| a | b |\n|---|---|\n"+table.String())
	p.until("node.querySelectorAll('tbody tr').length === 1000 && [...node.querySelectorAll('table')].every((t) => t.tHead?.textContent.includes('a'))")
}
