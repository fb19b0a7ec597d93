import assert from "node:assert/strict";

export const functions = [
  { type: "function", name: "ask_user", description: "Asks the person.", parameters: { type: "object" }, strict: false },
  { type: "function", name: "locate", description: "Where the person is.", parameters: { type: "object" }, strict: false },
];

// each runs the scenes with each version of the library, one after another.
export async function each(scenes) {
  for (const version of ["openai-4", "openai-6", "openai-7"]) {
    const { default: OpenAI } = await import(version);
    for (const [name, scene] of Object.entries(scenes)) {
      const client = new OpenAI({ baseURL: process.env.ASKGATE_URL + "/v1", apiKey: "none" });
      try {
        await scene(client, OpenAI, version);
      } catch (err) {
        console.log(`${version}: ${name}`);
        throw err;
      }
    }
  }
}

// streamed returns the final response of the library's stream helper, and the events before it.
export async function streamed(client, params) {
  const stream = client.responses.stream({ model: "work", tools: functions, ...params });
  const seen = { text: "", thought: "", types: [] };
  stream.on("response.output_text.delta", (event) => { seen.text += event.delta; });
  stream.on("response.reasoning_summary_text.delta", (event) => { seen.thought += event.delta; });
  stream.on("event", (event) => seen.types.push(event.type));
  seen.response = await stream.finalResponse();
  return seen;
}

// call returns the only function call of a response.
export function call(response, name = "ask_user") {
  const calls = response.output.filter((item) => item.type === "function_call");
  assert.equal(calls.length, 1, JSON.stringify(response.output));
  assert.equal(calls[0].name, name);
  return { ...calls[0], input: JSON.parse(calls[0].arguments) };
}

export const output = (of, value) => [{ type: "function_call_output", call_id: of.call_id, output: typeof value === "string" ? value : JSON.stringify(value) }];

// thrown returns the error of a request that must fail.
export async function thrown(promise) {
  try {
    await promise;
  } catch (err) {
    return err;
  }
  assert.fail("it was not refused");
}
