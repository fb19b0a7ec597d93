// The library's own loop with an app as its model: tools, and questions as text and as calls.
import assert from "node:assert/strict";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";

const model = createOpenAICompatible({ name: "askgate", baseURL: `${process.env.ASKGATE_URL}/v1`, apiKey: "any" }).chatModel("open");
const paths = [];
const read_file = tool({
  description: "Reads a file.",
  inputSchema: jsonSchema({ type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false }),
  execute: async ({ path }) => { paths.push(path); return `<${path}>`; },
});
const ask_user = tool({
  description: "Asks the person.", inputSchema: jsonSchema({ type: "object" }),
  execute: async ({ questions }) => ({ answers: { [questions[0].id]: "Rome" } }),
});

{ // not streamed: a tool of the agent
  const done = await generateText({ model, prompt: "bring it", tools: { read_file }, stopWhen: stepCountIs(5) });
  assert.equal(done.text, "So it is: <a.txt>.");
  assert.equal(done.steps.length, 2);
}
{ // streamed: a step with tools of the agent and of the app, and a question
  const stream = streamText({ model, prompt: "mixed it is", tools: { read_file, ask_user }, stopWhen: stepCountIs(5) });
  assert.match(await stream.text, /<a\.txt> and 5 and .*Rome.* and <b\.txt>/);
}
{ // without ask_user: the question is asked as text, and the next message answers it
  const messages = [{ role: "user", content: "ask me, agent" }];
  const first = await generateText({ model, messages, tools: { read_file } });
  assert.match(first.text, /Which city\?/);
  messages.push(...first.response.messages, { role: "user", content: "2" });
  const second = await generateText({ model, messages, tools: { read_file } });
  assert.match(second.text, /par/);
}
{ // the agent's settings that are not supported are named
  const done = await generateText({ model, prompt: "plain", system: "You are an agent.", temperature: 0, maxRetries: 0 });
  assert.equal(done.response.headers["askgate-ignored"], "system, temperature");
}
assert.deepEqual(paths, ["a.txt", "a.txt", "b.txt"]);
console.log("ai with openai-compatible: all scenes");
