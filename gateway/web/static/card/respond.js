// The text that a person gives as the result of a call, in its place.
import { html, nothing } from "../vendor/lit.js";
import { longestResult } from "./draft.js";
import { errorView } from "./fault.js";
import { area } from "./fields.js";
import { count } from "./validate.js";

// respondView draws the field, once it is open. c is the field's context.
export function respondView(c) {
  const { draft, text } = c, length = count(draft.result);
  if (!draft.responding) return nothing;
  return html`<div class="note" part="result">
    <label id="result-label" for="result">${text("card.result")}</label>
    ${area(c, { id: "result", field: "result", value: draft.result, rows: 3, label: "result-label", about: "result-hint", change: (result) => c.change({ result }) })}
    <p class="below"><span id="result-hint">${text("card.result_hint")}</span>
      <span class="length ${length > longestResult ? "over" : ""}">${text("card.length", { length: c.number(length), max: c.number(longestResult) })}</span></p>
    ${errorView(c, "result")}
  </div>`;
}
