// Branches: chats that a client forked from another, by an edit or for another reply, are shown as one
// chat. It has one entry in the list, and a control at the place where the branches part. A chat that
// the user forks on this page stays a separate chat.
import { html } from "../vendor/lit.js";
import * as icons from "./icons.js";
import { text } from "./texts.js";

// familyOf returns an id that all branches of a listed chat, and no other chats, have in common.
export const familyOf = ({ root, chatId }) => root || chatId;

// familyOfOpen returns the family of the open chat, also before the chat is loaded.
export const familyOfOpen = ({ chat, chats }) => chat.view.root || familyOf(chats.items.find((c) => c.chatId === chat.id) ?? { chatId: chat.id });

// countOf returns how many branches of the open chat are known.
export function countOf(state) {
  const family = familyOfOpen(state);
  return Math.max(state.chat.view.branches.length, state.chats.items.filter((c) => familyOf(c) === family).length);
}

// firsts returns one chat of each family among items, leaving out the families that known has.
export function firsts(items, known) {
  const seen = new Set(known.map(familyOf));
  return items.filter((c) => !seen.has(familyOf(c)) && seen.add(familyOf(c)));
}

// entries returns the entries of the list. The entry of a family is placed by its newest change. It leads
// to the branch in which a question waits (asked), otherwise to the branch with the latest message.
export function entries({ app, chats, inbox }) {
  const asked = new Map(inbox.pending.filter((c) => c.app === app.id && !c.waitsFor).map((c) => [c.chatId, c]).reverse()); // the oldest question of each chat
  return [...Map.groupBy(chats.items, familyOf)].map(([family, all]) => {
    const waiting = all.filter((c) => asked.has(c.chatId));
    const shown = (waiting.length ? waiting : all).reduce((a, b) => ((b.writtenAt ?? "") > (a.writtenAt ?? "") ? b : a));
    return { ...shown, family, updatedAt: all[0].updatedAt, asked: asked.get(shown.chatId) };
  });
}

// parting returns the key of the first item at which another branch parts from this one. It is "" if
// that item is not loaded, and null if there are no other branches.
export function parting({ branches, items }) {
  if (branches.length < 2) return null;
  const points = new Set(branches.flatMap((b) => [b.branchPoint, b.forkedFrom?.messageId]).filter(Boolean));
  return items.find((i) => points.has(i.key) || points.has(i.toolCallId ?? i.clarification?.toolCallId))?.key ?? "";
}

let step = null; // a click on the control whose branch is not yet drawn: {to, button}

// control shows which branch is open, and leads to the others.
export function control(chat) {
  const { branches } = chat.view, at = branches.findIndex((b) => b.chatId === chat.id);
  const button = (name, label, icon, to) => html`<button type="button" class="icon-button ${name}" aria-label=${label} title=${label} ?disabled=${!to}
    @click=${() => {
      step = { to: to.chatId, button: name };
      location.hash = `#${chat.app}/${to.chatId}`;
    }}>${icon}</button>`;
  return html`<div class="branches" role="group" aria-label=${text("page.branches")}>
    ${button("previous", text("page.branch_previous"), icons.previous, branches[at - 1])}<span dir="auto">${place(chat)}</span>${button("next", text("page.branch_next"), icons.next, branches[at + 1])}</div>`;
}

const place = ({ id, view: { branches } }) => text("page.branch_of", { number: branches.findIndex((b) => b.chatId === id) + 1, count: branches.length });

// landed moves the focus to the control of a branch that was just opened with it, once that branch is
// drawn, and returns a text that announces the branch. Otherwise it returns "".
export function landed(chat) {
  const drawn = step?.to === chat.id && document.querySelector(".branches");
  if (!drawn) return "";
  (drawn.querySelector(`.${step.button}:enabled`) ?? drawn.querySelector("button:enabled"))?.focus();
  step = null;
  return `${text("page.branches")}: ${place(chat)}`;
}
