// Where users write or answer: the composer, and the card of the open question. The card replaces an
// empty composer. It appears above one that has text or files, and above it if a program asks.
import { grow } from "../card/fields.js";
import { html, keyed, live, nothing } from "../vendor/lit.js";
import { attachButton, chips, droppable, pasted } from "./attach.js";
import { codePoints, maxMessage, ofProgram } from "./chat.js";
import { apart } from "./framed.js";
import * as icons from "./icons.js";
import { oneClickCard } from "./oneclick.js";
import { outbox, unsent } from "./outbox.js";
import { subject } from "./session.js";
import { lettersAct } from "./shortcuts.js";
import { language, text } from "./texts.js";

// Hints about what a message for the open question does, by the app's policy.
const hints = {
  answer: "page.write_instead_hint", supersede: "page.write_supersedes", reject: "page.write_refused", queue: "page.write_waits",
};

// dock draws the composer, the card, or both. away means that the inbox stream has lost the gateway.
export function dock(chat, app, away) {
  const asked = chat.question !== null, writes = !asked || chat.writable || chat.writing || chat.stays;
  return html`<section id="dock" class="dock ${asked ? "asked" : ""} ${asked && writes ? "writing" : ""}" aria-label=${text("page.dock")}>${connection(chat.connection === "offline" || away && !chat.streaming)}${unsent(chat)}${asked ? keyed(chat, card(chat)) : nothing}
    ${writes ? html`<div class="write">${composer(chat, app)}</div>` : nothing}</section>`;
}

function card(chat) {
  const asked = chat.question, { form } = chat, one = oneClickCard();
  return html`
    ${chat.questions > Math.max(1, form.length) ? html`<p class="hint">${text("page.more_questions", { count: chat.questions })}</p>` : nothing}
    ${form.length ? html`<askgate-clarifications id="questions" theme="inherit" .instant=${one.instant} .undoTime=${one.undoTime} .locale=${language} .clarifications=${steady(form)} .disabled=${form.some((c) => outbox.answers(chat, c.clarificationId))} .error=${chat.formRefused}
      .uploadFile=${chat.upload} .searchOptions=${chat.searchIn} @askgate-answers=${(e) => chat.answers(e.detail)} @askgate-answer=${(e) => chat.answer(e.detail)}
      @askgate-draft=${(e) => chat.keepTyped(e.detail)} @askgate-seen=${(e) => chat.seen(e.detail)}></askgate-clarifications>` : apart(asked, `${chat.app}/${chat.id}`) ?? html`<askgate-clarification id="question" theme="inherit" .instant=${one.instant} .undoTime=${one.undoTime} .locale=${language} .clarification=${asked} .subject=${subject()} .disabled=${outbox.answers(chat, asked.clarificationId)} .error=${chat.refused.get(asked.clarificationId) ?? null}
      .uploadFile=${chat.upload} .searchOptions=${chat.searchOptions} @askgate-answer=${(e) => chat.answer(e.detail)} @askgate-draft=${(e) => chat.keepTyped(e.detail)} @askgate-seen=${(e) => chat.seen(e.detail)}></askgate-clarification>`}
    ${asked.kind === "input" ? unhandled(chat, asked) : nothing}
    ${chat.writable || chat.writing ? nothing : html`<p class="instead"><button type="button" class="quiet" @click=${() => write(chat, true)}>${text("page.write_instead")}</button></p>`}`;
}

// unhandled draws the alert below a call that another application has to run.
function unhandled(chat, { clarificationId, toolCallId, toolName }) {
  const refusal = chat.refused.get(clarificationId), sent = chat.answering(clarificationId);
  return html`<div class="alert" id="unhandled">
    <p>${text("page.no_handler", { tool: toolName })}</p>
    <button type="button" class="plain" id="decline-call" ?disabled=${sent} @click=${() => chat.answer({ toolCallId, clarificationId, declined: true })}>${text("page.decline_call")}</button>
    <button type="button" class="plain" id="stop-call" ?disabled=${sent} @click=${() => chat.stopCall({ toolCallId, clarificationId })}>${icons.square}${text("page.stop")}</button>
    ${refusal ? html`<p class="bad" role="alert" dir="auto">${refusal.status === 0 ? text("card.not_sent") : refusal.detail || text("card.failed")}</p>` : nothing}
  </div>`;
}

let last = []; // the form that was drawn last

// steady returns the previous list if the new one has the same elements.
function steady(form) {
  if (form.length !== last.length || form.some((c, i) => c !== last[i])) last = form;
  return last;
}

function composer(chat, app) {
  const length = codePoints(chat.draft);
  const tooLong = length > maxMessage;
  const wait = chat.waitsFor, takes = app.attachments;
  droppable(takes && !chat.sending ? { files: chat.files, takes } : null);
  const submit = (e) => {
    e.preventDefault();
    chat.send();
  };
  const keys = (e) => {
    if (e.key !== "Enter" || e.shiftKey || e.isComposing || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    chat.send();
  };
  const typed = ({ target }) => {
    chat.draft = target.value;
    grow(target);
  };
  return html`
    ${trouble(chat, tooLong && text("page.too_long", { length, max: maxMessage }))}
    ${blocked(chat) ? html`<p class="hint" id="instead-hint">${text(hint(chat, app))}
      ${chat.writing ? html`<button type="button" class="quiet" @click=${() => write(chat, false)}>${text("page.back_to_question")}</button>` : nothing}</p>` : nothing}
    <form class="composer" @submit=${submit} data-drop=${text("page.attach_drop")}>
      ${takes || chat.files.list.length ? chips(chat) : nothing}
      <label for="message" class="unseen">${text("page.placeholder")}</label>
      <textarea id="message" rows="1" dir="auto" enterkeyhint="send" placeholder=${text("page.placeholder")} .value=${live(chat.draft)}
        aria-describedby="${blocked(chat) ? "instead-hint " : ""}send-hint trouble" aria-invalid=${tooLong ? "true" : "false"} ?readonly=${chat.sending} @input=${typed} @keydown=${keys}
        @paste=${(e) => pasted(e, chat, takes)}></textarea>
      <div class="below">
        ${takes ? attachButton(chat, takes) : nothing}
        <p id="send-hint" class="hint" role=${chat.sending && chat.files.onTheirWay ? "status" : nothing}>${text(chat.sending && chat.files.onTheirWay ? "page.attach_waits" : "page.send_hint")}</p>
        ${lettersAct() ? html`<p class="hint letters">${text("page.letters_hint")}</p>` : nothing}
        ${chat.running ? html`<button type="button" id="stop" class="plain" @click=${() => chat.stop()}>${icons.square}${text("page.stop")}</button>` : nothing}
        <button id="send" class="main round" aria-label=${text("page.send")} title=${text("page.send")} aria-busy=${chat.sending ? "true" : "false"}
          ?disabled=${!chat.draft.trim() || tooLong || wait > 0}>${chat.sending ? html`<span class="spinner"></span>` : icons.send}</button>
      </div>
    </form>`;
}

// blocked reports whether the turn waits for an answer.
const blocked = (chat) => chat.view.pending.some((c) => !ofProgram(c));

// hint returns how. Only a question that the user may answer can be answered with a message, and only
// if the user chose to.
function hint(chat, { onMessageWhilePending: policy = "answer" }) {
  if (!chat.writing && policy !== "reject") return hints.queue;
  return policy === "answer" && !chat.question ? hints.supersede : hints[policy] ?? hints.answer;
}

// write switches between the card and the composer, and moves the focus.
function write(chat, writing) {
  chat.writing = writing;
  chat.draft = `${chat.draft}`; // triggers a draw
  requestAnimationFrame(() => requestAnimationFrame(writing ? focusDock : () => document.querySelector("#question, #questions")?.focus()));
}

// focusDock focuses the composer or the card.
export function focusDock() {
  (document.querySelector(".writing #message") ?? document.querySelector("#question, #questions, #message"))?.focus();
}

// trouble shows why a message was not sent. The message stays in the composer.
function trouble(chat, tooLong) {
  const { problem } = chat;
  const detail = problem && (problem.code === "files" ? text("page.attach_failed") : problem.status === 0 ? text("page.not_sent") : `${problem.errors?.find((e) => e.field === "files")?.message ?? problem.detail ?? text("page.error")} ${text("page.kept")}`);
  return html`<div id="trouble" role="alert">${detail || tooLong ? html`<div class="alert">
    <p>${detail || tooLong}</p>${chat.waitsFor ? html`<p class="count">${text("page.retry_in", { seconds: chat.waitsFor })}</p>` : nothing}
  </div>` : nothing}</div>`;
}

// connection shows whether the gateway can be reached.
export function connection(lost) {
  return html`<p class="connection" role="status">${lost ? html`<span>${text(navigator.onLine ? "page.connection_lost" : "page.offline")}</span>` : nothing}</p>`;
}
