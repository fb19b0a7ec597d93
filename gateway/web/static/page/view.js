// Draws the page as a whole from state (see app.js). User input calls actions.
import { html, keyed, nothing, repeat } from "../vendor/lit.js";
import { countOf } from "./branches.js";
import { connection, dock, focusDock } from "./composer.js";
import * as icons from "./icons.js";
import "./memory.js";
import { counted, inboxButton, inboxView } from "./inbox.js";
import { missing } from "./missing.js";
import { why } from "./request.js";
import { shortcutsDialog } from "./shortcuts.js";
import { side } from "./side.js";
import { language, text } from "./texts.js";

export function view(state, actions) {
  if (state.problem?.status === 401) return alone(keyForm(state, actions));
  if (state.problem) return alone(failed(state, actions));
  if (!state.apps) return alone(html`<p class="hint" role="status">${text("page.loading")}</p>`);
  if (!state.chat) return alone(html`<h1>${text("page.title")}</h1><p>${text("page.no_apps")}</p>
    <p><button type="button" class="plain" @click=${actions.start}>${icons.again}${text("page.retry")}</button></p>`);
  return html`
    <a class="skip" href=${state.inInbox ? "#inbox" : state.covered ? "#documents" : "#dock"} @click=${skip}>${text(state.inDocuments === null ? "page.skip" : "page.documents_search")}</a>
    ${side(state, actions)}
    <div class="page">${top(state, actions)}${state.covered ? html`${state.inInbox ? inboxView(state, actions) : documents(state, actions)}<div class="dock">${connection(state.away)}</div>` : html`${middle(state)}${dock(state.chat, state.app, state.away)}`}</div>
    ${eraseDialog(state, actions)}
    ${shortcutsDialog()}
    <page-memory .apps=${state.apps}></page-memory>
    <p id="news" class="unseen" role="status">${state.news}</p>`;
}

// skip links to the composer or card. The address, which is the chat's, does not change.
function skip(event) {
  event.preventDefault();
  if (document.querySelector("#dock")) focusDock();
  else document.querySelector("#inbox h1, #documents-q")?.focus();
}

let loading = null; // the import of the element that searches in documents

function documents({ app, away, inDocuments }, actions) {
  loading ??= import("./documents.js").catch(() => { loading = null; missing(import.meta.url); });
  return html`<main id="documents">${!app.documents ? nothing : keyed(app.id, html`<page-documents .app=${app} .at=${inDocuments} .away=${away} .language=${language}
    @page-searched=${(e) => actions.documentsAt(e.detail)} @page-ask=${(e) => actions.askAbout(e.detail)}></page-documents>`)}</main>`;
}

const alone = (content) => html`<main class="alone">${icons.logo(48)}${content}</main>`;

function keyForm({ refusal }, actions) {
  const submit = (e) => {
    e.preventDefault();
    actions.signIn(e.target.elements.key.value.trim());
  };
  return html`<h1>${text("page.sign_in")}</h1>
    <form class="key" @submit=${submit}>
      <label for="key">${text("page.key")}</label>
      <input id="key" name="key" type="password" autocomplete="off" spellcheck="false" required aria-describedby="key-hint key-error" aria-invalid=${refusal ? "true" : "false"}>
      <p id="key-hint" class="hint">${text("page.key_hint")}</p>
      <p id="key-error" class="bad" role="alert">${refusal ? (refusal.status === 401 ? text("page.key_refused") : why(refusal)) : nothing}</p>
      <button class="main">${text("page.sign_in")}</button>
    </form>`;
}

const failed = ({ problem }, actions) => html`<h1>${text("page.error")}</h1>
  <p role="alert">${why(problem)}</p>
  <p><button type="button" class="plain" @click=${actions.start}>${icons.again}${text("page.retry")}</button></p>`;

// ---- above the chat ----

function top(state, actions) {
  const { apps, app, chat, covered, revokeProblem } = state;
  return html`<header class="top">
    <button type="button" class="icon-button menu" popovertarget="side" aria-label=${text("page.menu")} title=${text("page.menu")} @click=${actions.openSide}>${icons.menu}</button>
    ${apps.length > 1 ? html`<label class="picker"><span class="unseen">${text("page.app")}</span>
      <select id="app" @change=${(e) => actions.pickApp(e.target.value)}>
        ${apps.map((a) => html`<option value=${a.id} .selected=${a.id === app.id}>${a.name}</option>`)}
      </select></label>` : html`<p class="picker">${app.name}</p>`}
    ${app.demo ? html`<p class="demo">${text("page.demo")}</p>` : nothing}
    <span class="gap"></span>
    ${inboxButton(counted(state))}
    ${covered ? nothing : chat.view.approvals.length ? approved(chat, revokeProblem, actions) : nothing}
    ${chat.empty || covered ? nothing : html`
      <button type="button" class="icon-button" id="erase" aria-label=${text("page.delete_chat")} title=${text("page.delete_chat")} @click=${actions.askErase}>${icons.bin}</button>
      <button type="button" class="icon-button again" aria-label=${text("page.new_chat")} title=${text("page.new_chat")} @click=${actions.newChat}>${icons.plus}</button>`}
  </header>`;
}

// approved lists the tools that no longer need approval, each with a button to change that.
function approved({ view: { approvals } }, problem, actions) {
  return html`<button type="button" class="icon-button" id="approved" popovertarget="approvals" aria-label=${text("page.approvals")} title=${text("page.approvals")}>${icons.shield}</button>
    <section id="approvals" popover aria-labelledby="approvals-title">
      <h2 id="approvals-title">${text("page.approvals")}</h2>
      <p class="hint">${text("page.approvals_hint")}</p>
      <ul>${repeat(approvals, (tool) => tool, (tool, i) => html`<li><code id="tool-${i}">${tool}</code>
        <button type="button" class="plain" id="again-${i}" aria-labelledby="again-${i} tool-${i}" @click=${() => actions.revoke(tool)}>${text("page.ask_again")}</button></li>`)}</ul>
      <p class="bad" role="alert">${problem ? why(problem) : nothing}</p>
    </section>`;
}

// ---- the chat ----

function middle({ app, chat, chats, notice, pinned, title, transcript }) {
  const fresh = chat.empty && !chat.running;
  const nowhere = chat.view.chatId && !chat.view.lastEventId; // the snapshot shows that the chat has not begun
  const greets = fresh && (!chat.begun || nowhere || ["idle", "new"].includes(chat.connection));
  return html`<main>
    ${notice ? html`<p class="notice" role="status">${notice}</p>` : nothing}
    ${greets ? greeting(app, chat) : html`<h1 class="unseen" dir="auto">${title}</h1>`}
    ${fresh ? nothing : transcript?.(chat, chats.items)}
    ${pinned || fresh ? nothing : html`<p class="latest"><button type="button" class="plain round" aria-label=${text("page.latest")} title=${text("page.latest")}
      @click=${() => scrollTo({ top: document.documentElement.scrollHeight })}>${icons.down}</button></p>`}
  </main>`;
}

function greeting({ name, description, starterPrompts }, chat) {
  return html`<div class="greeting">
    ${icons.logo(56)}
    <h1 dir="auto">${name}</h1>
    <p dir="auto">${description || text("page.greeting")}</p>
    ${starterPrompts.length ? html`<h2>${text("page.try")}</h2>
      <ul class="prompts">${starterPrompts.map((prompt) => html`<li><button type="button" class="plain" dir="auto" ?disabled=${chat.sending || chat.waitsFor > 0}
        @click=${() => chat.send(prompt)}>${prompt}</button></li>`)}</ul>` : nothing}
  </div>`;
}

function eraseDialog(state, actions) {
  const { eraseProblem, title } = state, count = countOf(state);
  return html`<dialog id="erase-dialog" aria-labelledby="erase-title">
    <h2 id="erase-title">${text("page.delete_chat")}</h2>
    <p class="quoted" dir="auto">${title}</p>
    <p>${count > 1 ? text("page.delete_branches", { count }) : text("page.delete_confirm")}</p>
    <p class="bad" role="alert">${eraseProblem ? why(eraseProblem) : nothing}</p>
    <div class="choice">
      <button type="button" class="plain" @click=${(e) => e.target.closest("dialog").close()}>${text("page.cancel")}</button>
      ${count > 1 ? html`<button type="button" class="plain" id="erase-branch" @click=${() => actions.erase({ branches: false })}>${text("page.delete_branch")}</button>` : nothing}
      <button type="button" class="main danger" @click=${() => actions.erase({ branches: count > 1 })}>${count > 1 ? text("page.delete_all_branches", { count }) : text("page.delete")}</button>
    </div>
  </dialog>`;
}
