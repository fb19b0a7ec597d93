//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A closed question is drawn from what was stored: who reloads sees what who stayed sees,
// whatever the tool is called and whatever was typed.
func TestAClosedQuestionIsTheSameLiveAndStored(t *testing.T) {
	p, _ := openClient(t)
	for what, run := range map[string]string{
		"a renamed tool, a typed text that looks like a skip": `[question("clr_1", "question", "fragen"), closed("clr_1", "answered", {value: '{"userAnswer":null,"skipped":true}'})]`,
		"a form":              `[question("clr_1", "question", "ask_user"), closed("clr_1", "answered", {answers: [{value: "a"}, {skipped: true}]})]`,
		"an expiry":           `[question("clr_1", "question", "ask_user"), closed("clr_1", "expired", null)]`,
		"an expired approval": `[question("clr_1", "approval", "rm"), closed("clr_1", "expired", null)]`,
		"an input":            `[question("clr_1", "input", "pick"), closed("clr_1", "answered", {result: {a: 1}})]`,
		"an approval, then an input": `[question("clr_1", "approval", "pick"), closed("clr_1", "answered", {value: "yes"}, {outcome: "allowed", by: "ada", at: now}),
			question("clr_2", "input", "pick"), closed("clr_2", "declined", {declined: true})]`,
		"two rounds of a server": `[question("clr_1", "question", "mcp__a"), closed("clr_1", "answered", {value: "1"}), question("clr_2", "question", "mcp__a"), closed("clr_2", "skipped", {skipped: true})]`,
		"one open":               `[question("clr_1", "question", "ask_user")]`,
		"closed, then open":      `[question("clr_1", "question", "mcp__a"), closed("clr_1", "answered", {value: "1"}), question("clr_2", "question", "mcp__a")]`,
	} {
		both := eval[[]string](p, strings.Replace(closedScript, "RUN", run, 1))
		if both[0] != both[1] || strings.Contains(both[1], `"damaged"`) || both[1] == "[[],[]]" {
			t.Errorf("%s: live\n%s\nstored\n%s", what, both[0], both[1])
		}
	}
}

const closedScript = `(() => {
			const now = "2026-11-22T10:00:00.000Z", by = {subject: "ada", channel: "api"}, call = {toolCallId: "call_1", toolName: "t", arguments: {prompt: "x"}};
			const question = (clarificationId, kind, toolName) => ["clarification", {chatId: "c", clarificationId, toolCallId: "call_1", kind, toolName, arguments: {prompt: "x"},
				questions: [{question: "Q", input_type: "text"}], clarificationNumber: 1, maxClarifications: 1}];
			const closed = (clarificationId, outcome, answer, approval) => ["clarification.resolved", {clarificationId, toolCallId: "call_1", outcome, answer, answeredAt: now, by: answer && by, ...(approval && {approval})}];
			const run = RUN, last = run.at(-1), open = last[0] === "clarification";
			const events = [["tool.call.start", call], ...run, ...(open ? [] : [["tool.call.end", {...call, result: "r"}]])];
			const live = events.reduce((s, [type, data], i) => gate.reduce(s, {id: String(i + 1), type, data}), gate.initialState);
			const kept = [];
			for (const [type, data] of run) {
				if (type === "clarification") kept.push({app: "a", ...data, state: "pending", answer: null, answeredAt: null, answeredBy: null});
				else Object.assign(kept.find((k) => k.clarificationId === data.clarificationId),
					{state: data.outcome, answer: data.answer, answeredAt: data.answeredAt, answeredBy: data.by, ...(data.approval && {approval: data.approval})});
			}
			const pending = kept.filter((k) => k.state === "pending"), approval = kept.findLast((k) => k.approval)?.approval;
			const snapshot = {chatId: "c", status: open ? "awaiting_input" : "idle", pending, clarifications: {used: 1, max: 1}, messages: [{id: "m", role: "assistant", content: "",
				toolCalls: [{...call, result: open ? null : "r", ...(approval && {approval}), clarification: kept.at(-1), ...(kept.length > 1 && {clarifications: kept})}]}]};
			const stored = gate.reduce(gate.initialState, {id: "9", type: "snapshot", data: snapshot});
			const brief = (s) => JSON.stringify([s.items.map((i) => [i.type, i.key, i.clarification?.questions, i.clarification?.kind, i.state, i.answer, i.answeredAt, i.answeredBy, i.approval, i.result]), s.pending.map((c) => c.clarificationId)]);
			return [brief(live), brief(stored)];
		})()`

// What was typed on one device is there on another, and gone with the question.
func TestADraftIsThereOnAnotherDevice(t *testing.T) {
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.write("select")
	p.until("find('.title')")
	p.start()
	p.keys("2", "n")
	keeps := func(p *page, want string) {
		t.Helper()
		if got := eval[string](p, `(async () => {
			for (let n = 0, d = ""; ; n++) {
				d = (await (await fetch("/v1/clarifications")).json()).items[0]?.draft?.drafts[0].choices.join() ?? "none";
				if (d === %s || n === 200) return d;
				await new Promise((resolve) => setTimeout(resolve, 50));
			}
		})()`, want); got != want {
			t.Fatalf("the gateway keeps %s, want %s", got, want)
		}
	}
	keeps(p, "de")

	// A tab has a store of its own: it knows only what the gateway has.
	q := p.beside(eval[string](p, "location.href"))
	q.until("find('.pick:checked')?.value === 'de' || find('.pick:checked')?.closest('label')?.textContent.includes('German')")
	q.start()
	q.keys("1")
	keeps(q, "fr")

	// The newer of the two counts on the first one, too.
	p.do(chromedp.Reload())
	p.until("find('.pick:checked')?.value === 'fr' || find('.pick:checked')?.closest('label')?.textContent.includes('French')")

	q.keys(kb.Enter)
	q.says("You answered: French")
	p.says("You answered: French")
	if drafts := eval[int](p, "fetch('/v1/clarifications?status=all').then((r) => r.json()).then((l) => l.items.filter((c) => 'draft' in c).length)"); drafts != 0 {
		t.Errorf("%d drafts are left", drafts)
	}
}
