// The checkbox that allows using the answer in later chats without asking, if the admin permits it.
import { html, nothing } from "../vendor/lit.js";

// againView draws the checkbox of a question. c is the field's context.
export function againView({ part, draft, text, locked, change }) {
  if (part.kept !== "unasked") return nothing;
  return html`<label class="again" part="again">
    <input type="checkbox" .checked=${draft.again === true} aria-disabled=${locked} @change=${(event) => change({ again: event.target.checked })}>
    <span>${text("card.dont_ask_again")}</span>
  </label>`;
}
