// Going through a form: which questions go on to the next by themselves, and the tabs above them.
import { answerOf } from "./draft.js";
import { html, nothing } from "../vendor/lit.js";
import { instantly } from "./instant.js";

// Onward knows which questions of a clarification the user has answered and left. One of them that the user
// goes back to does not go on by itself.
export class Onward {
  #left = new Set();
  #done;

  // begin takes over a draft. done(step) reports whether a question has an answer.
  begin(done, kept) {
    this.#done = done;
    this.#left = new Set([...kept?.drafts.keys() ?? []].filter(done));
  }

  // leave notes that the user leaves a question.
  leave(step) {
    if (this.#done(step)) this.#left.add(step);
  }

  // goes reports whether a choice goes on to the next question: one click would answer it if it were alone.
  goes(clarification, step, part, draft) { return Boolean(part) && !this.#left.has(step) && instantly(clarification, part, draft); }
}

// answered reports whether a draft has an answer, or is skipped or declined.
export function answered(part, draft, locale) {
  const { note, ...answer } = answerOf(part, draft, locale);
  return Object.keys(answer).length > 0;
}

// tabsOf returns the tabs of the questions that are asked: {step, header, question, done}.
export const tabsOf = (questions, asked, drafts, locale) => questions.map((part, step) => ({ step, header: part.header ?? "", question: part.question, done: Boolean(drafts[step]) && answered(part, drafts[step], locale) }))
  .filter(({ step }) => asked[step]);

// tabsView draws the tabs. at is the index of the current one; open goes to a tab.
export const tabsView = ({ tabs, at, text, open }) => html`<nav class="tabs" part="tabs" aria-label=${text("card.labels")}><ol>${tabs.map((tab, i) => html`<li>
  <button type="button" class="tab" part="tab ${i === at ? "current" : ""}" dir="auto" aria-current=${i === at ? "step" : nothing} title=${tab.question}
    @click=${() => i === at || open(tab)}>${tab.done ? html`<span class="tick" aria-hidden="true"></span>` : nothing}<span>${tab.header || i + 1}</span><span class="unseen">: ${tab.question}${tab.done ? `, ${text("card.step_done")}` : ""}</span></button></li>`)}</ol></nav>`;
