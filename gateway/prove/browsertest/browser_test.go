//go:build browser

package browsertest

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

var (
	browser context.Context // the one Chromium of all tests
)

//go:embed testdata/axe/axe.min.js
var axe string

func TestMain(m *testing.M) {
	testenv.Clear()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	chromium := os.Getenv("ASKGATE_TEST_CHROMIUM")
	if chromium == "" {
		var err error
		if chromium, err = exec.LookPath("chromium-headless-shell"); err != nil {
			chromium, err = exec.LookPath("chromium")
		}
		if err != nil {
			return fail(fmt.Errorf("no browser: install chromium, or name one in ASKGATE_TEST_CHROMIUM: %w", err))
		}
	}
	dir, err := os.MkdirTemp("", "askgate-browser")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(dir)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(filepath.Join(dir, "profile")),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("host-resolver-rules", "MAP *."+anyHost+" 127.0.0.1"), chromedp.Flag("lang", "en-US"), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("disable-smooth-scrolling", true), // on a busy machine, an animation that a key begins may be dropped
	)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	var cancel context.CancelFunc
	browser, cancel = chromedp.NewContext(allocator) //nolint:fatcontext // one browser for all tests
	defer cancel()
	if err := chromedp.Do(browser); err != nil {
		return fail(fmt.Errorf("the browser does not start: %w", err))
	}
	return m.Run()
}

// page is one tab in its own profile.
type page struct {
	t      *testing.T
	ctx    context.Context //nolint:containedctx // a tab is a context to chromedp
	helped bool            // has the chat page's helpers
}

// open shows url in a new tab, width CSS pixels wide.
func open(t *testing.T, url string, width int64) *page {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &page{t: t, ctx: ctx}
	p.listen()
	p.do(chromedp.EmulateViewport(width, 760), chromedp.Navigate(url))
	return p
}

// another opens url in a second tab of the same profile.
func (p *page) another(url string) *page {
	p.t.Helper()
	ctx, cancel := chromedp.NewContext(p.ctx)
	p.t.Cleanup(cancel)
	q := &page{t: p.t, ctx: ctx}
	q.listen()
	q.do(chromedp.Navigate(url))
	return q
}

// listen makes errors of the page, and loads that its policy refuses, fail the test.
func (p *page) listen() {
	ctx, cancel := context.WithCancel(p.ctx)
	messages := chromedp.Console(ctx)
	done := make(chan struct{})
	p.t.Cleanup(func() {
		cancel()
		<-done
	})
	go func() {
		defer close(done)
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || strings.Contains(m.Text, "Content Security Policy") {
				p.t.Errorf("the page reports %s", m)
			}
		}
	}()
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// eval returns the value of a JavaScript expression; promises are awaited.
func eval[T any](p *page, js string, args ...any) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](call(js, args), chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%v\n%.2000s", err, call(js, args))
	}
	return value
}

// js runs statements.
func (p *page) js(js string, args ...any) {
	p.t.Helper()
	eval[chromedp.Void](p, "(async () => {"+js+"\n})()", args...)
}

// until waits for an expression to be true, including in the next document if the page navigates
// in the meantime.
func (p *page) until(js string, args ...any) {
	p.t.Helper()
	js = call(js, args)
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	look := fmt.Sprintf(`new Promise((resolve) => {
		const end = performance.now() + %d;
		const look = () => {
			let is = false;
			try { is = Boolean(%s) } catch { /* not yet there */ }
			if (is || performance.now() > end) resolve(is);
			else setTimeout(look, 10);
		};
		look();
	})`, (patience * 2 / 3).Milliseconds(), js)
	seen, err := chromedp.Run(ctx, chromedp.Evaluate[bool](look, chromedp.EvalAwaitPromise))
	for err != nil && strings.Contains(err.Error(), "target navigated") {
		seen, err = chromedp.Run(ctx, chromedp.Evaluate[bool](look, chromedp.EvalAwaitPromise))
	}
	if err != nil {
		p.t.Fatalf("%v\n%.2000s", err, look)
	}
	if !seen {
		text := eval[string](p, "(globalThis.card?.shadowRoot ?? document.body).textContent")
		p.t.Fatalf("never true: %s\n%s", js, strings.Join(strings.Fields(text), " "))
	}
}

// keys presses keys, one after another: kb.Enter, "2", a text; on a card once it accepts them.
func (p *page) keys(keys ...string) {
	p.t.Helper()
	p.until("(() => {" + guarded + ` const e = focused(); return !guarded(e) && (e !== document.body || // a card takes the focus a frame after it is drawn
		![...document.querySelectorAll("askgate-clarification")].some((card) => card.shadowRoot.querySelector("section.early"))) })()`)
	for _, r := range strings.Join(keys, "") {
		p.press(r, kb.ModifierNone)
	}
}

func (p *page) shiftEnter() {
	p.t.Helper()
	p.press('\r', kb.ModifierShift)
}

// press presses one key as a keyboard does: the character comes with its keydown, so that a page
// that prevents one prevents the other.
func (p *page) press(r rune, modifier kb.Modifier) {
	p.t.Helper()
	events := kb.Encode(r)
	if len(events) == 3 { // down, char, up
		events[0].Type, events[0].Text = input.DispatchKeyEventTypeKeyDown, events[1].Text
		events = []*input.DispatchKeyEventParams{events[0], events[2]}
	}
	for _, ev := range events {
		ev.Modifiers |= int64(modifier)
		p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
			_, err := chromedp.Call(ctx, input.DispatchKeyEvent, *ev)
			return chromedp.Void{}, err
		})
	}
}

// click presses the middle of the first element that a selector, or an expression for an element,
// finds in the card, once the card accepts clicks.
func (p *page) click(selector string) {
	p.t.Helper()
	p.js("find(%s).scrollIntoView({block: 'center'})", selector)
	p.until("(() => {"+guarded+" return !guarded(find(%s)) })()", selector)
	p.do(chromedp.MouseClickXY(p.middle(selector)))
}

// middle returns the position of an element that click finds, once it no longer moves: a page that
// has just drawn something scrolls to it a frame later.
func (p *page) middle(selector string) (x, y float64) {
	p.t.Helper()
	at := eval[[]float64](p, `(async () => {
		find(%s).scrollIntoView({block: "center"});
		for (let was = [], still = 0; ;) {
			await new Promise(requestAnimationFrame);
			const r = find(%s).getBoundingClientRect(), at = [r.x + r.width / 2, r.y + r.height / 2];
			still = at.every((v, i) => v === was[i]) ? still + 1 : 0;
			if (still === 2) return at;
			was = at;
		}
	})()`, selector, selector)
	return at[0], at[1]
}

// media emulates the user's system settings, such as prefers-color-scheme: dark, without a
// transition from one to the other.
func (p *page) media(name, value string) {
	p.t.Helper()
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: name, Value: value}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		return chromedp.Void{}, err
	})
}

// accessible fails for every violation that axe-core finds.
func (p *page) accessible(state string) {
	p.t.Helper()
	if !eval[bool](p, "'axe' in globalThis") {
		p.do(chromedp.Evaluate[chromedp.Void](axe))
	}
	p.settled()
	type violation struct {
		ID, Help string
		Nodes    []struct {
			HTML           string
			FailureSummary string
		}
	}
	for _, v := range eval[[]violation](p, `axe.run(document, {resultTypes: ["violations"], preload: false}).then((r) =>
		r.violations.map((v) => ({id: v.id, help: v.help, nodes: v.nodes.map((n) => ({html: n.html, failureSummary: n.failureSummary}))})))`) {
		for _, n := range v.Nodes {
			p.t.Errorf("%s: %s: %s\n%s\n%s", state, v.ID, v.Help, n.HTML, n.FailureSummary)
		}
	}
}

// settled waits for colors and positions that change over time.
func (p *page) settled() {
	p.t.Helper()
	p.js(`const within = (root) => [root, ...[...root.querySelectorAll("*")].flatMap((e) => (e.shadowRoot ? within(e.shadowRoot) : []))];
		const roots = within(document);
		await Promise.allSettled(roots.flatMap((r) => r.getAnimations()).filter((a) => a.effect.getTiming().iterations !== Infinity).map((a) => a.finished))`)
}

// fits fails if the page scrolls sideways.
func (p *page) fits(state string) {
	p.t.Helper()
	if over := eval[int](p, "document.scrollingElement.scrollWidth - innerWidth"); over > 0 {
		p.t.Errorf("%s: %d pixels wider than the window", state, over)
	}
}

// shot saves a screenshot if ASKGATE_SCREENSHOTS is set.
func (p *page) shot(name string) {
	p.t.Helper()
	dir := os.Getenv("ASKGATE_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// resize sets the window's width in CSS pixels.
func (p *page) resize(width int64) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(width, 760))
}
