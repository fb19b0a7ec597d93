//go:build browser

package browsertest

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// halfSecond keeps the half second of a new question from passing on its own: due() ends it.
var halfSecond = strings.ReplaceAll(clockwork, "1200", "500")

// strike presses the element that has the focus, whether or not a card accepts it.
func (p *page) strike(keys string) {
	p.t.Helper()
	for _, r := range keys {
		p.press(r, kb.ModifierNone)
	}
}

// hit clicks on the position of an element, whether or not a card accepts it.
func (p *page) hit(selector string) {
	p.t.Helper()
	p.do(chromedp.MouseClickXY(p.middle(selector)))
}

// mouse performs half a click.
func (p *page) mouse(kind input.DispatchMouseEventType, selector string) {
	p.t.Helper()
	x, y := p.middle(selector)
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1})
		return chromedp.Void{}, err
	})
}

// tap touches the position of an element.
func (p *page) tap(selector string) {
	p.t.Helper()
	x, y := p.middle(selector)
	touch := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) chromedp.Action[chromedp.Void] {
		return func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
			_, err := chromedp.Call(ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: append([]*input.TouchPoint{}, points...)})
			return chromedp.Void{}, err
		}
	}
	p.do(touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: x, Y: y}), touch(input.DispatchTouchEventTypeTouchEnd))
}

// untouched fails if anything was chosen, written, closed or sent.
func (p *page) untouched(after string) {
	p.t.Helper()
	p.js("await card.updateComplete")
	if state := eval[string](p, `[answers.length && "answers", find(".option.chosen") && "chosen", find("#undo") && "waits", find("#note") && "note", find("#input")?.value, find(".alert, .error")?.textContent].filter(Boolean).join(", ")`); state != "" {
		p.t.Errorf("%s did something: %s", after, state)
	}
}

// Input that was meant for the previous content answers nothing: no click, touch or key counts in
// the first half second that a question is in view, nor does a press that began in it.
func TestAQuestionThatHasJustAppearedTakesNothing(t *testing.T) {
	t.Parallel()
	may := object{"options": languages, "allow_skip": true}
	p := instantly(t, asked(question("text", "Who?", nil)))
	p.js(halfSecond)
	for _, tt := range []struct {
		name    string
		ask     object
		instant bool
		clicks  []string // the clicked element
		focus   string   // the element that has the focus
		keys    string
		then    func(p *page) // what counts in the end
		want    string
	}{
		{"instant", asked(question("select", "Which?", may)), true, []string{".option:nth-child(2)", ".quiet", ".add"}, "#pick-0", "2\r ", func(p *page) { p.hit(".option:nth-child(2)"); p.strike("\r") }, `{"value":"de"}`},
		{"a choice with a button", asked(question("select", "Which?", may)), false, []string{".option:nth-child(2)", "button.main", ".add"}, "#pick-0", "2\r ", func(p *page) { p.strike("2\r") }, `{"value":"de"}`},
		{"a text", asked(question("text", "Who?", nil)), false, []string{"button.main", ".add"}, "#input", "Ada\r", func(p *page) { p.strike("Eve\r") }, `{"value":"Eve"}`},
		{"a number", asked(question("number", "How many?", object{"allow_skip": true})), false, []string{".step:last-child", ".quiet", "button.main"}, "#input", "3\r", func(p *page) { p.strike("4\r") }, `{"value":4}`},
		{"a call", with(editable(), "remember", "chat"), true, []string{"#allow", "#always", "#refuse"}, "#refuse", "\r ", func(p *page) { p.hit("#allow") }, `{"value":true,"once":true}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.t = t
			p.js("grace.length = 0")
			p.reopen(tt.ask)
			p.js("card.instant = %s; await card.updateComplete; find(%s).focus()", tt.instant, tt.focus)
			p.until("grace.length === 1 && find('section.early')")
			for _, at := range tt.clicks {
				p.hit(at)
				p.untouched("a click on " + at)
				p.tap(at)
				p.untouched("a touch of " + at)
			}
			p.strike(tt.keys)
			p.untouched("keys")
			if !eval[bool](p, "find(%s) === card.shadowRoot.activeElement && !find(':disabled')", tt.focus) {
				t.Error("the focus is lost, or something is disabled")
			}
			p.strike("\t")
			if eval[bool](p, "find(%s) === card.shadowRoot.activeElement", tt.focus) {
				t.Error("Tab leads nowhere")
			}
			p.mouse(input.DispatchMouseEventTypeMousePressed, tt.clicks[0])
			p.js("due(); await card.updateComplete")
			p.mouse(input.DispatchMouseEventTypeMouseReleased, tt.clicks[0])
			p.untouched("a press that began too early")
			p.js("find(%s).focus()", tt.focus)
			tt.then(p)
			p.answered(tt.want)
		})
	}
	p.t = t

	// The second click of a double click belongs to what was there at the first.
	p.reopen(with(editable(), "remember", "chat"))
	p.js("grace.length = 0")
	p.js("due(); await card.updateComplete; find('#allow').dispatchEvent(new MouseEvent('click', {detail: 2, bubbles: true}))")
	p.untouched("a second click")
}

// After one question of a form, the next accepts keys at once, but no clicks: a click could be the
// second half of a double click. The same applies to options that replace others.
func TestTheNextQuestionOfAFormTakesKeysAtOnce(t *testing.T) {
	t.Parallel()
	which, who := question("select", "Which?", object{"options": languages}), question("text", "Who?", nil)
	p := showCard(t, nil)
	p.js(halfSecond)
	early := func() {
		t.Helper()
		p.until("grace.length === 1 && find('section.early')")
	}
	due := func() {
		t.Helper()
		early()
		p.js("due(); await card.updateComplete")
	}
	p.reopen(asked(which, who, which))
	due()
	p.start()
	p.strike("2\r")
	early()
	p.until("find('.title').textContent === 'Who?' && card.shadowRoot.activeElement?.id === 'input'")
	p.strike("Ada\r")
	early()
	p.until("find('.title').textContent === 'Which?'")
	p.hit(".option:nth-child(1)")
	p.hit("button.main")
	p.untouched("a click")
	p.strike("1\r")
	p.until("find('.review')")
	p.hit("button.main")
	p.untouched("a click on what sends all")
	p.js("due(); await card.updateComplete")
	p.hit("button.main")
	p.answered(`{"answers":[{"value":"de"},{"value":"Ada"},{"value":"fr"}]}`)

	p.js("grace.length = 0")
	p.reopen(asked(which))
	due()
	p.start()
	p.strike("2\r")
	p.answered(`{"value":"de"}`)
	p.js("answers.length = 0")
	p.set("error", object{"status": 409, "code": "stale_option", "detail": "It is gone.", "gone": []string{"de"}, "options": options("Dutch", "nl", "Danish", "da")})
	p.until("find('.option')?.textContent.includes('Dutch')")
	early()
	p.hit(".option:nth-child(1)")
	if eval[bool](p, "Boolean(find('.option.chosen'))") {
		t.Error("an option that has just appeared is chosen")
	}
}

// A question of a form that moves up, because the previous one was answered elsewhere, counts as
// new.
func TestAQuestionThatMovesUpInAFormTakesNothing(t *testing.T) {
	t.Parallel()
	_, p := openForm(t, whichFormat, whichName, sendNow)
	p.js(halfSecond + "globalThis.find = inPage")
	p.keys("\t") // once the first accepts keys
	p.js("inPage('.pick').focus()")
	p.strike("2")
	p.until("at() === '2 of 3' && page().shadowRoot.activeElement?.id === 'input'")
	p.strike("Ada") // continued by a key
	p.until("inPage('#input').value === 'Ada' && grace.length === 2")
	p.js("due(); grace.length = 0; form().clarifications = form().clarifications.toSpliced(1, 1)")
	p.until("at() === '2 of 2' && inPage('.title').textContent === 'Send it now?'")
	p.until("grace.length === 2") // the form's and the card's
	p.js("inPage('.pick').focus()")
	p.strike("1\r")
	p.hit(".option")
	if eval[bool](p, "Boolean(inPage('.option.chosen')) || at() !== '2 of 2'") {
		t.Error("a question that has just appeared accepts a click or key")
	}
	p.js("due(); await form().updateComplete")
	p.strike("1")
	p.until("form().shadowRoot.querySelector('.head')")
}
