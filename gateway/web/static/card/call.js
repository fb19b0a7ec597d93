// The tool call that waits for a person: exactly what would run and, if it may be changed, its
// arguments as text. Nothing here parses them into numbers, so what is shown is what the gateway would
// run.
import { html, nothing } from "../vendor/lit.js";
import { argumentsView } from "./fields.js";

// callView draws the call. field is undefined if nothing may be changed.
export function callView(clarification, text, field, read) {
  const { kind, toolName, editable, remember, warning, reason } = clarification;
  if (!toolName) return nothing;
  const all = exactText(clarification), edits = kind === "approval" && editable && field && !field.draft.responding;
  const shown = all && !(edits && field.draft.editing);
  return html`<div class="call" part="call">
    <p><span class="muted">${text("card.tool")}</span> <code>${toolName}</code></p>
    ${reason ? html`<p class="warning" part="reason" dir="auto">${reason}</p>` : nothing}
    ${shown ? argumentsOf(clarification, text, { read, id: "call", warning: warns(clarification) ? warning : "" }) : warning && warns(clarification) ? html`<p class="warning" part="warning" dir="auto">${warning}</p>` : nothing}
    ${edits ? argumentsView(field, all || "{}", remember, read) : nothing}
    ${kind === "approval" && !read ? html`<p class="muted" role="note">${text("card.read_first")}</p>` : nothing}
  </div>`;
}

// editedView draws the arguments with which a person allowed a call.
export function editedView({ argumentFields }, answer, text) {
  const args = typeof answer.arguments === "string" ? { argumentsText: answer.arguments } : answer;
  return argumentsOf({ ...args, argumentFields, edited: true }, text);
}

// foldedCall draws the arguments of a call that is no longer waiting, one click away.
export function foldedCall(clarification, text) {
  if (!clarification.toolName || !exactText(clarification)) return nothing;
  return html`<details class="asked-for"><summary>${text("card.arguments")}</summary>${argumentsOf(clarification, text)}</details>`;
}

let loading = null; // the import of the element that draws arguments

// argumentsOf draws the arguments of a clarification, or of a call in a chat's state, with what a
// person should know before reading them. With an id, they are a place to go to. Unless they were read,
// the element reports when the ends of all values have been in view.
export function argumentsOf(of, text, { read = true, id, warning = "" } = {}) {
  loading ??= import("./arguments.js").then(({ define }) => define()).catch(() => { loading = null; });
  return html`<askgate-arguments exportparts="warning" id=${id ?? nothing} tabindex=${id ? "0" : nothing} role="group" aria-label=${text("card.arguments")}
    .of=${of} .words=${text} .language=${text("card.arguments")} .warning=${warning} .watched=${!read}>…</askgate-arguments>`;
}

// exactText returns the gateway's text of the arguments or, without it, their JSON as formatted here.
export function exactText({ argumentsText, arguments: args }) {
  if (typeof argumentsText === "string") return argumentsText;
  try {
    return args === undefined ? "" : JSON.stringify(args, null, 2);
  } catch {
    return "";
  }
}

// warns reports whether the warning of a clarification stands with its call.
export const warns = ({ kind, toolName }) => kind === "approval" && Boolean(toolName);

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
