// useChat without React: the library's own AbstractChat with a state like the one in
// @ai-sdk/react, and the default transport.
import assert from "node:assert/strict";

export const versions = {};
for (const name of ["ai-5-oldest", "ai-5", "ai-6-oldest", "ai-6", "ai-7"]) {
  versions[name] = await import(name);
}

class State {
  messages = [];
  status = "ready";
  error = undefined;
  snapshot = (value) => structuredClone(value);
  pushMessage = (message) => { this.messages = [...this.messages, message]; };
  popMessage = () => { this.messages = this.messages.slice(0, -1); };
  replaceMessage = (index, message) => {
    this.messages = [...this.messages.slice(0, index), this.snapshot(message), ...this.messages.slice(index + 1)];
  };
}

// open returns a chat with an app. It sends automatically when the library's helper decides to.
export function open(ai, { url, app = "work", id, messages = [], ...more }) {
  const seen = { posts: 0, gets: 0, chats: [], data: [], finishes: [], errors: [] };
  const waiting = [];
  const over = () => { while (waiting.length > 0) waiting.shift()(); };
  class Chat extends ai.AbstractChat {
    constructor() {
      const state = new State();
      state.messages = messages;
      super({
        id, state,
        transport: new ai.DefaultChatTransport({
          api: `${url}/v1/apps/${app}/ai-sdk`,
          fetch: async (...args) => {
            args[1].method === "POST" ? seen.posts++ : seen.gets++;
            const response = await fetch(...args);
            seen.chats.push(response.headers.get("x-chat-id"));
            return response;
          },
        }),
        sendAutomaticallyWhen: (all) => ai.lastAssistantMessageIsCompleteWithToolCalls(all)
          || ai.lastAssistantMessageIsCompleteWithApprovalResponses?.(all) === true,
        onData: (part) => seen.data.push(part),
        onFinish: (end) => { seen.finishes.push(end); over(); },
        onError: (error) => { seen.errors.push(error.message); over(); },
        ...more,
      });
    }
  }
  const chat = new Chat();
  return Object.assign(chat, {
    seen,
    // next resolves when the next response ends. Call it before the request that causes one.
    next: () => new Promise((resolve) => waiting.push(resolve)).then(settled),
    say: async (text) => { await chat.sendMessage({ text }); await settled(); },
    answer: async (part, output) => {
      const next = chat.next();
      (chat.addToolOutput ?? chat.addToolResult)({ tool: part.type.slice("tool-".length), toolCallId: part.toolCallId, output });
      await next;
    },
  });
}

// settled lets the library run: afterwards it has sent whatever it sends automatically.
export async function settled() {
  for (let i = 0; i < 50; i++) await new Promise(setImmediate);
}

export const parts = (chat, type) => chat.messages.at(-1).parts.filter((part) => part.type === type);
export const text = (chat) => parts(chat, "text").map((part) => part.text).join("");

// question returns the only part that waits for an answer.
export function question(chat, type = "tool-ask_user") {
  const open = parts(chat, type).filter((part) => part.state === "input-available");
  assert.equal(open.length, 1, JSON.stringify(chat.messages));
  return open[0];
}

// well checks each response: no error, no message twice, and the expected number of requests.
export function well(chat, posts, messages) {
  assert.deepEqual(chat.seen.errors, []);
  assert.equal(chat.status, "ready");
  assert.equal(chat.seen.posts, posts, "requests");
  assert.deepEqual(chat.messages.map((m) => m.role[0]).join(""), messages);
  assert.equal(new Set(chat.messages.map((m) => m.id)).size, chat.messages.length, "ids");
}

// each runs the scenes with every version, each with its own chats, and reports all that fail.
export async function each(scenes, url) {
  const failed = [];
  await Promise.all(Object.entries(versions).flatMap(([version, ai]) => Object.entries(scenes).map(async ([name, scene]) => {
    const id = `${version}-${name.replaceAll(" ", "-")}`;
    try {
      await scene((options) => open(ai, { url, id, ...options }), { version, id, ai });
    } catch (error) {
      failed.push(`${version}: ${name}: ${error.stack}`);
    }
  })));
  if (failed.length > 0) {
    console.error(failed.join("\n\n"));
    process.exit(1);
  }
}
