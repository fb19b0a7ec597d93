// Turns events into the state that a page draws. reduce is pure: it returns a new state that shares
// unchanged parts with the old one, so that === shows what to redraw.
//
// state.items is the transcript, oldest first. Each item has a type and a key that
// stays the same while it changes:
//
//   user           content, files (attached to it)
//   assistant      content, open (it may still grow), askedBy (the program that wrote it, if any)
//   thinking       content, open
//   tool           toolCallId, toolName, arguments, argumentsText, argumentFields, edited, approval, decisions, result or error, content, open,
//                  progress (while it runs: progress, total, message)
//   clarification  clarification (the event's data), state, answer, answeredAt, answeredBy, call
//                  (of the tool call that asked: arguments, argumentsText, approval)
//   notice         code: length, content_filter, max_steps, cancelled
//   error          code, message, retryable, retryAfter; resumable: false if the turn cannot continue
//   damaged        event: the type of an event that could not be processed
//
// A call of ask_user appears as its clarification, not as a tool.

import { withAsker, amended } from "./decisions.js";

export const initialState = Object.freeze({
  chatId: "",
  status: "idle", // idle, running, awaiting_input
  items: Object.freeze([]),
  pending: Object.freeze([]), // the open clarifications, in order
  queued: Object.freeze([]), // messages that wait for the end of the turn: {id, content, createdAt, files}
  approvals: Object.freeze([]), // tools that need no more approval in this chat
  clarifications: Object.freeze({ used: 0, max: 0 }),
  title: "", // set by a person or the model
  forkedFrom: null, // where the chat branches off from another: {chatId, messageId or clarificationId}
  root: "", // of a branch: the id of the first chat of its family
  branches: Object.freeze([]), // all chats of the family, oldest first: {chatId, createdAt, writtenAt, forkedFrom, branchPoint}; empty if there is only one
  finishReason: "", // of the last run of a turn
  usage: null,
  resumable: false, // the turn ended without a complete answer and can continue
  restarted: false, // the last step's text was discarded and begins again
  lastEventId: "",
  hasMore: false, // there are older messages, which earlier adds
  older: 0, // how many
  oldest: "", // id of the oldest message in the state
  runItems: 0, // number of items when the run began
  textItems: 0, // the same, without the text of a step that the previous run did not finish
  keys: 0,
});

// reduce returns the state after an event {id, type, data}. Unknown events change only
// lastEventId.
export function reduce(state, event) {
  const { id, type, data } = event ?? {};
  if (id && id === state.lastEventId) return state;
  let change;
  try {
    if (says[type] && typeof data[says[type]] !== "string") throw new TypeError(type);
    change = changes[type]?.(state, data);
  } catch { // one bad event must not stop the others
    change = add(state, { type: "damaged", event: type });
  }
  return { ...state, ...change, lastEventId: id || state.lastEventId };
}

// says names the field that each type of event requires.
const says = {
  __proto__: null, "user.message": "messageId", "chunk": "content", "thinking": "content", "tool.call.start": "toolCallId",
  "tool.call.progress": "toolCallId", "tool.call.end": "toolCallId", "clarification": "clarificationId", "clarification.resolved": "clarificationId", "clarification.decided": "clarificationId", "clarification.escalated": "clarificationId", "clarification.asker": "clarificationId",
  "asker.message": "messageId",
};

// renewed changes a question that waits, in the list and where it stands.
const renewed = (change) => (s, d) => {
  const asked = s.pending.find((p) => p.clarificationId === d.clarificationId), now = asked && change(asked, d);
  if (now === asked) return {};
  return { ...at(s, (i) => i.clarification?.clarificationId === d.clarificationId, (i) => ({ ...i, clarification: now })), pending: s.pending.map((p) => (p === asked ? now : p)) };
};

const changes = {
  __proto__: null,
  "snapshot": (s, d) => fromSnapshot(s, d),
  "chat.title": (_, d) => ({ title: d.title }), // of an Inbox
  "chat.queue": (s, d) => (Array.isArray(d.queued) ? { queued: d.queued.filter((m) => !s.items.some((i) => i.key === m.id)) } : {}), // of an Inbox, with what Client.queued returns
  "turn.start": (s, d) => {
    const ended = d.resumed ? s.items.findLastIndex((i) => !ofProgram(i) && i.type !== "error" && i.type !== "notice") + 1 : s.items.length;
    const unfinished = d.resumed && broken.includes(s.finishReason); // a step.restart that comes first discards its text
    const items = upTo(s, ended);
    return {
      chatId: d.chatId, status: "running", items, runItems: items.length, textItems: unfinished ? s.textItems : items.length,
      finishReason: "", resumable: false, restarted: false,
    };
  },
  "user.message": (s, d) => ({
    ...add(s, { type: "user", key: d.messageId, content: d.content, ...(d.files && { files: d.files }) }),
    queued: s.queued.filter((m) => m.id !== d.messageId),
  }),
  "chunk": (s, d) => grow(s, "assistant", d.content),
  "thinking": (s, d) => grow(s, "thinking", d.content),
  "step.restart": (s) => {
    const settled = (item) => !ofProgram(item) && item.type !== "assistant" && item.type !== "thinking";
    const first = s.items.length === s.runItems; // nothing has come since the run began
    const items = upTo(s, Math.max(first ? s.textItems : s.runItems, s.items.findLastIndex(settled) + 1));
    return { items: items.map(still), restarted: true, runItems: Math.min(s.runItems, items.length), textItems: items.length };
  },
  "tool.call.start": (s, d) => add(closed(s), { type: "tool", key: d.toolCallId, toolCallId: d.toolCallId, toolName: d.toolName, ...called(d), open: true }),
  "tool.call.progress": (s, { toolCallId, progress, total, message }) => (Number.isFinite(progress)
    ? at(s, (i) => i.type === "tool" && i.toolCallId === toolCallId && i.open, (i) => ({ ...i, progress: { progress, ...(total && { total }), ...(message && { message }) } })) : {}),
  "tool.call.end": (s, d) => {
    const end = { open: false, ...(d.error ? { error: d.error } : { result: d.result }), ...(d.content && { content: d.content }) };
    const is = (i) => i.type === "tool" && i.toolCallId === d.toolCallId && i.open;
    if (s.items.some(is) || !d.content) return at(s, is, (i) => ({ ...still(i), ...end }));
    const question = s.items.findLast((i) => callOf(i) === d.toolCallId); // the call appears as this question
    return put(s, is, { type: "tool", key: d.toolCallId, toolCallId: d.toolCallId, toolName: d.toolName, ...question?.call, ...end });
  },
  "clarification": (s, d) => {
    const drawn = draw(s, d);
    const pending = [...s.pending.filter((p) => p.clarificationId !== d.clarificationId), d];
    const counted = d.kind === "question" && !ofProgram(d) && { clarifications: { used: d.clarificationNumber, max: d.maxClarifications } };
    return { ...drawn, pending, ...counted };
  },
  "clarification.asker": renewed(withAsker), // of the page, which asks for it
  "clarification.decided": renewed(amended),
  "clarification.escalated": renewed(amended),
  "clarification.resolved": (s, d) => ({
    ...at(d.clarification ? { ...s, ...draw(s, d.clarification) } : s, (i) => i.clarification?.clarificationId === d.clarificationId,
      (i) => (d.approval ? decided(i, d) : { ...i, clarification: amended(i.clarification, d), state: d.outcome, answer: d.answer, answeredAt: d.answeredAt, answeredBy: d.by ?? null })),
    pending: s.pending.filter((p) => p.clarificationId !== d.clarificationId),
    approvals: approvals(s, d),
  }),
  "asker.message": (s, d) => add(closed(s), { type: "assistant", key: d.messageId, content: d.content, open: false, askedBy: d.askedBy }),
  "turn.error": (s, d) => add(closed(s), failure(d)),
  "error": (s, d) => (same(s.items.at(-1), d) ? {} : add(closed(s), failure(d))), // the same error again, which only older gateways send
  "done": (s, d) => {
    const { finishReason } = d;
    const status = finishReason === "clarification" || s.pending.length ? "awaiting_input" : "idle";
    if (!d.turnId && s.status !== "running") return { status }; // a program asked or wrote something: the turn is unchanged
    const end = {
      ...closed(s), items: closed(s).items.map(still), status, finishReason, usage: d.usage, restarted: false, textItems: s.runItems,
      resumable: resumable.includes(finishReason) && s.queued.length === 0 && !(finishReason === "error" && final(s)),
    };
    return silent.includes(finishReason) ? end : { ...end, ...add(end, { type: "notice", code: finishReason }) };
  },
};

// draw puts a clarification in the place of its call.
const draw = (s, d) => {
  const last = s.items.findLast((i) => callOf(i) === d.toolCallId);
  return put(s, (i) => i === last && (i.open || i.clarification?.clarificationId === d.clarificationId),
    asked(d, last?.type === "tool" ? knownOf(last) : last?.call));
};

// still returns an item without its progress.
function still(item) {
  if (!item.progress) return item;
  const { progress, ...rest } = item;
  return rest;
}

// ofProgram reports whether an item or a clarification is from a program, outside of a turn.
const ofProgram = (of) => (of.askedBy ?? of.clarification?.askedBy)?.kind === "program" && !(of.clarification ?? of).turnId;

// upTo returns the items before end, and those from programs after it.
const upTo = (s, end) => [...s.items.slice(0, end), ...s.items.slice(end).filter(ofProgram)];

// Finish reasons that end a turn in the middle of a step, that can be resumed, and that show no
// notice.
const broken = ["error", "cancelled"], resumable = [...broken, "length", "max_steps"], silent = ["stop", "clarification", "error"];

// failure returns the item of an error.
const failure = ({ code = "", message = "", retryable, retryAfter, resumable: goesOn }) => (
  { type: "error", code, message, retryable, retryAfter, ...(goesOn === false && { resumable: false }) });

// same reports whether an item shows this failure.
const same = (item, { code = "", message = "" }) => item?.type === "error" && item.code === code && item.message === message;

// final reports whether the turn failed in a way that it cannot continue from.
const final = (s) => s.items.findLast((i) => i.type === "error")?.resumable === false;

// called returns the arguments of a call as values, and as exact text if that may differ.
const called = (d) => ({ arguments: d.arguments, ...(d.argumentsText && { argumentsText: d.argumentsText }) });

// decided returns the item of an approved or refused call, as in a snapshot.
function decided({ clarification: c }, d) {
  const edited = edits(d);
  return {
    type: "tool", key: c.toolCallId, toolCallId: c.toolCallId, toolName: c.toolName, approval: d.approval, open: true,
    ...called(edited ? { arguments: edited, argumentsText: d.argumentsText } : c), ...listed(c, edited), ...byAll(amended(c, d)),
  };
}

// listed returns what an approval said about each argument.
const listed = ({ argumentFields }, edited) => (argumentFields ? { argumentFields, ...(edited && { edited: true }) } : {});

// byAll returns what several people decided about a call.
const byAll = ({ decisions }) => (decisions?.length ? { decisions } : {});

// edits returns the arguments that ran, if a person changed them.
const edits = ({ approval, answer }) => approval.outcome === "allowed" && answer?.arguments;

// callOf returns the id of the tool call that an item is about.
const callOf = (item) => item.toolCallId ?? item.clarification?.toolCallId;

// knownOf returns what a question's item keeps of its call, for when the call itself is shown.
const knownOf = ({ arguments: args, argumentsText, approval }) => ({ arguments: args, ...(argumentsText && { argumentsText }), ...(approval && { approval }) });

// put replaces the item of a call that is() finds, or inserts the new item after the others of that
// call, as in a snapshot.
function put(s, is, item) {
  const { items, keys } = closed(s), there = items.findLastIndex(is);
  if (there >= 0) return { items: items.with(there, item), keys };
  const behind = items.findLastIndex((i) => callOf(i) === callOf(item)) + 1;
  if (!behind) return add({ items, keys }, item);
  const later = (n) => n + (behind < n ? 1 : 0);
  return { items: items.toSpliced(behind, 0, item), keys, runItems: later(s.runItems), textItems: later(s.textItems) };
}

// approvals returns the remembered approvals after a decision: the latest about a tool counts.
function approvals(s, { clarificationId, outcome, remembered }) {
  const { remember, toolName } = s.pending.find((p) => p.clarificationId === clarificationId) ?? {};
  if (!remember || !["answered", "declined"].includes(outcome) || Boolean(remembered) === s.approvals.includes(toolName)) return s.approvals;
  const others = s.approvals.filter((tool) => tool !== toolName);
  return remembered ? [...others, toolName].sort() : others;
}

function add(s, item) {
  const keys = s.keys + 1;
  return { items: [...s.items, { key: `i${keys}`, ...item }], keys };
}

// grow appends to the open text of a type, or begins one.
function grow(s, type, content) {
  const last = s.items.at(-1);
  if (last?.type !== type || !last.open) return { ...add(closed(s), { type, content, open: true }), restarted: false };
  return { items: [...s.items.slice(0, -1), { ...last, content: last.content + content }] };
}

// closed returns s without an open text.
function closed(s) {
  const last = s.items.at(-1);
  if (!last?.open || last.type === "tool") return { items: s.items, keys: s.keys };
  return { items: [...s.items.slice(0, -1), { ...last, open: false }], keys: s.keys };
}

function at(s, is, change) {
  const n = s.items.findLastIndex(is);
  return n < 0 ? {} : { items: s.items.with(n, change(s.items[n])) };
}

const asked = (d, call) => ({
  type: "clarification", key: d.clarificationId, clarification: d, state: "pending", answer: null, answeredAt: null, answeredBy: null, ...(call && { call }),
});

// earlier returns the state with older messages added, from a snapshot before state.oldest.
export function earlier(state, d) {
  const open = openOf(d), pending = new Set(open.map((p) => p.toolCallId)); // these items come last
  const older = itemsOf(d.messages, open).filter((item) => !pending.has(item.clarification?.toolCallId));
  return {
    ...state, items: [...older, ...state.items], runItems: state.runItems + older.length, textItems: state.textItems + older.length,
    hasMore: d.hasMore, older: d.older ?? 0, oldest: d.messages[0]?.id ?? state.oldest,
  };
}

// openOf returns the open clarifications of a snapshot.
const openOf = (d) => (d.pending ?? []).filter((p) => typeof p?.clarificationId === "string");

function fromSnapshot(s, d) {
  const pending = openOf(d);
  let items = itemsOf(d.messages, pending);
  const shown = new Set(items.map((i) => i.clarification));
  for (const p of pending) if (!shown.has(p)) items.push(asked(p));
  let { hasMore = false, older = 0 } = d, oldest = d.messages[0]?.id ?? "";
  // The snapshot of a long chat has only its newest messages: keep older ones from the state.
  const first = items.findIndex((i) => i.type === "user");
  const known = hasMore && s.chatId === d.chatId && first >= 0 ? s.items.findIndex((i) => i.key === items[first].key) : -1;
  if (known > first) {
    items = [...s.items.slice(0, known), ...items.slice(first)];
    ({ hasMore, older, oldest } = s);
  }
  const { finishReason = "" } = d;
  const last = items.findLastIndex((item) => !ofProgram(item)); // of the turn
  const runItems = items.length, textItems = broken.includes(finishReason) ? unfinishedFrom(items, last) : runItems;
  const end = (item) => items.splice(last + 1, 0, { key: `ended-${d.lastEventId}`, ...item });
  if (finishReason === "error") {
    end(failure({ retryable: d.resumable, ...d.error }));
  } else if (finishReason && !silent.includes(finishReason)) end({ type: "notice", code: finishReason });
  return {
    ...initialState, finishReason, resumable: d.resumable ?? false,
    chatId: d.chatId, status: d.status, items, pending, queued: d.queued ?? [], approvals: d.approvals ?? [],
    clarifications: d.clarifications ?? s.clarifications, title: d.title ?? "", forkedFrom: d.forkedFrom ?? null, root: d.root ?? "", branches: d.branches ?? [], hasMore, older, oldest, runItems, textItems, keys: Math.max(s.keys, items.length),
  };
}

// unfinishedFrom returns the index where the text and reasoning of the step that ends with an item
// begin, or the number of items if it has none.
function unfinishedFrom(items, last) {
  const { type } = items[last] ?? {};
  if (type !== "assistant" && type !== "thinking") return items.length;
  return type === "assistant" && items[last - 1]?.type === "thinking" ? last - 1 : last;
}

// thoughtOf returns the key of the reasoning before a message.
const thoughtOf = (id) => `thought-${id}`;

function itemsOf(messages, pending) {
  return messages.flatMap((m, n) => {
    const items = [];
    try {
      if (m.unreadable) items.push({ type: "damaged", key: `damaged-${m.id}`, event: "snapshot" });
      else if (m.role === "user") items.push({ type: "user", key: m.id, content: m.content, ...(m.files && { files: m.files }) });
      else {
        if (m.thinking) items.push({ type: "thinking", key: thoughtOf(m.id), content: m.thinking, open: false });
        if (m.content !== "") items.push({ type: "assistant", key: m.id, content: m.content, open: false, ...(m.askedBy && { askedBy: m.askedBy }) });
      }
      for (const call of m.toolCalls ?? []) items.push(...ofCall(call, pending));
    } catch { // one bad message must not hide the others
      items.push({ type: "damaged", key: `damaged-${m?.id ?? n}`, event: "snapshot" });
    }
    return items;
  });
}

// ofCall returns the items of a call in a snapshot: its questions, as events would have shown them,
// and the call itself if it asked nothing, was last decided by a person, or has result parts to show.
function ofCall(call, pending) {
  const all = call.clarifications ?? (call.clarification ? [call.clarification] : []);
  const own = settled(call, all.findLast((c) => c.approval));
  const items = all.filter((c) => !c.approval).map((c) => kept(c, pending, ofProgram(c) ? null : knownOf(own)));
  const last = all.at(-1);
  return last && !last.approval && !call.content ? items : [...items, own];
}

// kept returns the item of a clarification in a snapshot, open or closed.
function kept(c, pending, call) {
  const open = pending.find((p) => p.clarificationId === c.clarificationId);
  return { ...asked(open ?? c, call), ...(!open && { state: c.state, answer: c.answer, answeredAt: c.answeredAt, answeredBy: c.answeredBy }) };
}

// settled returns the item of a call in a snapshot, with its result, if any, and a person's
// decision, as in decided.
function settled(call, decision) {
  const { toolCallId, toolName, approval, result, error, content } = call;
  const own = {
    type: "tool", key: toolCallId, toolCallId, toolName, ...(approval && { approval }), ...called(call),
    ...(decision && !edits(decision) && { argumentsText: decision.argumentsText }), ...(decision && { ...listed(decision, edits(decision)), ...byAll(decision) }), open: result === null,
  };
  if (error) return { ...own, error };
  return { ...own, ...(result !== null && { result }), ...(content && { content }) };
}
