import "deep-chat";
import { Client, initialState, newId, reduce } from "askgate";
import "askgate/card";

const chat = location.hash.slice(1) || newId();
location.hash = chat; // a reload comes back to this chat
const headers = async () => ({ Authorization: `Bearer ${await (await fetch("/key")).text()}` });
const client = new Client({ base: "http://127.0.0.1:8080", app: "assistant", headers, chat });
const view = document.createElement("deep-chat");
view.errorMessages = { displayServiceErrorMessages: true };
let state = initialState;

// The stored chat, once nothing runs any more.
view.loadHistory = () => new Promise((resolve) => {
  const leave = client.follow((event) => {
    state = reduce(state, event);
    if (state.status === "running") return;
    leave();
    resolve(state.items.map(message).filter(Boolean));
  });
});

// Sends what the person writes in the kit.
view.connect = {
  stream: true,
  handler: async ({ messages }, signals) => {
    signals.onOpen();
    try {
      await run((onEvent) => client.sendMessage(messages.at(-1).text, { onEvent }), (text) => signals.onResponse({ text, overwrite: true }), signals.onClose);
    } catch (problem) {
      signals.onResponse({ error: problem.message });
    }
  },
};

// Sends the card's answer. The kit shows no message of the person's for it, so the page adds one for
// the reply.
view.addEventListener("askgate-answer", async (event) => {
  const [node] = event.composedPath();
  let at;
  const show = (text) => {
    if (at !== undefined) return view.updateMessage({ text }, at);
    view.addMessage({ role: "ai", text });
    at = view.getMessages().length - 1;
  };
  await run((onEvent) => client.answer(event.detail, { onEvent }), show).catch((problem) => { node.error = problem; });
});
view.addEventListener("askgate-seen", ({ detail }) => client.seen(detail.clarificationId).catch(() => {})); // else it counts as undelivered

// run sends a command, shows the text as it arrives, and then questions and errors.
async function run(send, show, ended = () => {}) {
  const from = state.items.length;
  let shown = "";
  await send((event) => {
    state = reduce(state, event);
    const text = state.items.slice(from).filter(({ type }) => type === "assistant").map(({ content }) => content).join("\n\n");
    if (text !== shown) show(shown = text);
    close();
  });
  ended();
  for (const item of state.items.slice(from)) if (!["user", "assistant"].includes(item.type) && message(item)) view.addMessage(message(item));
}

function message({ type, content, ...item }) {
  if (type === "error") return { error: item.message };
  if (type === "user" || type === "assistant") return { role: type === "user" ? "user" : "ai", text: content };
  if (type !== "clarification") return null;
  const node = document.createElement("askgate-clarification"); // a message that contains AskGate's card
  node.setAttribute("clarification", JSON.stringify(item.clarification));
  node.setAttribute("state", item.state);
  if (item.answer) node.setAttribute("answer", JSON.stringify(item.answer));
  return { role: "ai", html: node.outerHTML };
}

// close folds the cards of questions that are closed.
function close() {
  for (const node of view.shadowRoot.querySelectorAll("askgate-clarification")) {
    const item = state.items.find(({ key }) => key === node.clarification.clarificationId);
    if (item && item.state !== "pending") Object.assign(node, { state: item.state, answer: item.answer });
  }
}

document.getElementById("root").append(view);
