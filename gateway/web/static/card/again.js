// Whether the answer may be used in later chats without asking, where the admin lets it.
import { html, nothing } from "../vendor/lit.js";

// againView draws the tick of a question. c is the field's context.
export function againView({ part, draft, text, locked, change }) {
  if (part.kept !== "unasked") return nothing;
  return html`<label class="again" part="again">
    <input type="checkbox" .checked=${draft.again === true} aria-disabled=${locked} @change=${(event) => change({ again: event.target.checked })}>
    <span>${text("card.dont_ask_again")}</span>
  </label>`;
}
