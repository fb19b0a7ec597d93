// The field for a scale: one button per number, with the names of its ends.
import { html, live, nothing } from "../vendor/lit.js";
import { picked } from "./draft.js";
import { errorView } from "./fault.js";

export function scale(c, described) {
  const { low = "", high = "" } = c.part.scale ?? {};
  const ends = (i) => (i === 0 && low ? "scale-low" : i === c.options.length - 1 && high ? "scale-high" : "");
  return html`<div class="scale" role="radiogroup" aria-labelledby="title" aria-describedby=${described} aria-invalid=${c.errors.value ? "true" : "false"}>
    <div class="points" part="options">${c.options.map((o, i) => {
      const chosen = c.draft.choices.includes(o.value), choose = (change) => change(picked(c.part, c.draft, o, true));
      return html`<label class="option point ${chosen ? "chosen" : ""}" part="option ${chosen ? "chosen" : ""}">
        <input id="pick-${i}" type="radio" name="choice" class="pick" aria-labelledby=${`label-${i} ${ends(i)}`.trim()} .checked=${live(chosen)}
          @click=${() => c.instant && choose(c.choose)} @change=${() => c.instant || choose(c.change)}><span id="label-${i}">${c.number(Number(o.value))}</span>
      </label>`;
    })}</div>
    ${low || high ? html`<div class="ends"><span id="scale-low" dir="auto">${low}</span><span id="scale-high" dir="auto">${high}</span></div>` : nothing}
  </div>
  ${errorView(c, "value")}`;
}
