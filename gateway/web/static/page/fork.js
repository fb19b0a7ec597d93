// Changes of a message or an answer, and requests for another reply. Each begins a branch: a new chat that
// copies this one up to that point (see branches.js). This chat does not change.
import { draftFrom, dropDraft } from "../card/draft.js";
import { grow } from "../card/fields.js";
import { html, live, nothing } from "../vendor/lit.js";
import { sentFiles } from "./attach.js";
import { codePoints, maxMessage, ofProgram } from "./chat.js";
import * as icons from "./icons.js";
import { why } from "./request.js";
import { language, text } from "./texts.js";

// forkedFrom draws the link back to the chat from which this one was forked, with its title if the list
// has it. Branches have a control instead; forks from before they were branches do not.
export function forkedFrom({ app, view }, chats) {
  const id = view.forkedFrom?.chatId;
  if (!id || view.root) return nothing;
  const title = chats.find((c) => c.chatId === id)?.title.trim() || text("page.untitled");
  return html`<p class="notice forked"><a href=${`#${app}/${id}`} dir="auto">${text("page.forked_from", { title })}</a></p>`;
}

// user draws a message of the user, or the form to edit it.
export function user({ key, content, files }, chat) {
  if (chat.changing?.key === key) return html`${sentFiles(files, chat)}${editor(chat)}`;
  return html`${sentFiles(files, chat)}<div class="bubble" dir="auto">${content}</div>
    <button type="button" class="quiet copy" data-change=${key} ?disabled=${chat.running} @click=${() => begin(chat, { key, messageId: key, draft: content })}>${text("page.edit")}</button>`;
}

// begin opens an edit and end closes it. Both move the focus.
function begin(chat, changing) {
  chat.changing = changing;
  soon(() => document.querySelector("#change")?.focus());
}

function end(chat) {
  const { key, clarificationId } = chat.changing;
  if (clarificationId) dropDraft(clarificationId);
  chat.changing = null;
  soon(() => document.querySelector(`[data-change="${CSS.escape(key)}"]`)?.focus());
}

const soon = (then) => requestAnimationFrame(() => requestAnimationFrame(then));

// send forks the chat and opens the new one.
async function send(chat, point) {
  const id = await chat.fork(point);
  if (!id) return;
  if (point.clarificationId) dropDraft(point.clarificationId);
  chat.changing = null;
  location.hash = `#${chat.app}/${id}`;
}

function editor(chat) {
  const { draft, messageId, problem } = chat.changing;
  const tooLong = codePoints(draft) > maxMessage;
  const submit = (e) => {
    e.preventDefault();
    const { draft: message } = chat.changing; // includes what was typed since the last draw
    if (message.trim() && codePoints(message) <= maxMessage) send(chat, { messageId, message });
  };
  const keys = (e) => {
    if (e.key === "Escape") return end(chat);
    if (e.key === "Enter" && !e.shiftKey && !e.isComposing && !e.ctrlKey && !e.metaKey && !e.altKey) submit(e);
  };
  const typed = ({ target }) => {
    chat.changing = { ...chat.changing, draft: target.value };
    grow(target);
  };
  return html`<form class="editor" @submit=${submit}>
    <label for="change" class="unseen">${text("page.placeholder")}</label>
    <textarea id="change" rows="2" dir="auto" .value=${live(draft)} ?readonly=${chat.sending} aria-describedby="change-hint change-trouble" aria-invalid=${tooLong ? "true" : "false"}
      @input=${typed} @keydown=${keys}></textarea>
    <p id="change-hint" class="hint">${text("page.change_hint")}</p>
    <p id="change-trouble" class="bad" role="alert">${tooLong ? text("page.too_long", { length: codePoints(draft), max: maxMessage }) : problem ? why(problem) : nothing}</p>
    <div class="below"><button type="button" class="plain" @click=${() => end(chat)}>${text("page.cancel")}</button>
      <button class="main" ?disabled=${!draft.trim() || tooLong || chat.sending || chat.waitsFor > 0}>${text("page.send")}</button></div>
  </form>`;
}

// again draws the button below the last answer that requests another reply to the message before it.
export function again(item, chat) {
  const { items, status } = chat.view;
  const said = items.findLast((i) => i.type === "user");
  if (status !== "idle" || !said || item !== items.findLast((i) => !ofProgram(i.clarification ?? i))) return nothing;
  return html`<button type="button" class="quiet copy" ?disabled=${chat.sending || chat.waitsFor > 0} @click=${() => send(chat, { messageId: said.key })}>
    ${icons.again}${text("page.regenerate")}</button>`;
}

// answered draws the button below a closed question that answers it differently, also while the turn runs:
// sending the answer stops it. A question for a file has no button: only an open question accepts uploads.
export function answered({ key, clarification: c, state, answer }, chat) {
  if ((c.questions ?? [c]).some((part) => part.input_type === "file")) return nothing;
  if (c.kind !== "question" || state === "pending" || ofProgram(c) || c.askedBy?.kind === "server") return nothing;
  return html`<button type="button" class="quiet" data-change=${key}
    @click=${() => begin(chat, { key, clarificationId: c.clarificationId, card: reopened(c, answer) })}>${text("page.change")}</button>`;
}

// reopened returns a closed question as an open one, with the answer as its draft.
function reopened(c, answer) {
  const questions = c.questions ?? [c];
  const drafts = questions.map((part, i) => draftFrom(part, questions.length > 1 ? answer?.answers?.[i] : answer?.deleted ? undefined : answer, language));
  return { ...c, expiresAt: null, draft: { card: 1, rev: Date.now(), step: 0, drafts } };
}

// card draws the question that is being answered differently.
export function card(chat) {
  const { card: clarification, clarificationId, problem } = chat.changing;
  const hand = ({ detail: { toolCallId: _, clarificationId: __, digest: ___, ...answer } }) => send(chat, { clarificationId, answer, stop: true });
  return html`<askgate-clarification id="change" theme="inherit" .locale=${language} .clarification=${clarification} .error=${problem ?? null}
      .searchOptions=${(query, options) => chat.searchIn(clarificationId, query, { ...options, closed: true })} @askgate-answer=${hand}></askgate-clarification>
    <p class="hint">${text(chat.running ? "page.change_stops" : "page.change_hint")} <button type="button" class="quiet" @click=${() => end(chat)}>${text("page.cancel")}</button></p>`;
}
