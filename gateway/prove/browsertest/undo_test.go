//go:build browser

package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// none checks that nothing was sent.
func (p *page) none(when string) {
	p.t.Helper()
	if n := eval[int](p, "answers.length"); n != 0 {
		p.t.Errorf("%s: %d answers", when, n)
	}
}

func TestOneClickIsSentAtOnceBySendNowOrEnter(t *testing.T) {
	t.Parallel()
	which := asked(question("select", "Which?", object{"options": languages, "allow_skip": true}))
	p := instantly(t, which)
	enter := func(at int) {
		p.js(`const e = new KeyboardEvent("keydown", {key: "Enter", bubbles: true, composed: true, cancelable: true});
			Object.defineProperty(e, "timeStamp", {value: %s});
			card.shadowRoot.activeElement.dispatchEvent(e); await card.updateComplete`, at)
	}
	for _, tt := range []struct {
		name string
		do   func()
		want string
	}{
		{"the button", func() { p.click(".option:nth-child(2)"); p.waits("German"); p.click("#send-now") }, `{"value":"de"}`},
		{"the button, by keyboard", func() {
			p.keys("2")
			p.waits("German")
			p.js("find('#send-now').focus()")
			p.keys(kb.Enter)
		}, `{"value":"de"}`},
		{"Enter after a click", func() { p.click(".option:nth-child(2)"); p.waits("German"); p.keys(kb.Enter) }, `{"value":"de"}`},
		{"Enter twice, one after the other", func() {
			p.js("find('#pick-1').focus()")
			enter(10_000)
			p.waits("German")
			enter(10_499) // as a double click
			p.waits("German")
			enter(10_501)
		}, `{"value":"de"}`},
		{"what closes", func() {
			p.js("[...card.shadowRoot.querySelectorAll('button')].find((b) => b.textContent.trim() === 'Skip').click(); await card.updateComplete")
			p.click("#send-now")
		}, `{"skipped":true}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.t = t
			p.reopenInstantly(which)
			tt.do()
			p.answered(tt.want)
			p.js("due()")
			if n := eval[int](p, "answers.length"); n != 1 {
				t.Errorf("%d answers", n)
			}
		})
	}
	p.t = t
	p.reopenInstantly(which)
	p.keys("2")
	p.waits("German")
	p.js("find('#send-now').focus(); find('#send-now').click(); await card.updateComplete")
	p.until("card.shadowRoot.activeElement === find('#pick-1')") // the button is gone
	p.accessible("sending")
}

// What is undone as the time runs out is either sent or undone, whichever came first.
func TestUndoAtTheVeryEndOfItsTimeSendsOnceOrNever(t *testing.T) {
	t.Parallel()
	which := asked(question("select", "Which?", object{"options": languages}))
	p := instantly(t, which)
	for _, tt := range []struct {
		name, js string
		sent     int
	}{
		{"the time first", "due(); undo.click(); due()", 1}, {"Undo first", "const [timer] = grace; undo.click(); due(); timer()", 0},
		{"Escape after the time", "due(); document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))", 1},
		{"Undo twice", "undo.click(); undo.click(); due()", 0}, {"Send now twice", "const now = find('#send-now'); now.click(); now.click(); due()", 1},
		{"the page is left as it is undone", "undo.click(); dispatchEvent(new Event('pagehide')); due()", 0},
		{"the page is left as the time runs out", "due(); dispatchEvent(new Event('pagehide'))", 1},
	} {
		p.reopenInstantly(which)
		p.keys("2")
		p.waits("German")
		p.js("const undo = find('#undo');" + tt.js)
		if n := eval[int](p, "answers.length"); n != tt.sent {
			t.Errorf("%s: %d answers, want %d", tt.name, n, tt.sent)
		}
	}
}

// The pointer and the focus stop the clock at Undo, and nowhere else; a pointer that merely rests
// where the button appears does not.
func TestTheClockStandsStillAtUndo(t *testing.T) {
	t.Parallel()
	which := asked(question("select", "Which?", object{"options": languages}))
	p := instantly(t, which)
	stands := func(what string) { p.t.Helper(); p.until("grace.length === 0 && find('.clock.still')"); p.none(what) }
	runs := func() { p.t.Helper(); p.until("grace.length === 1 && find('.clock:not(.still)')") }
	p.click(".option:nth-child(2)")
	p.waits("German")
	runs()
	x, y := p.middle("#undo")
	p.do(chromedp.MouseEvent("mouseMoved", x, y))
	stands("over Undo")
	p.click(".option:nth-child(1)") // leaves Undo, and chooses another
	p.waits("French")
	runs()
	p.js("find('#undo').focus()")
	stands("the focus is at Undo")
	p.js("find('#send-now').focus()")
	runs()
	p.js("due()")
	p.answered(`{"value":"fr"}`)

	p.do(chromedp.MouseEvent("mouseMoved", x, y))
	p.reopenInstantly(which)
	p.keys("2")
	p.waits("German")
	runs()
	p.js("due()")
	p.answered(`{"value":"de"}`)
}

func TestTheTimeToUndoCanBeSet(t *testing.T) {
	t.Parallel()
	which := asked(question("select", "Which?", object{"options": languages}))
	p := instantly(t, which)
	p.js(`globalThis.times = []; const held = globalThis.setTimeout;
		globalThis.setTimeout = (f, ms, ...of) => { if (ms >= 1000 || String(f).includes("flush")) times.push(ms); return held(f, ms, ...of); }`)
	for _, tt := range []struct{ set, want string }{
		{"card.removeAttribute('undo-time'); card.undoTime = 5000", "5000"}, {"card.setAttribute('undo-time', '3000')", "3000"},
		{"card.undoTime = -1", "1200"}, {"card.undoTime = 1e12", "1200"}, {"card.undoTime = NaN", "1200"}, {"card.undoTime = 600000", "600000"},
	} {
		p.reopenInstantly(which)
		p.js(tt.set + "; await card.updateComplete; times.length = 0; find('#pick-1').click(); await card.updateComplete")
		p.waits("German")
		if got := eval[string](p, "times.join()"); got != tt.want {
			t.Errorf("%s: the clock runs for %s ms, want %s", tt.set, got, tt.want)
		}
		if got := eval[string](p, "find('.clock').style.animationDuration"); got != tt.want+"ms" {
			t.Errorf("%s: the bar runs for %s", tt.set, got)
		}
		p.keys(kb.Escape)
	}
	p.reopenInstantly(which)
	p.js("card.undoTime = 0; await card.updateComplete; find('#pick-1').click()")
	p.answered(`{"value":"de"}`)
}

// An answer whose question is closed in the meantime is not sent.
func TestAnAnswerToAQuestionThatIsClosedMeanwhileIsNotSent(t *testing.T) {
	t.Parallel()
	which := asked(question("select", "Which?", object{"options": languages}))
	p := instantly(t, which)
	for state, says := range map[string]string{
		"answered": "answered first in another window", "declined": "answered first in another window",
		"expired": "Your answer was not sent", "cancelled": "Your answer was not sent", "superseded": "Your answer was not sent",
	} {
		p.reopenInstantly(which)
		p.keys("2")
		p.waits("German")
		p.js("const timers = [...grace], at = card.parentNode; card.state = %s; await card.updateComplete; due(); timers.forEach((f) => f()); dispatchEvent(new Event('pagehide')); card.remove(); await 0; await 0; at.append(card)", state)
		p.until("find('.notice').textContent.includes(%s) && find('[role=status]').textContent.includes(%s)", says, says)
		p.none(state)
		p.accessible(state)
	}
}
