// What the user has typed and chosen so far, and how it becomes an answer.
import { readNumber, typedNumber } from "./number.js";
import { choosable, many, placed } from "./types.js";
import { blank, check, count } from "./validate.js";
import { applies } from "./when.js";

const empty = { again: false, input: "", file: "", given: "", choices: [], found: [], other: "", useOther: false, note: "", noting: false, once: false, closing: "", editing: false, args: "", responding: false, result: "" };

export const longestResult = 32_000; // code points

// newDraft returns the draft of one question. The default is filled in as if typed or chosen, and
// counts only once it is sent; given is its text. file is the name of the file whose id is the input.
// found has the chosen options that came from a search. closing is "skipped" or "declined" if the
// question is closed without an answer; typed text is kept. editing means that args, a JSON text,
// replaces the arguments of an approval's call; responding, that result is sent in place of the call.
export function newDraft(part, locale) {
  const value = part.default;
  if (value === undefined) return empty;
  if (part.input_type === "confirm") return { ...empty, choices: [value === true || value === "yes" ? "yes" : "no"] };
  if (choosable(part) || placed(part)) return { ...empty, choices: [value].flat().map(String) };
  const input = typeof value === "number" && !Number.isInteger(value) ? typedNumber(value, locale) : String(value);
  return { ...empty, input, given: input };
}

// draftFrom returns the draft that an answer was sent from, {} for none. A skipped or declined
// question is open again, and a secret is unknown.
export function draftFrom(part, answer, locale) {
  if (!answer || typeof answer !== "object" || answer.skipped || answer.declined || part.secret) return {};
  const { value, values, other = "", note = "", options } = answer;
  const draft = { other, useOther: choosable(part) && other !== "", note, noting: note !== "" };
  if (part.input_type === "confirm" && value !== undefined) return { ...draft, choices: [value === true || value === "yes" ? "yes" : "no"] };
  if (choosable(part) || placed(part)) return { ...draft, choices: values ?? (value === undefined ? [] : [String(value)]), ...(options && { found: options }) };
  if (value === undefined) return draft;
  return { ...draft, input: typeof value === "number" && !Number.isInteger(value) ? typedNumber(value, locale) : String(value) };
}

// picked returns the change of a draft that chooses an option (on) or no longer does. A multiselect and a
// rank keep the other choices; a rank is in the order of choosing.
export function picked(part, draft, option, on) {
  const several = many(part);
  const without = (list, valueOf) => (several ? list.filter((x) => valueOf(x) !== option.value) : []);
  return {
    choices: [...without(draft.choices, (v) => v), ...(on ? [option.value] : [])], ...(!several && { useOther: false }),
    ...(part.searchable && { found: [...without(draft.found, (f) => f.value), ...(on ? [option] : [])] }),
  };
}

// answerOf returns the answer to one question in a draft, {} for none. A number that cannot be parsed
// is sent as typed, so that validation refuses it.
export function answerOf(part, draft, language) {
  const note = blank(draft.note) ? {} : { note: draft.note };
  if (draft.closing) return { [draft.closing]: true, ...note };
  const answer = {};
  const [choice] = draft.choices;
  switch (part.input_type) {
    case "multiselect":
      if (draft.choices.length) answer.values = part.options.map((o) => o.value).filter((v) => draft.choices.includes(v));
      break;
    case "select":
      if (choice !== undefined && !draft.useOther) answer.value = choice;
      break;
    case "confirm":
      if (choice !== undefined && !draft.useOther) answer.value = choice === "yes";
      break;
    case "scale":
      if (choice !== undefined) answer.value = Number(choice);
      break;
    case "rank":
      if (draft.choices.length) answer.values = draft.choices;
      break;
    case "number":
      if (draft.input.trim()) answer.value = numberOf(draft.input, language);
      break;
    default:
      if (draft.input !== "") answer.value = draft.input;
  }
  if (part.allow_other && !blank(draft.other) && (draft.useOther || !choosable(part))) answer.other = draft.other;
  return { ...answer, ...note, ...(draft.again && part.kept === "unasked" && { dontAskAgain: true }) };
}

// numberOf returns a JSON number, or its digits as a string if a JavaScript number cannot represent
// them.
function numberOf(typed, language) {
  const literal = readNumber(typed, language);
  if (literal === null) return typed;
  const n = Number(literal);
  return String(n) === literal ? n : literal;
}

// askedBy returns which questions are asked, given the drafts so far.
export function askedBy(questions, drafts, language) {
  if (!questions.some((q) => q.when)) return questions.map(() => true);
  return applies(questions, questions.map((q, i) => check([q], answerOf(q, drafts[i], language), Infinity, () => true).answer));
}

// wholeAnswer returns the answer to all questions of a clarification. Text typed for a question that
// is not asked stays in its draft.
export function wholeAnswer(questions, drafts, language) {
  const asked = askedBy(questions, drafts, language);
  const answers = questions.map((q, i) => asked[i] ? answerOf(q, drafts[i], language) : { skipped: true });
  if (answers.length === 1) return answers[0];
  for (const closing of ["skipped", "declined"]) {
    if (answers.every((a, i) => !asked[i] || a[closing] && !a.note)) return { [closing]: true };
  }
  return { answers };
}

// changedArguments returns the text of the arguments that go with a yes to an approval: undefined if
// unchanged, null if the text is not a JSON object. It stays text: parsing could change its numbers.
export function changedArguments({ editable, argumentsText, arguments: own }, draft) {
  if (!editable || !draft.editing || draft.closing || draft.choices[0] !== "yes") return undefined;
  let args = null;
  try {
    args = JSON.parse(draft.args);
  } catch { /* not JSON */ }
  if (args === null || typeof args !== "object" || Array.isArray(args)) return null;
  return tight(draft.args) === tight(argumentsText ?? JSON.stringify(own)) ? undefined : draft.args.trim();
}

// responds reports whether a no to an approval goes with a result in place of the call.
const responds = ({ respond }, { responding, choices, closing }) => respond === true && responding && !closing && choices[0] === "no";

// besides returns what goes with the decision about an approval: changed arguments, that a yes is for this
// call only, and a result in place of the call.
export function besides(clarification, draft) {
  const args = changedArguments(clarification, draft);
  const once = clarification.remember && draft.once && draft.choices[0] === "yes" && !draft.closing;
  return { ...(args && { arguments: args }), ...(once && { once }), ...(responds(clarification, draft) && { result: draft.result }) };
}

// faultsBesides returns what is wrong with that.
export function faultsBesides(clarification, draft) {
  if (changedArguments(clarification, draft) === null) return [{ field: "arguments", code: "json" }];
  if (!responds(clarification, draft)) return [];
  if (blank(draft.result)) return [{ field: "result", code: "blank" }];
  const length = count(draft.result);
  return length > longestResult ? [{ field: "result", code: "too_long", params: { length, count: longestResult } }] : [];
}

// tight returns a JSON text without white space between its values.
const tight = (json) => json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");

// detailOf returns an answer with the ids of what it answers.
export const detailOf = ({ toolCallId, clarificationId, digest }, answer) => ({ ...(toolCallId && { toolCallId }), ...(clarificationId && { clarificationId }), ...(digest && { digest }), ...answer });

// typedIn returns the texts that the user wrote, to show them if they could not be sent.
export const typedIn = (drafts) => drafts.flatMap((d) => [d.file || (d.input === d.given ? "" : d.input), d.other, d.note, d.editing ? d.args : "", d.responding ? d.result : ""]).filter((s) => !blank(s));

// sharedDraft returns a draft for the user's other devices. rev counts the changes, so that the newer
// of two drafts is known without a clock.
export const sharedDraft = (step, drafts, rev) => ({ card: 1, rev, step, drafts: [...drafts] });

// receivedDraft returns the valid parts of another device's draft, null if it is not a card's.
export function receivedDraft(kept) {
  if (kept?.card !== 1 || !Array.isArray(kept.drafts)) return null;
  const whole = (n) => (Number.isSafeInteger(n) && n > 0 ? n : 0);
  const like = (value, model) => typeof value === typeof model && Array.isArray(value) === Array.isArray(model);
  const drafts = kept.drafts.map((draft) => {
    const known = Object.fromEntries(Object.keys(empty).filter((key) => like(draft?.[key], empty[key])).map((key) => [key, draft[key]]));
    if (known.choices) known.choices = known.choices.filter((v) => typeof v === "string");
    if (known.found) known.found = known.found.filter((o) => typeof o?.value === "string" && typeof o.label === "string");
    return known;
  });
  return { rev: whole(kept.rev), step: whole(kept.step), drafts };
}

// Drafts are kept in sessionStorage by clarification, so that a reload loses nothing. Without
// storage, they are kept in memory.
const prefix = "askgate:draft:";
const memory = new Map();

export function loadDraft(id) {
  try {
    return JSON.parse(sessionStorage.getItem(prefix + id)) ?? memory.get(id) ?? null;
  } catch {
    return memory.get(id) ?? null;
  }
}

export function saveDraft(id, draft) {
  try {
    sessionStorage.setItem(prefix + id, JSON.stringify(draft));
  } catch {
    memory.set(id, draft);
  }
}

export function dropDraft(id) {
  memory.delete(id);
  try {
    sessionStorage.removeItem(prefix + id);
  } catch { /* there was none */ }
}
