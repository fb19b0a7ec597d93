// Where the branches of a chat part, and the controls there. All that is known of each branch is the chat
// that it left, and what it has at that point:
//
//	c  m1 ── m2 ── m3 ── ...
//	    │           └ k3 ── ...    d: forkedFrom c at m3, branchPoint k3
//	    └ n1 ── n2 ── ...          b: forkedFrom c at m1, branchPoint n1
//
// In c, the control below m1 leads to b, and the one below m3 to d. In b, the one below n1 leads to c or d.

import { html } from "../vendor/lit.js";
import { stepTo } from "./branches.js";
import * as icons from "./icons.js";
import { text } from "./texts.js";

// controls returns the controls of the open chat: by the key of the item below which each belongs, by ""
// for the top of the chat.
export const controls = (chat) => new Map([...partings(chat.id, chat.view)].map(([key, parting]) => [key, control(chat, parting)]));

// control shows which branch is open, and leads to the others that part from it at the same place.
function control(chat, { point, list, at }) {
  const button = (name, label, icon, to) => html`<button type="button" class="icon-button ${name}" aria-label=${label} title=${label} ?disabled=${!to}
    @click=${() => stepTo(chat.app, to, name, point)}>${icon}</button>`;
  return html`<div class="branches" role="group" aria-label=${text("page.branches")} data-point=${point}>
    ${button("previous", text("page.branch_previous"), icons.previous, list[at - 1])}<span dir="auto">${text("page.branch_of", { number: at + 1, count: list.length })}</span>${button("next", text("page.branch_next"), icons.next, list[at + 1])}</div>`;
}

let last = { branches: null, items: null, id: "", found: new Map() };

// partings returns, for each item of a chat below which other branches part from it, by the item's key,
// {point, list, at}: an id of that place, the same in all branches; for each version of what comes next, the
// id of the chat that was written to last; and the index of this chat's own version. Branches that part from
// it where nothing is loaded are under "".
function partings(id, { branches, items }) {
  if (branches.length < 2) return new Map();
  if (last.branches !== branches || last.items !== items || last.id !== id) last = { branches, items, id, found: find(id, branches, items) };
  return last.found;
}

function find(id, branches, items) {
  const known = new Map(branches.map((b) => [b.chatId, b])), named = points(branches);
  const places = placesOf(items, branches, named), own = lineOf(id, known, named);
  const groups = new Map(); // key of an item, or "" -> {point, lines}, this chat's line first
  for (const { chatId } of branches) {
    if (chatId === id) continue;
    const line = lineOf(chatId, known, named);
    const { point, key } = meet(own, line).map((p) => ({ point: p, ...places.get(p) })).filter((p) => p.key).sort((a, b) => a.index - b.index)[0] ?? { point: "", key: "" };
    if (!groups.has(key)) groups.set(key, { point, lines: [own] });
    groups.get(key).lines.push(line);
  }
  return new Map([...groups].map(([key, { point, lines }]) => [key, versions(point, lines, known)]));
}

// points returns a function that maps the id of what a chat has at a point to a name that all versions of
// the point share.
function points(branches) {
  const under = new Map();
  const named = (p) => (under.has(p) ? named(under.get(p)) : p);
  for (const { branchPoint, forkedFrom } of branches) {
    if (!branchPoint) continue;
    const [a, b] = [named(branchPoint), named(forkedFrom?.messageId ?? branchPoint)].sort();
    if (a !== b) under.set(b, a);
  }
  return named;
}

// placesOf returns where the points are in a transcript: {key, index} of an item, by their names.
function placesOf(items, branches, named) {
  const names = new Set(branches.flatMap((b) => (b.branchPoint ? [named(b.branchPoint)] : [])));
  const places = new Map();
  for (const [index, i] of items.entries()) {
    for (const p of [i.key, i.toolCallId ?? i.clarification?.toolCallId]) {
      const name = p && named(p);
      if (names.has(name) && !places.has(name)) places.set(name, { key: i.key, index });
    }
  }
  return places;
}

// lineOf returns a chat and those that it comes from, each with the point at which it left the next. The
// last one may be gone.
function lineOf(id, known, named) {
  const line = [];
  for (let at = id; at && line.length <= known.size;) {
    const b = known.get(at);
    line.push({ id: at, point: b?.branchPoint && named(b.branchPoint) });
    at = b?.forkedFrom?.chatId;
  }
  return line;
}

// meet returns the points at which two chats, and those that they come from, left what both come from. They
// part at the earliest of these.
function meet(a, b) {
  const met = b.find((of) => a.some((other) => other.id === of.id))?.id;
  const left = (line) => line.slice(0, met === undefined ? line.length : line.findIndex((of) => of.id === met));
  return [...left(a), ...left(b)].flatMap((of) => of.point ?? []);
}

// versions sorts the chats that part at a point by what they have there, the oldest version first.
function versions(point, lines, known) {
  const of = (line) => (point ? line.find((chat) => chat.point === point)?.id ?? "" : line[0].id);
  const all = [...Map.groupBy(lines, of)].map(([version, of]) => ({
    version, lines: of,
    began: version === "" ? "" : known.get(version)?.createdAt ?? of.map(([chat]) => known.get(chat.id)?.createdAt ?? "").sort()[0],
    chat: of.map(([chat]) => chat.id).reduce((a, b) => ((known.get(b)?.writtenAt ?? "") > (known.get(a)?.writtenAt ?? "") ? b : a)),
  }));
  all.sort((a, b) => (a.began < b.began ? -1 : a.began > b.began ? 1 : a.version < b.version ? -1 : 1));
  return { point, list: all.map((v) => v.chat), at: all.findIndex((v) => v.lines.includes(lines[0])) };
}
