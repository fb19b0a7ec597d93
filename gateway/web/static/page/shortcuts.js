// Keyboard shortcuts: one table of keys and actions, which is also the source of the list that users
// see. They are single keys, because combinations with Ctrl or Alt belong to browsers and screen
// readers. So they are ignored while the user types, and can be switched off (WCAG 2.1.4). Ctrl or Cmd
// with / opens the list from everywhere.
import { html, nothing } from "../vendor/lit.js";
import { chosen, choose } from "./choices.js";
import { text } from "./texts.js";

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

// shortcuts runs the action of a pressed key.
export function shortcuts(event, actions) {
  const { key, target, ctrlKey, metaKey } = event;
  if (event.defaultPrevented || event.isComposing || event.repeat || event.altKey || document.querySelector("dialog[open]")) return;
  if (ctrlKey || metaKey) {
    if (key !== "/") return;
    event.preventDefault();
    return actions.shortcuts();
  }
  if (!on()) return;
  if (event.composedPath()[0].matches?.(writes)) {
    if (key === "Escape" && target.id === "message") target.blur(); // so that letters are shortcuts again
    return;
  }
  const [, , act] = there().find(([k]) => (/[a-z]/.test(k) ? k === key.toLowerCase() && !event.shiftKey : k === key)) ?? [];
  if (!act) return;
  event.preventDefault();
  act(actions);
}

export const shortcutsDialog = () => html`<dialog id="shortcuts-dialog" aria-labelledby="shortcuts-title">
  <h2 id="shortcuts-title" tabindex="-1">${text("page.shortcuts")}</h2>
  <p class="hint">${text("page.shortcuts_hint")}</p>
  <dl class="keys">${there().map(([key, label]) => html`<div><dt><kbd>${key}</kbd>${key === "?" ? html` <kbd>Ctrl+/</kbd>` : nothing}</dt><dd>${text(label)}</dd></div>`)}</dl>
  <label class="switch"><input type="checkbox" id="keys-on" .checked=${on()} @change=${(e) => choose("keys", e.target.checked ? "" : "off")}>${text("page.shortcuts_on")}</label>
  <div class="choice"><button type="button" class="plain" @click=${(e) => e.target.closest("dialog").close()}>${text("page.close")}</button></div>
</dialog>`;
