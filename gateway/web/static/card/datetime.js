// The field for a time: the browser's control for local times, and the time zone in words.
import { html, live, nothing } from "../vendor/lit.js";
import { errorView } from "./fault.js";
import { fromLocal, toLocal, twin, zone } from "./moment.js";
import { longTime } from "./written.js";

// datetime draws the field. The draft has the time with its offset: one that came with another offset, as
// a default or an earlier answer, keeps it until the user changes it.
export function datetime(c, described) {
  const { min, max } = c.part.validation ?? {};
  const { input } = c.draft, local = toLocal(input), other = local >= "1000" ? twin(input) : "";
  const bound = (time) => (time ? toLocal(time).slice(0, 16) : nothing);
  return html`<div class="date">
    <input id="input" part="input" type="datetime-local" min=${bound(min)} max=${max ? bound(max) : "9999-12-31T23:59"} step=${local.length > 16 ? 1 : nothing} aria-labelledby="title"
      aria-describedby="written ${described}" aria-invalid=${c.errors.value ? "true" : "false"} ?readonly=${c.locked}
      .value=${live(local)} @input=${(e) => c.change({ input: fromLocal(e.target.value), unreadable: e.target.validity.badInput })}>
    <span id="written" class="muted" part="written">${local >= "1000" ? longTime(input, c.locale) : c.text("card.datetime_zone", { zone: zone() })}</span>
    ${other ? html`<button type="button" id="twin" class="quiet" part="quiet" @click=${() => c.change({ input: other })}>${c.text("card.datetime_twin", { time: longTime(other, c.locale) })}</button>` : nothing}
  </div>
  ${errorView(c, "value")}`;
}
