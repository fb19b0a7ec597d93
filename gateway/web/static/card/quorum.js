// What people decided so far about a call that several of them must allow.
import { html, nothing } from "../vendor/lit.js";

export { amended } from "../client/decisions.js";

// hasAllowed reports whether a person is among those who allowed the call.
export const hasAllowed = ({ decisions }, subject) => Boolean(subject) && (decisions ?? []).some((d) => d.value && d.by === subject);

// counts reports whether the yes that a card is sending counts now: its question still waits, for others.
// Without a subject, the next yes is taken for it.
export const counts = (sent, before, now, subject) => sent?.value === true && (subject ? hasAllowed(now, subject) : decided(now) > decided(before));

const decided = ({ decisions }) => decisions?.length ?? 0;

// remaining returns how many more people must allow the call.
export const remaining = ({ quorum, decisions = [] }) => Math.max(0, quorum - decisions.filter((d) => d.value).length);

// latest returns the last decision in words, "" if there is none after before.
export function latest(before, { decisions }, text, time) {
  const last = decisions?.at(-1);
  return last && decisions.length > decided(before) ? inWords(last, text, time) : "";
}

const inWords = ({ by: name, at, value }, text, time, no = "card.denied_at") => text(value ? "card.allowed_at" : no, { name, time: time(at) });

// decisionsView draws decisions, one a line. no is the text of one that did not allow the call.
export const decisionsView = ({ decisions }, text, time, no) => (decisions?.length
  ? html`<ul class="decided" part="decisions">${decisions.map((d) => html`<li>${inWords(d, text, time, no)}</li>`)}</ul>` : nothing);

// quorumView draws how many must allow the call, and who has. mine: the person at the card has.
export function quorumView(clarification, text, time, mine) {
  const { quorum, waitsFor } = clarification;
  if (!quorum) return nothing;
  const left = remaining(clarification);
  return html`<div class="quorum" part="quorum" id="quorum" role="note">
    <p>${text("card.quorum", { count: quorum, given: quorum - left, role: waitsFor?.role ?? "" })}</p>
    ${decisionsView(clarification, text, time)}
    ${mine ? html`<p class="mine">${text("card.you_allowed", { count: left })}</p>` : nothing}
  </div>`;
}
