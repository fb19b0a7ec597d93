// Chats that a client made of another, by an edit or for another reply: here they are one chat
// with branches. It has one entry in the list, and a control where they part. What a person forks
// on this page stays a chat of its own.
import { html } from "../vendor/lit.js";
import * as icons from "./icons.js";
import { text } from "./texts.js";

// familyOf is the same for all branches of a listed chat, and for no other chat.
export const familyOf = ({ root, chatId }) => root || chatId;

// familyOfOpen is that of the open chat, also before it is loaded.
export const familyOfOpen = ({ chat, chats }) => chat.view.root || familyOf(chats.items.find((c) => c.chatId === chat.id) ?? { chatId: chat.id });

// countOf is how many branches the open chat has, as far as they are known.
export function countOf(state) {
  const family = familyOfOpen(state);
  return Math.max(state.chat.view.branches.length, state.chats.items.filter((c) => familyOf(c) === family).length);
}

// firsts are the listed chats without further branches of the same ones, and of those that known has.
export function firsts(items, known) {
  const seen = new Set(known.map(familyOf));
  return items.filter((c) => !seen.has(familyOf(c)) && seen.add(familyOf(c)));
}

// entries is the list as it is shown. The entry of a family stands where its newest change does,
// and leads to the branch in which a question waits, else to the one that was written to last:
// asked is the question.
export function entries({ app, chats, inbox }) {
  const asked = new Map(inbox.pending.filter((c) => c.app === app.id && !c.waitsFor).map((c) => [c.chatId, c]).reverse()); // the oldest of a chat
  return [...Map.groupBy(chats.items, familyOf)].map(([family, all]) => {
    const waiting = all.filter((c) => asked.has(c.chatId));
    const shown = (waiting.length ? waiting : all).reduce((a, b) => ((b.writtenAt ?? "") > (a.writtenAt ?? "") ? b : a));
    return { ...shown, family, updatedAt: all[0].updatedAt, asked: asked.get(shown.chatId) };
  });
}

// parting is the key of the first item at which another branch parts from this one: "" where that is
// not here, null where there are none.
export function parting({ branches, items }) {
  if (branches.length < 2) return null;
  const points = new Set(branches.flatMap((b) => [b.branchPoint, b.forkedFrom?.messageId]).filter(Boolean));
  return items.find((i) => points.has(i.key) || points.has(i.toolCallId ?? i.clarification?.toolCallId))?.key ?? "";
}

let step = null; // that a person took: {to, button}

// control shows which branch this is, and leads to the others.
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

// landed takes the focus to the control of the branch that a step led to, once it is drawn, and says
// then which it is; else "".
export function landed(chat) {
  const drawn = step?.to === chat.id && document.querySelector(".branches");
  if (!drawn) return "";
  (drawn.querySelector(`.${step.button}:enabled`) ?? drawn.querySelector("button:enabled"))?.focus();
  step = null;
  return `${text("page.branches")}: ${place(chat)}`;
}
