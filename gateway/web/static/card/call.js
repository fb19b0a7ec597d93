// The tool call that waits for a person: exactly what would run and, if it may be changed, its
// arguments as text. Nothing here parses them into numbers, so the text shown is what the gateway
// would run.
import { html, nothing } from "../vendor/lit.js";
import { argumentsView } from "./fields.js";

// callView draws the call. field is undefined if nothing may be changed.
export function callView(clarification, text, field, read) {
  const { kind, toolName, editable, remember, argumentFields, unfounded } = clarification;
  if (!toolName) return nothing;
  const all = argumentsText(clarification);
  const edits = kind === "approval" && editable && field;
  return html`<div class="call" part="call">
    <p><span class="muted">${text("card.tool")}</span> <code>${toolName}</code></p>
    ${!all || edits && field.draft.editing ? nothing : argumentFields?.length ? fields(argumentFields, all, text, unfounded) : exact(all, text)}
    ${edits ? argumentsView(field, all || "{}", remember, read) : nothing}
    ${kind === "approval" && !read ? html`<p class="muted" role="note">${text("card.read_first")}</p>` : nothing}
  </div>`;
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

// argumentsText returns the gateway's text of the arguments or, for an event without it, their JSON
// as formatted here.
function argumentsText({ argumentsText: written, arguments: args }) {
  if (typeof written === "string") return written;
  try {
    return args === undefined ? "" : JSON.stringify(args, null, 2);
  } catch {
    return "";
  }
}

const exact = (words, text) => html`<pre id="call" tabindex="0" role="group" aria-label=${text("card.arguments")} dir="ltr">${marked(words)}<span id="end"></span></pre>`;

const fields = (list, all, text, unfounded = []) => html`
  <div class="fields" id="call" tabindex="0" role="group" aria-label=${text("card.arguments")}><dl>${list.map(({ name, title, text: words }) => html`
    <div><dt dir="auto">${title}${filledIn(name, unfounded) ? html` <mark>${text("card.filled_in")}</mark>` : nothing}</dt><dd dir="ltr">${marked(words)}</dd></div>`)}</dl><span id="end"></span></div>
  <details><summary>${text("card.as_json")}</summary><pre tabindex="0" role="group" aria-label=${text("card.arguments")} dir="ltr">${marked(all)}</pre></details>`;

// filledIn reports whether the assistant filled in an argument, or a value in it, that no one gave. The
// pointers are JSON Pointers (RFC 6901).
function filledIn(name, pointers) {
  const own = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return pointers.some((pointer) => pointer === own || pointer.startsWith(`${own}/`));
}

// marked highlights the escapes in a JSON text: each is a character that is invisible or looks like
// another.
function marked(words) {
  return words.split(/((?:\\\\)+|\\u[0-9a-f]{4})/).map((piece, i) => (i % 2 && piece.startsWith("\\u") ? html`<mark>${piece}</mark>` : piece));
}
