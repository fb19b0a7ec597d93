package web_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

// Both reducers know what several people decided about a call: from the events, in whatever order and number
// they come, and the same from a snapshot.
func TestReducersKeepTheDecisionsAboutACall(t *testing.T) {
	client, err := filepath.Abs("static/client.js")
	if err != nil {
		t.Fatal(err)
	}
	const script = `
		const { initialState, reduce, initialInbox, reduceInbox } = await import(process.argv[1]);
		const out = [], ids = { chatId: "c", clarificationId: "clr_1" };
		const ask = { ...ids, app: "a", turnId: "t", toolCallId: "call_1", toolName: "refund", kind: "approval", quorum: 2, questions: [], arguments: { amount: 9 }, argumentsText: "{\"amount\":9}" };
		const [alice, bob, carol] = ["alice", "bob", "carol"].map((by) => ({ by, at: "2026-02-06T10:03:00.000Z", value: by !== "carol" }));
		const names = (of) => (of.decisions ?? []).map((d) => d.by + (d.value ? "" : " no")).join() || "none";
		let state = reduce(initialState, { type: "clarification", data: ask }), inbox = reduceInbox(initialInbox, { type: "clarification", data: ask });
		const see = (what, event) => {
			const before = [state, inbox];
			[state, inbox] = [reduce(state, event), reduceInbox(inbox, event)];
			const same = state.pending === before[0].pending && state.items === before[0].items && inbox.pending === before[1].pending;
			if (state.pending[0] && state.pending[0] !== state.items[0].clarification) throw new Error("the pending question and its item are two");
			out.push(what + ": " + [...state.pending, ...inbox.pending].map(names).join(" ") + (same ? ", unchanged" : ""));
		};
		const decided = (...decisions) => ({ type: "clarification.decided", data: { ...ids, decisions } });
		see("one", decided(alice));
		see("again", decided(alice));
		see("two", decided(alice, bob));
		see("an earlier one, late", decided(alice));
		see("of another question", { ...decided(alice, bob, carol), data: { ...ids, clarificationId: "clr_2", decisions: [alice, bob, carol] } });
		see("without a list", { type: "clarification.decided", data: ids });
		const roles = (of) => (of.alsoAsks ?? []).map((a) => a.role).join() || "none";
		const also = (...roles) => ({ type: "clarification.escalated", data: { ...ids, alsoAsks: roles.map((role) => ({ role, at: "2026-02-06T10:03:30.000Z" })) } });
		for (const event of [also("lead"), also("lead", "board"), also("lead")]) {
			see("also", event);
			out.push([...state.pending, ...inbox.pending].map(roles).join(" "));
		}
		const open = [state, inbox];
		const close = (outcome, more) => {
			const event = { type: "clarification.resolved", data: { ...ids, outcome, answer: null, answeredAt: "2026-02-06T10:04:00.000Z", ...more } };
			[state, inbox] = [reduce(open[0], event), reduceInbox(open[1], event)];
			out.push(outcome + ": " + [state.items[0].clarification ?? state.items[0], inbox.closed[0]].map(names).join(" ") + " " + (state.items[0].approval?.outcome ?? state.items[0].state));
		};
		close("answered", { answer: { value: "no" }, by: { subject: "carol", channel: "api" }, approval: { outcome: "refused", by: "carol" }, decisions: [alice, bob, carol] });
		const item = state.items[0], late = reduce(state, decided(alice));
		out.push("after the end: " + (late.items === state.items && late.pending === state.pending));
		close("expired", {});
		const shot = reduce(initialState, { type: "snapshot", data: { chatId: "c", status: "idle", pending: [], messages: [{ id: "m", role: "assistant", content: "", toolCalls: [
			{ toolCallId: "call_1", toolName: "refund", arguments: { amount: 9 }, result: null, approval: { outcome: "refused", by: "carol" },
				clarification: { ...ask, state: "answered", answer: { value: "no" }, approval: { outcome: "refused", by: "carol" }, decisions: [alice, bob, carol] } }] }] } });
		out.push("snapshot: " + names(shot.items[0]) + " " + (JSON.stringify(Object.entries(shot.items[0]).sort()) === JSON.stringify(Object.entries(item).sort())));
		console.log(JSON.stringify(out));`
	var got []string
	if err := json.Unmarshal(run(t, t.TempDir(), testenv.Node(t), "--input-type=module", "-e", script, "file://"+client), &got); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"one: alice alice",
		"again: alice alice, unchanged",
		"two: alice,bob alice,bob",
		"an earlier one, late: alice,bob alice,bob, unchanged",
		"of another question: alice,bob alice,bob, unchanged",
		"without a list: alice,bob alice,bob, unchanged",
		"also: alice,bob alice,bob", "lead lead",
		"also: alice,bob alice,bob", "lead,board lead,board",
		"also: alice,bob alice,bob, unchanged", "lead,board lead,board",
		"answered: alice,bob,carol no alice,bob,carol no refused",
		"after the end: true",
		"expired: alice,bob alice,bob expired",
		"snapshot: alice,bob,carol no true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}
