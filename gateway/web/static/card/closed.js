// A closed question, folded for the transcript: the question and its answer.
import { html, nothing } from "../vendor/lit.js";
import { applies } from "./when.js";
import { named } from "./written.js";

// spoken is an answer as a person reads it: its lines. day writes an ISO date.
export function spoken(part, answer, { text, options, day, locale }) {
  if (answer.skipped) return [text("card.skipped")];
  if (answer.declined) return [text("card.declined")];
  const label = (value) => {
    const v = typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
    return [...answer.options ?? [], ...options].find((o) => o.value === v)?.label ?? (part.input_type === "date" ? day(v) : v);
  };
  if (answer.file) return [named(answer.file, locale)];
  return [
    ...(answer.value !== undefined ? [label(answer.value)] : []),
    ...(answer.values ?? []).map(label),
    ...(answer.other ? [answer.other] : []),
  ];
}

const marks = { answered: "✓", remembered: "✓", expired: "×", cancelled: "×" };

// closedView draws a clarification in a final state. answer is the contract's, or
// the text that the model was given.
export function closedView({ questions, options, locale, state, answer, text, day, when, who, asker, notice, unsent, fileUrl }) {
  const answers = questions.length === 1 ? [answer] : answer?.answers ?? [];
  const asked = typeof answer === "string" ? questions.map(() => true) : applies(questions, answers);
  const line = (part, a, i) => {
    const alone = questions.length === 1 && (a?.skipped || a?.declined); // the outcome says it
    const lines = !a || typeof a === "string" || alone ? [] : spoken(part, a, { text, day, locale, options: options[i] });
    const url = a?.file && fileUrl?.(a.value);
    return html`<div class="said" part="said">
      <p class="asked" dir="auto">${part.question}</p>
      ${lines.length ? html`<p class="answer" part="answer" dir="auto">${url ? html`<a href=${url} download=${a.file.name}>${lines[0]}</a>` : lines.join(", ")}</p>` : nothing}
      ${a?.arguments ? html`<p class="noted"><span>${text("card.edited")}:</span> <code dir="ltr">${typeof a.arguments === "string" ? a.arguments : JSON.stringify(a.arguments)}</code></p>` : nothing}
      ${a?.note ? html`<p class="noted"><span>${text("card.note")}:</span> <span dir="auto">${a.note}</span></p>` : nothing}
    </div>`;
  };
  return html`
    <div class="closed ${state}" tabindex="-1" id="focus">
      <span class="mark" aria-hidden="true">${marks[state] ?? "–"}</span>
      <div class="body">
        ${asker ? html`<p class="asker" part="asker" dir="auto">${text("card.asked_by", { name: asker })}</p>` : nothing}
        ${questions.map((part, i) => asked[i] ? line(part, answers[i], i) : nothing)}
        ${typeof answer === "string" ? html`<p class="answer" part="answer" dir="auto">${answer}</p>` : nothing}
        ${questions.length > 1 && answer?.note ? html`<p class="noted"><span>${text("card.note")}:</span> <span dir="auto">${answer.note}</span></p>` : nothing}
        ${notice ? html`<p class="notice" part="notice">${notice}</p>` : nothing}
        <p class="outcome" part="outcome">${who && state === "answered" ? text("card.answered_by", { name: who }) : text(`card.${state}`)}${when ? html` · <time datetime=${when.iso}>${when.text}</time>` : nothing}</p>
        ${unsent.length ? html`<details class="unsent"><summary>${text("card.unsent")}</summary>${unsent.map((s) => html`<p dir="auto">${s}</p>`)}</details>` : nothing}
      </div>
    </div>`;
}
