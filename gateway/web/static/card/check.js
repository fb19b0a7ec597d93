// What is wrong with an answer before it is sent.
import { held } from "./call.js";
import { answerOf, faultsBesides } from "./draft.js";
import { check } from "./validate.js";

// faultsOf returns what is wrong with the draft of one question. fits matches patterns: see validate.js.
export function faultsOf(clarification, part, draft, { locale, read, fits }) {
  const { errors } = check([part], answerOf(part, draft, locale), clarification.maxAnswer ?? Infinity, fits);
  if (draft.unreadable && !draft.closing) errors.unshift({ field: "value", code: "type_date" });
  errors.push(...faultsBesides(clarification, draft));
  if (!read && held(clarification, draft.choices[0]) && !draft.closing) errors.push({ field: "value", code: "unread" });
  return errors;
}
