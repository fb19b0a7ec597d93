// A question without markup: what is chosen and typed, what is wrong with it, and the answer that it
// makes, by the rules of the card. For frontends that draw questions themselves; it needs no document.
// See docs/frameworks.md.
import { answerOf, askedBy, besides, detailOf, faultsBesides, newDraft, picked, wholeAnswer } from "./card/draft.js";
import { faultText, fixes } from "./card/faults.js";
import { matchesInWorker } from "./card/match.js";
import { optionsOf } from "./card/options.js";
import { english, fill } from "./card/texts.js";
import { choosable, many } from "./card/types.js";
import { check } from "./card/validate.js";
import * as written from "./card/written.js";

export class QuestionForm {
  #clarification;
  #questions;
  #locale;
  #messages;
  #drafts;
  #errors = [];
  #state = null; // made when asked for
  #listeners = new Set();

  // clarification is the data of an event "clarification". locale is the language in which numbers
  // are typed, and messages are texts by id, as loadMessages returns them: English by default.
  constructor(clarification, { locale = "en", messages = {} } = {}) {
    this.#clarification = clarification;
    this.#questions = clarification.questions ?? [clarification];
    this.#locale = locale;
    this.#messages = messages;
    this.#drafts = this.#questions.map((part) => newDraft(part, locale));
  }

  // get returns {clarification, fields, errors}: the same object until something changes. A field has
  // question, asked, text, other, note, closed, options with chosen, and errors.
  get = () => {
    const asked = askedBy(this.#questions, this.#drafts, this.#locale);
    this.#state ??= Object.freeze({
      clarification: this.#clarification, errors: this.#errors,
      fields: this.#questions.map((question, i) => {
        const draft = this.#drafts[i];
        return {
          question, asked: asked[i], text: draft.input, other: draft.other, note: draft.note, closed: draft.closing,
          options: this.#optionsOf(question, draft).map((option) => ({ ...option, chosen: draft.choices.includes(option.value) && !(draft.useOther && question.input_type !== "multiselect") })),
          errors: this.#errors.filter((error) => error.question === i),
        };
      }),
    });
    return this.#state;
  };

  // subscribe calls listener after each change, until the returned function is called.
  subscribe = (listener) => {
    const own = () => listener();
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  };

  // choose chooses an option, of those of the question or one that a search has found. In a
  // multiselect or a rank, whose order is that of choosing, it no longer chooses one that is chosen. A yes to an approval is for this call; with
  // always, it is for all later calls of the tool in this chat, if the approval offers that (remember).
  choose = (value, { question = 0, always = false } = {}) => {
    const part = this.#questions[question], draft = this.#drafts[question];
    const option = typeof value === "object" ? value : this.#optionsOf(part, draft).find((o) => o.value === value);
    if (!option) throw new RangeError(`the question has no option ${JSON.stringify(value)}`);
    const on = !many(part) || !draft.choices.includes(option.value);
    this.#change(question, { ...picked(part, draft, option, on), responding: false, ...(this.#clarification.remember && { once: !always }) });
  };

  // write sets the text of a question: its answer (a number as it is typed, a date as YYYY-MM-DD, a time with its offset, the
  // id of an uploaded file), its own answer next to options (other), or its note.
  write = (text, { question = 0, to = "text" } = {}) => {
    const part = this.#questions[question], several = many(part);
    const draft = this.#drafts[question];
    this.#change(question, {
      text: { input: text }, other: { other: text, useOther: choosable(part) && (text !== "" || draft.useOther && !several) }, note: { note: text, noting: text !== "" },
    }[to]);
  };

  // skip and decline close a question without an answer. Its draft stays.
  skip = ({ question = 0 } = {}) => this.#change(question, { closing: "skipped" });
  decline = ({ question = 0 } = {}) => this.#change(question, { closing: "declined" });

  // editArguments sets the JSON text that replaces the arguments of an approval, if it is editable.
  editArguments = (json) => this.#change(0, { args: json, editing: true });

  // respond sets the text that is sent as the result of an approval's call, in its place, if the approval
  // takes one. Choosing an option instead drops it.
  respond = (result) => {
    if (!this.#clarification.respond) throw new RangeError("the approval takes no result");
    this.#change(0, { choices: ["no"], responding: true, result });
  };

  // submit resolves with what answer sends, or with null if something is invalid, which errors then
  // has. Patterns are matched in a worker.
  submit = async () => {
    const drafts = this.#drafts, patterns = [];
    let errors = this.#check(drafts, (rule, text) => patterns.push({ rule, text }));
    if (errors.length === 0) {
      await Promise.all(patterns.map(async (one) => { one.fits = await matchesInWorker(one.rule, one.text); }));
      errors = this.#check(drafts, (rule, text) => patterns.find((one) => one.rule.pattern === rule.pattern && one.text === text)?.fits !== false);
    }
    if (drafts === this.#drafts) this.#show(errors);
    if (errors.length) return null;
    return detailOf(this.#clarification, { ...wholeAnswer(this.#parts(drafts), drafts, this.#locale), ...besides(this.#clarification, drafts[0]) });
  };

  // refuse shows the errors of a Problem with which the gateway refused the answer (422).
  refuse = (problem) => this.#show((problem.errors ?? []).map((error) => ({ ...error, question: error.question ?? 0 })));

  // actions are the functions that a framework passes on.
  get actions() {
    const { choose, write, skip, decline, editArguments, respond, submit, refuse } = this;
    return { choose, write, skip, decline, editArguments, respond, submit, refuse };
  }

  #check(drafts, fits) {
    const asked = askedBy(this.#questions, drafts, this.#locale);
    const errors = this.#parts(drafts).flatMap((part, i) => asked[i]
      ? check([part], answerOf(part, drafts[i], this.#locale), this.#clarification.maxAnswer ?? Infinity, fits).errors.map((error) => ({ ...error, question: i })) : []);
    errors.push(...faultsBesides(this.#clarification, drafts[0]).map((error) => ({ ...error, question: 0 })));
    return errors;
  }

  #show(errors) {
    const day = (iso) => written.day(iso, this.#locale);
    this.#errors = errors.map((error) => ({ ...error, message: error.message ?? faultText(this.#questions[error.question], error, this.#text, day) }));
    this.#changed();
  }

  #text = (id, values) => fill(this.#messages[id] ?? english[id] ?? id, values);

  #optionsOf(part, draft) {
    const own = optionsOf(part, this.#clarification.kind, this.#text);
    return [...own, ...draft.found.filter((found) => !own.some((option) => option.value === found.value))];
  }

  // parts returns the questions, with the options that a search has found.
  #parts = (drafts) => this.#questions.map((part, i) => (part.options ? { ...part, options: this.#optionsOf(part, drafts[i]) } : part));

  #change(question, patch) {
    this.#drafts = this.#drafts.with(question, { ...this.#drafts[question], closing: "", ...patch });
    const fixed = fixes(patch, this.#clarification.editable);
    this.#errors = this.#errors.filter((error) => error.question !== question || !patch.closing && !fixed.includes(error.field));
    this.#changed();
  }

  #changed() {
    this.#state = null;
    for (const listener of [...this.#listeners]) listener();
  }
}
