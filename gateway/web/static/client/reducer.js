// From events to what a chat shows. reduce is pure: it returns a new state and leaves
// the old one alone, sharing what did not change, so that === shows what to draw again.
//
// state.items is the transcript, oldest first. Each item has a type and a key that
// stays the same while it changes:
//
//   user           content, files (that came with it)
//   assistant      content, open (it may still grow), askedBy (the program that said it, if one did)
//   thinking       content, open
//   tool           toolCallId, toolName, arguments, argumentsText, approval, result or error, content, open,
//                  progress (while it runs: progress, total, message)
//   clarification  clarification (the event's data), state, answer, answeredAt, answeredBy, call
//                  (what is known of the call that asked: arguments, argumentsText, approval)
//   notice         code: length, content_filter, max_steps, cancelled
//   error          code, message, retryable, retryAfter; resumable: false where the turn cannot go on
//   damaged        event: what came could not be taken in
//
// The call of ask_user is shown by its clarification, not by a tool.

export const initialState = Object.freeze({
  chatId: "",
  status: "idle", // idle, running, awaiting_input
  items: Object.freeze([]),
  pending: Object.freeze([]), // the open clarifications, in order
  queued: Object.freeze([]), // messages that wait until the turn is over: {id, content, createdAt, files}
  approvals: Object.freeze([]), // tools whose calls are no longer asked about
  clarifications: Object.freeze({ used: 0, max: 0 }),
  title: "", // that a person or the model gave the chat
  forkedFrom: null, // where the chat left another: {chatId, messageId or clarificationId}
  root: "", // of a branch: the id by which clients know its chat
  branches: Object.freeze([]), // of the chat, the oldest first: {chatId, createdAt, writtenAt, forkedFrom, partsAt}; none where there is one alone
  finishReason: "", // of the last run of a turn
  usage: null,
  resumable: false, // the turn ended without a whole answer, and can go on
  restarted: false, // the last step's text was discarded, and begins again
  lastEventId: "",
  hasMore: false, // there are older messages: earlier puts them before these
  oldest: "", // the oldest message of a snapshot that is here
  runItems: 0, // how many items there were when the run began
  textItems: 0, // likewise, without the text of a step that the run before had not finished
  keys: 0,
});

// reduce is the state after an event {id, type, data}. Unknown events change
// nothing but lastEventId.
export function reduce(state, event) {
  const { id, type, data } = event ?? {};
  if (id && id === state.lastEventId) return state;
  let change;
  try {
    if (says[type] && typeof data[says[type]] !== "string") throw new TypeError(type);
    change = changes[type]?.(state, data);
  } catch { // one bad event must not cost the others
    change = add(state, { type: "damaged", event: type });
  }
  return { ...state, ...change, lastEventId: id || state.lastEventId };
}

// says is the field without which an event says nothing.
const says = {
  __proto__: null, "user.message": "messageId", "chunk": "content", "thinking": "content", "tool.call.start": "toolCallId",
  "tool.call.progress": "toolCallId", "tool.call.end": "toolCallId", "clarification": "clarificationId", "clarification.resolved": "clarificationId",
  "asker.message": "messageId",
};

const changes = {
  __proto__: null,
  "snapshot": (s, d) => fromSnapshot(s, d),
  "chat.title": (_, d) => ({ title: d.title }), // of an Inbox
  "turn.start": (s, d) => {
    const ended = d.resumed ? s.items.findLastIndex((i) => !ofProgram(i) && i.type !== "error" && i.type !== "notice") + 1 : s.items.length;
    const unfinished = d.resumed && broken.includes(s.finishReason); // then a step.restart that comes first is about its text
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
    const question = s.items.findLast((i) => callOf(i) === d.toolCallId); // the call is shown as one
    return put(s, is, { type: "tool", key: d.toolCallId, toolCallId: d.toolCallId, toolName: d.toolName, ...question?.call, ...end });
  },
  "clarification": (s, d) => {
    const drawn = draw(s, d);
    const pending = [...s.pending.filter((p) => p.clarificationId !== d.clarificationId), d];
    const counted = d.kind === "question" && !ofProgram(d) && { clarifications: { used: d.clarificationNumber, max: d.maxClarifications } };
    return { ...drawn, pending, ...counted };
  },
  "clarification.resolved": (s, d) => ({
    ...at(d.clarification ? { ...s, ...draw(s, d.clarification) } : s, (i) => i.clarification?.clarificationId === d.clarificationId,
      (i) => (d.approval ? decided(i, d) : { ...i, state: d.outcome, answer: d.answer, answeredAt: d.answeredAt, answeredBy: d.by ?? null })),
    pending: s.pending.filter((p) => p.clarificationId !== d.clarificationId),
    approvals: approvals(s, d),
  }),
  "asker.message": (s, d) => add(closed(s), { type: "assistant", key: d.messageId, content: d.content, open: false, askedBy: d.askedBy }),
  "turn.error": (s, d) => add(closed(s), failure(d)),
  "error": (s, d) => (told(s.items.at(-1), d) ? {} : add(closed(s), failure(d))), // the same again; of older gateways alone
  "done": (s, d) => {
    const { finishReason } = d;
    const status = finishReason === "clarification" || s.pending.length ? "awaiting_input" : "idle";
    if (!d.turnId && s.status !== "running") return { status }; // a program asked or said something: the turn is as it was
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

// still is an item of which nobody tells how far it has come.
function still(item) {
  if (!item.progress) return item;
  const { progress, ...rest } = item;
  return rest;
}

// ofProgram says whether a program said or asked it, without a turn: an item, or a clarification.
const ofProgram = (of) => (of.askedBy ?? of.clarification?.askedBy)?.kind === "program" && !(of.clarification ?? of).turnId;

// upTo are the items before the end, and what programs said behind it.
const upTo = (s, end) => [...s.items.slice(0, end), ...s.items.slice(end).filter(ofProgram)];

// Finish reasons: what ends a turn in the middle of a step, what can be resumed, and what
// no notice tells.
const broken = ["error", "cancelled"], resumable = [...broken, "length", "max_steps"], silent = ["stop", "clarification", "error"];

// failure is the item of an error.
const failure = ({ code = "", message = "", retryable, retryAfter, resumable: goesOn }) => (
  { type: "error", code, message, retryable, retryAfter, ...(goesOn === false && { resumable: false }) });

// told says whether an item is the failure.
const told = (item, { code = "", message = "" }) => item?.type === "error" && item.code === code && item.message === message;

// final says that the turn failed of what it cannot go on from.
const final = (s) => s.items.findLast((i) => i.type === "error")?.resumable === false;

// called are the arguments of a call: as values, and exactly where that may differ.
const called = (d) => ({ arguments: d.arguments, ...(d.argumentsText && { argumentsText: d.argumentsText }) });

// decided is an approval's call again, with what was decided: as a snapshot has it.
function decided({ clarification: c }, d) {
  const edited = edits(d);
  return {
    type: "tool", key: c.toolCallId, toolCallId: c.toolCallId, toolName: c.toolName, approval: d.approval, open: true,
    ...called(edited ? { arguments: edited, argumentsText: d.argumentsText } : c),
  };
}

// edits are the arguments that ran in place of those that were shown, if others did.
const edits = ({ approval, answer }) => approval.outcome === "allowed" && answer?.arguments;

// callOf is the id of the call that an item is about.
const callOf = (item) => item.toolCallId ?? item.clarification?.toolCallId;

// knownOf is what an item of a question keeps of the call, for when the call itself is shown.
const knownOf = ({ arguments: args, argumentsText, approval }) => ({ arguments: args, ...(argumentsText && { argumentsText }), ...(approval && { approval }) });

// put puts an item about a call in the place of one that is about it, or behind all of these:
// where a snapshot has it.
function put(s, is, item) {
  const { items, keys } = closed(s), there = items.findLastIndex(is);
  if (there >= 0) return { items: items.with(there, item), keys };
  const behind = items.findLastIndex((i) => callOf(i) === callOf(item)) + 1;
  if (!behind) return add({ items, keys }, item);
  const later = (n) => n + (behind < n ? 1 : 0);
  return { items: items.toSpliced(behind, 0, item), keys, runItems: later(s.runItems), textItems: later(s.textItems) };
}

// approvals are the remembered ones after a decision: the latest about a tool counts.
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

// grow appends to the open text of that type, or opens one.
function grow(s, type, content) {
  const last = s.items.at(-1);
  if (last?.type !== type || !last.open) return { ...add(closed(s), { type, content, open: true }), restarted: false };
  return { items: [...s.items.slice(0, -1), { ...last, content: last.content + content }] };
}

// closed is s with no text open.
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

// earlier is the state with older messages: those of a snapshot before state.oldest.
export function earlier(state, d) {
  const open = openOf(d), pending = new Set(open.map((p) => p.toolCallId)); // they are at the end
  const older = itemsOf(d.messages, open).filter((item) => !pending.has(item.clarification?.toolCallId));
  return {
    ...state, items: [...older, ...state.items], runItems: state.runItems + older.length, textItems: state.textItems + older.length,
    hasMore: d.hasMore, oldest: d.messages[0]?.id ?? state.oldest,
  };
}

// openOf are a snapshot's open clarifications.
const openOf = (d) => (d.pending ?? []).filter((p) => typeof p?.clarificationId === "string");

function fromSnapshot(s, d) {
  const pending = openOf(d);
  let items = itemsOf(d.messages, pending);
  const shown = new Set(items.map((i) => i.clarification));
  for (const p of pending) if (!shown.has(p)) items.push(asked(p));
  let { hasMore = false } = d, oldest = d.messages[0]?.id ?? "";
  // Of a long chat it has the newest messages: older ones that are here stay.
  const first = items.findIndex((i) => i.type === "user");
  const known = hasMore && s.chatId === d.chatId && first >= 0 ? s.items.findIndex((i) => i.key === items[first].key) : -1;
  if (known > first) {
    items = [...s.items.slice(0, known), ...items.slice(first)];
    ({ hasMore, oldest } = s);
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
    clarifications: d.clarifications ?? s.clarifications, title: d.title ?? "", forkedFrom: d.forkedFrom ?? null, root: d.root ?? "", branches: d.branches ?? [], hasMore, oldest, runItems, textItems, keys: Math.max(s.keys, items.length),
  };
}

// unfinishedFrom is where the text of a step that ends with an item begins, with its reasoning; how
// many items there are where it has none.
function unfinishedFrom(items, last) {
  const { type } = items[last] ?? {};
  if (type !== "assistant" && type !== "thinking") return items.length;
  return type === "assistant" && items[last - 1]?.type === "thinking" ? last - 1 : last;
}

// thoughtOf is the key of what the model thought before it said a message.
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
    } catch { // one bad message must not cost the others
      items.push({ type: "damaged", key: `damaged-${m?.id ?? n}`, event: "snapshot" });
    }
    return items;
  });
}

// ofCall are the items of a call of a snapshot: what it asked, as events would have shown it,
// and the call itself where it asked nothing, a person decided about it last, or its result has more to show.
function ofCall(call, pending) {
  const all = call.clarifications ?? (call.clarification ? [call.clarification] : []);
  const own = settled(call, all.findLast((c) => c.approval));
  const items = all.filter((c) => !c.approval).map((c) => kept(c, pending, ofProgram(c) ? null : knownOf(own)));
  const last = all.at(-1);
  return last && !last.approval && !call.content ? items : [...items, own];
}

// kept is a clarification of a snapshot, open or closed.
function kept(c, pending, call) {
  const open = pending.find((p) => p.clarificationId === c.clarificationId);
  return { ...asked(open ?? c, call), ...(!open && { state: c.state, answer: c.answer, answeredAt: c.answeredAt, answeredBy: c.answeredBy }) };
}

// settled is a call of a snapshot, with its result if it has one, and what a person decided
// about it: as decided has it.
function settled(call, decision) {
  const { toolCallId, toolName, approval, result, error, content } = call;
  const own = {
    type: "tool", key: toolCallId, toolCallId, toolName, ...(approval && { approval }), ...called(call),
    ...(decision && !edits(decision) && { argumentsText: decision.argumentsText }), open: result === null,
  };
  if (error) return { ...own, error };
  return { ...own, ...(result !== null && { result }), ...(content && { content }) };
}
