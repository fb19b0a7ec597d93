//go:build browser

package browsertest

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// inZone sets the time zone of the browser.
func (p *page) inZone(name string) {
	p.t.Helper()
	p.do(func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: name})
		return chromedp.Void{}, err
	})
}

// A local time that the clocks skip moves on by the change; of one that comes twice, the card takes the
// first and offers the second.
func TestTimesAroundAChangeOfTheClocks(t *testing.T) {
	t.Parallel()
	p := open(t, cardSite(t), 800)
	p.inZone("Europe/Berlin")
	p.until("globalThis.ready")
	p.reopen(asked(question("datetime", "When?", nil)))
	p.until("find('#written').textContent === 'Time zone: Europe/Berlin'")
	p.js("globalThis.drafts = []; document.addEventListener('askgate-draft', (e) => drafts.push(e.detail.answer.value))")
	for _, c := range []struct{ local, sent, second string }{
		{"2026-10-25T01:30", "2026-10-25T01:30:00+02:00", ""},
		{"2026-10-25T02:30", "2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"},
		{"2026-10-25T03:00", "2026-10-25T03:00:00+01:00", ""},
		{"2027-03-28T02:30", "2027-03-28T03:30:00+02:00", ""},
		{"2027-03-28T03:00", "2027-03-28T03:00:00+02:00", ""},
	} {
		p.js("find('#input').value = %s; find('#input').dispatchEvent(new Event('input')); await card.updateComplete", c.local)
		p.until("drafts.at(-1) === %s", c.sent)
		p.until("Boolean(find('#twin')) === %v", c.second != "")
		if c.second != "" {
			p.click("#twin")
			p.until("drafts.at(-1) === %s", c.second)
		}
	}
}

// An order is changed with the pointer, and announced when it is let go.
func TestOptionsAreDragged(t *testing.T) {
	t.Parallel()
	p := showCard(t, asked(question("rank", "Which first?", object{"options": languages})))
	p.start()
	p.js(`const at = (i) => { const { x, y, width, height } = find("#rank-" + i).getBoundingClientRect(); return { clientX: x + width / 2, clientY: y + height / 2 }; };
		const send = (type, i) => find("#rank-0").dispatchEvent(new PointerEvent(type, { ...at(i), pointerId: 1, button: 0, bubbles: true }));
		find("#rank-0").setPointerCapture = () => {};
		send("pointerdown", 0); send("pointermove", 2); await card.updateComplete; send("pointerup", 2); await card.updateComplete`)
	p.until("find('#rank-2 .label').textContent === 'French' && find('#rank-2 .unseen').textContent === '3 of 4'")
	p.until("find('[role=status]').textContent === 'French, 3 of 4' && card.shadowRoot.activeElement.id === 'rank-2' && !find('.held')")
}
