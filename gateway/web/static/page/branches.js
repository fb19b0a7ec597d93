// Branches: chats that were forked from another, on this page or by a client, by a change of a message or
// an answer, or for another reply. They are shown as one chat, with one entry in the list and a control at
// each place where branches part (see partings.js).
import { text } from "./texts.js";

// familyOf returns an id that all branches of a listed chat, and no other chats, have in common.
export const familyOf = ({ root, chatId }) => root || chatId;

const families = new Map(); // chat id -> family, of the branches that were seen

// familyOfOpen returns the family of the open chat, also before the chat is loaded.
export function familyOfOpen({ chat, chats }) {
  const { root, branches } = chat.view, listed = chats.items.find((c) => c.chatId === chat.id);
  const family = root || (listed ? familyOf(listed) : families.get(chat.id) ?? chat.id);
  for (const b of branches) families.set(b.chatId, family);
  return family;
}

// countOf returns how many branches of the open chat are known.
export function countOf(state) {
  const family = familyOfOpen(state);
  return Math.max(state.chat.view.branches.length, state.chats.items.find((c) => familyOf(c) === family)?.branches ?? 1);
}

// distinct returns the items whose families known does not have.
export function distinct(items, known) {
  const seen = new Set(known.map(familyOf));
  return items.filter((c) => !seen.has(familyOf(c)) && seen.add(familyOf(c)));
}

// entries returns the entries of the list. Each has the question that is open in the branch to which it
// leads, if the inbox has it.
export const entries = ({ chats, inbox }) => chats.items.map((c) => ({
  ...c, family: familyOf(c), asked: c.clarificationIds && inbox.pending.find((q) => q.clarificationId === c.clarificationIds[0]),
}));

// toBeside opens another branch in place of the open one, which was deleted. It reports whether there is one.
export function toBeside({ app, id, view: { branches } }) {
  const at = branches.findIndex((b) => b.chatId === id), next = branches[at - 1] ?? branches[at + 1];
  if (next) location.hash = `#${app}/${next.chatId}`;
  return Boolean(next);
}

let step = null; // a click on a control whose branch is not yet drawn: {to, button, point}

// stepTo opens a branch by a button of the control at a point.
export function stepTo(app, to, button, point) {
  step = { to, button, point };
  location.hash = `#${app}/${to}`;
}

// landed moves the focus to the control of a branch that was just opened with it, once that branch is
// drawn, and returns a text that announces the branch. Otherwise it returns "".
export function landed(chat) {
  const drawn = step?.to === chat.id && (document.querySelector(`.branches[data-point="${CSS.escape(step.point)}"]`) ?? document.querySelector(".branches"));
  if (!drawn) return "";
  (drawn.querySelector(`.${step.button}:enabled`) ?? drawn.querySelector("button:enabled"))?.focus();
  step = null;
  return `${text("page.branches")}: ${drawn.querySelector("span").textContent}`;
}
