//go:build browser

package browsertest

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// openClient opens a page of a real gateway that has a client of one chat: client, state (as the
// reducer sees it), seen (all events) and connections.
func openClient(t *testing.T) (*page, *site) {
	t.Helper()
	s := newSite(t, "", fromSources)
	p := open(t, s.url, 800)
	p.js(`globalThis.gate = await import("/assets/askgate.js");
		globalThis.client = new gate.Client({app: "assistant", chat: "c2", locale: "en"});
		Object.assign(globalThis, {state: gate.initialState, seen: [], connections: []});
		globalThis.end = client.follow((e) => { seen.push(e); state = gate.reduce(state, e); }, {onConnection: (c) => connections.push(c)});
		globalThis.brief = (s) => s.items.map((i) => [i.type, i.content ?? i.toolName ?? i.state ?? i.code, i.error?.code ?? ""].join(" | "))`)
	p.until("seen.length === 1 && seen[0].type === 'snapshot' && connections.at(-1) === 'online'") // otherwise the snapshot may arrive only after the first run
	p.js("seen.length = 0")
	return p, s
}

func TestAChatBeginsWithItsFirstMessage(t *testing.T) {
	t.Parallel()
	p, _ := openClient(t)
	p.js(`await client.sendMessage("confirm")`)
	p.until("state.status === 'awaiting_input' && state.pending.length === 1")
	if first := eval[string](p, "seen[0].type"); first != "turn.start" {
		t.Errorf("the first event is %s", first)
	}
	p.js(`await client.answer({...state.pending[0] && {clarificationId: state.pending[0].clarificationId}, value: true})`)
	p.until("state.status === 'idle' && state.items.at(-1).content.includes('You answered: yes')")
	if ids := eval[bool](p, "new Set(seen.map((e) => e.id)).size === seen.length"); !ids {
		t.Error("an event came twice")
	}
	p.js(`await client.erase()`)
	p.until("connections.at(-1) === 'new'")
	p.js(`await client.sendMessage("confirm")`)
	p.until("state.status === 'awaiting_input' && state.pending.length === 1")
}

// A client that was connected and one that connects later see the same chat.
func TestEventsAndSnapshotLeadToTheSameTranscript(t *testing.T) {
	t.Parallel()
	p, _ := openClient(t)
	for _, step := range []string{
		`sendMessage("select")`, `answer({value: "de", note: "formal"})`,
		`sendMessage("calculate 2+3")`,
		`sendMessage("refused")`, `answer({value: "ada"})`,
		`sendMessage("date")`, `answer({skipped: true})`,
		`sendMessage("form")`, `answer({answers: [{value: "Alpha"}, {value: "pdf"}, {declined: true}]})`,
		`sendMessage("confirm")`, `answer({declined: true})`,
		`sendMessage("number")`, `sendMessage("something else entirely: form")`,
	} {
		p.js(`globalThis.before = seen.length; await client.` + step + `; globalThis.accepted = seen.length`)
		// A client that was disconnected in the meantime may get a snapshot instead.
		p.until(`(seen.slice(before).some((e) => e.type === "done") || seen.slice(accepted).some((e) => e.type === "snapshot")) && state.status !== "running"`)
	}
	live := eval[[]string](p, "brief(state)")
	stored := eval[[]string](p, "client.snapshot().then((data) => brief(gate.reduce(gate.initialState, {id: 'x', type: 'snapshot', data})))")
	if !reflect.DeepEqual(live, stored) {
		t.Errorf("live\n%s\nstored\n%s", strings.Join(live, "\n"), strings.Join(stored, "\n"))
	}
	for _, want := range []string{"clarification | answered | ", "clarification | skipped | ", "clarification | declined | ", "clarification | superseded | ", "clarification | pending | ", "tool | calculator | ", "tool | ask_user | INVALID_CLARIFICATION_PARAMS"} {
		if !strings.Contains(strings.Join(live, "\n"), want) {
			t.Errorf("no %s in\n%s", want, strings.Join(live, "\n"))
		}
	}
	used := eval[[]float64](p, "[state.clarifications.used, state.clarifications.max]")
	if used[0] != 7 || used[1] != 10 {
		t.Errorf("clarifications %v", used)
	}
}

func TestALostResponseDoesNothingTwice(t *testing.T) {
	t.Parallel()
	p, s := openClient(t)
	p.js(`await client.sendMessage("confirm")`)
	p.until("state.pending.length === 1")
	s.loseResponses(1)
	p.js(`await client.answer({value: true})`)
	p.until("state.status === 'idle' && state.items.at(-1).content?.includes('You answered: yes')")

	s.loseResponses(math.MaxInt) // a browser repeats some on its own
	if code := eval[string](p, `client.sendMessage("confirm").then(() => "", (problem) => problem.code)`); code != "offline" {
		t.Errorf("the problem is %q", code)
	}
	s.loseResponses(0)
	p.until("state.pending.length === 1")       // it had arrived
	p.js(`await client.sendMessage("confirm")`) // sent again by a user: the same key
	if n := eval[int](p, "client.snapshot().then((s) => s.messages.filter((m) => m.role === 'user').length)"); n != 2 {
		t.Errorf("%d messages, want 2", n)
	}
}

func TestARunCanBeReadWithoutFollowing(t *testing.T) {
	t.Parallel()
	p, s := openClient(t)
	p.js("end()")
	types := eval[[]string](p, `(async () => { const types = []; await client.sendMessage("number", {onEvent: (e) => types.push(e.type)}); return types; })()`)
	if types[0] != "turn.start" || types[len(types)-1] != "done" {
		t.Errorf("%v", types)
	}
	s.kill()
	s.run()
	problem := eval[object](p, `client.answer({value: 11}).then(() => null, (problem) => ({...problem}))`)
	if problem["code"] != "invalid_answer" || problem["status"] != 422.0 || problem["requestId"] == "" {
		t.Errorf("%v", problem)
	}
}

// A caller that gives up is notified at once, and nothing is sent again on its behalf; nor is a
// message that could not be sent at all.
func TestACallerThatGivesUpSendsNothingAgain(t *testing.T) {
	t.Parallel()
	p, _ := openClient(t)
	p.js("end()")
	for what, script := range map[string]string{
		"before a response": `const up = new AbortController(), c = client(up); setTimeout(() => up.abort(new Error("enough")), 20); return tell(c.sendMessage("x", {signal: up.signal}))`,
		"beforehand":        `const up = new AbortController(), c = client(up); up.abort(new Error("enough")); return tell(c.resume({signal: up.signal}))`,
		"without a key":     `const c = client(null, () => { throw new Error("enough"); }); return tell(c.sendMessage("x"))`,
	} {
		if got := eval[string](p, `(async () => {
			let asked = 0;
			const client = (up, headers = {}) => new gate.Client({app: "assistant", headers: () => { asked++; return typeof headers === "function" ? headers() : headers; },
				fetch: (url, {signal}) => new Promise((resolve, reject) => {
					if (signal?.aborted) return reject(signal.reason);
					signal?.addEventListener("abort", () => reject(signal.reason));
				})});
			const tell = (sent) => sent.then(() => "accepted", (e) => e.message + ", " + asked);
			`+script+`;
		})()`); got != "enough, 1" {
			t.Errorf("%s: %s", what, got)
		}
	}
}

// keeps returns an approval that will be remembered.
func keeps(id, tool string) object {
	return object{"clarificationId": id, "toolCallId": id, "kind": "approval", "toolName": tool, "remember": "chat", "questions": []object{question("confirm", "Sure?", nil)}}
}

func closes(id, outcome string, remembered bool) [2]any {
	d := object{"clarificationId": id, "outcome": outcome, "answer": nil, "answeredAt": nil}
	if remembered {
		d["remembered"] = true
	}
	return [2]any{"clarification.resolved", d}
}

// calls returns the event that begins a call.
func calls(id string) [2]any {
	return [2]any{"tool.call.start", object{"toolCallId": id, "toolName": "t", "arguments": object{}}}
}

// comes returns an event with the progress of a call.
func comes(id string, progress any, more object) [2]any {
	d := object{"toolCallId": id, "toolName": "t", "progress": progress}
	maps.Copy(d, more)
	return [2]any{"tool.call.progress", d}
}

func TestTheReducer(t *testing.T) {
	t.Parallel()
	p, _ := openClient(t)
	p.js("end()")
	type event = [2]any
	start, done := event{"turn.start", object{"chatId": "c"}}, func(why string) event { return event{"done", object{"finishReason": why}} }
	chunk := func(s string) event { return event{"chunk", object{"content": s}} }
	resumed, failed := event{"turn.start", object{"chatId": "c", "resumed": true}}, event{"error", object{"code": "model_timeout", "message": "late", "retryable": true}}
	ended := func(why string, resumable bool) event {
		return event{"snapshot", object{"chatId": "c", "status": "idle", "messages": []object{{"id": "m", "role": "user", "content": "q"}, {"id": "n", "role": "assistant", "content": "half"}},
			"hasMore": false, "pending": []object{}, "lastEventId": "x", "finishReason": why, "resumable": resumable}}
	}
	thought := func(why string) event { // the same for a model that has thought
		e := ended(why, why != "stop")
		e[1].(object)["messages"].([]object)[1]["thinking"] = "hm"
		return e
	}
	for _, tt := range []struct {
		name   string
		events []event
		want   []string
		check  string
	}{
		{"chunks become one text", []event{start, chunk("a"), chunk("b"), done("stop")}, []string{"assistant | ab | "}, "s.status === 'idle' && !s.items[0].open"},
		{"thinking is its own", []event{start, {"thinking", object{"content": "hm"}}, chunk("a"), done("stop")}, []string{"thinking | hm | ", "assistant | a | "}, "true"},
		{"a snapshot has it before the text", []event{thought("stop")}, []string{"user | q | ", "thinking | hm | ", "assistant | half | "}, "!s.items[1].open"},
		{"and a restart discards both", []event{thought("error"), resumed, {"step.restart", object{}}, chunk("right")}, []string{"user | q | ", "assistant | right | "}, "true"},
		{"a restart discards the step's text", []event{start, {"user.message", object{"messageId": "m", "content": "q"}}, chunk("wro"), {"step.restart", object{}}},
			[]string{"user | q | "}, "s.restarted"},
		{"and no more", []event{start, chunk("kept"), {"tool.call.start", object{"toolCallId": "1", "toolName": "clock"}}, {"tool.call.end", object{"toolCallId": "1", "result": "now"}}, chunk("wro"), {"step.restart", object{}}, chunk("right")},
			[]string{"assistant | kept | ", "tool | clock | ", "assistant | right | "}, "!s.restarted && s.items[1].result === 'now' && !s.items[1].open"},
		{"a resumed run restarts alone", []event{start, chunk("before"), done("clarification"), start, chunk("wro"), {"step.restart", object{}}}, []string{"assistant | before | "}, "true"},
		{"a question takes its call's place", []event{start, {"tool.call.start", object{"toolCallId": "call_1", "toolName": "ask_user"}}, {"clarification", asked(question("text", "Who?", nil))}, done("clarification")},
			[]string{"clarification | pending | "}, "s.status === 'awaiting_input' && s.pending.length === 1 && s.clarifications.max === 10"},
		{"and is resolved", []event{{"clarification", asked(question("text", "Who?", nil))}, start, {"clarification.resolved", object{"clarificationId": "clr_1", "outcome": "answered", "answer": object{"value": "Ada"}}},
			{"tool.call.end", object{"toolCallId": "call_1", "result": "Ada"}}}, []string{"clarification | answered | "}, "s.pending.length === 0 && s.items[0].answer.value === 'Ada'"},
		{"a remembered approval", []event{{"clarification", keeps("clr_1", "b")}, {"clarification", keeps("clr_2", "a")}, start, closes("clr_1", "answered", true), start, closes("clr_2", "answered", true)},
			[]string{"clarification | answered | ", "clarification | answered | "}, "s.approvals.join() === 'a,b'"},
		{"the newest decision about a tool counts", []event{{"clarification", keeps("clr_1", "a")}, {"clarification", keeps("clr_2", "a")}, {"clarification", keeps("clr_3", "b")}, start, closes("clr_1", "answered", true),
			start, closes("clr_2", "answered", false), start, closes("clr_3", "superseded", false)},
			[]string{"clarification | answered | ", "clarification | answered | ", "clarification | superseded | "}, "s.approvals.length === 0"},
		{"why it ended early", []event{start, chunk("a"), done("length")}, []string{"assistant | a | ", "notice | length | "}, "s.finishReason === 'length'"},
		{"an error", []event{start, {"error", object{"code": "model_timeout", "message": "late", "retryable": true}}, done("error")}, []string{"error | model_timeout | "}, "s.status === 'idle'"},
		{"an error under both names", []event{start, {"turn.error", object{"code": "model_timeout", "message": "late", "retryable": true}}, {"error", object{"code": "model_timeout", "message": "late", "retryable": true}}, done("error")}, []string{"error | model_timeout | "}, "s.status === 'idle'"},
		{"a failed turn that goes on", []event{start, {"user.message", object{"messageId": "m", "content": "q"}}, chunk("wro"), failed, done("error"), resumed, {"step.restart", object{}}, chunk("right"), done("stop")},
			[]string{"user | q | ", "assistant | right | "}, "!s.resumable"},
		{"may do so", []event{start, chunk("wro"), failed, done("error")}, []string{"assistant | wro | ", "error | model_timeout | "}, "s.resumable"},
		{"unless the error says that it cannot", []event{start, {"error", object{"code": "model_error", "message": "no", "retryable": false, "resumable": false}}, done("error")},
			[]string{"error | model_error | "}, "!s.resumable && s.items[0].resumable === false"},
		{"a text that was cut off goes on, and only what it adds is discarded", []event{start, chunk("one"), done("length"), resumed, chunk("two"), {"step.restart", object{}}, chunk("too"), failed, done("error"), resumed, {"step.restart", object{}}, chunk("two"), done("max_steps")},
			[]string{"assistant | one | ", "assistant | two | ", "notice | max_steps | "}, "s.resumable"},
		{"another node takes a text over that goes on", []event{start, chunk("one"), done("length"), resumed, {"step.restart", object{}}, chunk("two")}, []string{"assistant | one | ", "assistant | two | "}, "true"},
		{"a snapshot of a turn that was stopped", []event{ended("cancelled", true), resumed, {"step.restart", object{}}, chunk("right")}, []string{"user | q | ", "assistant | right | "}, "!s.resumable"},
		{"a snapshot of one that failed", []event{ended("error", true)}, []string{"user | q | ", "assistant | half | ", "error |  | "}, "s.resumable && s.items.at(-1).retryable"},
		{"a snapshot of one that was cut off", []event{ended("length", true), resumed, {"step.restart", object{}}, chunk("two")}, []string{"user | q | ", "assistant | half | ", "assistant | two | "}, "true"},
		{"a snapshot of one that failed before it had a text of its own", []event{ended("error", true), resumed, chunk("two"), {"step.restart", object{}}, chunk("too")}, []string{"user | q | ", "assistant | half | ", "assistant | too | "}, "true"},
		{"or after it had", []event{ended("error", true), resumed, {"step.restart", object{}}, chunk("two"), {"step.restart", object{}}, chunk("too")}, []string{"user | q | ", "assistant | too | "}, "true"},
		{"a snapshot of one that a message follows", []event{ended("cancelled", false)}, []string{"user | q | ", "assistant | half | ", "notice | cancelled | "}, "!s.resumable && s.finishReason === 'cancelled'"},
		{"how far a call has come", []event{start, calls("1"), calls("2"), comes("1", 1, nil), comes("1", 2.5, object{"total": 5, "message": "half"}), comes("3", 1, nil)},
			[]string{"tool | t | ", "tool | t | "}, "JSON.stringify(s.items.map((i) => i.progress ?? 0)) === '[{\"progress\":2.5,\"total\":5,\"message\":\"half\"},0]' && s.items[0].open"},
		{"is forgotten at its end", []event{start, calls("1"), comes("1", 1, nil), {"tool.call.end", object{"toolCallId": "1", "result": "r"}}, comes("1", 2, nil)}, []string{"tool | t | "}, "!('progress' in s.items[0]) && s.items[0].result === 'r'"},
		{"at a restart", []event{start, calls("1"), comes("1", 1, nil), {"step.restart", object{}}}, []string{"tool | t | "}, "!('progress' in s.items[0]) && s.items[0].open"},
		{"and at the run's", []event{start, calls("1"), comes("1", 1, nil), done("clarification")}, []string{"tool | t | "}, "!('progress' in s.items[0])"},
		{"not a number", []event{start, calls("1"), comes("1", "1", nil)}, []string{"tool | t | "}, "!('progress' in s.items[0])"},
		{"what it does not know", []event{start, {"news", object{}}, chunk("a")}, []string{"assistant | a | "}, "s.lastEventId === '3'"},
	} {
		got := eval[[]string](p, `(() => { globalThis.s = %s.reduce((s, [type, data], i) => gate.reduce(s, {id: String(i + 1), type, data}), gate.initialState); return brief(s); })()`, tt.events)
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if !eval[bool](p, tt.check) {
			t.Errorf("%s: not %s", tt.name, tt.check)
		}
	}
	if !eval[bool](p, `(() => { const one = gate.reduce(gate.initialState, {id: "1", type: "chunk", data: {content: "a"}}), before = JSON.stringify(one);
		const two = gate.reduce(one, {id: "2", type: "user.message", data: {messageId: "m", content: "q"}});
		return gate.reduce(two, {id: "2", type: "chunk", data: {content: "again"}}) === two && JSON.stringify(one) === before; })()`) {
		t.Error("the reducer is not pure, or applies an event twice")
	}
	// For a long chat, snapshots contain the newest messages: older ones that the client has stay.
	if got, want := eval[[]string](p, `(() => {
		const message = (n) => ({ id: "m" + n, role: n % 2 ? "user" : "assistant", content: String(n) });
		const page = (from, to) => ({ chatId: "c", status: "idle", messages: Array.from({ length: to - from }, (_, i) => message(from + i)), hasMore: from > 1, pending: [], clarification: null, clarifications: { used: 0, max: 9 }, lastEventId: "x" });
		const told = (s) => s.items.map((i) => i.content).join(" ") + (s.hasMore ? " more before " + s.oldest : "");
		const later = (s, d) => gate.reduce(s, { id: "", type: "snapshot", data: d });
		const one = later(gate.initialState, page(6, 10));
		const two = gate.earlier(one, page(3, 6));
		const three = later(two, page(7, 12));
		const four = gate.earlier(three, page(1, 3));
		return [told(one), told(two), told(three), told(four), told(later(four, page(8, 14))), told(later(four, page(20, 24))), told(later(four, { ...page(8, 14), chatId: "d" }))];
	})()`), []string{
		"6 7 8 9 more before m6", "3 4 5 6 7 8 9 more before m3", "3 4 5 6 7 8 9 10 11 more before m3", "1 2 3 4 5 6 7 8 9 10 11",
		"1 2 3 4 5 6 7 8 9 10 11 12 13", "20 21 22 23 more before m20", "8 9 10 11 12 13 more before m8",
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("pages:\n%q\nwant\n%q", got, want)
	}
	t.Logf("10,000 chunks: %.0f ms", eval[float64](p, `(() => { const from = performance.now(); let s = gate.initialState; for (let i = 0; i < 10000; i++) s = gate.reduce(s, {id: "c" + i, type: "chunk", data: {content: "word "}}); return performance.now() - from; })()`))
}

// A server that renders pages can import the module: a worker has no document either.
func TestTheModuleNeedsNoDocumentToBeImported(t *testing.T) {
	t.Parallel()
	p := open(t, cardSite(t), 800)
	p.until("globalThis.ready")
	got := eval[string](p, `new Promise((resolve) => {
		const url = trustedTypes.createPolicy("test", {createScriptURL: (s) => s}).createScriptURL("/worker.js");
		const worker = new Worker(url, {type: "module"});
		worker.onmessage = (e) => resolve(e.data);
		worker.onerror = (e) => resolve(e.message);
	})`)
	if got != "function function undefined" {
		t.Errorf("in a worker: %s", got)
	}
}

func TestADecidedCallIsTheSameLiveAndStored(t *testing.T) {
	t.Parallel()
	p, _ := openClient(t)
	for _, edited := range []any{nil, object{"path": "b"}} {
		both := eval[[]string](p, `(() => {
			const approval = {outcome: "allowed", by: "ada", at: "2026-11-22T10:00:00.000Z", digest: "sha256:1"}, edited = %s ?? undefined;
			const asked = {chatId: "c", clarificationId: "clr_1", toolCallId: "call_1", kind: "approval", toolName: "rm", arguments: {path: "a"}, argumentsText: "{}", questions: []};
			const at = (type, data, i) => ({id: String(i), type, data});
			const run = [
				at("tool.call.start", {toolCallId: "call_1", toolName: "rm", arguments: {path: "a"}}, 1), at("clarification", asked, 2),
				at("clarification.resolved", {clarificationId: "clr_1", toolCallId: "call_1", outcome: "answered", answer: {value: "yes", ...(edited && {arguments: edited})}, approval}, 3),
				at("tool.call.end", {toolCallId: "call_1", toolName: "rm", result: "gone"}, 4),
			];
			const snapshot = {chatId: "c", status: "idle", pending: [], clarifications: {used: 0, max: 1}, messages: [{id: "m", role: "assistant", content: "",
				toolCalls: [{toolCallId: "call_1", toolName: "rm", arguments: edited ?? {path: "a"}, result: "gone", approval}]}]};
			const items = (state) => JSON.stringify(state.items.map(({argumentsText, ...item}) => Object.entries(item).sort()));
			return [items(run.reduce(gate.reduce, gate.initialState)), items(gate.reduce(gate.initialState, at("snapshot", snapshot, 9)))];
		})()`, edited)
		if both[0] != both[1] || !strings.Contains(both[1], `"allowed"`) {
			t.Errorf("live\n%s\nstored\n%s", both[0], both[1])
		}
	}
}

func TestNothingThatComesBreaksTheTranscript(t *testing.T) {
	t.Parallel()
	p, _ := openClient(t)
	got := eval[string](p, `(async () => {
		const {transcript} = await import("/assets/page/transcript.js"), {render} = await import("/assets/vendor/lit.js");
		await (await import("/assets/page/texts.js")).loadTexts("en");
		const deep = "[".repeat(5000), nested = "[".repeat(3000) + "]".repeat(3000);
		let state = gate.initialState, n = 0;
		const take = (type, data) => { state = gate.reduce(state, {id: String(++n), type, data}); };
		take("user.message", {messageId: "m1", content: "hello"});
		for (const result of [deep, nested, "{\"error\":", "x"]) {
			take("tool.call.start", {toolCallId: "c" + n, toolName: "t", arguments: {}});
			take("tool.call.end", {toolCallId: "c" + (n - 1), toolName: "t", result});
		}
		let args = 1;
		for (let i = 0; i < 20000; i++) args = [args];
		take("tool.call.start", {toolCallId: "deep", toolName: "t", arguments: args});
		take("clarification", null);
		take("snapshot", {});
		take("chunk", {content: "still here"});
		const place = document.createElement("div");
		render(transcript({view: {...state, queued: []}, refused: new Map(), queued: {busy: new Set(), problems: new Map()}, running: false}), place);
		return [place.querySelectorAll("li.item").length, place.textContent.includes("hello"), place.textContent.includes("cannot show this entry"), state.items.at(-1).content].join();
	})()`)
	if !strings.HasSuffix(got, ",true,true,still here") {
		t.Errorf("the transcript has %s", got)
	}
}

func TestOneBadItemCostsNoOther(t *testing.T) {
	t.Parallel()
	p, _ := openClient(t)
	got := eval[[]string](p, `(() => {
		const good = (id) => ({id, role: "user", content: id}), bad = {id: "b", role: "assistant", content: "", toolCalls: [null]};
		const snapshot = (more) => ({chatId: "c", status: "idle", messages: [good("A"), good("Z")], hasMore: false, clarification: null, pending: [], clarifications: {used: 0, max: 1}, lastEventId: "9", ...more});
		const shown = (s) => s.items.map((i) => i.type === "damaged" ? "damaged" : i.type === "user" ? i.content : i.type).join(" ");
		const after = (type, data) => shown(gate.reduce({...gate.initialState, items: [{type: "user", key: "A", content: "A"}]}, {id: "1", type, data}));
		return [
			after("snapshot", snapshot({messages: [good("A"), null, bad, good("Z")]})),
			after("snapshot", snapshot({pending: [null, {}]})),
			after("snapshot", snapshot({pending: null, clarifications: null})),
			shown(gate.earlier({...gate.initialState, items: [{type: "user", key: "Z", content: "Z"}]}, snapshot({messages: [good("A"), null]}))),
			...["user.message", "chunk", "tool.call.start", "clarification", "clarification.resolved"].map((type) => after(type, {})),
			...["toString", "__proto__", "valueOf", "later"].map((type) => after(type, {})),
			shown(gate.reduce(gate.initialState, null)),
		];
	})()`)
	want := []string{
		"A damaged damaged Z", "A Z", "A Z", "A damaged Z",
		"A damaged", "A damaged", "A damaged", "A damaged", "A damaged",
		"A", "A", "A", "A", "",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
