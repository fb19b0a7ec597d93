// Approvals while another site shows this page in a frame. That site could lay something over the
// frame, so that a click meant for it allows a call. So nothing in a frame allows one: a link opens
// the question in a window of its own.
import { html } from "../vendor/lit.js";
import * as icons from "./icons.js";
import { text } from "./texts.js";

const framed = window !== window.top;

// apart returns what to draw in place of the card of an open approval, undefined to draw the card.
// place is the address of the question within the page.
export function apart({ kind, state = "pending", question }, place) {
  if (!framed || kind !== "approval" || state !== "pending") return undefined;
  return html`<div class="apart">
    <p dir="auto">${question}</p>
    <p class="hint">${text("page.framed_hint")}</p>
    <a class="main" href=${`#${place}`} target="_blank" rel="noopener">${icons.shield}${text("page.framed_open")}</a>
  </div>`;
}
