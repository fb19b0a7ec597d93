// The transcript of a chat, oldest first.
import { guard, html, keyed, nothing, repeat } from "../vendor/lit.js";
import { nameOf } from "../card/asker.js";
import { argumentsOf } from "../card/call.js";
import { piecesOf } from "./blocks.js";
import { forOthers, ofProgram } from "./chat.js";
import { again, answered, card, forkedFrom, user } from "./fork.js";
import { forget } from "./forget.js";
import * as icons from "./icons.js";
import { laid, read } from "../card/json.js";
import "./kept.js";
import { copy } from "./markdown.js";
import { drawing, stateOf } from "./memo.js";
import { missing } from "./missing.js";
import { controls } from "./partings.js";
import { parts } from "./parts.js";
import { decisionsOf } from "./quorum.js";
import "./print.js";
import "./result.js";
import { root } from "./root.js";
import { language, text } from "./texts.js";
import { waiting } from "./waiting.js";

// said has the texts of notices, by the reducer's code.
const said = { length: "page.cut_length", content_filter: "page.cut_filter", max_steps: "page.cut_steps", cancelled: "page.stopped" };

export function transcript(chat, chats) {
  const { items } = chat.view;
  return keyed(language, guard([stateOf(chat), items, chats, chat.loading], () => list(chat, chats)));
}

function list(chat, chats) {
  const { items, queued, hasMore, older: count } = chat.view, parts = controls(chat), one = drawing(chat, drawn);
  return html`
    ${forkedFrom(chat, chats)}
    ${parts.get("") ?? nothing}
    <ol class="transcript">
      ${hasMore ? html`<li class="item older"><button type="button" class="plain" ?disabled=${Boolean(chat.loading)} @click=${() => older(chat)}>${text("page.earlier")}</button><p class="not-loaded">${text("page.not_loaded", { count })}</p></li>` : nothing}
      ${repeat(items, (item) => item.key, (item, at) => (parts.has(item.key) ? html`${one(item, at)}<li class="parting">${parts.get(item.key)}</li>` : one(item, at)))}
      ${atWork(chat.view)}
      ${repeat(queued, (m) => m.id, (m) => waiting(m, chat))}
    </ol>`;
}

// drawn draws an item. If that fails, it draws a notice, so that the other items are still shown.
function drawn(item, chat) {
  try {
    return draw[item.type]?.(item, chat) ?? nothing;
  } catch {
    return draw.damaged();
  }
}

// older loads older messages without moving what the user is reading.
async function older(chat) {
  const below = document.documentElement.scrollHeight - scrollY;
  await chat.earlier();
  requestAnimationFrame(() => requestAnimationFrame(() => scrollTo({ top: document.documentElement.scrollHeight - below })));
}

const draw = {
  user: (item, chat) => html`<li class="item user">
    <h2 class="unseen">${text("page.you")}</h2>
    ${user(item, chat)}
  </li>`,

  assistant: (item, chat) => assistant(item, item.open ? nothing : again(item, chat), item.open ? nothing : sources(item, chat)),

  thinking: ({ content, open }) => html`<li class="item aside">
    <details class="fold">
      <summary>${icons.thought}<span>${text(open ? "page.thinking" : "page.thoughts")}</span></summary>
      <p class="thoughts" dir="auto">${written(content)}</p>
    </details>
  </li>`,

  tool: (call, { app }) => html`<li class="item aside">
    <details class="fold ${call.approval ? "decided" : ""}">
      <summary>${icons.tool}<span>${text("page.tool")} <code>${call.toolName}</code></span>
        ${fate(call)}</summary>
      ${decisionsOf(call)}
      ${call.approval ? html`<p class="label">${text("page.arguments")}</p>${argumentsOf(call, text)}`
        : piece("page.arguments", call.argumentsText ?? pretty(call.arguments))}
      ${call.error ? piece("page.error", `${call.error.code}\n${call.error.message}`) : call.open ? nothing : html`<tool-result .content=${resultOf(call)}></tool-result>`}
    </details>
    ${keeps(call) ? html`<page-kept .app=${app} .call=${call}></page-kept>` : nothing}
    ${call.progress ? progress(call) : nothing}
    ${call.content ? parts(call.content, call.toolName) : nothing}
  </li>`,

  clarification: (item, chat) => (chat.changing?.key === item.key ? html`<li class="item aside">${card(chat)}</li>` : question(item, chat)),

  damaged: () => html`<li class="item aside"><p class="notice">${text("page.damaged")}</p></li>`,

  notice: (item, chat) => html`<li class="item aside end"><p class="notice">${text(said[item.code] ?? "page.stopped")}</p>
    ${goOn(item, chat, "page.continue")}</li>`,

  error: (item, chat) => html`<li class="item aside"><div class="alert">
    <p dir="auto">${item.message || text("page.error")}</p>
    ${goOn(item, chat, item.retryable ? "page.retry" : "page.continue")}
  </div></li>`,
};

// assistant draws a message of the model or a program, its citations and its buttons.
const assistant = ({ content, open, askedBy }, more, sources) => html`<li class="item assistant" @click=${toPassage}>
    ${askedBy ? html`<h2 class="asker" dir="auto">${nameOf(askedBy)}</h2>` : html`<h2 class="unseen">${text("page.assistant")}</h2>`}
    <askgate-markdown .content=${content} .open=${open}></askgate-markdown>${sources}
    ${open ? nothing : html`<div class="acts"><button type="button" class="quiet copy" .textContent=${text("page.copy")}
      @click=${(e) => copy(content, e.currentTarget)}></button>${more}</div>`}
  </li>`;

let loading = null; // the import of the element that draws sources

// sources draws the passages that an answer may cite: those that its turn found, and those that it links.
function sources(item, { app, view: { items } }) {
  const calls = [];
  for (let i = items.indexOf(item) - 1; i >= 0 && items[i].type !== "user"; i--) {
    if (items[i].type === "tool" && /__(?:search|read)$/.test(items[i].toolName)) calls.unshift(items[i]);
  }
  if (!calls.length && !item.content.includes("/documents/")) return nothing;
  loading ??= import("./sources.js").catch(() => { loading = null; missing(import.meta.url); });
  return html`<page-sources .app=${app} .content=${item.content} .calls=${calls}></page-sources>`;
}

// toPassage opens the passage that a link in an answer leads to.
function toPassage(event) {
  const link = event.target.closest("a.to-passage");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.currentTarget.querySelector("page-sources")?.show?.(link.pathname.slice(root.length));
}

// question draws a question that is closed or that others answer. The user's open questions are in the dock.
function question(item, chat) {
  const { clarification, state, answer, answeredAt } = item;
  if (state === "pending" && !forOthers(clarification)) return nothing;
  return html`<li class="item aside">
    <askgate-clarification theme="inherit" .locale=${language} .clarification=${clarification} .state=${state} .answer=${answer} .answeredAt=${answeredAt ?? ""}
      .error=${chat.refused.get(clarification.clarificationId) ?? null} .fileUrl=${chat.fileUrl}></askgate-clarification>
    <div class="acts">${answered(item, chat)}${forget(item)}</div>
  </li>`;
}

// goOn draws the button that continues the turn, below the last item, if the turn can continue.
function goOn(item, chat, label) {
  if (!chat.view.resumable || chat.view.items.findLast((i) => !ofProgram(i.clarification ?? i)) !== item) return nothing;
  return html`<button type="button" class="plain" ?disabled=${chat.sending || chat.waitsFor > 0} @click=${() => chat.resume()}>
    ${icons.again}${chat.waitsFor ? text("page.retry_in", { seconds: chat.waitsFor }) : text(label)}</button>`;
}

// atWork shows that the turn is running, in words as long as no text of an answer is visible.
function atWork({ status, items, restarted }) {
  const last = items.at(-1);
  if (status !== "running") return nothing;
  const what = last?.open && last.type === "assistant" ? "" : restarted ? "page.restarted" : last?.open && last.type === "thinking" ? "page.thinking" : "page.working";
  return html`<li class="item aside work"><span class="dots" aria-hidden="true"><i></i><i></i><i></i></span>${what && html`<span>${text(what)}</span>`}</li>`;
}

const piece = (label, words) => html`<p class="label">${text(label)}</p>
  <pre tabindex="0" role="group" aria-label=${text(label)} dir="auto">${written(words)}</pre>`;

// written draws plain text. In a long text, parts that are off the screen are not laid out.
const written = (words) => (words.length < 10_000 ? words : piecesOf(words).map((piece) => html`<span class="piece">${piece}</span>`));

// refusedBefore matches the result of a call that a person had refused before. Such a call was not
// shown for approval again, so it has no approval of its own.
const refusedBefore = /^\{"userAnswer":null,"declined":true,/;

// fate shows the outcome of a call. One that a person refused, or a rule denied, is shown as denied,
// whatever its result says.
function fate({ open, error, approval, result }) {
  if (approval?.outcome === "refused" || error?.code === "NOT_PERMITTED" || refusedBefore.test(result)) return html`<span class="fate bad">${text("page.tool_denied")}</span>`;
  if (approval?.outcome === "responded") return html`<span class="fate">${text("page.tool_responded")}</span>`;
  return html`<span class="fate ${open ? "" : error ? "bad" : "good"}">${text(open ? "page.tool_running" : error ? "page.tool_failed" : "page.tool_done")}</span>`;
}

// progress shows how far a call has come. Screen readers do not read each step.
const progress = ({ toolName, progress: { progress: done, total, message } }) => html`<div class="progress" aria-live="off">
    ${total ? html`<progress aria-label=${toolName} max=${total} .value=${Math.max(0, done)}></progress>` : html`<progress aria-label=${toolName}></progress>`}
    ${message ? html`<p class="hint" dir="auto">${message}</p>` : nothing}
  </div>`;

// keeps reports whether a call stored a memory about the user.
const keeps = ({ toolName, open, error, arguments: args }) => toolName === "remember" && !open && !error && typeof args?.key === "string" && typeof args.text === "string";

// resultOf returns the result of a call as text.
const resultOf = ({ result }) => (typeof result === "string" ? result : JSON.stringify(result) ?? "");

// pretty returns JSON with indentation, and any other text unchanged.
function pretty(value) {
  const words = typeof value === "string" ? value : JSON.stringify(value) ?? "";
  const tree = read(words);
  return tree ? laid(tree) : words;
}
