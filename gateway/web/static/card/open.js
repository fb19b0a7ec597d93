// An open clarification: the current question or the review, and the buttons.
// v is the state to draw: see #openView in element.js.
import { html, keyed, nothing } from "../vendor/lit.js";
import { nameOf } from "./asker.js";
import { callView, detailsView, held, warns } from "./call.js";
import { spoken } from "./closed.js";
import { answerOf } from "./draft.js";
import { earlierView } from "./earlier.js";
import { alsoView } from "./escalated.js";
import { fieldView, hintOf } from "./fields.js";
import { tabsView } from "./form.js";
import { undoView } from "./instant.js";
import { quorumView } from "./quorum.js";
import { respondView } from "./respond.js";
import { directionOf } from "./written.js";

// openView draws one step: one question each, then the review if there are several.
export function openView(v) {
  const part = v.frame?.reviewing ? undefined : v.questions[v.step];
  const { warning, expiresAt } = v.clarification;
  return html`<form part="form" novalidate @submit=${v.advance} @click=${(e) => v.locked && e.preventDefault()}>
    ${top(v, part)}
    ${warning && !warns(v.clarification) ? html`<p class="warning" part="warning" dir="auto">${warning}</p>` : nothing}
    ${v.clarification.askerWaiting === false ? html`<p class="waits" part="waits" role="note">${v.text("card.asker_gone")}</p>` : nothing}
    ${untold(v.clarification, v.text)}
    ${alsoView(v.clarification, v.text, v.time)}
    ${part ? keyed(v.step, question(v, part)) : review(v)}
    ${v.alert ? html`<p class="alert" part="alert" dir="auto">${v.alert}</p>` : nothing}
    ${v.offline && !v.alert ? html`<p class="alert soft" part="alert">${v.text("card.offline")}</p>` : nothing}
    ${actions(v, part)}
    ${expiresAt ? html`<p class="deadline" part="deadline">${v.text("card.deadline", { time: v.time(expiresAt) })}</p>` : nothing}
  </form>`;
}

// decides reports whether a card has buttons to allow and deny instead of a choice to send.
export const decides = (clarification, frame) => clarification?.kind === "approval" && !frame;

// handedView draws a question that someone else, or the application, has to answer.
export function handedView(clarification, text, time) {
  const { question, toolName: tool, waitsFor, quorum } = clarification;
  return html`<div class="handed content">
    <p class="title" part="title" dir="auto">${question ?? text("card.input", { tool })}</p>
    ${callView(clarification, text, undefined, true)}
    ${detailsView(clarification, text, true)}
    ${quorumView(clarification, text, time)}
    ${waitsFor && !quorum ? html`<p class="waits" part="waits" role="note">${text("card.waits_for", waitsFor)}</p>` : nothing}
    ${untold(clarification, text)}
    ${alsoView(clarification, text, time)}
  </div>`;
}

// untold says through which channels no one could be told of the question.
const untold = ({ notTold }, text) => (notTold?.length ? html`<p class="waits" part="waits" role="note">${text("card.not_told", { channels: notTold.join(", ") })}</p>` : nothing);

// link draws a page to visit: it highlights the host and shows the whole address.
function link({ link: address }, text) {
  const url = URL.canParse(address) ? new URL(address) : {};
  if (!["https:", "http:"].includes(url.protocol)) return nothing;
  return html`<a class="link" part="link" href=${url.href} target="_blank" rel="noopener noreferrer" title=${text("card.link")} dir="ltr"><b>${url.host}</b><span>${url.href}</span></a>`;
}

// top draws who asks about what, and the position in a form.
function top({ clarification, asked, step, slotted, text, frame, tabs, open }, part) {
  const askedBy = nameOf(clarification.askedBy);
  const count = tabs.length, at = (frame?.before ?? 0) + [...asked.keys()].filter((i) => asked[i]).indexOf(step);
  const several = count > 1 && part;
  const { waitsFor } = clarification;
  if (!askedBy && !slotted && !part?.header && !several && !waitsFor) return nothing;
  return html`<header class="top" part="header">
    <slot name="asker">${askedBy ? html`<span class="asker" part="asker" dir="auto">${text("card.asked_by", { name: askedBy })}</span>` : nothing}</slot>
    ${waitsFor ? html`<span class="for" part="for" dir="auto">${text("card.for_role", waitsFor)}</span>` : nothing}
    ${several ? tabsView({ tabs, at, text, open }) : nothing}
    ${part?.header && !several ? html`<span class="tag" part="tag" dir="auto">${part.header}</span>` : nothing}
    ${several ? html`<span class="where" part="progress"><span>${text("card.step", { number: at + 1, count })}</span></span>` : nothing}
  </header>`;
}

const several = ({ asked, frame }) => Boolean(frame) || asked.filter(Boolean).length > 1;

function question(v, part) {
  const { drafts, step, text } = v;
  const errors = Object.fromEntries(v.errors.filter((e) => e.question === step).map((e) => [e.field, e.message]));
  const field = {
    get draft() { return drafts[step]; }, // the current one, in handlers as well
    part, errors, options: v.optionsOf(part), text, locale: v.locale, day: v.day, last: !several(v),
    locked: v.locked, instant: v.instant || v.goesOn, choose: v.choose, decides: decides(v.clarification, v.frame), unread: (value) => !v.read && held(v.clarification, value), search: v.search, remote: part.searchable ? v.remote : null, number: v.number, say: v.say, upload: v.upload, uploads: v.uploads, focused: v.focused, change: v.change, find: (search) => v.find(part, search),
  };
  const rule = hintOf(field), own = part.validation?.message;
  const shown = Object.values(errors).includes(own); // not twice
  return html`<div class="content" part="question" dir=${directionOf(part.question) || nothing}>
    <p class="title" part="title" id="title" dir="auto" tabindex=${field.decides ? "-1" : nothing}>${part.question}</p>
    <div id="context">${part.context ? html`<p class="context" part="context" dir="auto">${part.context}</p>` : nothing}
      ${part.secret ? html`<p class="warning" part="warning" role="note">${text("card.secret")}</p>` : nothing}</div>
    ${link(part, text)}
    ${callView(v.clarification, text, field, v.read)}
    ${detailsView(v.clarification, text, v.read)}
    ${quorumView(v.clarification, text, v.time, v.mine)}
    ${takesResult(v) ? respondView(field) : nothing}
    <div id="hint" class="hint" part="hint">${rule ? html`<p dir="auto">${rule}</p>` : nothing}${own && !shown ? html`<p dir="auto">${own}</p>` : nothing}</div>
    ${earlierView(field, v.keep)}
    ${fieldView(field)}
  </div>`;
}

// reviewHead is the heading of the review.
export const reviewHead = (text) => html`<p class="title" part="title">${text("card.review")}</p>
  <div class="hint" part="hint"><p>${text("card.review_hint")}</p></div>`;

function review({ questions, asked, drafts, locale, text, day, optionsOf, go, frame }) {
  return html`<div class="content review" part="review">
    ${frame ? nothing : reviewHead(text)}
    <ul>${questions.map((part, i) => {
      if (!asked[i]) return nothing;
      const answer = answerOf(part, drafts[i], locale);
      return html`<li>
        <div class="said" part="said" dir=${directionOf(part.question) || nothing}>
          <p class="asked" dir="auto">${part.question}</p>
          <p class="answer" part="answer" dir="auto">${answer.value && drafts[i].file || spoken(part, answer, { text, day, options: optionsOf(part) }).join(", ")}</p>
          ${answer.note ? html`<p class="noted"><span>${text("card.labelled", { label: text("card.note") })}</span> <span dir="auto">${answer.note}</span></p>` : nothing}
        </div>
        <button type="button" class="quiet" part="quiet" aria-label=${text("card.edit_of", { question: part.question })} @click=${() => go(i)}>${text("card.edit")}</button>
      </li>`;
    })}</ul>
  </div>`;
}

function actions(v, part) {
  const { text, sending, frame } = v;
  if (frame && !part) return nothing; // the form has its own buttons below
  if (decides(v.clarification, frame)) return decisions(v);
  if (v.chosen) return undoView(v);
  const [draft] = v.drafts; // a one-click question has no button, unless it already has an answer
  const bare = v.instant && !sending && draft.choices.length === 0;
  const main = sending ? "card.sending" : !several(v) ? "card.send" : part ? "card.next" : "card.send_all";
  const quiet = (id, does) => html`<button type="button" class="quiet" part="quiet" @click=${does}>${text(id)}</button>`;
  return html`<footer class="actions" part="actions">
    <div class="aside">
      ${part?.allow_skip ? quiet("card.skip", () => v.close("skipped")) : nothing}
      ${part && v.clarification.kind !== "approval" ? quiet("card.decline", () => v.close("declined")) : nothing}
      ${part ? nothing : quiet("card.decline_all", v.declineAll)}
      ${part && v.recommend ? quiet("card.recommend", v.recommend) : nothing}
    </div>
    <div class="onward">
      ${v.step + (frame?.before ?? 0) > 0 ? html`<button type="button" class="plain" part="back" @click=${() => v.go(v.step - 1)}>${text("card.back")}</button>` : nothing}
      ${bare ? nothing : html`<button type="submit" class="main" part="submit" aria-disabled=${v.locked}>${sending ? html`<span class="spinner" aria-hidden="true"></span>` : nothing}${text(main)}</button>`}
    </div>
  </footer>`;
}

// takesResult reports whether a person may give the result in place of the call.
const takesResult = ({ clarification, frame }) => clarification.respond === true && decides(clarification, frame);

// decisions draws the buttons of a call that waits: each gives the whole answer, except those that open and
// leave the field for a result. With changed arguments, only this call is allowed. If no one gave an argument,
// no button to allow stands out; deny does if it is chosen already. The second click of a double click is
// ignored: it was meant for what was there at the first. A person who has allowed the call, with others still
// to come, may only end it.
function decisions(v) {
  const { clarification, questions: [{ default: chosen }], drafts: [draft], locked, read, early, sending, text, decide, change, mine } = v;
  const turn = (id, label, responding, focus) => html`<button type="button" id=${id} class="plain decide" part="decide ${id}" aria-disabled=${locked || early}
    @click=${(e) => e.detail > 1 || change({ responding }, focus)}>${text(label)}</button>`;
  const button = (id, look, choice, once) => html`<button type="button" id=${id} class="${look} decide" part="decide ${id}" aria-disabled=${locked || early || choice === "yes" && !read}
    @click=${(e) => e.detail > 1 || decide(choice, once)}>${sending && draft.choices[0] === choice && draft.once === once ? html`<span class="spinner" aria-hidden="true"></span>` : nothing}${text(`card.${id}`)}</button>`;
  if (takesResult(v) && draft.responding) {
    return html`<footer class="actions decisions" part="actions">${button("reply", "main", "no", false)}${turn("back", "card.back", false, "respond")}</footer>`;
  }
  return html`<footer class="actions decisions" part="actions">
    ${mine ? nothing : button("allow", clarification.unfounded?.length || chosen === "no" ? "plain" : "main", "yes", true)}
    ${clarification.remember && !draft.editing && !mine ? button("always", "plain", "yes", false) : nothing}
    ${button("refuse", chosen === "no" ? "main" : "plain", "no", false)}
    ${takesResult(v) ? turn("respond", "card.respond", true, "result") : nothing}
  </footer>`;
}
