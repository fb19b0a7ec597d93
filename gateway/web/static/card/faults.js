// Error texts for answers, and which changes clear them, without markup.
import { choosable } from "./types.js";
import { english } from "./texts.js";

// faultText returns the text for one question. day formats an ISO date or time.
export function faultText(part, { code, params = {} }, text, day) {
  const choice = code === "required" && choosable(part);
  const id = `card.error_${choice ? "choose" : code === "required" && part.input_type === "rank" ? "rank_required" : code === "note_too_long" ? "too_long" : code}`;
  const shown = Object.fromEntries(Object.entries(params).map(([k, v]) => [k, /^date(time)?_/.test(code) ? day(v) : v]));
  return text(id in english ? id : "card.error_type", shown);
}

const fixedBy = { input: ["value"], choices: ["value", "values"], other: ["other", "value", "values"], useOther: ["value", "values"], note: ["note"], args: ["arguments"], editing: ["arguments"], result: ["result"], responding: ["result"] };

const typed = ["other", "note", "arguments", "result"];

// placeOf returns the field that shows an error, and targetOf the id of what an error puts the focus on.
export const placeOf = (field) => (["value", "values", ...typed].includes(field) ? field : "value");
export const targetOf = ({ field, code }) => (typed.includes(field) ? field : code === "unread" ? "call" : "first");

// fixes returns the fields whose errors a change of the draft may have fixed.
export const fixes = (patch, editable) => Object.keys(patch).flatMap((key) => [...fixedBy[key] ?? [], ...(editable && key === "choices" ? ["arguments"] : [])]);
