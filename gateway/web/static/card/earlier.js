// The user's earlier answer to the same question, which one click keeps: it is then sent like any
// answer, and a form continues with the next question.
import { html, nothing } from "../vendor/lit.js";
import { newDraft } from "./draft.js";
import { choosable } from "./types.js";
import * as written from "./written.js";

// earlierView draws the offer. c is the field's context; keep takes a change of the draft.
export function earlierView({ part, text, day, number, locale, locked }, keep) {
  const { earlier } = part;
  if (!earlier) return nothing;
  const { today, text: at } = written.when(earlier.answeredAt, locale);
  const values = { label: labelOf(part, day, number), time: at, day: at };
  return html`<div class="earlier" part="earlier">
    <span id="earlier" dir="auto">${text(today ? "card.earlier" : "card.earlier_day", values)}</span>
    <button type="button" class="plain" part="keep" aria-describedby="earlier" aria-disabled=${locked} @click=${() => keep(earlierDraft(part, locale))}>${text("card.keep")}</button>
  </div>`;
}

function labelOf({ input_type: type, earlier }, day, number) {
  if (["date", "datetime"].includes(type) && earlier.value) return day(earlier.value);
  return type === "number" && Number.isSafeInteger(earlier.value) ? number(earlier.value) : earlier.label;
}

// earlierDraft returns the draft of one question as if the earlier answer had just been entered.
export function earlierDraft(part, locale) {
  const { value, values, other, label } = part.earlier;
  const exact = typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER ? label : value; // the label has all digits
  const { input, given, choices } = newDraft({ ...part, default: values ?? exact }, locale);
  const there = (v) => part.options?.some((o) => o.value === v);
  const found = part.searchable ? choices.filter((v) => !there(v)).map((v) => ({ value: v, label: values ? v : label })) : [];
  return { input, given, choices, found, other: other ?? "", useOther: choosable(part) && Boolean(other), unreadable: false };
}
