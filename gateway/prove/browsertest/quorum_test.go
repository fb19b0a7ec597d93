//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// quorum returns an approval that two holders of a role must give, with the decisions so far.
func quorum(decisions ...object) object {
	ask := asked(question("confirm", "Allow refund?", nil))
	ask["kind"], ask["toolName"], ask["waitsFor"], ask["quorum"] = "approval", "refund", object{"role": "finance"}, 2
	ask["argumentsText"] = `{"amount": 900}`
	ask["reason"] = "Above <b>500</b>, two people of the finance team decide."
	if len(decisions) > 0 {
		ask["decisions"] = decisions
	}
	return ask
}

func yes(by string) object { return object{"by": by, "at": "2026-02-06T10:03:00.000Z", "value": true} }
func no(by string) object  { return object{"by": by, "at": "2026-02-06T10:31:00.000Z", "value": false} }

// buttons are the ids of those with which a call is decided.
const buttons = "[...card.shadowRoot.querySelectorAll('.decide')].map((b) => b.id).join()"

func TestAnApprovalSaysWhyItIsAsked(t *testing.T) {
	t.Parallel()
	p := showCard(t, quorum())
	p.is("find('[part=reason]').textContent", "Above <b>500</b>, two people of the finance team decide.")
	if !eval[bool](p, "find('[part=reason]').compareDocumentPosition(find('askgate-arguments')) === Node.DOCUMENT_POSITION_FOLLOWING") {
		t.Error("the reason is not above the arguments")
	}
	p.reopen(with(quorum(), "mayAnswer", false))
	p.is("find('[part=reason]').textContent", "Above <b>500</b>, two people of the finance team decide.")
}

func TestACardShowsWhoHasAllowedTheCall(t *testing.T) {
	t.Parallel()
	p := showCard(t, quorum())
	p.is("find('#quorum p').textContent", "2 people with the role finance must allow this. So far: 0")
	if eval[bool](p, "find('.decided') !== null") {
		t.Error("a list of no decisions")
	}
	// A decision of someone else comes while a note is written.
	p.start()
	p.click(".add")
	p.until("card.shadowRoot.activeElement === find('#note')")
	p.keys("not yet")
	p.set("clarification", quorum(yes("<i>alice</i>")))
	p.until("find('.decided li').textContent.startsWith('Allowed by <i>alice</i>, ') && find('#quorum p').textContent.endsWith('So far: 1')")
	p.is("find('#note').value", "not yet")
	p.is("card.shadowRoot.activeElement.id", "note")
	p.until("find('[role=status]').textContent.startsWith('Allowed by <i>alice</i>, ')")
	p.is(buttons, "allow,refuse")
	// It is also there for who may not decide, without a button.
	p.set("clarification", with(quorum(yes("alice")), "mayAnswer", false))
	p.until("find('.handed .decided li').textContent.startsWith('Allowed by alice, ')")
	p.is(buttons, "")
}

func TestAYesThatIsNotTheLastLeavesTheCardOpen(t *testing.T) {
	t.Parallel()
	for _, subject := range []string{"alice", ""} {
		t.Run(subject, func(t *testing.T) {
			p := showCard(t, quorum())
			p.set("subject", subject)
			p.start()
			p.keys("1", kb.Enter)
			p.answered(`{"value":true}`)
			p.until("find('[aria-busy=true]')")
			if subject != "" {
				p.set("clarification", quorum(yes("bob"))) // another yes is not the answer to this one
				p.until("find('[aria-busy=true] .decided')")
			}
			p.set("clarification", quorum(yes("alice")))
			p.until("find('[aria-busy=false] .mine').textContent === 'You have allowed this. Still needed: 1'")
			p.is(buttons, "refuse")
			p.is("find('[role=status]').textContent", "You have allowed this. Still needed: 1")
			p.is("card.shadowRoot.activeElement.id", "title") // not on a button that denies
			if eval[bool](p, "find('.alert, .error, .closed') !== null") {
				t.Error("the card takes it for an error, or as closed")
			}
			p.js("answers.length = 0")
			p.keys("1", kb.Enter)
			p.answered(`{"value":false}`)
		})
	}
}

func TestWhoHasAllowedACallSeesItAfterAReload(t *testing.T) {
	t.Parallel()
	p := showCard(t, nil)
	p.js("card.subject = 'alice'")
	p.reopen(quorum(yes("alice")))
	p.until("find('.mine')")
	p.is(buttons, "refuse")
	p.js("card.subject = 'bob'; await card.updateComplete")
	p.is(buttons, "allow,refuse")
}

func TestASecondYesIsRefusedInPlace(t *testing.T) {
	t.Parallel()
	p := showCard(t, quorum())
	p.start()
	p.keys("1", kb.Enter)
	p.until("answers.length === 1")
	p.set("error", object{"status": 409, "code": "already_decided", "detail": "You have already decided.", "clarification": quorum(yes("alice"))})
	p.until("find('.mine').textContent === 'You have allowed this. Still needed: 1' && find('.decided')")
	p.is(buttons, "refuse")
	if eval[bool](p, "find('.alert, .error') !== null") {
		t.Error("it is shown as an error")
	}
}

func TestAClosedCardKeepsTheDecisions(t *testing.T) {
	t.Parallel()
	p := showCard(t, quorum(yes("alice"), no("bob")))
	p.js(`Object.assign(card, {state: "answered", answer: {value: "no"}, answeredBy: "bob"}); await card.updateComplete`)
	p.is("[...card.shadowRoot.querySelectorAll('.closed .decided li')].map((li) => li.textContent.split(',')[0]).join()", "Allowed by alice,Denied by bob")
	p.js(`Object.assign(card, {answer: {value: "no", result: "x"}}); await card.updateComplete`)
	p.is("[...card.shadowRoot.querySelectorAll('.closed .decided li')].map((li) => li.textContent.split(',')[0]).join()", "Allowed by alice,Result given by bob")
	p.js(`Object.assign(card, {state: "expired", answer: null, clarification: %s}); await card.updateComplete`, quorum(yes("alice")))
	p.is("[...card.shadowRoot.querySelectorAll('.closed .decided li')].length + ''", "1")
}

func TestAResultTakesThePlaceOfTheCall(t *testing.T) {
	t.Parallel()
	ask := with(editable(), "respond", true)
	p := showCard(t, ask)
	p.start()
	p.is(buttons, "allow,refuse,respond")
	p.keys("3", kb.Enter)
	p.until("card.shadowRoot.activeElement === find('#result')")
	p.is(buttons, "reply,back")
	p.is("document.querySelector('askgate-clarification').shadowRoot.querySelector('#' + find('#result').getAttribute('aria-labelledby')).textContent", "Result in place of the call")
	p.until("find('#result').getAttribute('aria-describedby').split(' ').includes('result-hint') && find('#result-hint').textContent.includes('does not run')")
	p.keys("Paid by hand.", kb.Enter, "On 6 May. 😀", kb.Escape) // a new line, not an answer
	p.until("card.shadowRoot.activeElement === find('#title')")
	p.is("find('[part=result] .length').textContent", "25 of 32,000 characters")
	p.is("answers.length + ''", "0")
	p.keys("1", kb.Enter)
	p.answered(`{"value":false,"result":"Paid by hand.\nOn 6 May. 😀"}`)

	// Back keeps the text, and a no after it has no result.
	p.reopen(ask)
	p.start()
	p.keys("3", kb.Enter)
	p.until("card.shadowRoot.activeElement === find('#result')")
	p.keys("half", kb.Escape, "2", kb.Enter)
	p.until("card.shadowRoot.activeElement === find('#respond') && !find('#result')")
	p.keys("3", kb.Enter)
	p.until("find('#result').value === 'half'")
	p.keys(kb.Escape, "2", kb.Enter)
	p.until("card.shadowRoot.activeElement === find('#respond')")
	p.keys("2", kb.Enter)
	p.answered(`{"value":false}`)
}

func TestAResultIsKeptLikeADraft(t *testing.T) {
	t.Parallel()
	ask := with(editable(), "respond", true)
	p := showCard(t, ask)
	p.js("globalThis.drafts = []; card.addEventListener('askgate-draft', (e) => drafts.push(e.detail.draft))")
	p.start()
	p.keys("3", kb.Enter)
	p.until("card.shadowRoot.activeElement === find('#result')")
	p.keys("half")
	draft := eval[object](p, "drafts.at(-1)")
	p.do(chromedp.Reload())
	p.until("globalThis.ready")
	p.set("clarification", ask)
	p.until("find('#result').value === 'half'")
	p.reopen(with(ask, "draft", draft)) // on another device
	p.until("find('#result').value === 'half'")
	p.set("error", object{"status": 409, "code": "already_answered", "outcome": "answered", "answer": object{"value": "yes"}})
	p.until("find('.closed .unsent').textContent.includes('half')")
}

func TestAFaultyResultIsReportedAtItsField(t *testing.T) {
	t.Parallel()
	p := showCard(t, with(editable(), "respond", true))
	p.start()
	p.keys("3", kb.Enter)
	p.until("card.shadowRoot.activeElement === find('#result')")
	for text, want := range map[string]string{" \u200b\n": "An empty text", strings.Repeat("😀", 32_001): "Too long: 32001"} {
		p.js("find('#result').value = %s; find('#result').dispatchEvent(new Event('input')); await card.updateComplete; find('#reply').click(); await card.updateComplete", text)
		p.until("find('#error-result').textContent.startsWith(%s) && card.shadowRoot.activeElement === find('#result') && find('#result').getAttribute('aria-invalid') === 'true' && find('[role=status]').textContent.startsWith(%s)", want, want)
		p.is("answers.length + ''", "0")
	}
	p.js("find('#result').value = %s; find('#result').dispatchEvent(new Event('input')); await card.updateComplete; find('#reply').click(); await card.updateComplete", strings.Repeat("😀", 32_000))
	p.until("answers.length === 1 && [...answers[0].result].length === 32_000")
	p.set("error", object{"status": 422, "code": "invalid_answer", "errors": []object{{"question": 0, "field": "result", "code": "too_long", "message": "The gateway takes less."}}})
	p.until("find('#error-result').textContent === 'The gateway takes less.'")
	p.js("find('#result').value = 'x'; find('#result').dispatchEvent(new Event('input')); await card.updateComplete")
	p.until("!find('.error')")
}

func TestAClosedCardSaysThatTheCallWasNotMade(t *testing.T) {
	t.Parallel()
	p := showCard(t, with(editable(), "respond", true))
	p.js(`Object.assign(card, {state: "answered", answer: {value: "no", result: "<b>Paid</b>\nby hand.", note: "as agreed"}, answeredBy: "alice"}); await card.updateComplete`)
	p.is("find('.answer').textContent", "<b>Paid</b>\nby hand.")
	p.until("find('.outcome').textContent.includes('alice gave the result. The call was not made.') && find('.noted').textContent.includes('as agreed')")
	if eval[bool](p, "find('.closed').matches('.answered, .denied') || find('.mark').textContent === '✓'") {
		t.Error("it looks like a call that was allowed or denied")
	}
	p.js(`card.answeredBy = ""; await card.updateComplete`)
	p.until("find('.outcome').textContent.includes('A person gave the result. The call was not made.')")
}

func TestOnlyAnApprovalThatSaysSoTakesAResult(t *testing.T) {
	t.Parallel()
	p := showCard(t, editable())
	p.is(buttons, "allow,refuse")
}

func TestArgumentsThatOthersMustDecideAboutAreRefusedAtTheirField(t *testing.T) {
	t.Parallel()
	p := showCard(t, editable())
	for _, code := range []string{"not_permitted", "other_approver"} {
		p.reopen(editable())
		p.start()
		p.click("#edit-arguments")
		p.rewrite(`{"amount": 9000}`)
		p.click("#allow")
		p.until("answers.length === 1")
		p.set("error", object{"status": 422, "code": "invalid_answer", "errors": []object{{"question": 0, "field": "arguments", "code": code, "message": "Above 5,000 no one may refund here."}}})
		p.until("find('#error-arguments').textContent === 'Above 5,000 no one may refund here.' && card.shadowRoot.activeElement === find('#arguments') && find('#allow[aria-disabled=false]')")
	}
}
