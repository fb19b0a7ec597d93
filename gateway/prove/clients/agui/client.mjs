// Typical use of an unmodified AG-UI client. CLIENT names its version.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

const { URL: base, CLIENT } = process.env;
const { HttpAgent } = await import(CLIENT);
const old = CLIENT === "client-0-0-53"; // from before interrupts
const newest = CLIENT === "client-1-0-0";

// A client warns here about something that it does not expect, and continues.
const warnings = [];
console.warn = (...words) => warnings.push(words.map(String).join(" "));
console.error = () => {}; // it reports each refusal

const askUser = { name: "ask_user", description: "Asks the person.", parameters: { type: "object", properties: {} } };
const locate = { name: "locate", description: "Where the person is.", parameters: { type: "object", properties: {} } };

const native = async (path, body) => {
  const response = await fetch(`${base}/v1/apps/work/chats/${path}`, body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const text = await response.text();
  assert.ok(response.ok, `${path}: ${response.status} ${text}`);
  return text;
};
const until = async (is) => {
  for (let i = 0; i < 600; i++) {
    if (await is()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail("it did not happen within 30 s");
};

const sees = async (c, text) => (await (await fetch(`${base}/v1/apps/work/chats/${c.agent.threadId}`)).text()).includes(text);

// chat returns a client. Mode "tool" gives it the tool ask_user; "interrupt" resumes interrupts.
const chat = (mode, app = "work") => {
  const agent = new HttpAgent({ url: `${base}/v1/apps/${app}/ag-ui`, threadId: randomUUID() });
  const run = async (more = {}) => {
    const seen = { events: [], text: "", calls: [], results: {}, reasoning: "", custom: [] };
    const subscriber = {
      onEvent: ({ event }) => { seen.events.push(event.type); },
      onTextMessageContentEvent: ({ event }) => { seen.text += event.delta; },
      onReasoningMessageContentEvent: ({ event }) => { seen.reasoning += event.delta; },
      onToolCallEndEvent: ({ event, toolCallName, toolCallArgs }) => { seen.calls.push({ id: event.toolCallId, name: toolCallName, args: toolCallArgs }); },
      onToolCallResultEvent: ({ event }) => { seen.results[event.toolCallId] = event.content; },
      onCustomEvent: ({ event }) => { seen.custom.push([event.name, event.value]); },
      onRunErrorEvent: ({ event }) => { seen.error = event; },
      onRunFinishedEvent: ({ event }) => { seen.finished = event; },
    };
    const tools = mode === "tool" ? [askUser, locate] : [locate];
    const forwardedProps = mode === "interrupt" && !newest ? { interrupts: true } : {};
    await agent.runAgent({ tools, forwardedProps, ...more }, subscriber);
    assert.equal(seen.events.filter((e) => e === "RUN_FINISHED" || e === "RUN_ERROR").length, 1, seen.events.join());
    seen.ask = seen.calls.find((c) => c.name === "ask_user");
    return seen;
  };
  return {
    agent,
    run,
    say: (text) => { agent.addMessage({ id: randomUUID(), role: "user", content: text }); return run(); },
    output: (toolCallId, content) => { agent.addMessage({ id: randomUUID(), role: "tool", toolCallId, content: typeof content === "string" ? content : JSON.stringify(content) }); return run(); },
    resume: (...resume) => run({ resume }),
    open: () => agent.pendingInterrupts,
  };
};

// refused checks that a run is refused before it begins.
const refused = async (run, status, code) => {
  const error = await run.then(() => null, (e) => e);
  assert.ok(error, "it is not refused");
  assert.equal(error.status, status, error.message);
  assert.equal(error.payload.type, "RUN_ERROR");
  assert.equal(error.payload.code, code);
  assert.ok(error.payload.message.length > 10);
  return error.payload.message;
};

const scenes = {
  async plain() {
    const c = chat("tool");
    const seen = await c.say("plain");
    assert.equal(seen.text, "Good morning, dear.");
    assert.deepEqual(c.agent.messages.map((m) => [m.role, m.content]), [["user", "plain"], ["assistant", "Good morning, dear."]]);
    assert.equal((await c.say("plain")).text, "Good morning, dear.");
    assert.equal(new Set(c.agent.messages.map((m) => m.id)).size, 4);
    if (newest) assert.deepEqual(seen.finished.usage, [{ inputTokens: 7, outputTokens: 5, totalTokens: 12 }]);
    else assert.equal(seen.finished.usage, undefined);
  },
  async "edit and another reply"() {
    const c = chat("tool");
    const stored = async (id) => (await (await fetch(`${base}/v1/apps/work/chats/${id}`)).json()).messages.filter((m) => m.role === "user").map((m) => m.content);
    const branches = async () => (await (await fetch(`${base}/v1/apps/work/chats?limit=100`)).json()).items.filter((x) => x.forkedFrom?.chatId === c.agent.threadId);
    await c.say("plain");
    await c.say("ask");
    const [one, , two] = c.agent.messages;
    c.agent.setMessages(c.agent.messages.slice(0, 2));
    c.agent.addMessage({ ...two, content: "tool" }); // an edit keeps the id
    assert.equal((await c.run()).text, "Let me see. So it is: 5.");
    assert.deepEqual(await stored(c.agent.threadId), ["plain", "ask"]);
    const [branch] = await branches();
    assert.deepEqual(await stored(branch.chatId), ["plain", "tool"]);
    await c.say("plain");
    assert.deepEqual(await stored(branch.chatId), ["plain", "tool", "plain"]);
    c.agent.setMessages([one]); // another reply
    const again = await c.run();
    assert.equal(again.text, "Good morning, dear.");
    const asked = await c.say("ask");
    assert.match((await c.output(asked.ask.id, { answers: { city: "par" } })).text, /par/);
    assert.deepEqual(await stored(c.agent.threadId), ["plain", "ask"]);
    assert.equal(new Set(c.agent.messages.map((m) => m.id)).size, c.agent.messages.length);
  },
  async reasoning() {
    const seen = await chat("tool").say("think");
    assert.equal(seen.reasoning, "The person greets.");
    assert.equal(seen.text, "Good morning.");
  },
  async "server tool"() {
    const c = chat("tool");
    const seen = await c.say("tool");
    assert.equal(seen.text, "Let me see. So it is: 5.");
    assert.deepEqual(seen.calls.map((x) => x.name), ["calculator"]);
    assert.equal(seen.results[seen.calls[0].id], "5");
    assert.deepEqual(c.agent.messages.map((m) => m.role), ["user", "assistant", "tool", "assistant"]);
    assert.equal(c.agent.messages[1].toolCalls.length, 1);
    await refused(c.run(), 409, "nothing_to_resume"); // nothing new
  },
  async "a tool that tells how far it is"() {
    const c = chat("tool", "remote");
    const seen = await c.say("far");
    const [call] = seen.calls;
    assert.equal(seen.results[call.id], "counted");
    assert.deepEqual(seen.custom.at(-1), ["tool.call.progress", { toolCallId: call.id, toolName: "remote__count", progress: 3, total: 3, message: "step 3 of 3" }]);
    const [end, result] = ["TOOL_CALL_END", "TOOL_CALL_RESULT"].map((type) => seen.events.indexOf(type));
    seen.events.forEach((type, at) => { if (type === "CUSTOM") assert.ok(at > end && at < result, seen.events.join()); });
    assert.deepEqual(c.agent.messages.map((m) => m.role), ["user", "assistant", "tool", "assistant"]); // no progress is stored
    assert.equal((await c.say("plain")).text, "Good morning, dear.");
  },
  async "question and tool message"() {
    const c = chat("tool");
    let seen = await c.say("ask");
    const input = seen.ask.args;
    assert.equal(input.questions[0].id, "city");
    assert.equal(seen.finished.outcome?.type ?? "success", "success");
    seen = await c.output(seen.ask.id, { answers: { city: "par" } });
    assert.match(seen.text, /par/);
    assert.deepEqual(seen.results, {}); // the client has it
    assert.deepEqual(seen.calls, []);
  },
  async "a label as the text of a tool message"() {
    const c = chat("tool");
    const seen = await c.output((await c.say("ask")).ask.id, "Paris, France");
    assert.match(seen.text, /par/);
  },
  async "typed answer"() {
    const c = chat("tool");
    const asked = await c.say("ask");
    const seen = await c.say("Berlin, Germany");
    assert.match(seen.text, /ber/);
    assert.deepEqual(JSON.parse(seen.results[asked.ask.id]), { outcome: "answered", answers: { city: "ber" } });
    await c.say("plain");
  },
  async form() {
    const c = chat("tool");
    const seen = await c.output((await c.say("form")).ask.id, { answers: { name: "Ada", age: 36 } });
    assert.match(seen.text, /Ada.*36/s);
  },
  async "an error does not answer"() {
    const c = chat("tool");
    const asked = await c.say("ask");
    const seen = await c.output(asked.ask.id, { error: "no window" });
    assert.match(seen.text, /Which city\?[^]*1\. Berlin, Germany/);
    assert.deepEqual(seen.calls, []);
    assert.match((await c.say("2")).text, /par/);
  },
  async "twice in a row"() {
    const c = chat("tool");
    const first = await c.say("twice");
    const second = await c.output(first.ask.id, "Rome");
    assert.notEqual(first.ask.id, second.ask.id);
    const seen = await c.output(second.ask.id, "2027-03-01");
    assert.match(seen.text, /Rome.*2027-03-01/s);
  },
  async "a tool call along with a question"() {
    const c = chat("tool");
    const asked = await c.say("both");
    assert.equal(asked.results[asked.calls.find((x) => x.name === "calculator").id], "5");
    assert.match((await c.output(asked.ask.id, "Rome")).text, /5 and .*Rome/s);
  },
  async "the client's own tool"() {
    const c = chat("tool");
    const asked = await c.say("client");
    const call = asked.calls.find((x) => x.name === "locate");
    assert.deepEqual(call.args, { precise: true });
    assert.match((await c.output(call.id, { place: "Oslo" })).text, /Oslo/);
  },
  async "wrong, then right"() {
    const c = chat("tool");
    const asked = await c.say("form");
    assert.match(await refused(c.output(asked.ask.id, { answers: { name: "Ada", age: 999 } }), 422, "invalid_answer"), /150/);
    assert.match((await c.output(asked.ask.id, { answers: { name: "Ada", age: 36 } })).text, /36/);
  },
  async "wrong, then typed"() {
    const c = chat("tool");
    const asked = await c.say("twice");
    const second = await c.output(asked.ask.id, "Rome");
    await refused(c.output(second.ask.id, "someday"), 422, "invalid_answer");
    assert.match((await c.say("2027-03-01")).text, /2027-03-01/);
  },
  async "approval as a question"() {
    for (const yes of [true, false]) {
      const c = chat("tool");
      const asked = await c.say("approve");
      assert.deepEqual(asked.calls.map((x) => x.name), ["clock", "ask_user"]);
      const input = asked.ask.args;
      assert.equal(input.questions[0].input_type, "confirm");
      const seen = await c.output(asked.ask.id, { answers: { [input.questions[0].id]: yes ? "yes" : "no" } });
      assert.equal(/"userAnswer":null/.test(seen.text), !yes);
      assert.ok(seen.results[asked.calls[0].id]);
    }
  },
  async error() {
    const seen = await chat("tool").say("fail");
    assert.equal(seen.error.code, "model_error");
    assert.ok(seen.error.message);
    assert.equal(seen.events.at(-1), "RUN_ERROR");
  },
  async length() {
    const seen = await chat("tool").say("length");
    assert.deepEqual(seen.finished.result, { finishReason: "length" });
  },
  async "a text that breaks off is taken back"() {
    const c = chat("tool");
    await c.say("plain");
    const seen = await c.say(`cut ${randomUUID()}`);
    assert.match(seen.text, /^Let me see\. So it breSo it is: 5\.$/);
    const said = c.agent.messages.map((m) => [m.role, m.content]);
    assert.deepEqual(said.map(([role]) => role), ["user", "assistant", "user", "assistant", "tool", "assistant"]);
    assert.deepEqual([said[1][1], said[3][1], said[4][1], said[5][1]], ["Good morning, dear.", "Let me see. ", "5", "So it is: 5."]);
    assert.equal(c.agent.messages[3].toolCalls[0].function.name, "calculator");
    await c.say("plain");
  },
  async "a client that lost its connection comes back"() {
    const c = chat("tool");
    const first = c.say("slow");
    await until(() => c.agent.messages.at(-1)?.role === "tool"); // it has a part of the run
    c.agent.abortRun();
    await first.catch(() => null);
    let results = 0;
    c.agent.subscribe({ onToolCallResultEvent: () => { results++; } });
    const second = c.run();
    await until(() => results === 1); // the run from its start
    await native(`${c.agent.threadId}/stop`, {});
    const seen = await second;
    assert.match(seen.text, /^Let me see\. /);
    assert.deepEqual(c.agent.messages.map((m) => m.role), ["user", "assistant", "tool"]);
    assert.equal(c.agent.messages[1].content, "Let me see. ");
  },
  async "answered elsewhere"() {
    const c = chat("tool");
    const asked = await c.say("ask");
    await native(`${c.agent.threadId}/messages`, { answer: { value: "ber" } });
    await refused(c.output(asked.ask.id, "par"), 409, "already_answered");
    assert.equal((await c.say("plain")).text, "Good morning, dear."); // and it goes on
  },
  async "stopped elsewhere"() {
    const c = chat("tool");
    const run = c.say("slow");
    await until(() => sees(c, "Let me see."));
    await native(`${c.agent.threadId}/stop`, {});
    const seen = await run;
    assert.equal(seen.finished.outcome?.type, newest ? "cancelled" : undefined);
    assert.deepEqual(seen.finished.result, { finishReason: "cancelled" });
  },
  async "a client that aborts stops nothing"() {
    const c = chat("tool");
    const run = c.say("slow").catch(() => null);
    await until(() => sees(c, "Let me see."));
    c.agent.abortRun();
    await run;
    assert.equal(JSON.parse(await native(c.agent.threadId)).status, "running");
    await native(`${c.agent.threadId}/stop`, {});
  },
};

const withInterrupts = {
  async "question and resume"() {
    const c = chat("interrupt");
    const asked = await c.say("ask");
    assert.equal(asked.finished.outcome.type, "interrupt");
    const [i] = c.open();
    assert.equal(i.reason, "input_required");
    assert.equal(i.toolCallId, asked.ask.id);
    assert.equal(i.message, "Which city?");
    assert.deepEqual(i.responseSchema.required, ["answers"]);
    assert.equal(i.metadata.questions[0].id, "city");
    await assert.rejects(c.say("plain"), /pending interrupt/); // by the client itself
    c.agent.messages.pop();
    const seen = await c.resume({ interruptId: i.id, status: "resolved", payload: { answers: { city: "par" } } });
    assert.match(seen.text, /par/);
    assert.deepEqual(seen.calls, []); // not begun again
    assert.deepEqual(JSON.parse(seen.results[i.toolCallId]), { outcome: "answered", answers: { city: "par" } });
    assert.deepEqual(c.open(), []);
    assert.deepEqual(c.agent.messages.map((m) => m.role), ["user", "assistant", "tool", "assistant"]);
  },
  async "form, cancelled"() {
    const c = chat("interrupt");
    await c.say("form");
    const seen = await c.resume({ interruptId: c.open()[0].id, status: "cancelled" });
    assert.match(seen.text, /declined/);
  },
  async "twice in a row, with one run id"() {
    const c = chat("interrupt");
    await c.say("twice");
    await c.run({ runId: "one", resume: [{ interruptId: c.open()[0].id, status: "resolved", payload: "Rome" }] });
    const seen = await c.run({ runId: "one", resume: [{ interruptId: c.open()[0].id, status: "resolved", payload: "2027-03-01" }] });
    assert.match(seen.text, /Rome.*2027-03-01/s);
  },
  async "wrong, then right"() {
    const c = chat("interrupt");
    await c.say("form");
    const [i] = c.open();
    assert.match(await refused(c.resume({ interruptId: i.id, status: "resolved", payload: { answers: { name: "Ada", age: 999 } } }), 422, "invalid_answer"), /150/);
    assert.match((await c.resume({ interruptId: i.id, status: "resolved", payload: { answers: { name: "Ada", age: null } } })).text, /Ada/);
  },
  async approval() {
    for (const approved of [true, false]) {
      const c = chat("interrupt");
      const asked = await c.say("approve");
      assert.deepEqual(asked.calls.map((x) => x.name), ["clock"]);
      const [i] = c.open();
      assert.equal(i.reason, "tool_call");
      assert.equal(i.toolCallId, asked.calls[0].id);
      // CopilotKit sends both.
      c.agent.addMessage({ id: randomUUID(), role: "tool", toolCallId: i.toolCallId, content: JSON.stringify({ approved }) });
      const seen = await c.resume({ interruptId: i.id, status: "resolved", payload: { approved, reason: "I say so" } });
      assert.equal(/"userAnswer":null/.test(seen.text), !approved);
      assert.ok(seen.results[i.toolCallId]);
    }
  },
  async "answered elsewhere"() {
    const c = chat("interrupt");
    await c.say("ask");
    const [i] = c.open();
    await native(`${c.agent.threadId}/messages`, { answer: { value: "ber" } });
    await refused(c.resume({ interruptId: i.id, status: "resolved", payload: "par" }), 409, "already_answered");
    await c.resume({ interruptId: i.id, status: "cancelled" }); // the client lets go of it
    assert.deepEqual(c.open(), []);
    assert.equal((await c.say("plain")).text, "Good morning, dear.");
  },
  async "cancelled along with a message"() {
    const c = chat("interrupt");
    await c.say("ask");
    const [i] = c.open();
    c.agent.addMessage({ id: randomUUID(), role: "user", content: "plain" });
    assert.equal((await c.resume({ interruptId: i.id, status: "cancelled" })).text, "Good morning, dear.");
  },
  async "as CopilotKit resumed before"() {
    const c = chat("interrupt");
    await c.say("ask");
    c.agent.pendingInterrupts = [];
    const seen = await c.run({ forwardedProps: { interrupts: true, command: { resume: { answers: { city: "par" } } } } });
    assert.match(seen.text, /par/);
    await refused(c.run({ forwardedProps: { interrupts: true, command: { resume: "par" } } }), 409, "already_answered");
  },
  async "the client's own tool does not interrupt"() {
    const c = chat("interrupt");
    const asked = await c.say("client");
    assert.deepEqual(c.open(), []);
    assert.match((await c.output(asked.calls[0].id, { place: "Oslo" })).text, /Oslo/);
  },
  async "expired"() {
    const c = chat("interrupt", "brief");
    await c.say("ask");
    const [i] = c.open();
    assert.ok(new Date(i.expiresAt) > new Date(0));
    const at = `${base}/v1/apps/brief/chats/${c.agent.threadId}`;
    await until(async () => (await (await fetch(at)).json()).status === "idle");
    await assert.rejects(c.resume({ interruptId: i.id, status: "resolved", payload: "par" }));
    const late = c.resume({ interruptId: i.id, status: "cancelled" });
    if (newest) await late;
    else await late.catch(() => null); // before 1.0 a client does not even send that
  },
};

const settled = {
  async "an app that always interrupts"() {
    const c = chat("tool", "keyed");
    const asked = await c.say("ask");
    if (!old) assert.equal(c.open().length, 1);
    if (!old) c.agent.pendingInterrupts = [];
    assert.match((await c.output(asked.ask.id, "par")).text, /par/);
  },
};

const all = { ...scenes, ...(old ? {} : Object.fromEntries(Object.entries(withInterrupts).map(([name, scene]) => [`interrupts: ${name}`, scene]))), ...settled };
let failed = 0;
for (const [name, scene] of Object.entries(all)) {
  try {
    await scene();
    assert.deepEqual(warnings.splice(0), [], "the client warns");
  } catch (error) {
    failed++;
    console.log(`${name}: ${error.stack}`);
    warnings.length = 0;
  }
}
console.log(`${CLIENT}: ${Object.keys(all).length - failed} of ${Object.keys(all).length} scenes`);
process.exit(failed ? 1 : 0);
