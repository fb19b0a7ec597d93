//go:build browser

package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Where the app lets messages wait, the gateway accepts them while a turn runs.
func TestAMessageMayWaitForItsTurn(t *testing.T) {
	t.Parallel()
	model, upTo := gated(t)
	s := newSite(t, "", model)
	p := openChatPage(t, s, "", 1000)
	p.write("count")
	upTo <- 5
	p.reads(5)
	p.write("too early") // this app lets none wait
	p.until("find('#trouble').textContent.includes('still working') && find('#message').value === 'too early'")

	p.js(`globalThis.instead = async (url, init) => {
		if (init?.method === "POST") return new Response(new ReadableStream(), {headers: {"Content-Type": "text/event-stream"}});
		if (url.endsWith("/chats/" + location.hash.split("/")[1])) return new Response(JSON.stringify({...await (await real(url, init)).json(), queued: [{id: "msg_1", content: "too early", createdAt: "2026-02-06T10:30:00.000Z"}]}));
	}`)
	p.keys(kb.Enter)
	p.until("find('.queued .bubble').textContent === 'too early' && find('#message').value === ''")
	p.shot("page-queued")
	p.accessible("queued")
	upTo <- 30
	p.reads(30)
}

// Where the app lets messages wait for its question, the page announces it, shows the message as
// waiting, also after a reload, and sends it when the turn is over.
func TestAMessageMayWaitForAQuestion(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", configured(t, map[string]string{"gateway.json": `{"clarifications": {"onMessageWhilePending": "queue"}}`}))
	p := openChatPage(t, s, "", 1000)
	p.write("number")
	p.until("find('#input')")
	p.click(".instead button")
	p.until("find('#instead-hint').textContent.includes('Your message is sent when the question is closed')")
	p.write("7")
	p.until("find('.queued .bubble').textContent === '7' && find('#input')") // the question is still there
	p.shot("page-queued-behind-question")
	p.do(chromedp.Reload())
	p.until("find('.queued .bubble').textContent === '7' && find('#input')")
	p.start()
	p.keys("5", kb.Enter)
	p.says("You answered: 5")
	p.until("!document.querySelector('.queued') && [...document.querySelectorAll('.user .bubble')].at(-1).textContent === '7'")
}
