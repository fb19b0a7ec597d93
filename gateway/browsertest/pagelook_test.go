//go:build browser

package browsertest

import "testing"

func TestLook(t *testing.T) {
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1200)
	p.until("find('#message')")
	p.shot("a-empty")
	p.write("select")
	p.until("find('.title')")
	p.shot("a-asked")
	p.keys("2", "\r")
	p.js("await new Promise((r) => setTimeout(r, 1500))")
	p.shot("a-x")
	t.Log(eval[string](p, "document.activeElement.outerHTML.slice(0,200) + document.querySelector(\"#side nav\").innerText"))
	p.says("You answered: German")
	p.idle()
	p.shot("a-answered")
	p.write("calculate 2+3")
	p.idle()
	p.shot("a-tool")
	p.accessible("tool")
}
