//go:build browser

package browsertest

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// TestChatsAreSearchedAndRenamed: typing searches, and a result can be opened; a saved title
// appears in all windows, and a discarded one in none.
func TestChatsAreSearchedAndRenamed(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", configured(t, map[string]string{"gateway.json": `{"limits": {"requestsPerMinute": 0}}`}))
	for i, said := range []string{"Plan a trip to Zürich", "Another café", "<b>Bold</b> words"} {
		if status, _ := s.post(fmt.Sprint("c", i), object{"message": said}); status != 200 {
			t.Fatal(status)
		}
	}
	p := openChatPage(t, s, "#assistant/c1", 1280)
	other := p.alongside(s.url + "/#assistant/c1")
	p.until("document.querySelectorAll('#side nav li').length === 3")
	other.until("document.querySelectorAll('#side nav li').length === 3")

	p.js("document.querySelector('#search').focus()")
	p.keys("ZURICH")
	p.until("document.querySelectorAll('.results li').length === 1 && find('.results mark').textContent === 'Zürich' && find('#found').textContent.includes('1')")
	p.keys(kb.Enter)
	p.until("location.hash === '#assistant/c0' && find('.bubble').textContent.includes('Zürich')")
	p.js("document.querySelector('#search').focus()")
	p.keys(kb.Escape)
	p.until("!find('.results') && document.querySelector('#search').value === '' && document.activeElement.id === 'search'")
	p.keys("<b>bold")
	p.until("find('.results mark').textContent === '<b>Bold' && !find('.results b')")
	p.keys(kb.Escape)
	p.keys("none such")
	p.until("find('#found').textContent === 'No chats found'")
	p.keys(kb.Escape)

	p.until("find('#chat-c1')")
	p.js("find('#chat-c1').focus()")
	p.keys(kb.F2)
	p.until("document.activeElement.id === 'chat-title' && find('#chat-title').value === 'Another café'")
	p.keys("Taken back" + kb.Escape)
	p.until("!find('#chat-title') && document.activeElement.id === 'chat-c1' && find('#chat-c1').textContent.trim() === 'Another café'")
	p.keys(kb.F2) // an invisible title counts as none
	p.until("document.activeElement.id === 'chat-title'")
	p.js("find('#chat-title').value = '\\u200b'; find('#chat-title').dispatchEvent(new Event('input'))")
	p.keys(kb.Enter)
	p.until("!find('#chat-title') && document.activeElement.id === 'chat-c1' && find('#chat-c1').textContent.trim() === 'Another café'")
	p.js("find('#chat-c1').parentElement.querySelector('.more').click()")
	p.until("find('#chat-menu').matches(':popover-open') && document.activeElement.id === 'rename'")
	p.keys(kb.Enter)
	p.until("document.activeElement.id === 'chat-title'")
	p.keys("Of the <i>menu</i>" + kb.Enter)
	p.until("find('#chat-c1').textContent.trim() === 'Of the <i>menu</i>' && document.activeElement.id === 'chat-c1'")
	other.until("find('#chat-c1').textContent.trim() === 'Of the <i>menu</i>' && document.title.includes('Of the <i>menu</i> · ')")

	// A title that cannot be saved stays in the field, with the reason.
	s.kill()
	p.keys(kb.F2)
	p.until("document.activeElement.id === 'chat-title'")
	p.keys("Lost?" + kb.Enter)
	p.until("find('#chat-title-problem').textContent && find('#chat-title').value === 'Lost?'")
	s.run()
	p.js("find('#chat-title').focus()")
	p.keys(kb.Enter)
	p.until("find('#chat-c1').textContent.trim() === 'Lost?'")
}

// TestTheSideHoldsManyChats, and the page a long word, at each width.
func TestTheSideHoldsManyChats(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", configured(t, map[string]string{"gateway.json": `{"limits": {"requestsPerMinute": 0}}`}))
	for i := range 25 {
		if status, _ := s.post(fmt.Sprint("c", i), object{"message": "confirm"}); status != 200 {
			t.Fatal(status)
		}
	}
	for _, width := range []int64{375, 1280} {
		p := openChatPage(t, s, "", width)
		p.until("document.querySelectorAll('#side nav li').length === 25")
		if width == 375 {
			p.js("find('.menu').click()")
			p.until("find('#side').matches(':popover-open')")
		}
		p.until(`(() => {
			const nav = find('#side nav').getBoundingClientRect(), foot = find('#side .foot').getBoundingClientRect();
			return nav.bottom <= foot.top + 1 && foot.bottom <= innerHeight + 1 && nav.height > 90;
		})()`)
		if width == 375 {
			p.js("find('#side').hidePopover()")
		}
		p.js("find('#message').focus()")
		p.keys(fmt.Sprintf("%0200d", 0))
		p.until(`find('#message').value.length === 200 && document.documentElement.scrollWidth <= innerWidth && find('#send').getBoundingClientRect().right <= innerWidth`)
	}
}

// TestALostGatewayIsShownInEveryState within four seconds, even where no chat has begun, and in the
// inbox.
func TestALostGatewayIsShownInEveryState(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"", "#/inbox", "#assistant/c"} {
		s := newSite(t, "") // a page that was left may keep its streams for a while
		if at == "#assistant/c" {
			s.post("c", object{"message": "confirm"})
		}
		p := openChatPage(t, s, at, 1000)
		p.until("find('.connection') && !find('.connection span')")
		s.settles(p, map[string]int{"": 1, "#/inbox": 1, "#assistant/c": 2}[at])
		s.kill()
		began := time.Now()
		p.until("find('.connection span')")
		t.Logf("%q: shown after %v", at, time.Since(began))
		s.run()
		p.until("!find('.connection span')")
	}
}
