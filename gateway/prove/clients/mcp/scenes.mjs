import assert from "node:assert/strict";
import * as v2 from "@modelcontextprotocol/client";
import { Client as Client1 } from "sdk-1/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "sdk-1/client/streamableHttp.js";
import { ElicitRequestSchema as Elicit1 } from "sdk-1/types.js";
import { Client as Client117 } from "sdk-1-17/client/index.js";
import { StreamableHTTPClientTransport as Transport117 } from "sdk-1-17/client/streamableHttp.js";
import { ElicitRequestSchema as Elicit117 } from "sdk-1-17/types.js";

const base = process.env.ASKGATE_URL;
const info = { name: "agent", version: "1.2" };

const one = (Client, Transport, Elicit, version) => ({
  version,
  call: (client, params, options) => client.callTool(params, undefined, options),
  async connect(app, elicit) {
    const client = new Client(info, { capabilities: elicit ? { elicitation: {} } : {} });
    if (elicit) client.setRequestHandler(Elicit, elicit);
    await client.connect(new Transport(new URL(`${base}/v1/apps/${app}/mcp`)));
    return client;
  },
});

const two = (version, mode) => ({
  version,
  call: (client, params, options) => client.callTool(params, options),
  async connect(app, elicit) {
    const client = new v2.Client(info, { capabilities: elicit ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode } });
    if (elicit) client.setRequestHandler("elicitation/create", elicit);
    await client.connect(new v2.StreamableHTTPClientTransport(new URL(`${base}/v1/apps/${app}/mcp`)));
    return client;
  },
});

const kinds = [
  one(Client117, Transport117, Elicit117, "2025-06-18"),
  one(Client1, Transport1, Elicit1, "2025-11-25"),
  two("2025-11-25", "legacy"),
  two("2026-07-28", "auto"),
];

// waiting returns the only pending question, once there is one.
async function waiting() {
  for (;;) {
    const { items } = await (await fetch(`${base}/v1/clarifications`)).json();
    if (items.length) return items[0];
    await new Promise(setImmediate);
  }
}

async function answer(id, body) {
  const res = await fetch(`${base}/v1/clarifications/${id}/answer`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  assert.equal(res.status, 200, await res.text());
}

const question = { question: "Deploy?", input_type: "select", options: [{ label: "Yes", value: "yes" }, { label: "No", value: "no" }] };

for (const kind of kinds) {
  // A call waits, reports its progress, and returns the answer that is given elsewhere.
  let client = await kind.connect("work");
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((t) => t.name).sort(), ["ask_user", "get_answer", "notify"]);
  const told = [];
  const asks = kind.call(client, { name: "ask_user", arguments: question }, { onprogress: (p) => told.push(p) });
  const asked = await waiting();
  assert.deepEqual(asked.askedBy, { kind: "program", name: "agent", version: "1.2" });
  await answer(asked.clarificationId, { value: "yes" });
  let got = await asks;
  assert.deepEqual(got.structuredContent, { status: "answered", answers: { q1: "yes" }, text: "Yes (yes)" });
  assert.deepEqual(JSON.parse(got.content[0].text), got.structuredContent);
  assert.equal(told[0]?.total, 50);

  // A question without an answer is pending, and another client continues to wait for it.
  got = await kind.call(client, { name: "ask_user", arguments: { question: "Why?", wait: 0 } });
  assert.equal(got.structuredContent.status, "pending");
  const { clarificationId } = got.structuredContent;
  await client.close();
  client = await kind.connect("work");
  const again = kind.call(client, { name: "get_answer", arguments: { clarificationId } });
  await answer(clarificationId, { value: "because" });
  assert.equal((await again).structuredContent.text, "because");

  // The model gets an error about wrong arguments; notify succeeds.
  got = await kind.call(client, { name: "ask_user", arguments: { input_type: "select" } });
  assert.equal(got.isError, true);
  assert.match(got.content[0].text, /INVALID_CLARIFICATION_PARAMS/);
  got = await kind.call(client, { name: "notify", arguments: { message: "Done." } });
  assert.ok(!got.isError);
  await client.close();

  // The client's own user answers, on the second try.
  const replies = [{ q1: 7 }, { q1: 3 }];
  const said = [];
  client = await kind.connect("elicit", async ({ params }) => {
    said.push(params);
    return { action: "accept", content: replies.shift() };
  });
  const number = { question: "How many?", input_type: "number", validation: { max: 5 } };
  got = await kind.call(client, { name: "ask_user", arguments: number });
  assert.deepEqual(got.structuredContent?.answers, { q1: 3 }, JSON.stringify(got));
  assert.equal(said.length, 2);
  assert.equal(said[0].message, "How many?");
  await client.close();

  // A client that declines its forms automatically closes no question, and learns whose answer counts.
  client = await kind.connect("elicit", async () => ({ action: "decline" }));
  const declined = kind.call(client, { name: "ask_user", arguments: { question: "Which colour?" } });
  await answer((await waiting()).clarificationId, { value: "blue" });
  got = await declined;
  assert.equal(got.structuredContent.text, "blue");
  assert.match(got.structuredContent.note, /answered on another screen/);
  await client.close();

  // The same question from one window is one card while it is pending; another window gets its own.
  if (kind.version < "2026") {
    client = await kind.connect("work");
    const other = await kind.connect("work");
    const again = { name: "ask_user", arguments: { question: "Once?", wait: 0 } };
    const ids = [];
    for (const window of [client, client, other]) ids.push((await kind.call(window, again)).structuredContent.clarificationId);
    assert.equal(ids[0], ids[1]);
    assert.notEqual(ids[0], ids[2]);
    for (const id of [ids[0], ids[2]]) await answer(id, { value: "yes" });
    await client.close();
    await other.close();
  }
  console.log(kind.version, "is well");
}
