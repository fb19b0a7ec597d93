// <askgate-clarifications>: the open questions of one step as the pages of one form.
//
//   clarifications ──> a card each, one of them in view ──> all of them, to be read again
//                         ^                                    │ askgate-answers
//                         └── error: to the page it is about <─┘
//
// Each card keeps its draft by its own id: a question that is answered elsewhere disappears, and the
// others do not change. The detail of the event is the "answers" of a POST.
import { html, nothing, repeat } from "../vendor/lit.js";
import { CardElement } from "./base.js";
import { tabsOf } from "./form.js";
import { reviewHead } from "./open.js";
import { recommends } from "./recommended.js";

const parts = "form, header, tabs, tab, current, tag, asker, progress, warning, question, title, context, link, hint, options, option, chosen, other, badge, input, choose, written, step, error, alert, actions, submit, undo, send, back, quiet, review, deadline, said, answer";

const questionsOf = (c) => c.questions ?? [c];

export class AskgateClarifications extends CardElement {
  static properties = {
    clarifications: { type: Array },
    _at: { state: true },
    _reviewing: { state: true },
    _sending: { state: true },
    _alert: { state: true },
  };

  #gone = new Set(); // ids of questions that were answered elsewhere, until clarifications is updated
  #sent = []; // ids of the questions sent last
  #focus = false; // the user moved forward or back
  #tabs = new Map(); // id -> the tabs of its questions that are asked, given the answers so far

  constructor() {
    super();
    this.clarifications = [];
    this._sending = this._reviewing = false;
    this._at = 0; // the card in view
    this._alert = "";
  }

  // focus focuses the first control of the current question.
  focus() {
    this.updateComplete.then(() => (this._reviewing ? this.renderRoot.querySelector("button.main") : this.#cards[this._at])?.focus());
  }

  get #open() { return this.clarifications?.filter((c) => !this.#gone.has(c.clarificationId)) ?? []; }
  get #cards() { return [...this.renderRoot.querySelectorAll("askgate-clarification")]; }
  get #locked() { return this.disabled || this._sending; }

  willUpdate(changed) {
    if (changed.has("clarifications")) this.#changed(changed.get("clarifications") ?? []);
  }

  // changed keeps the question in view, if it is still open.
  #changed(before) {
    const open = this.#open, ids = open.map((c) => c.clarificationId);
    const left = before.filter((c) => !this.#gone.has(c.clarificationId)), shown = left[this._at]?.clarificationId;
    if (!ids.some((id) => this.#sent.includes(id))) this._sending = false;
    if (!left.some((c) => ids.includes(c.clarificationId))) { // they are from another step
      this._reviewing = false;
      this._alert = "";
      this._at = 0;
    } else this._at = ids.includes(shown) ? ids.indexOf(shown) : Math.min(this._at, ids.length - 1);
    if (ids.length < 2) this._reviewing = false;
  }

  // count redraws if an answer changed the tabs.
  #count = () => {
    const tabs = new Map(this.#cards.filter((card) => card.clarification).map((card) => [card.clarification.clarificationId, card.inner.tabs]));
    if ([...tabs].every(([id, now]) => JSON.stringify(this.#tabs.get(id)) === JSON.stringify(now))) return;
    this.#tabs = tabs;
    this.requestUpdate();
  };

  updated(changed) {
    Promise.all(this.#cards.map((card) => card.updateComplete)).then(this.#count);
    if (changed.has("error") && this.error) this.#refused(this.error);
    this._shows(this._reviewing ? "review" : this.#open[this._at]?.clarificationId ?? "", this.#focus);
    if (!this.#focus) return;
    this.#focus = false;
    this.focus();
  }

  // refused passes a problem to the question that it is about.
  #refused(problem) {
    this._sending = false;
    const open = this.#open, cards = this.#cards;
    for (const card of cards) card.inner.sent(null);
    const faulty = (c) => problem.errors?.filter((e) => (e.clarificationId ?? c.clarificationId) === c.clarificationId) ?? [];
    const about = (c) => open.length === 1 || problem.clarificationId === c.clarificationId || faulty(c).length > 0;
    const over = ["already_answered", "clarification_closed"].includes(problem.code) && open.length > 1;
    if (over || !open.some(about)) {
      if (over) this.#drop(problem.clarificationId);
      this._alert = this._text(over ? "card.one_elsewhere" : problem.status === 0 ? "card.not_sent" : "card.failed");
      if (!over && problem.status > 0 && problem.detail) this._alert = problem.detail;
      return;
    }
    open.forEach((c, i) => {
      if (about(c)) cards[i].error = problem.errors ? { ...problem, errors: faulty(c) } : problem;
    });
    this.#turn(open.findIndex(about));
  }

  // drop removes a question that was answered elsewhere.
  #drop(id) {
    const before = this.#open;
    this.#gone.add(id);
    this.#changed(before);
    this.requestUpdate();
  }

  #turn(at) {
    this._reviewing = at >= this.#open.length;
    if (!this._reviewing) this._at = Math.max(0, at);
    this.#focus = true;
    this.requestUpdate();
  }

  // ---- user actions ----

  // turned is called by a card when the user leaves it by a step (1 or -1), or goes to it (0).
  #turned(card, by) {
    const at = this.#cards.indexOf(card) + by;
    if (by === 0 && at === this._at && !this._reviewing || at < 0) return;
    this._alert = "";
    this.#turn(at);
    if (by !== 0 && !this._reviewing) this.updateComplete.then(() => this.#cards[at]?.inner.go(by < 0 ? -1 : 0));
  }

  #openTab({ id, step }) {
    this.#cards[this.#open.findIndex((c) => c.clarificationId === id)].inner.go(step);
  }

  #recommend = () => {
    if (this.#locked) return;
    for (const card of this.#cards) card.inner.recommend();
    this.#turn(this.#open.length);
  };

  async #send(event) {
    event.preventDefault();
    if (this.#locked) return;
    const answers = [];
    for (const [i, card] of this.#cards.entries()) {
      const answer = await card.inner.answer();
      if (!answer) return this.#turn(i);
      answers.push(answer);
    }
    if (!this.#locked) this.#hand(answers);
  }

  #decline() {
    if (!this.#locked) this.#hand(this.#open.map(({ toolCallId, clarificationId }) => ({ toolCallId, clarificationId, declined: true })));
  }

  // hand emits the answers, once.
  #hand(answers) {
    this.#cards.forEach((card, i) => card.inner.sent(answers[i]));
    this.#sent = answers.map((a) => a.clarificationId);
    this._alert = "";
    this.error = null;
    this._sending = true;
    const taken = this.dispatchEvent(new CustomEvent("askgate-answers", { detail: answers, bubbles: true, composed: true, cancelable: true }));
    if (!taken) this._sending = false;
  }

  // ---- drawing ----

  render() {
    const open = this.#open;
    if (!open.length) return nothing;
    const alone = open.length === 1, all = open.flatMap(questionsOf);
    const tabs = open.map((c) => this.#tabs.get(c.clarificationId) ?? tabsOf(questionsOf(c), questionsOf(c), [], ""));
    const frame = {
      count: tabs.flat().length, tabs: tabs.flatMap((list, i) => list.map((tab) => ({ ...tab, id: open[i].clarificationId }))), reviewing: this._reviewing,
      turn: (card, by) => this.#turned(card, by), open: (tab) => this.#openTab(tab), recommend: recommends(all) ? this.#recommend : null,
    };
    let before = 0;
    return html`<section class="${alone ? "" : "card pages"} ${this._early ? "early" : ""}" part=${alone ? "" : "card"} role="region" aria-label="${this._text("card.labels")}: ${all[0].question.slice(0, 100)}" aria-busy=${this._sending} @askgate-draft=${this.#count}>
      ${this._reviewing ? html`<div class="head content" part="review">${reviewHead(this._text)}</div>` : nothing}
      ${repeat(open, (c) => c.clarificationId, (c, i) => {
        const framed = alone ? null : { ...frame, before };
        before += tabs[i].length;
        return html`<askgate-clarification theme="inherit" exportparts=${parts} ?hidden=${!alone && !this._reviewing && i !== this._at}
          .frame=${framed} .clarification=${c} .state=${this._sending ? "sending" : "pending"} .locale=${this._locale} .messages=${this.messages} .disabled=${this.disabled} .instant=${this.instant} .undoTime=${this.undoTime}
          .uploadFile=${this.uploadFile} .searchOptions=${this.searchOptions && ((query, options) => this.searchOptions(c.clarificationId, query, options))}></askgate-clarification>`;
      })}
      ${this._alert ? html`<p class="alert" part="alert" role="alert" dir="auto">${this._alert}</p>` : nothing}
      ${this._reviewing ? this.#actions() : nothing}
    </section>`;
  }

  #actions() {
    return html`<form part="form" novalidate @submit=${this.#send}><footer class="actions" part="actions">
      <div class="aside"><button type="button" class="quiet" part="quiet" @click=${this.#decline}>${this._text("card.decline_all")}</button></div>
      <div class="onward">
        <button type="button" class="plain" part="back" @click=${() => !this.#locked && this.#cards.at(-1).inner.go(-1)}>${this._text("card.back")}</button>
        <button type="submit" class="main" part="submit" aria-disabled=${this.#locked}>${this._sending ? html`<span class="spinner" aria-hidden="true"></span>` : nothing}${this._text(this._sending ? "card.sending" : "card.send_all")}</button>
      </div>
    </footer></form>`;
  }
}
