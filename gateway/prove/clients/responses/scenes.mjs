import assert from "node:assert/strict";
import { call, each, output, streamed, thrown } from "./client.mjs";

await each({
  "plain": async (client, _, version) => {
    const { text, response, types } = await streamed(client, { input: "plain" });
    assert.equal(text, "Good morning, dear.");
    if (version !== "openai-4") { // whose helper does not assemble it
      assert.equal(response.output_text, text);
    }
    assert.equal(response.status, "completed");
    assert.deepEqual(response.usage.total_tokens, 12);
    assert.equal(types[0], "response.created");
    assert.equal(types.at(-1), "response.completed");
  },
  "whole": async (client) => {
    const response = await client.responses.create({ model: "work", input: "plain" });
    assert.equal(response.output_text, "Good morning, dear.");
    assert.equal(response.object, "response");
    const next = await client.responses.create({ model: "work", input: "tool", previous_response_id: response.id });
    assert.equal(next.output_text, "Let me see. So it is: 5.");
    assert.equal(next.conversation.id, response.conversation.id);
    assert.equal(next.previous_response_id, response.id);
    assert.deepEqual(next.output.map((item) => item.type), ["message", "mcp_call", "message"]);
    const made = next.output[1];
    assert.equal(made.server_label, "work");
    assert.equal(made.name, "calculator");
    assert.deepEqual(JSON.parse(made.arguments), { expression: "2+3" });
    assert.equal(made.output, "5");
  },
  "reasoning": async (client) => {
    const { thought, text, response } = await streamed(client, { input: "think" });
    assert.equal(thought, "The person greets.");
    assert.equal(text, "Good morning.");
    assert.deepEqual(response.output.map((item) => item.type), ["reasoning", "message"]);
    assert.equal(response.output[0].summary[0].text, thought);
  },
  "question": async (client) => {
    const { text, response } = await streamed(client, { input: "ask" });
    assert.equal(text, "One moment. ");
    const asked = call(response);
    assert.equal(asked.input.questions[0].id, "city");
    const next = await streamed(client, { previous_response_id: response.id, input: output(asked, { answers: { city: "par" } }) });
    assert.match(next.text, /par/);
    // The call alone identifies the chat, too; this one is already answered.
    const late = await thrown(client.responses.create({ model: "work", input: output(asked, "ber") }));
    assert.equal(late.status, 409);
    assert.equal(late.code, "already_answered");
  },
  "by the call alone": async (client) => {
    const { response } = await streamed(client, { input: "ask" });
    const { text } = await streamed(client, { input: [{ role: "user", content: "ask" }, ...response.output, ...output(call(response), { answers: { city: "Rome" } })] });
    assert.match(text, /Rome/);
  },
  "form": async (client) => {
    const { response } = await streamed(client, { input: "form" });
    const asked = call(response);
    assert.deepEqual(asked.input.questions.map((q) => q.id), ["name", "age"]);
    const wrong = await thrown(client.responses.create({ model: "work", previous_response_id: response.id, input: output(asked, { answers: { name: "Ada", age: 999 } }) }));
    assert.equal(wrong.status, 422);
    assert.match(wrong.message, /150/);
    const { text } = await streamed(client, { previous_response_id: response.id, input: output(asked, { answers: { name: "Ada", age: null } }) });
    assert.match(text, /Ada/);
  },
  "twice": async (client) => {
    const first = await streamed(client, { input: "twice", conversation: "twice of " + Math.random() });
    const second = await streamed(client, { conversation: first.response.conversation, input: output(call(first.response), { answers: { q1: "Rome" } }) });
    const { text } = await streamed(client, { conversation: first.response.conversation.id, input: output(call(second.response), "2027-03-01") });
    assert.match(text, /Rome.*2027-03-01/);
  },
  "approval": async (client) => {
    for (const approve of [true, false]) {
      const { response } = await streamed(client, { input: "approve" });
      const request = response.output.at(-1);
      assert.equal(request.type, "mcp_approval_request");
      assert.equal(request.name, "clock");
      assert.deepEqual(JSON.parse(request.arguments), { timezone: "UTC" });
      const next = await streamed(client, { previous_response_id: response.id, input: [{ type: "mcp_approval_response", approval_request_id: request.id, approve, reason: "as I said" }] });
      const made = next.response.output[0];
      assert.equal(made.type, "mcp_call");
      assert.equal(made.name, "clock");
      assert.equal(made.approval_request_id, request.id);
      assert.deepEqual(JSON.parse(made.arguments), { timezone: "UTC" });
      assert.equal(/20\d\d-/.test(next.text), approve, next.text);
      assert.match(next.text, /as I said/);
    }
  },
  "a tool of the client's": async (client) => {
    const { response } = await streamed(client, { input: "client" });
    const { text } = await streamed(client, { previous_response_id: response.id, input: output(call(response, "locate"), { place: "Oslo" }) });
    assert.match(text, /Oslo/);
  },
  "length": async (client, _, version) => {
    const whole = await client.responses.create({ model: "work", input: "length" });
    assert.equal(whole.status, "incomplete");
    assert.equal(whole.incomplete_details.reason, "max_output_tokens");
    const { text, response } = await streamed(client, { input: "length" });
    assert.equal(text, "It was a dark and");
    if (version !== "openai-4") { // which reads the response from the event completed only
      assert.equal(response.status, "incomplete");
    }
  },
  "error": async (client, _, version) => {
    const chat = "fails-" + version;
    const err = await thrown(streamed(client, { input: "fail" }));
    assert.match(err.message, /model/i);
    assert.equal(err.code, "model_error");
    const whole = await thrown(client.responses.create({ model: "work", input: "fail" }, { headers: { "X-Chat-Id": chat } }));
    assert.equal(whole.status, 502);
    assert.equal(whole.code, "model_error");
    // The library must not send a request again that was accepted.
    const { messages } = await (await fetch(process.env.ASKGATE_URL + "/v1/apps/work/chats/" + chat)).json();
    assert.deepEqual(messages.map((m) => m.role), ["user"]);
  },
  "refusals": async (client, OpenAI) => {
    const unknown = await thrown(client.responses.create({ model: "work", previous_response_id: "resp_none_1", input: "plain" }));
    assert.ok(unknown instanceof OpenAI.NotFoundError);
    assert.equal(unknown.param, "previous_response_id");
    const app = await thrown(client.responses.create({ model: "gpt-4o", input: "plain" }));
    assert.ok(app instanceof OpenAI.NotFoundError);
    const nothing = await thrown(client.responses.create({ model: "work", input: [{ role: "user", content: "plain" }, { role: "assistant", content: "Good morning, dear." }] }));
    assert.ok(nothing instanceof OpenAI.BadRequestError);
    assert.equal(nothing.param, "input");
  },
  "the whole input each time": async (client) => {
    const mine = "plain " + Math.random();
    let input = [{ role: "user", content: mine }];
    const say = async (text) => {
      if (text) input = [...input, { role: "user", content: text }];
      const response = await client.responses.create({ model: "work", input });
      input = [...input, ...response.output];
      return response;
    };
    const first = await say();
    const asked = await say("ask");
    assert.match(asked.output_text, /Which city/);
    const answered = await say("2");
    assert.match(answered.output_text, /par/);
    assert.equal(asked.conversation.id, first.conversation.id);
    assert.equal(answered.conversation.id, first.conversation.id);
    input = input.slice(0, 2);
    const edited = await say("think");
    assert.notEqual(edited.conversation.id, first.conversation.id);
    const next = await say("tool");
    assert.equal(next.conversation.id, edited.conversation.id);
  },
  "raw events": async (client) => {
    let at = 0;
    for await (const event of await client.responses.create({ model: "work", input: "both", stream: true, tools: [{ type: "function", name: "ask_user", parameters: {}, strict: false }] })) {
      assert.equal(event.sequence_number, at++);
    }
    assert.ok(at > 10);
  },
});
