// CopilotKit's own code with frontend tools and interrupts.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { HttpAgent } from "@ag-ui/client";
import { CopilotKitCore, ɵInterruptState as InterruptState } from "@copilotkit/core";

const urlOf = (app) => `${process.env.URL}/v1/apps/${app}/ag-ui`;
const schema = { "~standard": { version: 1, vendor: "askgate", validate: (value) => ({ value }), jsonSchema: { input: () => ({ type: "object" }) } } };

const start = (properties, answers = {}, app = "work") => {
  const agent = new HttpAgent({ agentId: "default", url: urlOf(app), threadId: randomUUID() });
  const asked = [];
  const tools = Object.entries(answers).map(([name, answer]) => ({
    name, description: name, parameters: schema, type: "human-in-the-loop",
    handler: async (args) => { asked.push(args); return answer(args, asked.length); },
  }));
  const core = new CopilotKitCore({ agents__unsafe_dev_only: { default: agent }, properties, tools });
  const errors = [];
  core.subscribe({ onError: ({ error }) => { errors.push(error); } });
  return {
    agent, asked, errors,
    run: (more = {}) => core.runAgent({ agent, ...more }),
    say: (content) => { agent.addMessage({ id: randomUUID(), role: "user", content }); return core.runAgent({ agent }); },
    last: () => agent.messages.at(-1).content,
  };
};

{ // a tool that a person answers, twice in a row: CopilotKit starts the next run itself
  const c = start({}, { ask_user: ({ questions }, n) => ({ answers: { [questions[0].id]: n === 1 ? "Rome" : "2027-03-01" } }) });
  await c.say("twice");
  assert.deepEqual(c.errors, []);
  assert.equal(c.asked.length, 2);
  assert.match(c.last(), /Rome.*2027-03-01/s);
}
{ // approval as a question, and the client's own tool
  const c = start({}, { ask_user: ({ questions }) => { assert.equal(questions[0].input_type, "confirm"); return "yes"; }, locate: () => ({ place: "Oslo" }) });
  await c.say("approve");
  assert.match(c.last(), /UTC|20\d\d/);
  await c.say("client");
  assert.match(c.last(), /Oslo/);
  assert.deepEqual(c.errors, []);
}
{ // tools that only the page has, as useFrontendTool registers them, together with a question
  const c = start({}, { ask_user: () => "Rome", read_file: ({ path }) => `<${path}>` }, "open");
  await c.say("mixed");
  assert.deepEqual(c.errors, []);
  assert.equal(c.asked.length, 3);
  assert.match(c.last(), /<a\.txt> and 5 and .*Rome.* and <b\.txt>/s);
}
{ // interrupts, as useInterrupt answers them: a tool message and an entry, in the same run id
  for (const [word, payload, want] of [["approve", { approved: true }, /20\d\d/], ["approve", { approved: false }, /did not allow/], ["ask", { answers: { city: "par" } }, /par/]]) {
    const c = start({ interrupts: true });
    let runId;
    c.agent.subscribe({ onRunFinishedEvent: ({ event }) => { runId = event.runId; } });
    await c.say(word);
    const state = new InterruptState();
    state.setStandard(c.agent.pendingInterrupts);
    const action = state.resolve(payload);
    assert.equal(action.kind, "resume");
    for (const { toolCallId, content } of action.toolResults) c.agent.addMessage({ id: randomUUID(), role: "tool", toolCallId, content });
    await c.run({ resume: action.resume, runId });
    assert.deepEqual(c.errors, []);
    assert.match(c.last(), want);
    assert.deepEqual(c.agent.pendingInterrupts, []);
  }
}
console.log("CopilotKit: all scenes");
process.exit(0);
