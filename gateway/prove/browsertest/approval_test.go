//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// rewrite replaces the content of the arguments field, by keyboard.
func (p *page) rewrite(text string) {
	p.t.Helper()
	p.until("card.shadowRoot.activeElement === find('#arguments')")
	p.js("find('#arguments').select()")
	p.keys(text)
}

func TestTheApproverMayChangeTheArguments(t *testing.T) {
	t.Parallel()
	const as = `{"force":true,"path":"reports/2026/january.pdf"}`
	for _, tt := range []struct {
		name string
		do   func(p *page)
		want string
	}{
		{"as they are", func(p *page) { p.keys("1", kb.Enter) }, `{"value":true}`},
		{"changed", func(p *page) {
			p.keys("1")
			p.click("#edit-arguments")
			p.rewrite(`{"path":`)
			p.keys(kb.Enter)                        // a new line, not an answer
			p.keys(`"b.txt"}`, kb.Escape, kb.Enter) // not a decision
			p.keys("1", kb.Enter)
		}, `{"value":true,"arguments":"{\"path\":\n\"b.txt\"}"}`},
		{"changed first, then allowed", func(p *page) {
			p.click("#edit-arguments")
			p.rewrite(`{}`)
			p.keys(kb.Escape, "1", kb.Enter)
		}, `{"value":true,"arguments":"{}"}`},
		{"written the same in other words", func(p *page) {
			p.keys("1")
			p.click("#edit-arguments")
			p.rewrite(as)
			p.keys(kb.Escape, "1", kb.Enter)
		}, `{"value":true}`},
		{"and left as they were", func(p *page) {
			p.keys("1")
			p.click("#edit-arguments")
			p.rewrite(`{}`)
			p.click(".call .edit")
			p.until("find('#call') && card.shadowRoot.activeElement === find('#edit-arguments')")
			p.click("button.main")
		}, `{"value":true}`},
		{"refused, whatever stands there", func(p *page) {
			p.click("#edit-arguments")
			p.rewrite(`no JSON`)
			p.keys(kb.Escape, "2", kb.Enter)
		}, `{"value":false}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := showCard(t, editable())
			p.start()
			tt.do(p)
			p.answered(tt.want)
		})
	}
}

func TestFaultyArgumentsAreReportedAtTheirField(t *testing.T) {
	t.Parallel()
	p := showCard(t, editable())
	p.start()
	p.keys("1")
	p.click("#edit-arguments")
	p.until(`find('#arguments').value === '{\n  "force": true,\n  "path": "reports/2026/january.pdf"\n}'`)
	for _, faulty := range []string{"", "{", "[1]", "null", `"text"`, "7"} {
		p.js("find('#arguments').value = %s; find('#arguments').dispatchEvent(new Event('input')); await card.updateComplete; find('button.main').click(); await card.updateComplete", faulty)
		p.until("find('#error-arguments').textContent.includes('not a JSON object') && card.shadowRoot.activeElement === find('#arguments')")
		p.until("find('#arguments').getAttribute('aria-invalid') === 'true' && find('#arguments').getAttribute('aria-describedby').includes('error-arguments')")
		p.until("find('[role=status]').textContent.includes('not a JSON object')")
		if n := eval[int](p, "answers.length"); n != 0 {
			t.Fatalf("%q was sent", faulty)
		}
	}
	p.rewrite(`{"path": 7}`)
	p.until("!find('.error')") // the browser finds no more errors
	p.click("button.main")
	p.until("answers.length === 1")
	p.set("error", object{"status": 422, "code": "invalid_answer", "errors": []object{{"question": 0, "field": "arguments", "code": "arguments", "message": "path is not a text."}}})
	p.until("find('#error-arguments').textContent === 'path is not a text.' && card.shadowRoot.activeElement === find('#arguments')")
	p.rewrite(`{"path": "b"}`)
	p.click("button.main")
	p.until("answers.length === 2 && answers[1].arguments === '{\"path\": \"b\"}'")

	p.set("error", object{"status": 409, "code": "already_answered", "outcome": "answered", "answer": object{"value": "yes", "arguments": object{"path": "c"}}})
	p.until(`find('.noted askgate-arguments').shadowRoot.querySelector('dd').textContent === 'c' && find('.unsent').textContent.includes('{"path": "b"}')`)
}

// exactly returns an approval whose arguments a browser would display differently.
func exactly(text string) object {
	ask := editable()
	ask["arguments"], ask["argumentsText"] = object{"amount": 9007199254740992}, text
	ask["digest"] = "sha256:" + strings.Repeat("0", 64)
	return ask
}

func TestAnApprovalShowsWhatWouldRun(t *testing.T) {
	t.Parallel()
	const text = "{\n  \"iban\": \"DE02\\u202e1234\",\n  \"amount\": 9007199254740993,\n  \"x\": 1.50\n}"
	p := showCard(t, exactly(text))
	p.until("within('pre')")
	if got := eval[string](p, "within('pre').textContent"); got != text {
		t.Errorf("as JSON: %s", got)
	}
	if got := eval[string](p, "within('pre mark').textContent"); got != `\u202e` {
		t.Errorf("marked: %s", got)
	}
	if got, want := eval[string](p, "all('dt, dd').join('|')"), "iban|DE02U+202E RIGHT-TO-LEFT OVERRIDE1234|amount|9007199254740993|x|1.50"; got != want {
		t.Errorf("shown: %s", got)
	}
	p.until("!find('#edit-arguments').disabled && find('#allow[aria-disabled=false]')")
	p.click("#edit-arguments")
	p.until("find('#arguments').value.includes('9007199254740993')")
	p.rewrite(`{"iban": "DE02", "amount": 9007199254740995, "x": 1.50}`)
	p.keys(kb.Escape, "1", kb.Enter)
	p.until("answers.length === 1")
	got := eval[string](p, "JSON.stringify([answers[0].arguments, answers[0].digest])")
	if want := `["{\"iban\": \"DE02\", \"amount\": 9007199254740995, \"x\": 1.50}","sha256:` + strings.Repeat("0", 64) + `"]`; got != want {
		t.Errorf("sent %s", got)
	}
}

func TestChangedArgumentsOutliveAReload(t *testing.T) {
	t.Parallel()
	p := showCard(t, editable())
	p.start()
	p.click("#edit-arguments")
	p.rewrite(`{"path": "half`)
	p.do(chromedp.Reload())
	p.until("globalThis.ready")
	p.set("clarification", editable())
	p.until(`find('#arguments').value === '{"path": "half'`)
}

func TestArgumentsCanBeChangedOnlyWhereTheEventSaysSo(t *testing.T) {
	t.Parallel()
	ask := editable()
	delete(ask, "editable")
	p := showCard(t, ask)
	if eval[bool](p, "find('#edit-arguments') !== null") {
		t.Error("the arguments can be changed")
	}
}

// On the page, with a gateway behind it.
func TestARememberedApprovalIsSeenAndRevoked(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", guide(t, nil), configured(t, map[string]string{"gateway.json": guideConfig, "tools.json": guideTools, "apps/travel.json": guideApp}))
	p := openChatPage(t, s, "", 1000)
	p.write("what time")
	p.until("find('.title').textContent === 'Allow Clock?'")
	if eval[bool](p, "find('#approved') !== null") {
		t.Error("something is remembered before the answer")
	}
	p.until("!find('#edit-arguments').disabled && find('#allow[aria-disabled=false]')")
	p.click("#edit-arguments")
	p.rewrite(`{"timezone": 7}`)
	p.keys(kb.Escape, "1", kb.Enter)
	p.until("find('#error-arguments')?.textContent.includes('timezone')") // from the gateway
	p.rewrite(`{"timezone": "UTC"}`)
	p.keys(kb.Escape, "1", kb.Enter)
	p.says("changed the arguments")
	p.idle()

	p.write("what time")
	p.until("find('.title')") // the approval was for one call
	p.start()
	p.keys("1", kb.Enter) // likewise
	p.idle()
	p.write("what time")
	p.until("find('#always[aria-disabled=false]')")
	if got := eval[bool](p, "find('#approved') !== null"); got {
		t.Error("an approval for one call is remembered")
	}
	p.start()
	p.keys("2", kb.Enter)
	p.until("find('#approved')")
	p.idle()
	p.write("the time again")
	p.until("log().filter((line) => line.includes('day, 20')).length === 4")
	p.idle()

	other := p.alongside(s.url + "/" + eval[string](p, "location.hash"))
	other.until("find('#approved')") // from the snapshot
	s.disconnect()
	p.click("#approved")
	p.click("#again-0")
	p.until("find('#approvals .bad').textContent.includes('cannot be reached')")
	s.reconnect()
	p.until("!find('.connection span')")
	if got := eval[string](p, "document.querySelector('#approvals li').innerText"); !strings.Contains(got, "clock") {
		t.Errorf("the list has %q", got)
	}
	p.click("#again-0")
	p.until("!find('#approved') && find('#news').textContent.includes('clock')")
	p.until("document.activeElement === find('#message')")
	p.write("the time at last")
	p.until("find('.title')")
}
