import assert from "node:assert/strict";

const tool = (name) => ({ type: "function", function: { name, description: name, parameters: { type: "object", properties: {} } } });
const user = (content) => ({ role: "user", content });

// helpers are in another place in version 4 than in later versions.
const helpers = (client) => (client.chat.completions.stream ? client : client.beta).chat.completions;

// asking returns a tool for runTools that answers like a person.
const asking = (answer, seen = []) => ({
  type: "function",
  function: {
    ...tool("ask_user").function,
    parse: JSON.parse,
    function: (input) => { seen.push(input); return typeof answer === "function" ? answer(input) : answer; },
  },
});

// chat is a program that keeps its history and streams.
function chat(client, params = {}) {
  const messages = [];
  const self = {
    messages, id: null,
    async say(...more) {
      messages.push(...more);
      const stream = helpers(client).stream({ model: "work", messages, stream_options: { include_usage: true }, ...params }, { maxRetries: 0 });
      let text = "";
      stream.on("content", (delta) => { text += delta; });
      const done = await stream.finalChatCompletion();
      const [{ message, finish_reason: finish }] = done.choices;
      assert.equal(text, message.content ?? "");
      messages.push(message);
      return { text, finish, calls: message.tool_calls ?? [], usage: done.usage };
    },
  };
  return self;
}

const thrown = async (promise) => {
  try {
    await promise;
  } catch (err) {
    return err;
  }
  assert.fail("it was not refused");
};

const runTools = (client, params) => helpers(client).runTools(params);

const scenes = {
  async plain(client) {
    const c = chat(client);
    const said = await c.say(user("plain"));
    assert.deepEqual([said.text, said.finish, said.usage.total_tokens], ["Good morning, dear.", "stop", 12]);
    assert.equal((await c.say(user("tool"))).text, "Let me see. So it is: 5.");
    assert.equal((await c.say(user("length"))).finish, "length");
  },
  async whole(client) {
    const done = await client.chat.completions.create({ model: "work", messages: [user("plain")] });
    assert.equal(done.choices[0].message.content, "Good morning, dear.");
    assert.equal(done.object, "chat.completion");
    assert.equal(done.usage.total_tokens, 12);
  },
  async frames(client) {
    const chunks = [];
    for await (const chunk of await client.chat.completions.create({ model: "work", messages: [user("think")], stream: true })) chunks.push(chunk);
    assert.equal(chunks[0].choices[0].delta.role, "assistant");
    assert.equal(chunks.map((c) => c.choices[0].delta.reasoning_content ?? "").join(""), "The person greets.");
    assert.equal(chunks.map((c) => c.choices[0].delta.content ?? "").join(""), "Good morning.");
    assert.equal(chunks.at(-1).choices[0].finish_reason, "stop");
  },
  async "a question as a call"(client) {
    const c = chat(client, { tools: [tool("ask_user")] });
    const asked = await c.say(user("ask"));
    assert.equal(asked.finish, "tool_calls");
    assert.equal(asked.text, "One moment. ");
    const [call] = asked.calls;
    assert.equal(call.function.name, "ask_user");
    assert.equal(JSON.parse(call.function.arguments).questions[0].id, "city");
    const answer = { role: "tool", tool_call_id: call.id, content: JSON.stringify({ answers: { city: "par" } }) };
    const next = await c.say(answer);
    assert.match(next.text, /par/);
    const late = await thrown(client.chat.completions.create({ model: "work", messages: [answer] }));
    assert.equal(late.status, 409);
    assert.equal(late.code, "already_answered");
    assert.match(late.message, /already been answered/);
  },
  async "runTools runs its own functions"(client) {
    const paths = [];
    const read = { type: "function", function: { name: "read_file", description: "Reads.", parse: JSON.parse, function: ({ path }) => { paths.push(path); return `<${path}>`; },
      parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] } } };
    for (const stream of [true, false]) {
      const alone = runTools(client, { model: "open", stream, messages: [user(`bring ${stream}`)], tools: [read] });
      assert.match(await alone.finalContent(), /So it is: <a\.txt>/);
      const mixed = runTools(client, { model: "open", stream, messages: [user(`mixed ${stream}`)], tools: [read, asking({ answers: { q1: "Rome" } })] });
      assert.match(await mixed.finalContent(), /<a\.txt> and 5 and .*Rome.* and <b\.txt>/);
    }
    assert.deepEqual(paths.toSorted(), ["a.txt", "a.txt", "a.txt", "a.txt", "b.txt", "b.txt"]);
  },
  async "runTools asks a person"(client) {
    const seen = [];
    const day = ({ questions }) => ({ answers: { [questions[0].id]: "2027-03-01" } });
    const runner = runTools(client, { model: "work", stream: true, messages: [user("twice")], tools: [asking(day, seen)] });
    const text = await runner.finalContent();
    assert.equal(seen.length, 2);
    assert.equal(seen[1].questions[0].input_type, "date");
    assert.match(text, /2027-03-01 and 2027-03-01|2027-03-01/);
    const whole = runTools(client, { model: "work", messages: [user("form")], tools: [asking({ answers: { name: "Ada", age: null } })] });
    assert.match(await whole.finalContent(), /Ada/);
    const both = [];
    assert.match(await runTools(client, { model: "work", stream: true, messages: [user("pair")], tools: [asking(day, both)] }).finalContent(), /2027-03-01/);
    assert.equal(both.length, 2);
  },
  async "runTools with a tool that fails"(client) {
    for (const failed of [{ error: "no window" }, "Error: no window", "", () => undefined, { status: "timeout" }]) {
      const seen = [];
      const runner = runTools(client, { model: "work", stream: true, messages: [user("ask")], tools: [asking(failed, seen)] });
      assert.match(await runner.finalContent(), /Which city\?[^]*1\. Berlin, Germany/);
      assert.equal(seen.length, 1);
      const more = runTools(client, { model: "work", stream: true, messages: [...runner.messages, user("2")], tools: [asking(failed, seen)] });
      assert.match(await more.finalContent(), /par/);
      assert.equal(seen.length, 1);
    }
    const spoiled = { ...asking("par") };
    spoiled.function.parse = () => { throw new SyntaxError("Unexpected end of JSON input"); };
    assert.match(await runTools(client, { model: "work", stream: true, messages: [user("ask")], tools: [spoiled] }).finalContent(), /Which city/);
  },
  async "runTools approves"(client) {
    const seen = [];
    const text = await runTools(client, { model: "work", stream: true, messages: [user("approve")], tools: [asking("yes", seen)] }).finalContent();
    assert.equal(seen[0].questions[0].input_type, "confirm");
    assert.match(text, /20/);
  },
  async "a tool of the client's"(client) {
    const locate = { type: "function", function: { ...tool("locate").function, parse: JSON.parse, function: ({ precise }) => ({ place: `Oslo ${precise}` }) } };
    assert.match(await runTools(client, { model: "work", stream: true, messages: [user("client")], tools: [locate] }).finalContent(), /Oslo true/);
  },
  async "text mode"(client) {
    const c = chat(client);
    const asked = await c.say(user("ask"));
    assert.equal(asked.finish, "stop");
    assert.match(asked.text, /Which city\?\n\n1\. Berlin, Germany\n2\. Paris, France/);
    assert.match((await c.say(user("2"))).text, /par/);
  },
  async "a form in text"(client) {
    const c = chat(client);
    assert.match((await c.say(user("form"))).text, /Your name\?/);
    assert.match((await c.say(user("Ada"))).text, /Your age\?/);
    const done = (await c.say(user("36"))).text;
    assert.match(done, /Ada/);
    assert.match(done, /36/);
    assert.match((await c.say(user("plain"))).text, /Good morning/);
  },
  async "X-Chat-Id"(client, OpenAI, version) {
    const id = `mine-${version}`;
    const send = (content) => client.chat.completions.create({ model: "work", messages: [user(content)] }, { headers: { "X-Chat-Id": id } }).withResponse();
    const first = await send("ask");
    assert.equal(first.response.headers.get("x-chat-id"), id);
    const next = await send("Berlin, Germany"); // without the history
    assert.match(next.data.choices[0].message.content, /ber/);
  },
  async models(client) {
    const ids = [];
    for await (const model of client.models.list()) ids.push(model.id);
    assert.ok(ids.includes("work"), ids);
    assert.equal((await client.models.retrieve("work")).object, "model");
  },
  async "an answer that comes too late"(client, _, version) {
    const headers = { "X-Chat-Id": `late-${version}` };
    const send = (message) => client.chat.completions.create({ model: "brief", messages: [message], tools: [tool("ask_user")] }, { headers });
    const { choices: [{ message: { tool_calls: [call] } }] } = await send(user("ask"));
    const at = `${process.env.ASKGATE_URL}/v1/apps/brief/chats/${headers["X-Chat-Id"]}`;
    while ((await (await fetch(at)).json()).status !== "idle");
    assert.equal((await thrown(send({ role: "tool", tool_call_id: call.id, content: "par" }))).status, 410);
  },
  async errors(client, OpenAI) {
    const create = (params) => thrown(client.chat.completions.create({ model: "work", messages: [user("plain")], ...params }));
    const unknown = await create({ model: "gpt-5" });
    assert.ok(unknown instanceof OpenAI.NotFoundError, String(unknown));
    assert.equal(unknown.code, "model_not_found");
    const many = await create({ n: 2 });
    assert.ok(many instanceof OpenAI.BadRequestError, String(many));
    assert.equal(many.param, "n");
    const c = chat(client, { tools: [tool("ask_user")] });
    const { calls: [call] } = await c.say(user("form"));
    const answer = (age) => ({ role: "tool", tool_call_id: call.id, content: JSON.stringify({ answers: { name: "Ada", age } }) });
    const wrong = await thrown(c.say(answer(999)));
    assert.equal(wrong.status, 422);
    assert.match(wrong.message, /at most 150/);
    assert.match((await c.say(answer(36))).text, /36/);
    const failed = await thrown(chat(client).say(user("fail")));
    assert.match(failed.message, /model/i);
  },
};

for (const version of ["openai-4", "openai-6", "openai-7"]) {
  const { default: OpenAI } = await import(version);
  const client = new OpenAI({ apiKey: "none", baseURL: process.env.ASKGATE_URL + "/v1", maxRetries: 0 });
  for (const [name, scene] of Object.entries(scenes)) {
    try {
      await scene(client, OpenAI, version);
    } catch (err) {
      console.log(`${version}: ${name}`);
      throw err;
    }
  }
}
