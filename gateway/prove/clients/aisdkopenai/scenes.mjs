import assert from "node:assert/strict";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount, jsonSchema, streamText, tool } from "ai";

globalThis.AI_SDK_LOG_WARNINGS = false;
const v1 = `${process.env.ASKGATE_URL}/v1`;

// stored reads the chat from the native API: the people's messages, and everything.
async function stored(chat, app = "work") {
  const res = await fetch(`${v1}/apps/${app}/chats/${chat}`);
  assert.equal(res.status, 200, chat);
  const snapshot = await res.json();
  return { ...snapshot, people: snapshot.messages.filter((m) => m.role === "user").map((m) => m.content) };
}

const asking = (execute) => ({ ask_user: tool({ description: "Asks the person.", inputSchema: jsonSchema({ type: "object" }), execute }) });

// person is a chat whose program keeps the messages. how says whether it streams, and whether
// the server stores responses.
function person(how, { tools, app = "work" } = {}) {
  const self = { messages: [], chat: null, sent: null, parts: null };
  const openai = createOpenAI({
    baseURL: v1, apiKey: "any", headers: how.store === false ? { "X-Chat-Id": `aisdk-${Math.random()}` } : {},
    fetch: async (url, init) => {
      self.sent = JSON.parse(init.body);
      const res = await fetch(url, init);
      self.chat = res.headers.get("x-chat-id") ?? self.chat;
      return res;
    },
  });
  self.model = openai(app);
  self.openai = openai;
  self.send = async (message, more = {}) => {
    self.messages.push(message);
    const params = {
      model: self.model, messages: self.messages, tools, stopWhen: isStepCount(5), maxRetries: 0,
      providerOptions: { openai: how.store === false ? { store: false } : {} }, onError: () => {}, ...more,
    };
    const done = how.streams ? streamText(params) : await generateText(params);
    const text = (await done.steps).map((step) => step.text).join("");
    self.parts = await done.content;
    self.messages.push(...await done.responseMessages);
    return text;
  };
  self.say = (text) => self.send({ role: "user", content: text });
  return self;
}

const referred = (sent) => sent.input.filter((item) => item.type === "item_reference").map((item) => item.id.split("_")[0]);

const scenes = {
  async "asked in words"(how) {
    const p = person(how), mine = `plain ${Math.random()}`;
    assert.equal(await p.say(mine), "Good morning, dear.");
    const chat = p.chat;
    assert.match(await p.say("ask"), /One moment\.[^]*Which city\?[^]*1\. Berlin, Germany/);
    assert.match(await p.say("2"), /par/);
    assert.match(await p.say("tool"), /Let me see\. So it is: 5\./);
    assert.equal(await p.say("think"), "Good morning.");
    assert.match(await p.say("form"), /Your name\?/);
    assert.match(await p.say("Ada"), /Your age\?/);
    assert.match(await p.say("36"), /Ada[^]*36/);
    assert.match(await p.say("plain once more"), /Good morning/);
    assert.equal(p.chat, chat);
    const { people, clarifications } = await stored(chat);
    assert.deepEqual(people, [mine, "ask", "tool", "think", "form", "plain once more"], JSON.stringify(clarifications));
    if (how.store !== false) {
      assert.deepEqual([...new Set(referred(p.sent))].toSorted(), ["mcp", "msg", "rs"]);
    }
  },
  async "asked by a call"(how) {
    const seen = [];
    const p = person(how, { tools: asking(async ({ questions }) => { seen.push(questions); return { answers: Object.fromEntries(questions.map((q) => [q.id, { city: "par", name: "Ada", age: 36 }[q.id] ?? "2027-03-01"])) }; }) });
    assert.match(await p.say(`ask ${Math.random()}`), /One moment\.[^]*par/);
    const chat = p.chat;
    assert.equal(seen.length, 1);
    assert.match(await p.say("think"), /Good morning/);
    assert.match(await p.say("form"), /Ada[^]*36/);
    assert.match(await p.say("pair"), /2027-03-01 and .*2027-03-01/);
    assert.match(await p.say("twice"), /2027-03-01/);
    assert.match(await p.say("plain"), /Good morning/);
    assert.equal(p.chat, chat);
    assert.equal((await stored(chat)).people.length, 6);
    assert.equal(seen.length, 6);
  },
  async "a call, then words"(how) {
    const p = person(how, { tools: asking() }); // the page shows the call, but the person just writes
    assert.match(await p.say(`ask ${Math.random()}`), /One moment\./);
    const chat = p.chat, [call] = p.parts.filter((part) => part.type === "tool-call");
    p.messages.push({ role: "tool", content: [{ type: "tool-result", toolCallId: call.toolCallId, toolName: "ask_user", output: { type: "json", value: { answers: { city: "ber" } } } }] });
    assert.match(await p.send({ role: "user", content: "as soon as you can" }), /ber/);
    assert.match(await p.say("plain"), /Good morning/);
    assert.equal(p.chat, chat);
  },
  async "two chats that begin alike"(how) {
    const mine = `ask twice ${Math.random()}`;
    const one = person(how), two = person(how), three = person(how, { tools: asking() });
    for (const p of [one, two, three]) assert.match(await p.say(mine), /One moment/);
    const chats = [one.chat, two.chat, three.chat];
    assert.equal(new Set(chats).size, 3);
    assert.match(await one.say("1"), /ber/);
    assert.equal((await stored(two.chat)).pending.length, 1);
    assert.match(await two.say("2"), /par/);
    assert.equal((await stored(three.chat)).pending.length, 1);
    for (const p of [one, two]) assert.match(await p.say("plain"), /Good morning/);
    assert.deepEqual([one.chat, two.chat, three.chat], chats);
    for (const chat of chats.slice(0, 2)) assert.deepEqual((await stored(chat)).people, [mine, "plain"]);
  },
  async "regenerate and edit"(how) {
    const p = person(how), mine = `plain again ${Math.random()}`;
    await p.say(mine);
    const chat = p.chat;
    await p.say("tool");
    const before = await stored(chat), last = p.messages.findLastIndex((m) => m.role === "user");
    p.messages.length = last;
    assert.match(await p.say("tool"), /So it is: 5/); // the same again
    assert.notEqual(p.chat, chat);
    const again = p.chat;
    await p.say("think");
    assert.equal(p.chat, again);
    p.messages.length = last;
    assert.match(await p.say("ask"), /Which city\?/); // another one in its place
    assert.ok(![chat, again].includes(p.chat), p.chat);
    const edited = p.chat;
    assert.match(await p.say("2"), /par/);
    p.messages.length = last + 2;
    assert.match(await p.say("1"), /ber/); // another answer
    assert.notEqual(p.chat, edited);
    assert.match(await p.say("plain"), /Good morning/);
    assert.deepEqual((await stored(chat)).messages, before.messages);
    assert.deepEqual((await stored(p.chat)).people, [mine, "ask", "plain"]);
    assert.deepEqual((await stored(edited)).people, [mine, "ask"]);
  },
  async "a tool that fails"(how) {
    for (const fails of [async () => { throw new Error("no window"); }, async () => ({ error: "no window" }), async () => "", async () => "Error: no window"]) {
      let calls = 0;
      const p = person(how, { tools: asking(async () => { calls++; return fails(); }) });
      assert.match(await p.say(`ask ${Math.random()}`), /Which city\?[^]*1\. Berlin, Germany/, String(fails));
      const chat = p.chat;
      assert.equal((await stored(chat)).pending.length, 1, String(fails));
      assert.match(await p.say("2"), /par/, String(fails));
      assert.match(await p.say("ask"), /Which city\?/);
      assert.match(await p.say("1"), /ber/);
      assert.equal(p.chat, chat);
      assert.equal(calls, 1, String(fails));
    }
  },
  async "an approval"(how) {
    for (const approved of [true, false]) {
      const p = person(how);
      const tools = { mcp: p.openai.tools.mcp({ serverLabel: "work", serverUrl: "https://example.org/mcp" }) };
      await p.send({ role: "user", content: `approve ${Math.random()}` }, { tools });
      const chat = p.chat, request = p.parts.find((part) => part.type === "tool-approval-request");
      assert.ok(request, JSON.stringify(p.parts));
      const text = await p.send({ role: "tool", content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved, providerExecuted: true }] }, { tools });
      assert.equal(/20\d\d-/.test(text), approved, text);
      assert.match(await p.send({ role: "user", content: "plain" }, { tools }), /Good morning/);
      assert.equal(p.chat, chat);
    }
  },
  async "a picture"(how) {
    const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
    const with_ = (data) => ({ role: "user", content: [{ type: "text", text: `plain picture ${Math.random()}` }, { type: "file", mediaType: "image/png", data }] });
    const p = person(how, { app: "pictures" });
    assert.match(await p.send(with_(png)), /Good morning/);
    const chat = p.chat;
    assert.match(await p.say("ask"), /Which city\?/);
    assert.match(await p.say("1"), /ber/);
    assert.equal(p.chat, chat);
    const { messages } = await stored(chat, "pictures");
    assert.equal(messages[0].files?.length, 1, JSON.stringify(messages[0]));
    assert.ok(messages.slice(1).every((m) => !m.files?.length));
    for (const [app, data, code] of [["pictures", new URL("https://example.org/a.png"), "unsupported_part"], ["work", png, "attachments_off"]]) {
      const refused = person({ ...how, streams: false }, { app });
      await assert.rejects(refused.send(with_(data)), (err) => {
        assert.equal(err.statusCode, 400, String(err));
        assert.equal(err.data.error.code, code);
        assert.equal(err.data.error.param, "input[0].content[1]");
        return true;
      });
    }
  },
  async "not stored, and without a name"({ streams }) {
    const p = person({ streams });
    const mine = `plain gone ${Math.random()}`;
    await p.send({ role: "user", content: mine }, { providerOptions: { openai: { store: false } } });
    assert.equal((await fetch(`${v1}/apps/work/chats/${p.chat}`)).status, 404);
  },
};

for (const how of [{ streams: false }, { streams: true }, { streams: false, store: false }, { streams: true, store: false }]) {
  for (const [name, scene] of Object.entries(scenes)) {
    try {
      await scene(how);
    } catch (err) {
      console.log(`${name}: ${JSON.stringify(how)}`);
      if (!process.env.ALL) throw err;
      console.log(err);
    }
  }
}
console.log("@ai-sdk/openai: all scenes");
