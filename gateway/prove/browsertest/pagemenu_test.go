//go:build browser

package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestTheMenuOfThePageHoldsItsChoices: reachable by keyboard, within the window at each width and in
// both directions.
func TestTheMenuOfThePageHoldsItsChoices(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	for _, width := range []int64{375, 1280} {
		p := openChatPage(t, s, "", width)
		for _, dir := range []string{"ltr", "rtl"} {
			p.until("find('#settings-button')")
			p.js("document.documentElement.dir = %s", dir)
			if width == 375 {
				p.js("find('.menu').click()")
				p.until("find('#side').matches(':popover-open') && document.activeElement.id === 'new'")
			}
			p.js("find('#settings-button').focus()")
			p.keys(kb.Enter)
			p.until("find('#settings').matches(':popover-open') && document.activeElement.id === 'language'")
			p.until(`[find('#settings'), find('#language'), find('#theme')].every((e) => {
				const at = e.getBoundingClientRect(), button = find('#settings-button').getBoundingClientRect();
				return at.left >= 0 && at.right <= innerWidth && at.top >= 0 && at.bottom <= button.top && at.width > 80;
			})`)
			p.accessible("menu " + dir)
			p.shot("page-menu-" + dir)
			p.keys(kb.Tab)
			p.is("document.activeElement.id", "theme")
			p.keys(kb.Escape)
			p.until("!find('#settings').matches(':popover-open') && document.activeElement.id === 'settings-button'")
			if width == 375 {
				p.until("find('#side').matches(':popover-open')") // the drawer stays
				p.keys(kb.Escape)
				p.until("!find('#side').matches(':popover-open')")
			}
		}
	}
}
