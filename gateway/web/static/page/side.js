// The list next to the chat, or in a drawer: the chats, a search, and the menu to rename them.
import { html, live, nothing, repeat } from "../vendor/lit.js";
import { entries, familyOf, familyOfOpen } from "./branches.js";
import * as icons from "./icons.js";
import { wordsOf } from "./inbox.js";
import { settings } from "./menu.js";
import { why } from "./request.js";
import { root } from "./root.js";
import { dayOf, text } from "./texts.js";

const maxTitle = 100; // code points, as in the gateway

export function side(state, actions) {
  const { chats, search } = state;
  return html`<aside id="side" popover aria-label=${text("page.menu")} @toggle=${(e) => e.newState === "open" && e.target === e.currentTarget && e.target.querySelector("#new").focus()}>
    <p class="brand">${icons.logo(28)}${text("page.title")}<span class="gap"></span>
      <button type="button" class="icon-button hide" id="hide-side" aria-label=${text("page.side")} title=${text("page.side")} @click=${actions.toggleSide}>${icons.panel}</button></p>
    <button type="button" class="plain wide" id="new" @click=${actions.newChat}>${icons.plus}${text("page.new_chat")}</button>
    ${state.app.documents ? documentsField(actions) : nothing}
    ${searchField(search, state.app.documents ? "page.key_search" : "page.search")}
    <nav aria-label=${text("page.chats")}>
      ${search.active ? results(state) : list(state, actions)}
      ${!search.active && state.listProblem ? html`<p class="hint">${why(state.listProblem)}</p>` : nothing}
      ${!search.active && chats.hasMore ? html`<button type="button" class="quiet" @click=${actions.moreChats}>${text("page.more_chats")}</button>` : nothing}
    </nav>
    ${menu(state, actions)}
    <div class="foot">
      ${settings(actions)}
      <button type="button" class="icon-button" id="shortcuts" aria-label=${text("page.shortcuts")} title=${text("page.shortcuts")} @click=${actions.shortcuts}>${icons.keyboard}</button>
      <button type="button" class="quiet" id="memory" @click=${() => document.querySelector("page-memory").show()}>${text("page.memory")}</button>
      ${state.admin ? html`<a class="quiet" id="admin" href="${root}/admin">${text("page.admin")}</a>` : nothing}
      ${state.signedIn ? html`<button type="button" class="quiet" @click=${actions.signOut}>${text("page.sign_out")}</button>` : nothing}
      ${state.version ? html`<p id="about">AskGate <bdi>${state.version}</bdi></p>` : nothing}
    </div>
  </aside>`;
}

// ---- the chats ----

function list(state, actions) {
  const { chats } = state;
  const days = Map.groupBy(entries(state), (c) => dayOf(c.updatedAt)), open = familyOfOpen(state);
  return html`${repeat(days, ([day]) => day, ([day, items]) => html`<h2>${day}</h2>
      <ul>${repeat(items, (c) => c.family, (c) => entry(c, c.family === open, state, actions))}</ul>`)}
    ${chats.loaded && chats.items.length === 0 ? html`<p class="hint">${text("page.no_chats")}</p>` : nothing}`;
}

function entry(item, open, state, actions) {
  if (state.renaming?.family === item.family) return html`<li>${titleField(state.renaming, actions)}</li>`;
  const { chatId, family, asked, pending } = item;
  const { app, covered, chat } = state;
  const here = open && !covered;
  const waits = chat.id === chatId ? chat.question : pending > 0;
  const title = item.title.trim() || (asked ? wordsOf(asked) : text("page.untitled"));
  const rename = () => actions.rename(item);
  return html`<li class="entry-chat"><a id="chat-${family}" href=${`#${app.id}/${chatId}`} aria-current=${here ? "page" : nothing} aria-keyshortcuts="F2" title=${title}
      @dblclick=${rename} @keydown=${(e) => e.key === "F2" && (e.preventDefault(), rename())}>
    <span class="name" dir="auto">${title}</span>
    ${waits ? html`<span class="waits" role="img" aria-label=${text("page.waiting")} title=${text("page.waiting")}></span>` : nothing}
  </a><button type="button" class="icon-button more" popovertarget="chat-menu" aria-label=${text("page.chat_menu", { title })} title=${text("page.chat_menu", { title })}
    @click=${(e) => actions.chatMenu(item, e.currentTarget)}>${icons.more}</button></li>`;
}

// menu draws the menu of the entry whose button was pressed.
function menu(state, actions) {
  const does = (action) => (e) => {
    e.target.closest("[popover]").hidePopover();
    action(state.menuOf);
  };
  return html`<div id="chat-menu" popover @toggle=${(e) => e.newState === "open" && e.target.querySelector("button").focus()}>
    <button type="button" id="rename" @click=${does(actions.rename)}>${icons.pencil}${text("page.rename")}</button>
    <button type="button" id="delete-chat" @click=${does(actions.eraseListed)}>${icons.bin}${text("page.delete_chat")}</button>
  </div>`;
}

// placeMenu moves the menu next to its button, within the window.
export function placeMenu(button) {
  const box = document.querySelector("#chat-menu"), at = button.getBoundingClientRect();
  const rtl = document.documentElement.dir === "rtl";
  const left = rtl ? at.left : at.right - box.offsetWidth;
  const below = at.bottom + box.offsetHeight < innerHeight;
  box.style.left = `${Math.max(8, Math.min(left, innerWidth - box.offsetWidth - 8))}px`;
  box.style.top = `${below ? at.bottom : Math.max(8, at.top - box.offsetHeight)}px`;
}

function titleField(renaming, actions) {
  const keys = (e) => {
    if (e.isComposing) return;
    if (e.key === "Enter") {
      e.preventDefault();
      actions.saveTitle();
    }
    if (e.key === "Escape") {
      e.preventDefault(); // keep the drawer open
      e.stopPropagation();
      actions.keepTitle();
    }
  };
  const { problem } = renaming;
  return html`<input id="chat-title" type="text" dir="auto" autocomplete="off" maxlength=${maxTitle} aria-label=${text("page.chat_title")} aria-describedby="chat-title-hint chat-title-problem"
      aria-invalid=${problem ? "true" : "false"} .value=${live(renaming.title)} @input=${(e) => { renaming.title = e.target.value; }} @keydown=${keys} @blur=${() => actions.saveTitle({ left: true })}>
    <span id="chat-title-hint" class="unseen">${text("page.rename_hint")}</span>
    <p id="chat-title-problem" class="bad" role="alert">${problem ? why(problem) : nothing}</p>`;
}

// ---- the search ----

// documentsField begins a search in the app's documents, which is shown instead of the chat.
function documentsField(actions) {
  const submit = (e) => {
    e.preventDefault();
    const { q } = e.target.elements;
    actions.findDocuments(q.value.trim());
    q.value = "";
  };
  return html`<form class="search in-documents" role="search" aria-label=${text("page.documents")} @submit=${submit}>
    <input id="find-documents" name="q" type="search" dir="auto" autocomplete="off" spellcheck="false" enterkeyhint="search" maxlength="1000" placeholder=${text("page.documents_search")} aria-label=${text("page.documents_search")}>
    <button class="icon-button" aria-label=${text("page.documents_search")} title=${text("page.documents_search")}>${icons.find}</button>
  </form>`;
}

function searchField(search, label) {
  const keys = (e) => {
    if (e.isComposing) return;
    if (e.key === "Enter") {
      e.preventDefault();
      search.first().then((link) => link?.click());
    }
    if (e.key === "Escape" && search.query) {
      e.preventDefault(); // keep the drawer open
      e.stopPropagation();
      search.look("");
    }
  };
  return html`<div class="search" role="search">
    <input id="search" type="search" dir="auto" autocomplete="off" spellcheck="false" enterkeyhint="search" maxlength="200" placeholder=${text(label)} aria-label=${text(label)}
      .value=${live(search.query)} @input=${(e) => search.look(e.target.value)} @keydown=${keys}>
    <p id="found" class="unseen" role="status">${search.active ? said(search) : nothing}</p>
  </div>`;
}

const said = ({ running, problem, items }) => (problem ? why(problem) : running ? "" : items.length ? text("page.search_found", { count: items.length }) : text("page.search_none"));

// again goes to a result's question once more, although the address stays the same.
const again = ({ currentTarget }) => currentTarget.hash === location.hash && dispatchEvent(new HashChangeEvent("hashchange"));

function results(state) {
  const { app, covered, search: { items, problem, running, hasMore }, search } = state, open = familyOfOpen(state);
  return html`<ul class="results">${repeat(items, familyOf, ({ chatId, root, title, snippet = [], clarificationId }) => html`<li><a href=${`#${app.id}/${chatId}${clarificationId ? `/${clarificationId}` : ""}`} @click=${again} aria-current=${familyOf({ chatId, root }) === open && !covered ? "page" : nothing}>
      <span class="name" dir="auto">${title.trim() || text("page.untitled")}</span>
      ${snippet.length ? html`<span class="snippet" dir="auto">${snippet.map((part) => (part.match ? html`<mark>${part.text}</mark>` : part.text))}</span>` : nothing}
    </a></li>`)}</ul>
    ${problem ? html`<p class="hint">${why(problem)}</p>` : running ? html`<p class="hint">${text("page.search_wait")}</p>` : items.length ? nothing : html`<p class="hint">${text("page.search_none")}</p>`}
    ${hasMore && !running ? html`<button type="button" class="quiet" @click=${() => search.more()}>${text("page.more_chats")}</button>` : nothing}`;
}
