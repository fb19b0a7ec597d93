//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A closed question is drawn from what was stored: a reload shows the same as staying on the page,
// whatever the tool is called and whatever was typed.
func TestAClosedQuestionIsTheSameLiveAndStored(t *testing.T) {
	t.Parallel()
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

// So is a call and its result: its position among the others of its step, its arguments as they are
// shown, and whether it failed.
func TestACallIsTheSameLiveAndStored(t *testing.T) {
	t.Parallel()
	p, _ := openClient(t)
	for what, script := range map[string]string{
		"a result that reads like an error":      `call("a"), end("a", {result: '{"error":{"code":"E1","message":"of the tool"}}'})`,
		"an error":                               `call("a"), end("a", {error: {code: "TOOL_FAILED", message: "no"}})`,
		"a question before a call":               `call("a"), call("b"), end("b", {result: "2"}), ask("a", "q1"), close("q1"), end("a", {result: "1"})`,
		"two questions of a call before another": `call("a"), call("b"), end("b", {result: "2"}), ask("a", "q1"), close("q1"), ask("a", "q2"), close("q2"), end("a", {result: "1"})`,
		"a picture after a question":             `call("a"), call("b"), end("b", {result: "2"}), ask("a", "q1"), close("q1"), end("a", {result: "1", content: [{type: "text", text: "1"}]})`,
		"a picture after two questions":          `call("a", "1e2"), ask("a", "q1"), close("q1"), ask("a", "q2"), close("q2"), end("a", {result: "1", content: [{type: "text", text: "1"}]})`,
		"a refused approval":                     `call("a"), approve("a", "q1"), decide("q1", "refused"), end("a", {result: "no"})`,
		"an allowed approval":                    `call("a"), call("b"), end("b", {result: "2"}), approve("a", "q1"), decide("q1", "allowed"), end("a", {result: "1"})`,
		"an edited approval":                     `call("a"), approve("a", "q1"), decide("q1", "allowed", {x: 2}), end("a", {result: "1"})`,
		"an approval, a question, a picture":     `call("a"), approve("a", "q1"), decide("q1", "allowed"), ask("a", "q2"), close("q2"), end("a", {result: "1", content: [{type: "text", text: "1"}]})`,
	} {
		both := eval[[]string](p, strings.Replace(callScript, "RUN", script, 1))
		for _, stored := range both[1:] {
			if both[0] != stored || strings.Contains(stored, `"damaged"`) || stored == "[]" {
				t.Errorf("%s: live\n%s\nstored\n%s", what, both[0], stored)
			}
		}
	}
}

// callScript plays a run to the reducer, and writes what the gateway stores of it. It returns the
// items that a page shows if it stays, if it is reloaded at the end, and if it is reloaded after
// each event and continues.
const callScript = `(() => {
	const now = "2026-11-22T10:00:00.000Z", calls = [], kept = [], by = {subject: "ada", channel: "api"};
	const of = (id) => calls.find((c) => c.toolCallId === id);
	const call = (toolCallId, argumentsText) => () => {
		const c = {toolCallId, toolName: "t_" + toolCallId, arguments: {x: 1}, ...(argumentsText && {argumentsText})};
		calls.push({...c, result: null});
		return ["tool.call.start", c];
	};
	const asks = (toolCallId, clarificationId, more) => () => {
		const d = {chatId: "c", turnId: "t", clarificationId, toolCallId, ...more, questions: [{question: "Q", input_type: "text"}], clarificationNumber: 1, maxClarifications: 1, timestamp: now, expiresAt: null};
		kept.push({app: "a", ...d, state: "pending", answer: null, answeredAt: null, answeredBy: null});
		return ["clarification", d];
	};
	const ask = (id, question) => asks(id, question, {kind: "question"});
	const approve = (id, question) => asks(id, question, {kind: "approval", toolName: "t_" + id, arguments: {x: 1}, argumentsText: '{"x": 1}'});
	const closes = (clarificationId, answer, approval) => () => {
		const k = kept.find((k) => k.clarificationId === clarificationId);
		Object.assign(k, {state: "answered", answer, answeredAt: now, answeredBy: by, ...(approval && {approval})});
		if (approval) of(k.toolCallId).approval = approval;
		if (answer.arguments) of(k.toolCallId).arguments = answer.arguments;
		return ["clarification.resolved", {clarificationId, toolCallId: k.toolCallId, outcome: "answered", answer, answeredAt: now, by, ...(approval && {approval})}];
	};
	const close = (id) => closes(id, {value: "1"});
	const decide = (id, outcome, edited) => closes(id, {value: "yes", ...(edited && {arguments: edited})}, {outcome, by: "ada", at: now});
	const end = (id, what) => () => {
		const c = of(id), {error, result, content} = what;
		Object.assign(c, {result: error ? JSON.stringify({error}) : result, ...(error && {error}), ...(content && {content})});
		return ["tool.call.end", {toolCallId: id, toolName: c.toolName, ...what}];
	};
	const snapshot = () => gate.reduce(gate.initialState, {id: "9", type: "snapshot", data: JSON.parse(JSON.stringify({
		chatId: "c", status: "idle", pending: kept.filter((k) => k.state === "pending"), clarifications: {used: 1, max: 1},
		messages: [{id: "m", role: "assistant", content: "", toolCalls: calls.map((c) => {
			const asked = kept.filter((k) => k.toolCallId === c.toolCallId);
			return {...c, ...(asked.length && {clarification: asked.at(-1)}), ...(asked.length > 1 && {clarifications: asked})};
		})}]}))});
	const take = (s, event, id) => gate.reduce(s, {id, type: event[0], data: event[1]});
	let live = gate.initialState;
	const late = [];
	[RUN].forEach((step, i) => {
		const event = step();
		live = take(live, event, "e" + i);
		late.forEach((s, n) => { late[n] = take(s, event, "e" + i); });
		// Calls are stored together, so they are never visible in part.
		if (event[0] !== "tool.call.start") late.push(snapshot());
	});
	const brief = (s) => JSON.stringify(s.items.map((i) => [i.type, i.clarification?.clarificationId, i.state, i.toolCallId, i.toolName, i.arguments, i.argumentsText, i.approval, i.result, i.error, i.content, i.open]));
	return [live, snapshot(), ...late].map(brief);
})()`

// A draft that is slow to arrive does not overwrite a newer one.
func TestTheNewestDraftIsKept(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.js(strings.ReplaceAll(clockwork, "5000", "700"))
	p.write("text")
	p.until("find('#input')")
	p.start()
	p.js(`globalThis.puts = 0;
		globalThis.instead = async (url, init) => { if (init?.method === "PUT" && ++puts === 1) await new Promise((go) => { globalThis.go = go; }); }`)
	p.keys("A")
	p.js("due()")
	p.until("globalThis.go")
	p.keys("B")
	p.js("due(); await 0; await 0")
	if n := eval[int](p, "puts"); n != 1 {
		t.Errorf("%d drafts are on their way at once", n)
	}
	p.js("go()")
	p.until("puts === 2")
	p.js(`while ((await (await fetch("/v1/clarifications")).json()).items[0].draft?.drafts[0].input !== "AB") await new Promise((soon) => setTimeout(soon, 250));`)
}

// Text typed on one device appears on another, and disappears with the question.
func TestADraftIsThereOnAnotherDevice(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.write("select")
	p.until("find('.title')")
	p.start()
	p.click(".add") // with a note to write, one click does not answer
	p.click(".option:nth-child(2)")
	keeps := func(p *page, want string) {
		t.Helper()
		if got := eval[string](p, `(async () => {
			for (let n = 0, d = ""; ; n++) {
				d = (await (await fetch("/v1/clarifications")).json()).items[0]?.draft?.drafts[0].choices.join() ?? "none";
				if (d === %s || n === 200) return d;
				await new Promise((resolve) => setTimeout(resolve, 200));
			}
		})()`, want); got != want {
			t.Fatalf("the gateway stores %s, want %s", got, want)
		}
	}
	keeps(p, "de")

	// A tab has its own storage: it knows only what the gateway has.
	q := p.alongside(eval[string](p, "location.href"))
	q.until("find('.pick:checked')?.value === 'de' || find('.pick:checked')?.closest('label')?.textContent.includes('German')")
	q.start()
	q.keys("1")
	keeps(q, "fr")

	// The newer of the two counts on the first one as well.
	p.do(chromedp.Reload())
	p.until("find('.pick:checked')?.value === 'fr' || find('.pick:checked')?.closest('label')?.textContent.includes('French')")

	q.keys(kb.Enter)
	q.says("You answered: French")
	p.says("You answered: French")
	if drafts := eval[int](p, "fetch('/v1/clarifications?status=all').then((r) => r.json()).then((l) => l.items.filter((c) => 'draft' in c).length)"); drafts != 0 {
		t.Errorf("%d drafts are left", drafts)
	}
}
