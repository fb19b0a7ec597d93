// The page's menu: choices that apply in this browser, one row each.
import { theme, themes } from "./choices.js";
import * as icons from "./icons.js";
import { oneClick, oneClicks, setOneClick } from "./oneclick.js";
import { html, nothing } from "../vendor/lit.js";
import { language, languages, nameOf, text } from "./texts.js";

// rows returns the choices, in the order shown: id, label (a text's id), the current value, the options to
// choose from, and what a choice does. To add a choice, add a row.
const rows = (actions) => [
  { id: "language", label: "page.language", value: language, options: languages.map((tag) => ({ value: tag, name: nameOf(tag), lang: tag })), choose: actions.speak },
  { id: "theme", label: "page.theme", value: theme(), options: themes.map(([value, name]) => ({ value, name: text(name) })), choose: actions.theme },
  { id: "one-click", label: "page.one_click", value: oneClick(), options: oneClicks.map(([value, name]) => ({ value, name: text(name) })), choose: setOneClick },
];

const row = ({ id, label, value, options, choose }) => html`<label for=${id}>${text(label)}</label>
  <select id=${id} @change=${(e) => choose(e.target.value)}>
    ${options.map((o) => html`<option value=${o.value} lang=${o.lang ?? nothing} .selected=${o.value === value}>${o.name}</option>`)}
  </select>`;

// settings draws the menu and the button that opens it.
export function settings(actions) {
  return html`<button type="button" class="icon-button" id="settings-button" popovertarget="settings" aria-haspopup="dialog" aria-label=${text("page.settings")} title=${text("page.settings")}>${icons.sliders}</button>
    <div id="settings" popover role="dialog" aria-label=${text("page.settings")} @beforetoggle=${place} @toggle=${focus}>
      ${rows(actions).map(row)}
    </div>`;
}

// place puts the menu above its button.
function place({ newState, target }) {
  if (newState !== "open") return;
  const { top } = document.querySelector("#settings-button").getBoundingClientRect();
  target.style.insetBlockEnd = `${innerHeight - top + 4}px`;
  target.style.maxBlockSize = `${top - 12}px`;
}

// focus moves into the menu, and back to its button: in the drawer, browsers do not move it back.
function focus({ newState, target }) {
  if (newState === "open") target.querySelector("select").focus();
  else if (document.activeElement === document.body || target.contains(document.activeElement)) document.querySelector("#settings-button").focus();
}
