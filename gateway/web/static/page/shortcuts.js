// Keyboard shortcuts: one table of keys and actions, which is also the source of the list that users
// see. They are single keys, because combinations with Ctrl or Alt belong to browsers and screen
// readers. Because such keys are also text, they are shortcuts only after an Escape that did nothing
// else, until a click or a new question, and can be switched off (WCAG 2.1.4). Otherwise they are typed:
// see typing.js. Ctrl or Cmd with / opens the list from everywhere.
import { html, nothing } from "../vendor/lit.js";
import { chosen, choose } from "./choices.js";
import { text } from "./texts.js";
import { type, typed, typeEarly } from "./typing.js";

const table = [
  ["?", "page.shortcuts", (actions) => actions.shortcuts()],
  ["n", "page.new_chat", (actions) => actions.newChat()],
  ["/", "page.key_search", (actions) => actions.search(), () => document.querySelector("#search")],
  ["m", "page.dock", (actions) => actions.write()],
  ["k", "page.key_previous", (actions) => actions.step(-1)],
  ["j", "page.key_next", (actions) => actions.step(1)],
  ["i", "page.inbox", () => { location.hash = "#/inbox"; }],
  ["s", "page.key_stop", (actions) => actions.stop()],
  ["b", "page.side", (actions) => actions.toggleSide()],
  ["t", "page.key_theme", (actions) => actions.nextTheme()],
];

const there = () => table.filter(([, , , may]) => !may || may());
const on = () => chosen("keys") !== "off";
const writes = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=button], [type=file])";

let letters = false; // an Escape made letters shortcuts

// lettersAct reports whether letters are shortcuts.
export const lettersAct = () => letters && on();

// lettersWrite makes letters text again.
export function lettersWrite() {
  if (letters) dispatchEvent(new Event("page-letters"));
  letters = false;
}

function escape(target) {
  if (!on() || document.querySelector(":popover-open") || target.matches?.(writes) && target.id !== "message") return;
  if (target.id === "message") target.blur();
  if (!letters) dispatchEvent(new CustomEvent("page-news", { detail: text("page.letters_hint") }));
  letters = true;
}

// shortcuts runs the action of a pressed key, or moves the focus to where the key is typed.
function shortcuts(event, actions) {
  const { key, ctrlKey, metaKey, altKey } = event, [target] = event.composedPath();
  if (event.defaultPrevented || event.repeat || document.querySelector("dialog[open]")) return;
  if (key === "/" && (ctrlKey || metaKey) && !altKey) {
    event.preventDefault();
    return actions.shortcuts();
  }
  if (key === "Escape" && !event.isComposing) return escape(target);
  if (target.matches?.(writes) || !typed(event)) return;
  const [, , act] = lettersAct() && there().find(([k]) => (/[a-z]/.test(k) ? k === key.toLowerCase() && !event.shiftKey : k === key)) || [];
  if (!act) return document.querySelector(":popover-open") ? undefined : type(event, actions.compose);
  event.preventDefault();
  act(actions);
}

// listen handles the keys of the page. may reports whether there is something to work with. The keys of
// the card, and what else prevents a key's default, come first.
export function listen(actions, may) {
  addEventListener("keydown", (event) => may() && shortcuts(event, actions));
  addEventListener("keydown", (event) => may() && typeEarly(event, actions.compose), { capture: true });
  addEventListener("pointerdown", lettersWrite, { capture: true });
}

export const shortcutsDialog = () => html`<dialog id="shortcuts-dialog" aria-labelledby="shortcuts-title">
  <h2 id="shortcuts-title" tabindex="-1">${text("page.shortcuts")}</h2>
  <p class="hint">${text("page.shortcuts_hint")}</p>
  <dl class="keys">${there().map(([key, label]) => html`<div><dt><kbd>${key}</kbd>${key === "?" ? html` <kbd>Ctrl+/</kbd>` : nothing}</dt><dd>${text(label)}</dd></div>`)}</dl>
  <label class="switch"><input type="checkbox" id="keys-on" .checked=${on()} @change=${(e) => choose("keys", e.target.checked ? "" : "off")}>${text("page.shortcuts_on")}</label>
  <div class="choice"><button type="button" class="plain" @click=${(e) => e.target.closest("dialog").close()}>${text("page.close")}</button></div>
</dialog>`;
