//go:build browser

package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// The page says that the asker is gone, and that it is back, in the chat and in the inbox. What the
// person has typed stays.
func TestThePageSaysThatTheAskerIsGone(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.write("confirm")
	p.until("find('.title')")
	p.start()
	p.keys("1", kb.Enter)
	p.says("You answered: yes")
	p.idle()
	p.js(`globalThis.waits = true;
		const own = fetch;
		globalThis.fetch = async (url, ...of) => {
			const response = await own(url, ...of);
			if (!String(url.url ?? url).includes("status=pending")) return response;
			const list = await response.json();
			for (const c of list.items) c.askerWaiting = waits;
			return Response.json(list);
		};
		globalThis.look = (now) => { waits = now; document.dispatchEvent(new Event("visibilitychange")); };`)
	chat := eval[string](p, "location.hash.split('/')[1]")
	s.asks("", object{"chatId": chat, "question": "Which version?", "askedBy": deploys})
	p.until("find('.title')?.textContent === 'Which version?'")
	p.js("card.focus()")
	p.until("card.shadowRoot.activeElement")
	p.keys("1.2")
	p.until("card.shadowRoot.querySelector('textarea').value === '1.2'")
	const gone = "find('.waits')?.textContent === 'The asker is not waiting any more.'"
	p.js("look(false)")
	p.until(gone)
	p.accessible("asker-gone")
	p.shot("page-asker-gone")
	p.js("look(true)")
	p.until("!card.shadowRoot.querySelector('.waits')") // find also finds what is outside of the card
	typed := eval[string](p, "card.shadowRoot.querySelector('textarea').value")
	if typed != "1.2" {
		t.Errorf("of the typed 1.2, %q is left", typed)
	}
	p.js("location.hash = '#/inbox'")
	const inInbox = "document.querySelector('#inbox askgate-clarification')?.shadowRoot.querySelector('.waits')"
	p.until("document.querySelector('#inbox askgate-clarification') && !" + inInbox)
	p.js("look(false)")
	p.until(inInbox)
}
