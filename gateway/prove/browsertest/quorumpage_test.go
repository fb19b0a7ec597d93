//go:build browser

package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// approving starts a site whose clock needs an approval, as a configuration has it, and signs the named people
// in. All but alice hold the role finance.
func approving(t *testing.T, approval string, names ...string) (*site, map[string]*page) {
	t.Helper()
	key := func(name string) string { return fmt.Sprintf("ag_quorum_test_%s_0123456789abcdef", name) }
	var entries []string
	for _, name := range names {
		role := "finance"
		if name == "alice" {
			role = ""
		}
		entries = append(entries, fmt.Sprintf(`{"id": %q, "hash": %q, "tenant": "acme", "subject": %q, "roles": [%q]}`, name, hashOf(key(name)), name, role))
	}
	keys := strings.ReplaceAll(strings.Join(entries, ", "), `[""]`, `[]`)
	s := newSite(t, "", guide(t, nil), configured(t, map[string]string{
		"gateway.json": strings.Replace(guideConfig, "{", `{"auth": {"mode": "apiKeys", "keys": [`+keys+`]}, `, 1),
		"tools.json":   `[{"id": "clock", "name": {"en": "Clock"}, ` + approval + `}]`, "apps/travel.json": guideApp,
	}))
	pages := map[string]*page{}
	for _, name := range names {
		p := openChatPage(t, s, "", 1000)
		p.until("find('#key')")
		p.js("find('#key').focus()")
		p.keys(key(name), kb.Enter)
		p.until("find('#message')")
		if name != "alice" {
			p.js("location.hash = '#/inbox'")
		}
		pages[name] = p
	}
	return s, pages
}

// decides presses a button of the card by keyboard.
func (p *page) decides(button string) {
	p.t.Helper()
	p.until("card?.shadowRoot.querySelector(%s)", "#"+button+"[aria-disabled=false]")
	p.js("card.shadowRoot.querySelector(%s).focus()", "#"+button)
	p.keys(kb.Enter)
}

// saidOnCard waits until the card has a text.
func (p *page) saidOnCard(text string) {
	p.t.Helper()
	p.until("card?.shadowRoot.textContent.includes(%s)", text)
}

// TestTwoHoldersAllowACall, each in their inbox, while the owner of the chat sees it without a reload.
func TestTwoHoldersAllowACall(t *testing.T) {
	t.Parallel()
	_, pages := approving(t, `"needsApproval": {"by": {"role": "finance"}, "quorum": 2}`, "alice", "bob", "carol")
	alice, bob, carol := pages["alice"], pages["bob"], pages["carol"]
	alice.write("what time")
	for _, p := range pages {
		p.saidOnCard("2 people with the role finance must allow this. So far: 0")
	}
	bob.decides("allow")
	bob.saidOnCard("You have allowed this. Still needed: 1")
	for _, p := range pages {
		p.saidOnCard("So far: 1")
		p.saidOnCard("Allowed by bob, ")
	}
	for p, want := range map[*page]string{alice: "", bob: "refuse", carol: "allow,refuse"} {
		p.is("[...card.shadowRoot.querySelectorAll('.decide')].map((b) => b.id).join()", want)
	}
	bob.accessible("allowed, and others must")
	bob.shot("page-quorum-holder")
	alice.accessible("quorum of others")
	alice.shot("page-quorum-owner")
	for _, p := range []*page{alice, bob} { // it is stored
		p.do(chromedp.Reload())
		p.saidOnCard("Allowed by bob, ")
	}
	bob.saidOnCard("You have allowed this. Still needed: 1")
	carol.decides("allow")
	for _, p := range []*page{bob, carol} {
		p.until("card.shadowRoot.querySelector('.closed.answered')?.textContent.includes('Allowed by carol')")
		p.is("[...card.shadowRoot.querySelectorAll('.closed .decided li')].map((li) => li.textContent.split(',')[0]).join()", "Allowed by bob,Allowed by carol")
	}
	alice.says("Thank you")
	alice.idle()
	for range 2 { // by events, then by the snapshot
		alice.until("find('.transcript details')")
		alice.is("[...document.querySelectorAll('.transcript details .label')].map((l) => l.textContent.split(',')[0]).slice(0, 2).join()", "Allowed by bob,Allowed by carol")
		alice.do(chromedp.Reload())
	}
}

// TestANoAfterAYesEndsTheQuestion, also of who allowed the call before.
func TestANoAfterAYesEndsTheQuestion(t *testing.T) {
	t.Parallel()
	_, pages := approving(t, `"needsApproval": {"by": {"role": "finance"}, "quorum": 2}`, "alice", "bob", "carol")
	alice, bob := pages["alice"], pages["bob"]
	alice.write("what time")
	bob.decides("allow")
	bob.saidOnCard("You have allowed this. Still needed: 1")
	bob.decides("refuse")
	for _, p := range []*page{bob, pages["carol"]} {
		p.until("card.shadowRoot.querySelector('.closed.denied')?.textContent.includes('Denied by bob')")
		p.is("[...card.shadowRoot.querySelectorAll('.closed .decided li')].map((li) => li.textContent.split(',')[0]).join()", "Allowed by bob,Denied by bob")
	}
	alice.says("Thank you")
}

// TestACallThatARuleDeniesIsShownAsDenied, not as failed.
func TestACallThatARuleDeniesIsShownAsDenied(t *testing.T) {
	t.Parallel()
	_, pages := approving(t, `"needsApproval": {"rules": [{"when": {"properties": {"timezone": {"type": "string"}}, "required": ["timezone"]}, "then": "deny", "reason": {"en": "Not here."}}]}`, "alice")
	alice := pages["alice"]
	alice.write("what time")
	alice.says("Not here.")
	alice.is("find('.transcript details .fate').textContent", "denied")
}

// TestAPersonGivesTheResultOnThePage, in the chat or in the inbox, and the transcript says so.
func TestAPersonGivesTheResultOnThePage(t *testing.T) {
	t.Parallel()
	for where, approval := range map[string]string{"alice": `"needsApproval": true, "respond": true`, "bob": `"needsApproval": {"by": {"role": "finance"}}, "respond": true`} {
		t.Run(where, func(t *testing.T) {
			_, pages := approving(t, approval, "alice", "bob")
			alice, p := pages["alice"], pages[where]
			alice.write("what time")
			p.decides("respond")
			p.until("card.shadowRoot.activeElement?.id === 'result'")
			p.keys("It is noon.")
			p.js("card.shadowRoot.querySelector('#reply').focus()")
			p.keys(kb.Enter)
			if where == "bob" {
				p.until("card.shadowRoot.querySelector('.closed.responded')?.textContent.includes('bob gave the result. The call was not made.')")
			}
			alice.says("It is noon.")
			alice.idle()
			for range 2 {
				alice.until("find('.transcript details .fate')?.textContent === 'answered by a person'")
				alice.until("find('.transcript details .label').textContent.startsWith('Result given by ' + %s)", where)
				alice.do(chromedp.Reload())
			}
			alice.accessible("result of a person")
		})
	}
}
