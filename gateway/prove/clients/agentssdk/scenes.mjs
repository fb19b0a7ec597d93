import assert from "node:assert/strict";
import OpenAI from "openai";
import { Agent, Runner, OpenAIProvider, setTracingDisabled, tool } from "@openai/agents";

setTracingDisabled(true);

const asking = (execute, more = {}) => tool({
  name: "ask_user", description: "Asks the person.", strict: false,
  parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
  execute, ...more,
});

// person is a chat with an agent whose ask_user does as it is told. It keeps the history itself.
function person(useResponses, execute, more) {
  const chat = `agents-${useResponses}-${Math.random()}`;
  const openAIClient = new OpenAI({ baseURL: `${process.env.ASKGATE_URL}/v1`, apiKey: "any", maxRetries: 0, defaultHeaders: { "X-Chat-Id": chat } });
  const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses }), tracingDisabled: true });
  const agent = new Agent({ name: "Assistant", model: "work", tools: [asking(execute, more)] });
  let history = [];
  return async (text) => {
    const result = await runner.run(agent, [...history, { role: "user", content: text }]);
    history = result.history;
    return result.finalOutput;
  };
}

for (const useResponses of [false, true]) {
  const name = useResponses ? "Responses" : "Chat Completions";
  let calls = 0;
  const answers = person(useResponses, async ({ questions }) => { calls++; return { answers: { [questions[0].id]: "par" } }; });
  assert.match(await answers("ask"), /par/, name);
  assert.equal(calls, 1, name);

  for (const [what, execute, more] of [
    ["a tool that throws", async () => { calls++; throw new Error("no window"); }],
    ["a tool that is too slow", () => { calls++; return new Promise(() => {}); }, { timeoutMs: 50 }],
    ["a tool that returns nothing", async () => { calls++; }],
    ["a tool that tells its error", async () => { calls++; return { error: "no window" }; }],
  ]) {
    calls = 0;
    const say = person(useResponses, execute, more);
    const asked = await say("ask");
    assert.match(asked, /Which city\?[^]*1\. Berlin, Germany/, `${name}, ${what}: ${asked}`);
    assert.equal(calls, 1, `${name}, ${what}: it is called again`);
    assert.match(await say("2"), /par/, `${name}, ${what}`);
    assert.match(await say("ask"), /Which city\?/, `${name}, ${what}: asked in words to its end`);
    assert.equal(calls, 1, `${name}, ${what}: it is called again later`);
  }
}
process.exit(0); // a tool that is too slow still waits
