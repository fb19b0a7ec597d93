// <askgate-clarification>: draws a clarification and collects the answer.
//
//   clarification ──> steps of one question each ──> review ──> askgate-answer
//                        │ drafts in sessionStorage                 │
//                        └── error (422: back to the field) <───────┤
//   state, answer  <── clarification.resolved, or error (409, 410) ─┘
//
// It sends nothing itself: the event's detail is the "answer" of a POST.
import { html, nothing } from "../vendor/lit.js";
import { nameOf } from "./asker.js";
import { CardElement } from "./base.js";
import { faultsOf } from "./check.js";
import { closedView, outcomeOf } from "./closed.js";
import { answerOf, askedBy, besides, detailOf, dropDraft, loadDraft, newDraft, receivedDraft, saveDraft, sharedDraft, typedIn, wholeAnswer } from "./draft.js";
import { faultText, fixes, placeOf, targetOf } from "./faults.js";
import { answered, Onward, tabsOf } from "./form.js";
import { found, grow } from "./fields.js";
import { Uploads } from "./file.js";
import { Instant, instantly } from "./instant.js";
import { firstIn, onKey } from "./keys.js";
import { matchesInWorker } from "./match.js";
import { decides, handedView, openView } from "./open.js";
import { optionsOf } from "./options.js";
import { counts, hasAllowed, latest, remaining, amended } from "./quorum.js";
import { recommended, recommends } from "./recommended.js";
import { Search, withFound, withoutGone } from "./search.js";
import { Reading, Shown } from "./seen.js";
import { check } from "./validate.js";

const final = ["answered", "skipped", "declined", "expired", "superseded", "cancelled", "remembered"];

export class AskgateClarification extends CardElement {
  static properties = {
    clarification: { type: Object },
    state: { reflect: true },
    answer: { type: Object },
    answeredAt: { attribute: "answered-at" },
    answeredBy: { attribute: "answered-by" },
    subject: {}, // of the user
    fileUrl: { attribute: false },
    frame: { attribute: false }, // the card is a page of a form: see several.js
    _step: { state: true }, _sending: { state: true }, _over: { state: true }, _errors: { state: true },
    _alert: { state: true }, _search: { state: true }, _read: { state: true }, _allowed: { state: true },
  };

  #drafts = [];
  #fresh = {}; // by question: the current options after one no longer existed, {options, optionsTotal}
  #remote = new Search(() => this.#announce());
  #once = new Instant({ // one-click answers
    draft: () => this.#drafts[0], may: () => this.#instant, change: (patch, focus) => this.#change(patch, focus), focused: () => this.shadowRoot?.activeElement?.id ?? "", stay: () => { this.#focus = "first"; }, draw: () => this.requestUpdate(), time: () => this.undoTime,
    answer: () => ({ answer: this.#whole(), label: this.#optionsOf(this.#questions[0]).find((o) => o.value === this.#drafts[0].choices[0])?.label ?? "" }),
    news: (id, values) => this.#say(this._text(id, values)), send: ({ answer, of }) => this.#sendChosen(answer, of), of: () => this.clarification,
  });
  #onward = new Onward();
  #late = false; // something was chosen here when the question was closed
  #uploads = new Uploads((news) => this.#say(news));
  #sent = null; // the answer last sent out
  #rev = 0; // of the draft
  #focus = ""; // id of the element to focus after drawing
  #news = ""; // announced by the live region
  #reading = new Reading(() => { this._read = true; }); // of details to their end, which allowing requires; arguments.js does it for a call
  #seen = new Shown(() => this.#tell("askgate-seen", { clarificationId: this.#id }));

  constructor() {
    super();
    this.clarification = this.answer = this.fileUrl = this.frame = null;
    this.state = "pending";
    this.answeredAt = this.answeredBy = this.subject = "";
    this.#reset();
  }

  disconnectedCallback() {
    queueMicrotask(() => this.isConnected || this.#once.flush()); // it may only have moved
    super.disconnectedCallback();
    this.#reading.watch([]);
    this.#seen.watch("");
    this.#remote.stop();
  }

  // focus focuses the first control of the current question.
  focus() { this.updateComplete.then(() => this.#first()?.focus()); }

  // The questions with all known options.
  get #questions() { return withFound(this.clarification, this.#fresh, this.#drafts); }
  // Which of them are asked, given the answers so far.
  get #asked() { return askedBy(this.#questions, this.#drafts, this._locale); }
  get #alone() { return this.#asked.filter(Boolean).length === 1; }
  get #id() { return this.clarification?.clarificationId ?? ""; }
  // The current state: from the response to our answer, otherwise as the page set it.
  get #state() { return this._over?.state ?? (this._sending && !final.includes(this.state) ? "sending" : this.state); }
  get #closed() { return final.includes(this.#state); }
  get #locked() { return this.disabled || this.#state === "sending"; }
  // Whether one click answers, in the current state.
  get #instant() { return this.instant && !this.#closed && !this.frame && this.#questions.length === 1 && instantly(this.clarification, this.#questions[0], this.#drafts[0]); }
  // Whether a choice goes on to the next question of the form.
  get #goesOn() { return this.instant && !this.#closed && (this.frame || this.#questions.length > 1) && this.#onward.goes(this.clarification, this._step, this.#questions[this._step], this.#drafts[this._step]); }
  get #tabs() { return tabsOf(this.#questions, this.#asked, this.#drafts, this._locale); }
  // Whether someone other than the user has to decide.
  get #handed() { return this.clarification.mayAnswer === false; }

  #reset() {
    this.#late = false;
    this.#drafts = [];
    this.#fresh = {};
    this.#remote.stop();
    this.#uploads.stopAll();
    this.#sent = null;
    this._sending = this._allowed = false; // allowed: the user did, and others must as well
    this._over = null; // how the clarification ended, if our answer was too late
    this._step = 0;
    this._errors = [];
    this._alert = this._search = "";
    this._read = !this.clarification?.details && (this.clarification?.kind !== "approval" || !this.clarification.toolName);
  }

  willUpdate(changed) {
    const before = changed.get("clarification");
    if (changed.has("clarification") && (!this.#id || before?.clarificationId !== this.#id)) {
      this.#once.flush();
      this.#begin();
    } else if (before) this.#decided(before);
    if (changed.has("error") && this.error) this.#refused(this.error);
    if (this.#closed && (changed.has("state") || changed.has("_over"))) this.#settle();
  }

  #begin() {
    this.#reset();
    if (!this.clarification) return;
    const here = this.#id ? loadDraft(this.#id) : null, elsewhere = receivedDraft(this.clarification.draft);
    const kept = (elsewhere?.rev ?? 0) > (here?.rev ?? 0) ? elsewhere : here;
    this.#rev = kept?.rev ?? 0;
    this.#drafts = this.#questions.map((part, i) => ({ ...newDraft(part, this._locale), ...kept?.drafts[i] }));
    this.#onward.begin((i) => answered(this.#questions[i], this.#drafts[i], this._locale), kept);
    this._step = Math.min(kept?.step ?? 0, this.#questions.length - (this.frame ? 1 : 0));
    if (this.#asked[this._step] === false) this._step = 0;
    this.#sent = kept?.sent ?? null;
  }

  // decided shows what people have decided since. If the user has allowed the call (mine), others must as well:
  // the card opens again.
  #decided(before, mine = counts(this.#sent, before, this.clarification, this.subject)) {
    if (!mine) return void (this.#news = latest(before, this.clarification, this._text, this._time) || this.#news);
    dropDraft(this.#id);
    this.#reset();
    this.#drafts = this.#questions.map((part) => newDraft(part, this._locale));
    this._allowed = true;
    this.#news = this._text("card.you_allowed", { count: remaining(this.clarification) });
    if (this.shadowRoot?.activeElement) this.#focus = "title"; // the button that was pressed is gone
  }

  // refused handles a problem: field errors, another answer that came first, or a message.
  #refused(problem) {
    this._sending = false;
    this.#sent = null;
    if (problem.code === "already_answered" || problem.code === "clarification_closed") {
      this._over = { state: problem.outcome ?? problem.state ?? "cancelled", answer: problem.answer ?? null };
      return;
    }
    if (problem.code === "already_decided") {
      this.clarification = amended(this.clarification, problem.clarification ?? {});
      return this.#decided(this.clarification, true);
    }
    if (problem.code === "stale_option") this.#stale(problem);
    this.#save();
    if (problem.code === "invalid_answer" && problem.errors?.length) this.#showErrors(problem.errors);
    else {
      this._alert = problem.status === 0 ? this._text("card.not_sent") : problem.detail || this._text("card.failed");
      this.#news = this._alert;
    }
  }

  // stale sets the current options and deselects those that no longer exist.
  #stale({ question = 0, options = [], optionsTotal = options.length, gone = [] }) {
    const draft = this.#drafts[question];
    if (!draft) return;
    this.#fresh[question] = { options, optionsTotal, searchable: optionsTotal > options.length };
    this.#drafts[question] = withoutGone(draft, gone);
    this._step = question;
    this._search = "";
    this.#remote.stop();
    this.#focus = "first";
    this._shows(""); // they are new
  }

  // settle folds the card. If the answer was accepted, the draft is no longer needed.
  #settle() {
    this.#late = this.#once.end() !== null;
    this.#uploads.stopAll();
    if (this.#sent) {
      dropDraft(this.#id);
      this.#drafts = [];
    }
    this.#news = [this.#overtaken, this.#outcome].filter(Boolean).join(" ");
    if (this.shadowRoot?.activeElement) this.#focus = "focus";
  }

  #save() {
    if (this.#id) saveDraft(this.#id, { rev: this.#rev, step: this._step, drafts: this.#drafts, sent: this.#sent });
  }

  updated() {
    for (const area of this.renderRoot.querySelectorAll("textarea")) grow(area);
    this.#reading.watch(this._read ? [] : [...this.renderRoot.querySelectorAll("#end")]);
    this.#watchSeen();
    if (!this.#focus) return;
    const target = this.#focus === "first" ? this.#first() : this.renderRoot.querySelector(`#${this.#focus}`);
    this.#focus = "";
    target?.focus();
  }

  // watchSeen waits until an open question was in view, and reports each one once.
  #watchSeen() {
    const open = this.clarification && !this.#closed && !this.#handed;
    this._shows(open ? `${this.#id} ${this._step}` : "", this.frame || this.#seen.watched === this.#id); // a form watches its cards itself
    this.#seen.watch(open ? this.#id : "", this);
  }

  #first() { return firstIn(this.renderRoot, !this.#closed && decides(this.clarification, this.frame)); }

  // ---- user actions ----

  #change(patch, focus = "") {
    if (this.#locked) return this.requestUpdate(); // shows the current value again
    if (this.#once.end() || this.#news === this.#wrong) this.#news = ""; // it no longer applies
    const place = this.#place;
    this.#drafts[this._step] = { ...this.#drafts[this._step], closing: "", ...patch };
    this._alert = "";
    this.#sent = null;
    const fixed = fixes(patch, this.clarification.editable);
    this._errors = this._errors.filter((e) => e.question !== this._step || !fixed.includes(e.field));
    this.#focus = focus;
    this.#emitDraft();
    if (this.#place !== place) this.#news = this.#place; // the number of questions changed
    this.requestUpdate();
  }

  // place returns the position in a form.
  get #place() {
    const asked = this.#asked, among = (list) => list.filter(Boolean).length, { before = 0, count = among(asked) } = this.frame ?? {};
    return this._text("card.step", { number: before + among(asked.slice(0, this._step + 1)), count });
  }

  // emitDraft stores a change and emits the answer that would be sent now with its draft. A possible
  // secret has no draft: it stays on this device until it is sent.
  #emitDraft() {
    this.#rev++;
    this.#save();
    const draft = this.#questions.some((q) => q.secret) ? null : sharedDraft(this._step, this.#drafts, this.#rev);
    const detail = { clarificationId: this.#id, answer: this.#whole(), draft };
    this.#tell("askgate-draft", detail);
  }

  #go(step) {
    if (this.#locked) return;
    for (const asked = this.#asked, by = step < this._step ? -1 : 1; asked[step] === false;) step += by;
    const count = this.#questions.length;
    if (step !== this._step && this._step < count) this.#onward.leave(this._step);
    if (this.frame && (step < 0 || step >= count)) return this.frame.turn(this, step < 0 ? -1 : 1);
    this.frame?.turn(this, 0);
    this._step = step;
    this._search = "";
    this.#remote.stop();
    this.#focus = "first";
    this.#save();
    const { question } = this.#questions[step] ?? {};
    this.#news = question === undefined ? this._text("card.review") : `${this.#place}: ${question}`;
  }

  // advance handles Enter and the main button.
  #advance = (event) => {
    event?.preventDefault();
    if (this.#locked || this.#once.chosen || decides(this.clarification, this.frame)) return; // such a card has its own buttons
    if (!this.frame && (this._step === this.#questions.length || this.#alone)) this.#submit();
    else this.#passing(this._step, () => this.#go(this._step + 1));
  };

  // passing checks one question and then calls the next step: immediately, unless there is a pattern,
  // which a worker matches. It stops if the question or its draft has changed meanwhile.
  #passing(step, then, otherwise = () => {}) {
    const draft = this.#drafts[step], id = this.#id, shown = this._step, asked = [];
    if (!this.#passes(step, (...of) => asked.push(of))) return otherwise();
    if (!asked.length) return then();
    matchesInWorker(...asked[0]).then((matched) => {
      if (this.#locked || this.#closed || this.#id !== id || this._step !== shown || this.#drafts[step] !== draft) return otherwise();
      if (matched !== false || this.#passes(step, () => false)) then();
      else otherwise();
    });
  }

  // passes checks one question and shows its errors.
  #passes(step, fits) {
    const part = this.#questions[step], draft = this.#drafts[step];
    const errors = faultsOf(this.clarification, part, draft, { locale: this._locale, read: this._read, fits });
    this.#showErrors(errors.map((e) => ({ ...e, question: step })));
    return errors.length === 0;
  }

  get #wrong() { return this._errors.map((e) => e.message).join(" "); }

  #showErrors(errors) {
    this._errors = errors.map((e) => ({ ...e, message: e.message ?? faultText(this.#questions[e.question ?? this._step], e, this._text, this._day), field: placeOf(e.field) }));
    const [first] = this._errors;
    if (!first) return;
    if (this.#questions[first.question]) this._step = first.question;
    this.#news = this.#wrong;
    this.#focus = targetOf(first);
    this.requestUpdate();
  }

  #close(closing) {
    if (this.#locked) return;
    const step = this._step, part = this.#questions[step], draft = { ...this.#drafts[step], closing };
    this._errors = this._errors.filter((e) => e.question !== step);
    this.#uploads.stop(part);
    const { errors } = check([part], answerOf(part, draft), Infinity);
    if (errors.length) return this.#showErrors(errors.map((e) => ({ ...e, question: step }))); // the note is too long
    if (this.#alone && !this.frame && this.instant) {
      this.#once.close(wholeAnswer(this.#questions, this.#drafts.with(step, draft), this._locale), this._text(closing === "skipped" ? "card.skip" : "card.decline"));
      this.#focus = matchMedia("(pointer: coarse)").matches ? "" : "first"; // the button is gone; do not open the on-screen keyboard
      return;
    }
    this.#drafts[step] = draft;
    if (this.#alone && !this.frame) return this.#submit();
    this.#go(step + 1);
    this.#emitDraft();
  }

  #pick(patch) { // a choice that goes on
    this.#change(patch);
    if (!this.#locked) this.#passing(this._step, () => this.#go(this._step + 1));
  }

  // open goes to a tab, which may be of another card.
  #open(tab) {
    if (this.#locked) return;
    this.#onward.leave(this._step);
    this.frame ? this.frame.open(tab) : this.#go(tab.step);
  }

  // keep gives the earlier answer again.
  #keep(patch) {
    if (this.#instant) this.#once.choose(patch);
    else this.#change(patch);
    if (!this.#once.chosen) this.#advance();
  }

  // sendChosen sends a one-click answer, even if the page already shows another question.
  #sendChosen(answer, of) {
    if (of.clarificationId !== this.#id) this.#tell("askgate-answer", detailOf(of, answer));
    else if (!this.#closed && !this.#locked) this.#hand(answer);
  }

  #say(news) {
    this.#news = news;
    this.requestUpdate();
  }

  // decide handles a button of a call that waits for approval.
  #decide(choice, once) {
    if (this.#locked) return;
    this.#drafts[0] = { ...this.#drafts[0], choices: [choice], once, closing: "" };
    this.#submit();
  }

  #declineAll() { if (!this.#locked) this.#hand({ declined: true }); }

  #submit() {
    this.#checked((answer) => this.#hand(answer));
  }

  // checked continues with the current answer if all of it is valid.
  #checked(then, otherwise) {
    const asked = this.#asked;
    const from = (i) => i >= asked.length ? then(this.#whole()) : asked[i] ? this.#passing(i, () => from(i + 1), otherwise) : from(i + 1);
    from(0);
  }

  // recommended fills in the recommended answers for all unanswered questions.
  #recommended() {
    if (this.#locked) return;
    this.#drafts = recommended(this.#questions, this.#drafts, this._locale);
    this.#drafts.forEach((_, i) => this.#onward.leave(i)); // the review follows
    this._errors = [];
    this.#emitDraft();
    this.requestUpdate();
  }

  // Inner is the interface that a form of several cards uses for one of them. answer returns the
  // event's detail, or null if something is invalid, which the card then shows.
  get inner() {
    return {
      tabs: this.#tabs,
      recommend: () => this.#recommended(),
      go: (step) => this.#go(step < 0 ? this.#asked.lastIndexOf(true) : step),
      answer: () => new Promise((done) => this.#checked((answer) => done(detailOf(this.clarification, answer)), () => done(null))),
      sent: (answer) => {
        this.#sent = answer;
        this.#save();
      },
    };
  }

  // whole returns the current answer.
  #whole() {
    return { ...wholeAnswer(this.#questions, this.#drafts, this._locale), ...besides(this.clarification, this.#drafts[0]) };
  }

  // hand emits the answer, once.
  #hand(answer) {
    this.#sent = answer;
    this._alert = "";
    this.error = null;
    this._sending = true;
    this.#save();
    this.#news = this._text("card.sending");
    if (!this.#tell("askgate-answer", detailOf(this.clarification, answer))) this._sending = false;
  }

  #tell(name, detail) {
    return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: name === "askgate-answer" }));
  }

  #find(part, search) {
    this._search = search;
    const question = this._step;
    if (part.searchable && this.searchOptions) {
      this.#remote.find(search, (query, { signal }) => this.searchOptions(query, { question, signal }));
      return;
    }
    const options = this.#optionsOf(part);
    this.#news = this._text("card.found", { shown: found(options, search).length, count: options.length });
  }

  // announce announces the result of a search.
  #announce() {
    const { items, total, failed } = this.#remote;
    this.#news = failed ? this._text("card.search_failed") : this._text("card.found", { shown: items.length, count: this._number(total) });
    this.requestUpdate();
  }

  #keys = (event) => onKey(event, {
    root: this.renderRoot, rtl: getComputedStyle(this.renderRoot.querySelector(".content") ?? this).direction === "rtl", locked: this.#locked,
    busy: this.#remote.busy, searched: this._search.trim() !== "", advance: this.#advance,
    instant: this.#instant || this.#goesOn, enter: (pick) => (this.#instant ? this.#once.enter(pick, event.timeStamp) : pick.click()), decides: decides(this.clarification, this.frame),
  });

  // ---- drawing ----

  #optionsOf = (part) => optionsOf(part, this.clarification.kind, this._text);

  render() {
    if (!this.clarification) return nothing;
    const state = this.#state, label = [this._text("card.label"), this.#questions[0]?.question?.slice(0, 100)].filter(Boolean).join(": ");
    return html`
      <section class="card ${state} ${this.frame ? this.frame.reviewing ? "page read" : "page" : ""} ${this._early ? "early" : ""}" part="card" role=${this.#closed || this.frame || this.clarification.waitsFor ? "group" : "region"} aria-label=${label} aria-busy=${state === "sending"} @keydown=${this.#keys} @askgate-read=${() => { this._read = true; }}>
        ${this.#closed ? this.#closedView() : this.clarification.kind === "input" || this.#handed ? handedView(this.clarification, this._text, this._time) : this.#openView()}
      </section>
      <div class="unseen" role="status">${this.#news}</div>`;
  }

  #closedView() {
    const questions = this.#questions;
    return closedView({
      questions, options: questions.map(this.#optionsOf), locale: this._locale, state: this.#state, text: this._text, day: this._day, time: this._time, answer: this.#given,
      clarification: this.clarification, outcome: this.#outcome, when: this.answeredAt ? { iso: this.answeredAt, text: this._time(this.answeredAt) } : null,
      asker: this.clarification.askedBy?.kind === "program" ? nameOf(this.clarification.askedBy) : "", unsent: typedIn(this.#drafts),
      fileUrl: this.fileUrl && ((fileId) => this.fileUrl(this.#id, fileId)),
      notice: this.#overtaken, noter: this.clarification.waitsFor ? this.answeredBy : "",
    });
  }

  // Returns how it ended, in words.
  get #outcome() { return outcomeOf(this.clarification, this.#state, this.#given, this.answeredBy, this._text); }
  get #given() { return this._over ? this._over.answer : this.answer ?? this.#sent; }

  get #overtaken() {
    if (this.error?.code === "already_answered" || this.#late && ["answered", "skipped", "declined"].includes(this.#state)) return this._text("card.elsewhere");
    return this.#late || this.error?.unsent ? this._text("card.closed_first") : "";
  }

  #openView() {
    return openView({
      frame: this.frame, clarification: this.clarification, questions: this.#questions, asked: this.#asked, step: this._step, drafts: this.#drafts,
      errors: this._errors, alert: this._alert, offline: this._offline, search: this._search,
      locked: this.#locked, read: this._read, mine: this._allowed || hasAllowed(this.clarification, this.subject), early: this._early, sending: this.#state === "sending", slotted: this.querySelector("[slot=asker]") !== null,
      text: this._text, locale: this._locale, day: this._day, time: this._time, optionsOf: this.#optionsOf,
      remote: this.searchOptions && this.#remote, uploads: this.#uploads, upload: this.uploadFile && ((...of) => this.uploadFile(this.#id, ...of)), number: this._number,
      focused: () => this.shadowRoot?.activeElement?.id, change: (patch, focus) => this.#change(patch, focus), say: (news) => this.#say(news), find: (part, search) => this.#find(part, search),
      recommend: this.frame ? this.frame.recommend : this.#questions.length > 1 && recommends(this.#questions) && (() => {
        this.#recommended();
        this.#go(this.#questions.length);
      }),
      tabs: this.frame?.tabs ?? this.#tabs, open: (tab) => this.#open(tab), goesOn: this.#goesOn,
      instant: this.#instant, chosen: this.#once.chosen, once: this.#once, choose: (patch) => (this.#instant ? this.#once.choose(patch) : this.#pick(patch)), keep: (patch) => this.#keep(patch), decide: (...of) => this.#decide(...of),
      advance: this.#advance, go: (step) => this.#go(step), close: (how) => this.#close(how), declineAll: () => this.#declineAll(),
    });
  }
}
