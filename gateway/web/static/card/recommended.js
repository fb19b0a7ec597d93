// Recommended answers: one click fills them in for all unanswered questions, to be reviewed before
// they are sent. None is chosen before that click.
import { answerOf } from "./draft.js";
import { choosable } from "./types.js";
import { check } from "./validate.js";

const marked = (part) => part.options?.filter((o) => o.recommended).map((o) => o.value) ?? [];

// recommends reports whether each question has a recommended answer that would be accepted.
export const recommends = (questions) => questions.every((part) => {
  const values = choosable(part) ? marked(part) : [];
  if (!values.length) return false;
  const answer = part.input_type === "multiselect" ? { values } : { value: part.input_type === "confirm" ? values[0] === "yes" : values[0] };
  return check([part], answer, Infinity).errors.length === 0;
});

// recommended returns the drafts with the recommended answers filled in.
export const recommended = (questions, drafts, locale) => questions.map((part, i) => {
  const { note, ...answer } = answerOf(part, drafts[i], locale);
  return Object.keys(answer).length ? drafts[i] : { ...drafts[i], choices: marked(part), useOther: false };
});
