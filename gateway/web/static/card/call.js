// The tool call that waits for a person: what would run, to the letter, and where it may
// be changed, its arguments as text. Nothing here reads them as numbers: what is shown is
// what the gateway would run.
import { html, nothing } from "../vendor/lit.js";
import { argumentsView } from "./fields.js";

// callView draws it. field is undefined where nobody may change anything.
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

// detailsView is a text that the asker has read to its end before it takes more than a no. The
// gateway has written what cannot be seen as ⟨U+202E⟩.
export function detailsView({ details }, text, read) {
  if (!details) return nothing;
  return html`<div class="call" part="call">
    <pre id="call" tabindex="0" role="group" aria-label=${text("card.arguments")} dir="ltr">${details.split(/(⟨(?:U\+[0-9A-F]{4,6}|0x[0-9A-F]{2})⟩)/).map((piece, i) => (i % 2 ? html`<mark>${piece}</mark>` : piece))}<span id="end"></span></pre>
    ${read ? nothing : html`<p class="muted" role="note">${text("card.read_first")}</p>`}
  </div>`;
}

// held says of the value of an option that it cannot be chosen before all was read: what allows
// a call, and of a question with details all but no.
export const held = ({ details }, value) => value === "yes" || Boolean(details) && value !== undefined && value !== "no";

// argumentsText is what the gateway wrote for people to read; for an event without it,
// what the arguments read as here.
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

// filledIn says that nobody gave an argument, or a value in it: pointers are RFC 6901's.
function filledIn(name, pointers) {
  const own = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return pointers.some((pointer) => pointer === own || pointer.startsWith(`${own}/`));
}

// marked makes the escapes in a JSON text stand out: each is a character that cannot be seen,
// or passes for another.
function marked(words) {
  return words.split(/((?:\\\\)+|\\u[0-9a-f]{4})/).map((piece, i) => (i % 2 && piece.startsWith("\\u") ? html`<mark>${piece}</mark>` : piece));
}
