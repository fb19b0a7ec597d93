// What clients see when a connection is lost, when a gateway dies, or when another client stops
// the turn. After the message "slow", the model makes a call and then pauses until /release.
import assert from "node:assert/strict";
import { open, parts, question, settled, text, versions, well } from "./chat.mjs";

let url = process.env.ASKGATE_URL;
const control = async (path) => (await fetch(process.env.CONTROL_URL + path)).text();
const names = Object.keys(versions);
const all = (scene) => Promise.all(names.map(scene));
const until = async (what, is) => {
  for (const end = Date.now() + 60_000; !await is();) {
    assert.ok(Date.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
const requests = async () => Number(await control("/requests"));
const called = (chat) => parts(chat, "tool-calculator")[0]?.state === "output-available";

// A question outlives the process that asked it.
const asked = {};
await all(async (name) => {
  asked[name] = open(versions[name], { url, id: `asked-${name}` });
  await asked[name].say("ask");
});

// The process is killed in the middle of a turn, and another takes it over.
let before = await requests();
const torn = {};
await all(async (name) => {
  torn[name] = open(versions[name], { url, id: `torn-${name}` });
  const over = torn[name].next();
  torn[name].sendMessage({ text: "slow" });
  torn[name].over = over;
  await until("the call", () => torn[name].messages.length === 2 && called(torn[name]));
});
await until("the second requests", async () => await requests() === before + 2 * names.length);
before = await requests();
url = await control("/crash");
await all(async (name) => {
  await torn[name].over;
  assert.equal(torn[name].status, "error");
  const chat = open(versions[name], { url, id: `asked-${name}`, messages: asked[name].messages });
  await chat.answer(question(chat), { answers: { city: "par" } });
  well(chat, 1, "ua");
  assert.match(text(chat), /par/);
});
await until("the turns are taken over", async () => await requests() >= before + 2 * names.length);

// Tabs reconnect while the turn is running: one that saved only the person's message, and the
// one that lost its connection, with half of the answer.
const back = {}, same = {};
await all(async (name) => {
  back[name] = open(versions[name], { url, id: `torn-${name}`, messages: torn[name].messages.slice(0, 1) });
  same[name] = open(versions[name], { url, id: `torn-${name}`, messages: torn[name].messages });
  for (const chat of [back[name], same[name]]) {
    chat.over = chat.next();
    chat.resumeStream();
    await until("it streams", () => parts(chat, "data-restart").length === 1);
  }
});

// Some tabs leave and come back; others are stopped.
const left = {}, stopped = {};
await all(async (name) => {
  const first = open(versions[name], { url, id: `left-${name}` });
  first.sendMessage({ text: "slow" });
  stopped[name] = open(versions[name], { url, id: `stopped-${name}` });
  stopped[name].over = stopped[name].next();
  stopped[name].sendMessage({ text: "slow" });
  await until("the calls", () => [first, stopped[name]].every((chat) => chat.messages.length === 2 && called(chat)));
  await first.stop();
  left[name] = open(versions[name], { url, id: `left-${name}`, messages: first.messages.slice(0, 1) });
  left[name].over = left[name].next();
  left[name].resumeStream();
  await until("it is replayed", () => left[name].messages.length === 2 && called(left[name]));
  assert.equal(left[name].messages[1].id, first.messages[1].id, "the same message");
  const stop = await fetch(`${url}/v1/apps/work/chats/stopped-${name}/stop`, { method: "POST" });
  assert.ok(stop.ok, await stop.text());
  await stopped[name].over;
  assert.deepEqual([stopped[name].status, text(stopped[name])], ["ready", "Let me see. "]);
  well(stopped[name], 1, "ua");
});

await control("/release");
await all(async (name) => {
  for (const chat of [left[name], back[name], same[name]]) {
    await chat.over;
    await settled();
    well(chat, 0, "ua");
  }
  assert.equal(text(left[name]), "Let me see. So it is: 5.");
  for (const chat of [back[name], same[name]]) assert.equal(chat.messages[1].id, torn[name].messages[1].id, "the same message");
  assert.equal(text(back[name]), "So it is: 5.", "the run that took over");
  assert.match(text(same[name]), /So it is: 5\.$/);
  if (process.env.SHOW) console.log(name, JSON.stringify(same[name].messages[1].parts));
  const chat = open(versions[name], { url, id: `left-${name}`, messages: left[name].messages });
  await chat.resumeStream(); // no turn is running
  assert.equal(chat.messages.length, 2);
});
