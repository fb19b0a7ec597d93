import assert from "node:assert/strict";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";

const v1 = `${process.env.ASKGATE_URL}/v1`;

// stored reads the chat from the native API: the people's messages, and everything.
async function stored(chat, app = "work") {
  const res = await fetch(`${v1}/apps/${app}/chats/${chat}`);
  assert.equal(res.status, 200, chat);
  const snapshot = await res.json();
  return { ...snapshot, people: snapshot.messages.filter((m) => m.role === "user").map((m) => m.content) };
}

const ask_user = { type: "function", function: { name: "ask_user", description: "Asks the person.", parameters: { type: "object", properties: {} } } };

// person is a chat whose program keeps the messages and runs ask_user itself.
function person(how, { execute, app = "work" } = {}) {
  const self = { messages: [], chat: null, ignored: null };
  const model = new ChatOpenAI({
    model: app, apiKey: "any", maxRetries: 0, useResponsesApi: how.responses, zdrEnabled: how.zdr,
    configuration: {
      baseURL: v1, defaultHeaders: how.zdr ? { "X-Chat-Id": `langchain-${Math.random()}` } : {},
      fetch: async (url, init) => {
        const res = await fetch(url, init);
        self.chat = res.headers.get("x-chat-id") ?? self.chat;
        self.ignored = res.headers.get("askgate-ignored");
        return res;
      },
    },
  });
  const bound = execute ? model.bindTools([ask_user]) : model;
  const once = async () => {
    if (!how.streams) return bound.invoke(self.messages);
    let whole;
    for await (const chunk of await bound.stream(self.messages)) whole = whole ? whole.concat(chunk) : chunk;
    return whole;
  };
  self.send = async (...messages) => {
    self.messages.push(...messages);
    let text = "";
    for (let step = 0; step < 5; step++) {
      const said = await once();
      self.messages.push(said);
      text += said.text;
      if (!execute || !said.tool_calls?.length) break;
      for (const call of said.tool_calls) {
        let content, status;
        try { content = await execute(call.args); } catch (err) { content = `Error: ${err.message}\n Please fix your mistakes.`; status = "error"; }
        self.messages.push(new ToolMessage({ content: typeof content === "string" ? content : JSON.stringify(content), tool_call_id: call.id, name: call.name, status }));
      }
    }
    return text;
  };
  self.say = (text) => self.send(new HumanMessage(text));
  return self;
}

const scenes = {
  async "asked in words"(how) {
    const p = person(how), mine = `plain ${Math.random()}`;
    assert.equal(await p.say(mine), "Good morning, dear.");
    const chat = p.chat;
    assert.match(await p.say("ask"), /One moment\.[^]*Which city\?[^]*1\. Berlin, Germany/);
    assert.match(await p.say("2"), /par/);
    assert.match(await p.say("tool"), /Let me see\. So it is: 5\./);
    assert.match(await p.say("think"), /Good morning\./);
    assert.match(await p.say("form"), /Your name\?/);
    assert.match(await p.say("Ada"), /Your age\?/);
    assert.match(await p.say("36"), /Ada[^]*36/);
    assert.match(await p.say("plain once more"), /Good morning/);
    assert.equal(p.chat, chat);
    assert.deepEqual((await stored(chat)).people, [mine, "ask", "tool", "think", "form", "plain once more"]);
  },
  async "asked by a call"(how) {
    let calls = 0;
    const p = person(how, { execute: ({ questions }) => { calls++; return { answers: Object.fromEntries(questions.map((q) => [q.id, { city: "par", name: "Ada", age: 36 }[q.id] ?? "2027-03-01"])) }; } });
    assert.match(await p.say(`ask ${Math.random()}`), /One moment\.[^]*par/);
    const chat = p.chat;
    assert.match(await p.say("form"), /Ada[^]*36/);
    assert.match(await p.say("pair"), /2027-03-01 and .*2027-03-01/);
    assert.match(await p.say("twice"), /2027-03-01/);
    assert.match(await p.say("plain"), /Good morning/);
    assert.equal(p.chat, chat);
    assert.equal((await stored(chat)).people.length, 5);
    assert.equal(calls, 6);
  },
  async "two chats that begin alike"(how) {
    const mine = `ask twice ${Math.random()}`;
    const one = person(how), two = person(how);
    assert.match(await one.say(mine), /Which city/);
    assert.match(await two.say(mine), /Which city/);
    const chats = [one.chat, two.chat];
    assert.notEqual(one.chat, two.chat);
    assert.match(await one.say("1"), /ber/);
    assert.equal((await stored(two.chat)).pending.length, 1);
    assert.match(await two.say("2"), /par/);
    for (const p of [one, two]) assert.match(await p.say("plain"), /Good morning/);
    assert.deepEqual([one.chat, two.chat], chats);
    for (const chat of chats) assert.deepEqual((await stored(chat)).people, [mine, "plain"]);
  },
  async "regenerate and edit"(how) {
    const p = person(how), mine = `plain again ${Math.random()}`;
    await p.say(mine);
    const chat = p.chat;
    await p.say("tool");
    const before = await stored(chat), last = 2;
    p.messages.length = last;
    assert.match(await p.say("tool"), /So it is: 5/);
    assert.notEqual(p.chat, chat);
    const again = p.chat;
    await p.say("think");
    assert.equal(p.chat, again);
    p.messages.length = last;
    assert.match(await p.say("ask"), /Which city\?/);
    assert.ok(![chat, again].includes(p.chat), p.chat);
    const edited = p.chat;
    assert.match(await p.say("2"), /par/);
    p.messages.length = last + 2;
    assert.match(await p.say("1"), /ber/);
    assert.notEqual(p.chat, edited);
    assert.match(await p.say("plain"), /Good morning/);
    assert.deepEqual((await stored(chat)).messages, before.messages);
    assert.deepEqual((await stored(p.chat)).people, [mine, "ask", "plain"]);
    assert.deepEqual((await stored(edited)).people, [mine, "ask"]);
  },
  async "a tool that fails"(how) {
    for (const fails of [() => { throw new Error("no window"); }, () => ({ error: "no window" }), () => ""]) {
      let calls = 0;
      const p = person(how, { execute: () => { calls++; return fails(); } });
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
  async "what its program says"(how) {
    const p = person(how);
    assert.match(await p.send(new SystemMessage("You are a pirate."), new HumanMessage(`plain ${Math.random()}`)), /Good morning/);
    assert.match(p.ignored, /system/);
    const chat = p.chat;
    assert.match(await p.say("tool"), /So it is: 5/);
    assert.equal(p.chat, chat);
  },
  // A history stored as plain texts, as in a database: it contains no ids of AskGate.
  async "a history of texts"(how) {
    const p = person(how), mine = `plain kept ${Math.random()}`;
    await p.say(mine);
    const chat = p.chat;
    await p.say("ask");
    p.messages = p.messages.map((m) => m.getType() === "human" ? m : new AIMessage(m.text));
    assert.match(await p.say("2"), /par/);
    assert.equal(p.chat, chat);
  },
  async "a picture"(how) {
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const pictured = (url, more = {}) => new HumanMessage({ content: [{ type: "text", text: `plain picture ${Math.random()}` }, { type: "image_url", image_url: { url } }], ...more });
    const standard = new HumanMessage({ contentBlocks: [{ type: "text", text: `plain picture ${Math.random()}` }, { type: "image", mimeType: "image/png", data: png }] });
    for (const message of [pictured(`data:image/png;base64,${png}`), standard]) {
      const p = person(how, { app: "pictures" });
      assert.match(await p.send(message), /Good morning/);
      const chat = p.chat;
      assert.match(await p.say("ask"), /Which city\?/);
      assert.match(await p.say("1"), /ber/);
      assert.equal(p.chat, chat);
      const { messages } = await stored(chat, "pictures");
      assert.equal(messages[0].files?.length, 1, JSON.stringify(messages[0]));
    }
    for (const [app, url, code] of [["pictures", "https://example.org/a.png", "unsupported_part"], ["work", `data:image/png;base64,${png}`, "attachments_off"]]) {
      await assert.rejects(person(how, { app }).send(pictured(url)), (err) => {
        assert.equal(err.status, 400, String(err));
        assert.equal(err.code, code);
        assert.equal(err.param, how.responses ? "input[0].content[1]" : "messages[0].content[1]");
        return true;
      });
    }
  },
};

for (const how of [
  { responses: false, streams: false }, { responses: false, streams: true },
  { responses: true, streams: false }, { responses: true, streams: true },
  { responses: true, streams: false, zdr: true }, { responses: true, streams: true, zdr: true },
]) {
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
console.log("@langchain/openai: all scenes");
