package web_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

// A question without markup makes the answers that the card makes, and refuses what the card refuses.
func TestAQuestionWithoutMarkupAnswersLikeTheCard(t *testing.T) {
	form, err := filepath.Abs("static/form.js")
	if err != nil {
		t.Fatal(err)
	}
	const script = `
		const { QuestionForm } = await import(process.argv[1]);
		const ask = (q, more) => ({ clarificationId: "clr_1", toolCallId: "call_1", kind: "question", ...more, questions: [q].flat().map((one) => ({ allow_other: false, allow_skip: false, ...one })) });
		const options = ["a", "b", "c"].map((value) => ({ value, label: value.toUpperCase() }));
		const select = { question: "Which?", input_type: "select", options }, many = { ...select, input_type: "multiselect" };
		const out = [];
		const run = async (name, clarification, ...steps) => {
			const form = new QuestionForm(clarification, { locale: "de" });
			let changes = 0;
			const end = form.subscribe(() => changes++);
			for (const [what, ...of] of steps) form[what](...of);
			const answer = await form.submit(), state = form.get();
			if (state !== form.get() || changes < steps.length) throw new Error(name + ": the state changes by itself, or a change is not told");
			end();
			const { clarificationId, toolCallId, ...rest } = answer ?? {};
			if (answer && (clarificationId !== "clr_1" || toolCallId !== "call_1")) throw new Error(name + ": without ids");
			out.push(name + ": " + (answer ? JSON.stringify(rest) : state.errors.map((e) => e.question + " " + e.field + " " + e.code + " " + e.message).join("; ")));
		};
		await run("nothing", ask(select));
		await run("select", ask(select), ["choose", "a"], ["choose", "b"]);
		await run("multiselect", ask(many), ["choose", "c"], ["choose", "b"], ["choose", "a"], ["choose", "b"]);
		await run("too many", ask({ ...many, validation: { max: 1 } }), ["choose", "c"], ["choose", "a"]);
		await run("other", ask({ ...select, allow_other: true }), ["choose", "a"], ["write", "mine", { to: "other" }], ["write", "because", { to: "note" }]);
		await run("number", ask({ question: "How much?", input_type: "number" }), ["write", "1.234,5"]);
		await run("words for a number", ask({ question: "How much?", input_type: "number", allow_other: true }), ["write", "some", { to: "other" }]);
		await run("words for a date", ask({ question: "When?", input_type: "date", allow_other: true }), ["write", "soon", { to: "other" }]);
		await run("words for a yes", ask({ question: "Sure?", input_type: "confirm", allow_other: true }), ["choose", "yes"], ["write", "if it rains", { to: "other" }]);
		await run("a yes again", ask({ question: "Sure?", input_type: "confirm", allow_other: true }), ["write", "if it rains", { to: "other" }], ["choose", "yes"]);
		await run("words meet nothing", ask([{ id: "n", question: "How much?", input_type: "number", allow_other: true }, { question: "Why?", input_type: "text", when: { question: "n", is: ["5"] } }]), ["write", "5", { to: "other" }]);
		await run("no number", ask({ question: "How much?", input_type: "number" }), ["write", "some"]);
		await run("skip", ask({ ...select, allow_skip: true }), ["skip"]);
		await run("no skip", ask(select), ["skip"]);
		await run("decline", ask(select), ["choose", "a"], ["decline"]);
		await run("found", ask({ ...many, searchable: true, optionsTotal: 9 }), ["choose", { value: "z", label: "Z" }], ["choose", "a"]);
		await run("not asked", ask([{ ...select, id: "q1" }, { question: "Why?", input_type: "text", when: { question: "q1", is: ["b"] } }]), ["choose", "a"]);
		await run("asked", ask([{ ...select, id: "q1" }, { question: "Why?", input_type: "text", when: { question: "q1", is: ["b"] } }]), ["choose", "b"]);
		const approval = { kind: "approval", digest: "d", remember: "chat", editable: true, arguments: { a: 1 }, argumentsText: "{\"a\":1}" }, confirm = { question: "Run?", input_type: "confirm" };
		await run("allow", ask(confirm, approval), ["choose", "yes"]);
		await run("allow always", ask(confirm, approval), ["choose", "yes", { always: true }]);
		await run("refuse", ask(confirm, approval), ["choose", "no"]);
		await run("edit", ask(confirm, approval), ["editArguments", "{\"a\":2}"], ["choose", "yes"]);
		await run("edit badly", ask(confirm, approval), ["editArguments", "{"], ["choose", "yes"]);
		const takes = { ...approval, respond: true };
		await run("respond", ask(confirm, takes), ["respond", "Paid by hand.\n"]);
		await run("respond to edited arguments", ask(confirm, takes), ["editArguments", "{"], ["respond", "x"]);
		await run("respond, then refuse", ask(confirm, takes), ["respond", "x"], ["choose", "no"]);
		await run("respond with nothing", ask(confirm, takes), ["respond", " "]);
		await run("the most", ask(confirm, takes), ["respond", "😀".repeat(32_000)]);
		out.push("the most: " + [...JSON.parse(out.pop().slice("the most: ".length)).result].length);
		await run("respond with more", ask(confirm, takes), ["respond", "x".repeat(32_001)]);
		try { new QuestionForm(ask(confirm, approval)).respond("x"); } catch (error) { out.push("no result: " + error.message); }
		const form = new QuestionForm(ask(select));
		form.refuse({ status: 422, code: "invalid_answer", errors: [{ question: 0, field: "value", code: "option", message: "It is gone." }] });
		out.push("refused: " + form.get().fields[0].errors[0].message);
		form.choose("a");
		out.push("fixed: " + form.get().errors.length);
		try { form.choose("x"); } catch (error) { out.push("unknown: " + error.message); }
		console.log(JSON.stringify(out));`
	var got []string
	if err := json.Unmarshal(run(t, t.TempDir(), testenv.Node(t), "--input-type=module", "-e", script, "file://"+form), &got); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"nothing: 0 value required Choose an option.",
		`select: {"value":"b"}`,
		`multiselect: {"values":["a","c"]}`,
		"too many: 0 values too_many Choose at most 1.",
		`other: {"other":"mine","note":"because"}`,
		`number: {"value":1234.5}`,
		`words for a number: {"other":"some"}`,
		`words for a date: {"other":"soon"}`,
		`words for a yes: {"other":"if it rains"}`,
		`a yes again: {"value":true}`,
		`words meet nothing: {"answers":[{"other":"5"},{"skipped":true}]}`,
		"no number: 0 value type_number Enter a number.",
		`skip: {"skipped":true}`,
		"no skip: 0 skipped skip_not_allowed This does not match the question.",
		`decline: {"declined":true}`,
		`found: {"values":["a","z"]}`,
		`not asked: {"answers":[{"value":"a"},{"skipped":true}]}`,
		"asked: 1 value required Answer this question.",
		`allow: {"digest":"d","value":true,"once":true}`,
		`allow always: {"digest":"d","value":true}`,
		`refuse: {"digest":"d","value":false}`,
		`edit: {"digest":"d","value":true,"arguments":"{\"a\":2}","once":true}`,
		"edit badly: 0 arguments json This is not a JSON object. Check brackets, quotes and commas.",
		`respond: {"digest":"d","value":false,"result":"Paid by hand.\n"}`,
		`respond to edited arguments: {"digest":"d","value":false,"result":"x"}`,
		`respond, then refuse: {"digest":"d","value":false}`,
		"respond with nothing: 0 result blank An empty text is not an answer.",
		"the most: 32000",
		"respond with more: 0 result too_long Too long: 32001 characters (limit 32000)",
		"no result: the approval takes no result",
		"refused: It is gone.",
		"fixed: 0",
		`unknown: the question has no option "x"`,
	}
	if !slices.Equal(got, want) {
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Errorf("%d: %v\nwant %v", i, got[min(i, len(got)-1):][:1], want[min(i, len(want)-1):][:1])
			}
		}
	}
}
