// The tool call that waits for a person: exactly what would run and, if it may be changed, its
// arguments as text. Nothing here parses them into numbers, so what is shown is what the gateway would
// run.
import { html, nothing } from "../vendor/lit.js";
import { argumentsView } from "./fields.js";
import { rowsOf } from "./rows.js";

const views = new WeakMap(); // because a card is drawn at each key

// viewOf returns the rows of the arguments of a clarification, or of a call in a chat's state; null if
// there are none.
export function viewOf(clarification) {
  if (!views.has(clarification)) views.set(clarification, rowsOf(clarification));
  return views.get(clarification);
}

// callView draws the call. field is undefined if nothing may be changed.
export function callView(clarification, text, field, read) {
  const { kind, toolName, editable, remember } = clarification;
  if (!toolName) return nothing;
  const view = viewOf(clarification);
  const edits = kind === "approval" && editable && field;
  return html`<div class="call" part="call">
    <p><span class="muted">${text("card.tool")}</span> <code>${toolName}</code></p>
    ${warnings(clarification, view, text)}
    ${!view || edits && field.draft.editing ? nothing : rows(view, text, read, "call")}
    ${edits ? argumentsView(field, view?.json || "{}", remember, read) : nothing}
    ${kind === "approval" && !read ? html`<p class="muted" role="note">${text("card.read_first")}</p>` : nothing}
  </div>`;
}

// editedView draws the arguments with which a person allowed a call.
export function editedView({ argumentFields }, answer, text) {
  const args = typeof answer.arguments === "string" ? { argumentsText: answer.arguments } : answer;
  return rows(rowsOf({ ...args, argumentFields, edited: true }), text, true);
}

// foldedCall draws the arguments of a call that is no longer waiting, one click away.
export function foldedCall(clarification, text) {
  const view = clarification.toolName ? viewOf(clarification) : null;
  return view ? html`<details class="asked-for"><summary>${text("card.arguments")}</summary>${rows(view, text, true)}</details>` : nothing;
}

// rows draws arguments. If their ends must have been in view, they are a place to go to.
const rows = (view, text, read, id) => html`<askgate-arguments id=${id ?? nothing} tabindex=${id ? "0" : nothing} role="group" aria-label=${text("card.arguments")}
  .view=${view} .words=${text} .language=${text("card.arguments")} .read=${read}></askgate-arguments>`;

// warns reports whether the warning of a clarification stands with its call.
export const warns = ({ kind, toolName }) => kind === "approval" && Boolean(toolName);

// warnings draws everything that a person should know before reading the arguments, in one box.
function warnings(clarification, view, text) {
  const list = [warns(clarification) && clarification.warning, view?.unknown && text("card.warn_unknown"), view?.unseen && text("card.warn_unseen"), view?.mixed && text("card.warn_mixed")].filter(Boolean);
  return list.length ? html`<div class="warning" part="warning" role="note">${list.map((words) => html`<p dir="auto">${words}</p>`)}</div>` : nothing;
}

// detailsView draws a text that must be read to its end before any answer except no. The gateway has
// replaced invisible characters with text such as ⟨U+202E⟩.
export function detailsView({ details }, text, read) {
  if (!details) return nothing;
  return html`<div class="call" part="call">
    <pre id="call" tabindex="0" role="group" aria-label=${text("card.arguments")} dir="ltr">${details.split(/(⟨(?:U\+[0-9A-F]{4,6}|0x[0-9A-F]{2})⟩)/).map((piece, i) => (i % 2 ? html`<mark>${piece}</mark>` : piece))}<span id="end"></span></pre>
    ${read ? nothing : html`<p class="muted" role="note">${text("card.read_first")}</p>`}
  </div>`;
}

// held reports whether an option can only be chosen after everything was read: the one that allows
// a call, and for a question with details, all except no.
export const held = ({ details }, value) => value === "yes" || Boolean(details) && value !== undefined && value !== "no";
