import assert from "node:assert/strict";
import { each, parts, question, settled, text, well } from "./chat.mjs";

const url = process.env.ASKGATE_URL;
const approvals = (version) => !version.startsWith("ai-5"); // what the protocol has since 6

await each({
  "plain": async (open) => {
    const chat = open();
    await chat.say("plain");
    well(chat, 1, "ua");
    assert.equal(text(chat), "Good morning, dear.");
    assert.equal(chat.seen.finishes[0].finishReason, "stop");
    assert.deepEqual(chat.seen.data.map((part) => [part.type, part.data]), [["data-usage", { inputTokens: 7, outputTokens: 5, cachedInputTokens: 0, reasoningTokens: 0 }]]);
    await chat.say("think");
    well(chat, 2, "uaua");
    assert.deepEqual(parts(chat, "reasoning").map((part) => part.text), ["The person greets."]);
  },
  "question": async (open) => {
    const chat = open();
    await chat.say("ask");
    well(chat, 1, "ua");
    assert.equal(text(chat), "One moment. ");
    const asked = question(chat);
    assert.equal(asked.input.questions[0].id, "city");
    await chat.answer(asked, { answers: { city: "par" } });
    well(chat, 2, "ua");
    assert.match(text(chat), /par/);
    assert.equal(chat.seen.finishes[1].finishReason, "stop");
  },
  "form": async (open) => {
    const chat = open();
    await chat.say("form");
    await chat.answer(question(chat), { answers: { name: "Ada", age: null } });
    well(chat, 2, "ua");
    assert.match(text(chat), /Ada/);
  },
  "twice": async (open) => {
    const chat = open();
    await chat.say("twice");
    await chat.answer(question(chat), "Rome");
    well(chat, 2, "ua");
    await chat.answer(question(chat), "2027-03-01");
    well(chat, 3, "ua");
    assert.match(text(chat), /Rome.*2027-03-01/);
  },
  "an error does not answer": async (open) => {
    const chat = open();
    await chat.say("ask");
    const next = chat.next();
    chat.addToolOutput({ tool: "ask_user", toolCallId: question(chat).toolCallId, state: "output-error", errorText: "no screen", ...fifth(chat) });
    await next;
    await settled();
    well(chat, 2, "ua"); // the library does not send the failed call again
    assert.match(text(chat), /Which city\?[^]*1\. Berlin, Germany/);
    await chat.say("2");
    well(chat, 3, "uaua");
    assert.match(text(chat), /par/);
  },
  "an error instead of a form": async (open) => {
    const chat = open();
    await chat.say("form");
    await chat.answer(question(chat), { error: "no screen" });
    well(chat, 2, "ua");
    assert.match(text(chat), /Your name\?/);
    await chat.say("Ada");
    well(chat, 3, "uaua");
    assert.match(text(chat), /Your age\?/);
    await chat.say("36");
    well(chat, 4, "uauaua");
    assert.match(text(chat), /Ada/);
  },
  "tool": async (open) => {
    const chat = open();
    await chat.say("tool");
    well(chat, 1, "ua");
    const [call] = parts(chat, "tool-calculator");
    assert.deepEqual([call.state, call.input, call.output, call.providerExecuted], ["output-available", { expression: "2+3" }, "5", true]);
    assert.equal(parts(chat, "step-start").length, 2);
    assert.equal(text(chat), "Let me see. So it is: 5.");
  },
  "a tool that reports its progress": async (open) => {
    const states = [];
    const chat = open({ app: "remote", onData: (part) => { if (part.type === "data-progress") states.push([parts(chat, "tool-remote__count")[0].state, part.data]); } });
    await chat.say("far");
    well(chat, 1, "ua");
    const [call] = parts(chat, "tool-remote__count");
    assert.deepEqual([call.state, call.output], ["output-available", "counted"]);
    assert.deepEqual(states.at(-1), ["input-available", { toolCallId: call.toolCallId, toolName: "remote__count", progress: 3, total: 3, message: "step 3 of 3" }]);
    assert.ok(!JSON.stringify(chat.messages).includes("step 3 of 3"), "no progress is stored");
    await chat.say("plain");
    well(chat, 2, "uaua");
  },
  "a tool call along with a question": async (open) => {
    const chat = open();
    await chat.say("both");
    well(chat, 1, "ua");
    await chat.answer(question(chat), "Rome");
    well(chat, 2, "ua");
    assert.match(text(chat), /5 and .*Rome/s);
  },
  "a tool of the client": async (open) => {
    const chat = open({
      onToolCall: ({ toolCall }) => {
        if (toolCall.toolName === "locate") chat.addToolOutput({ tool: "locate", toolCallId: toolCall.toolCallId, output: { place: "Oslo" } });
      },
    });
    const [first, second] = [chat.next(), chat.next()];
    await chat.say("client");
    await Promise.all([first, second]);
    well(chat, 2, "ua");
    assert.match(text(chat), /Oslo/);
  },
  "approval as a question": async (open) => {
    for (const [word, want] of [["yes", /20\d\d/], ["no", /did not allow/]]) {
      const chat = open({ id: `${open().id}-${word}` });
      await chat.say("approve");
      well(chat, 1, "ua");
      const [call] = parts(chat, "tool-clock");
      assert.notEqual(question(chat).toolCallId, call.toolCallId);
      await chat.answer(question(chat), { answers: { q1: word } });
      well(chat, 2, "ua");
      assert.equal(parts(chat, "tool-clock")[0].state, "output-available");
      assert.match(text(chat), want);
    }
  },
  "approval": async (open, { version }) => {
    if (!approvals(version)) return;
    for (const [approved, state, want] of [[true, "output-available", /20\d\d/], [false, "output-denied", /too late/]]) {
      const chat = open({ app: "keyed", id: `${open().id}-${state}` });
      await chat.say("approve");
      well(chat, 1, "ua");
      const [call] = parts(chat, "tool-clock");
      assert.equal(call.state, "approval-requested");
      assert.equal(parts(chat, "tool-ask_user").length, 0);
      const next = chat.next();
      chat.addToolApprovalResponse({ id: call.approval.id, approved, reason: "too late" });
      await next;
      well(chat, 2, "ua");
      assert.equal(parts(chat, "tool-clock")[0].state, state);
      assert.match(text(chat), want);
    }
  },
  "typed answer": async (open) => {
    const chat = open();
    await chat.say("ask");
    await chat.say("Berlin, Germany");
    well(chat, 2, "uaua");
    assert.match(text(chat), /ber/);
    await chat.say("plain");
    well(chat, 3, "uauaua");
  },
  "typed answer to an approval": async (open) => {
    const chat = open();
    await chat.say("approve");
    await chat.say("Yes");
    well(chat, 2, "uaua");
    assert.match(text(chat), /20\d\d/);
  },
  "another message instead of an approval": async (open, { version }) => {
    const chat = open({ app: approvals(version) ? "keyed" : "work" });
    await chat.say("approve");
    await chat.say("plain");
    well(chat, 2, "uaua");
    assert.equal(text(chat), "Good morning, dear.");
  },
  "error": async (open) => {
    const chat = open();
    await chat.say("fail");
    assert.equal(chat.status, "error");
    assert.match(chat.error.message, /\w{3,} \w{2,}.*\.$/s, "a sentence");
    assert.equal(chat.seen.posts, 1);
    chat.seen.errors.length = 0;
    await chat.say("plain");
    well(chat, 2, chat.messages.length === 4 ? "uaua" : "uua");
    assert.equal(text(chat), "Good morning, dear.");
  },
  "length": async (open) => {
    const chat = open();
    await chat.say("length");
    well(chat, 1, "ua");
    assert.equal(chat.seen.finishes[0].finishReason, "length");
  },
  "regenerate": async (open) => {
    const chat = open();
    await chat.say("plain");
    const first = chat.messages.at(-1).id;
    await chat.regenerate();
    await settled();
    well(chat, 2, "ua");
    assert.notEqual(chat.messages.at(-1).id, first, "another reply");
    assert.equal(text(chat), "Good morning, dear.");
    await chat.say("ask");
    await chat.regenerate({ messageId: chat.messages[1].id });
    await settled();
    well(chat, 4, "ua");
    await chat.say("plain");
    well(chat, 5, "uaua");
    assert.equal(new Set(chat.seen.chats).size, 3, "a branch for each");
    assert.equal(chat.seen.chats[2], chat.seen.chats[1], "what follows is in the branch");
  },
  "regenerate a question": async (open) => {
    const chat = open();
    await chat.say("ask");
    await chat.regenerate();
    await settled();
    well(chat, 2, "ua");
    await chat.answer(question(chat), { answers: { city: "par" } });
    well(chat, 3, "ua");
    assert.match(text(chat), /par/);
    await chat.say("plain");
    well(chat, 4, "uaua");
  },
  "edit": async (open) => {
    const chat = open();
    await chat.say("plain");
    await chat.say("ask");
    await chat.sendMessage({ text: "tool", messageId: chat.messages[2].id });
    await settled();
    well(chat, 3, "uaua");
    assert.equal(text(chat), "Let me see. So it is: 5.");
    assert.notEqual(chat.seen.chats[2], chat.seen.chats[1]);
    await chat.say("plain");
    well(chat, 4, "uauaua");
    assert.equal(chat.seen.chats[3], chat.seen.chats[2]);
    const stored = await (await fetch(`${url}/v1/apps/work/chats/${chat.seen.chats[3]}`)).json();
    assert.deepEqual(stored.messages.filter((m) => m.role === "user").map((m) => m.content), ["plain", "tool", "plain"]);
  },
  "edit an answer": async (open) => {
    const chat = open();
    await chat.say("ask");
    await chat.say("Berlin, Germany");
    await chat.sendMessage({ text: "Paris, France", messageId: chat.messages[2].id });
    await settled();
    well(chat, 3, "uaua");
    assert.match(text(chat), /par/);
  },
  "a wrong answer, then a right one": async (open) => {
    const chat = open();
    await chat.say("form");
    const asked = question(chat);
    await chat.answer(asked, { answers: { name: "Ada", age: 999 } });
    assert.equal(chat.status, "error");
    assert.match(chat.error.message, /150/);
    assert.equal(chat.seen.posts, 2, "it sends the wrong answer once");
    chat.seen.errors.length = 0;
    await chat.answer(asked, { answers: { name: "Ada", age: 36 } });
    well(chat, 3, "ua");
    assert.match(text(chat), /36/);
  },
  "nothing to come back to": async (open) => {
    const chat = open();
    await chat.resumeStream();
    await chat.say("ask");
    await chat.resumeStream(); // a question waits
    well(chat, 1, "ua");
    assert.equal(chat.seen.gets, 2);
    assert.equal(question(chat).state, "input-available");
  },
  "an id of any kind": async (open, { version }) => {
    const slash = version.endsWith("oldest") ? "" : "/"; // they put it into an address as it is
    const chat = open({ id: `a chat${slash} of ${version} ü` });
    await chat.say("ask");
    await chat.resumeStream();
    await chat.answer(question(chat), { answers: { city: "par" } });
    well(chat, 2, "ua");
  },
  "the same again": async (open) => {
    const chat = open();
    await chat.say("ask");
    await chat.answer(question(chat), { answers: { city: "par" } });
    well(chat, 2, "ua");
    await chat.sendMessage();
    await settled();
    assert.match(chat.error.message, /already been answered/);
    assert.equal(chat.seen.posts, 3);
  },
}, url);

// fifth returns the arguments that early 5.x versions of addToolOutput require with errorText.
function fifth() { return { output: undefined }; }
