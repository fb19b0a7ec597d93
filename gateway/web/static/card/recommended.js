// What the asker recommends: one click fills it in wherever there is no answer yet, to be read
// before it is sent. Nothing of it is chosen before that.
import { answerOf, choosable } from "./draft.js";
import { check } from "./validate.js";

const marked = (part) => part.options?.filter((o) => o.recommended).map((o) => o.value) ?? [];

// recommends says whether each question has a recommended answer that would be accepted.
export const recommends = (questions) => questions.every((part) => {
  const values = choosable(part) ? marked(part) : [];
  if (!values.length) return false;
  const answer = part.input_type === "multiselect" ? { values } : { value: part.input_type === "confirm" ? values[0] === "yes" : values[0] };
  return check([part], answer, Infinity).errors.length === 0;
});

// recommended are the drafts with it.
export const recommended = (questions, drafts, locale) => questions.map((part, i) => {
  const { note, ...answer } = answerOf(part, drafts[i], locale);
  return Object.keys(answer).length ? drafts[i] : { ...drafts[i], choices: marked(part), useOther: false };
});
