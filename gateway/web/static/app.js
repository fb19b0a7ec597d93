import { drawAsked, drawCard, el } from "./card.js";
import { readEvents } from "./stream.js";

const $ = (id) => document.getElementById(id);
const state = {
  texts: {}, language: "", apps: [], app: "", chat: "",
  lastId: "", running: false, follow: null, // AbortController of /events
  cards: new Map(), // open cards by clarification id
  bubble: null, // the assistant's text that grows now
};

// text localises; {name} in a text stands for a value.
function text(id, values = {}) {
  return (state.texts[id] ?? id).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// ---- requests ----

function headers(more = {}) {
  const key = sessionStorage.getItem("key");
  return { ...(state.language && { "Accept-Language": state.language }), ...(key && { Authorization: `Bearer ${key}` }), ...more };
}

async function call(path, options = {}) {
  const response = await fetch(path, { ...options, headers: headers(options.headers) });
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({ detail: response.statusText, code: "" }));
  if (response.status === 401) $("key").hidden = false;
  throw Object.assign(new Error(problem.detail), { problem });
}

const chatPath = () => `/v1/apps/${encodeURIComponent(state.app)}/chats/${state.chat}`;

// post sends a message or an answer and shows the run that it starts.
async function post(body) {
  const chat = state.chat;
  stopFollowing();
  let response;
  try {
    response = await call(`${chatPath()}/messages`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
      body: JSON.stringify({ ...body, locale: state.language, idempotencyKey: newId() }),
    });
  } catch (error) {
    follow();
    throw error;
  }
  location.hash = `${state.app}/${chat}`;
  $("greeting").hidden = true;
  readEvents(response, (event) => chat === state.chat && show(event)).catch(() => {}).finally(() => chat === state.chat && follow());
}

// follow watches the chat from the last event on, and comes back when cut off.
async function follow() {
  stopFollowing();
  const control = new AbortController();
  state.follow = control;
  const chat = state.chat;
  for (let wait = 1000; !control.signal.aborted; wait = Math.min(wait * 2, 30000)) {
    try {
      const response = await call(`${chatPath()}/events`, { signal: control.signal, headers: state.lastId ? { "Last-Event-ID": state.lastId } : {} });
      showStatus();
      wait = 500;
      await readEvents(response, (event) => { if (chat === state.chat && !control.signal.aborted) show(event); });
    } catch (error) {
      if (error.problem?.status === 404) $("greeting").hidden = false; // a chat that is not there is a new one
      if (control.signal.aborted || [401, 404].includes(error.problem?.status)) return;
      setStatus(text("page.connection_lost"));
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

function stopFollowing() {
  state.follow?.abort();
  state.follow = null;
}

// ---- what events do ----

function show({ id, name, data }) {
  if (id) state.lastId = id;
  handlers[name]?.(data);
}

const handlers = {
  "snapshot": (d) => {
    clear();
    state.lastId = d.lastEventId;
    for (const m of d.messages) {
      if (m.content !== "") addMessage(m.role, m.content); // a step may only have called tools
      for (const c of m.toolCalls ?? []) addTool(c);
    }
    d.pending.forEach(addCard);
    setRunning(d.status === "running");
    reveal();
    $("greeting").hidden = d.messages.length > 0;
  },
  "turn.start": () => { state.bubble = null; setRunning(true); },
  "user.message": (d) => addMessage("user", d.content),
  "thinking": () => setStatus(text("page.thinking")),
  "chunk": (d) => {
    state.bubble ??= addMessage("assistant", "");
    state.bubble.append(d.content);
    setStatus(text("page.working"));
  },
  "step.restart": () => {
    state.bubble?.closest(".message").remove();
    state.bubble = null;
    setStatus(text("page.restarted"));
  },
  "tool.call.start": (d) => { state.bubble = null; addTool(d); },
  "tool.call.end": (d) => {
    const node = document.querySelector(`[data-call="${CSS.escape(d.toolCallId)}"]`);
    if (node) toolResult(node, d.result ?? d.error?.message, d.error ? "page.tool_failed" : "page.tool_done");
  },
  "clarification": addCard,
  "clarification.resolved": (d) => {
    state.cards.get(d.clarificationId)?.close(d);
    state.cards.delete(d.clarificationId);
    showStatus();
  },
  "error": (d) => showAlert(d.message),
  "done": (d) => {
    state.bubble = null;
    setRunning(false);
    const why = { length: "page.cut_length", content_filter: "page.cut_filter", cancelled: "page.stopped" }[d.finishReason];
    if (why) $("log").append(el("p", { class: "note" }, text(why)));
    if (d.finishReason === "clarification") [...state.cards.values()][0]?.focus();
    reveal();
  },
};

function addMessage(role, content) {
  const body = el("div", { class: "body" }, content);
  $("log").append(el("div", { class: `message ${role}` }, el("span", { class: "who" }, text(role === "user" ? "page.you" : "page.assistant")), body));
  reveal();
  return body;
}

function addTool(call) {
  if (call.toolName === "ask_user") { // while it is open its card shows it
    if (call.result != null) $("log").append(...drawAsked(call, text));
    return;
  }
  const node = el("details", { class: "note", "data-call": call.toolCallId },
    el("summary", {}, `${text("page.tool")} ${call.toolName} `, el("span", {}, text("page.tool_running"))),
    el("pre", {}, JSON.stringify(call.arguments, null, 1)));
  $("log").append(node);
  if (call.result != null) toolResult(node, call.result, "page.tool_done");
}

function toolResult(node, result, state) {
  node.querySelector("summary span").textContent = text(state);
  node.append(el("pre", {}, result ?? ""));
}

function addCard(asked) {
  if (state.cards.has(asked.clarificationId)) return;
  const card = drawCard(asked, text, async (answer) => {
    try {
      await post({ answer: { clarificationId: asked.clarificationId, ...answer } });
      return null;
    } catch (error) {
      const { problem } = error;
      if (problem?.code === "invalid_answer") return problem.errors;
      showAlert(problem?.code === "already_answered" ? text("page.answered_elsewhere") : error.message);
      return null;
    }
  });
  state.cards.set(asked.clarificationId, card);
  $("log").append(card.node);
  reveal();
}

// ---- the page ----

const setStatus = (message) => { $("status").textContent = message; };

function setRunning(running) {
  state.running = running;
  $("stop").hidden = !running;
  showStatus();
}

// showStatus says what the chat is about when there is no news.
function showStatus() {
  setStatus(state.running ? text("page.working") : state.cards.size ? text("page.waiting") : "");
}

function showAlert(message) {
  $("alert").replaceChildren(el("p", { class: "bad" }, message));
  reveal();
}

function reveal() {
  window.scrollTo({ top: document.body.scrollHeight });
}

function clear() {
  $("log").replaceChildren();
  $("alert").replaceChildren();
  state.cards.clear();
  state.bubble = null;
  setRunning(false);
}

// newId is unguessable enough for a chat; randomUUID is missing outside secure contexts.
function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");
}

function open(app, chat) {
  stopFollowing();
  clear();
  Object.assign(state, { app, chat: chat || newId(), lastId: "" });
  $("app").value = app;
  $("greeting").hidden = Boolean(chat);
  drawPrompts();
  if (chat) follow();
  else history.replaceState(null, "", location.pathname);
}

function drawPrompts() {
  const prompts = state.apps.find((a) => a.id === state.app)?.starterPrompts ?? [];
  $("prompts").replaceChildren(...prompts.map((prompt) => {
    const button = el("button", { type: "button" }, prompt);
    button.addEventListener("click", () => send(prompt));
    return button;
  }));
}

async function send(message) {
  $("alert").replaceChildren();
  $("send").disabled = true;
  try {
    await post({ message });
    return true;
  } catch (error) {
    showAlert(error.message);
    return false;
  } finally {
    $("send").disabled = false;
  }
}

async function setLanguage(wish) {
  const response = await fetch(`/page/texts${wish ? `?lang=${encodeURIComponent(wish)}` : ""}`);
  const { language, languages, texts } = await response.json();
  Object.assign(state, { language, texts });
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = text(node.dataset.text);
  document.title = text("page.title");
  $("message").placeholder = text("page.placeholder");
  const names = new Intl.DisplayNames([language], { type: "language" });
  $("language").replaceChildren(...languages.map((l) => el("option", { value: l, selected: l === language }, names.of(l))));
}

async function loadApps() {
  const { items } = await (await call("/v1/apps?limit=100")).json();
  state.apps = items;
  $("app").replaceChildren(...items.map((a) => el("option", { value: a.id }, a.name)));
}

async function start() {
  try {
    await loadApps();
  } catch (error) {
    showAlert(error.message);
    return;
  }
  $("key").hidden = true;
  const [app, chat] = location.hash.slice(1).split("/");
  const known = state.apps.some((a) => a.id === app);
  if (state.apps.length) open(known ? app : state.apps[0].id, known && /^[A-Za-z0-9_-]{1,64}$/.test(chat ?? "") ? chat : "");
}

$("composer").addEventListener("submit", async (event) => {
  event.preventDefault();
  const message = $("message").value;
  if (message.trim() && await send(message)) $("message").value = "";
});
$("message").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    $("composer").requestSubmit();
  }
});
$("stop").addEventListener("click", () => call(`${chatPath()}/stop`, { method: "POST" }).catch((error) => showAlert(error.message)));
$("new").addEventListener("click", () => { open(state.app, ""); $("message").focus(); });
$("app").addEventListener("change", () => open($("app").value, ""));
$("language").addEventListener("change", async () => {
  localStorage.setItem("language", $("language").value);
  await setLanguage($("language").value);
  await start();
});
$("key").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("key", $("key-input").value);
  $("alert").replaceChildren();
  start();
});
window.addEventListener("hashchange", () => {
  const [app, chat] = location.hash.slice(1).split("/");
  if (chat && chat !== state.chat) open(app, chat);
});

await setLanguage(localStorage.getItem("language"));
await start();
