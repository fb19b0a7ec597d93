// A closed question, folded for the transcript: the question and its answer.
import { html, nothing } from "../vendor/lit.js";
import { editedView, foldedCall } from "./call.js";
import { decisionsView } from "./quorum.js";
import { applies } from "./when.js";
import { directionOf, named } from "./written.js";

// spoken returns the lines of an answer, as people read it. day formats an ISO date.
export function spoken(part, answer, { text, options, day, locale }) {
  if (answer.skipped) return [text("card.skipped")];
  if (answer.declined) return [text("card.declined")];
  const label = (value) => {
    const v = typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
    return [...answer.options ?? [], ...options].find((o) => o.value === v)?.label ?? (["date", "datetime"].includes(part.input_type) ? day(v) : v);
  };
  if (answer.file) return [named(answer.file, locale)];
  return [
    ...(answer.value !== undefined ? [label(answer.value)] : []),
    ...(answer.values ?? []).map(label),
    ...(answer.other ? [answer.other] : []),
  ];
}

// decisionOf returns the decision about a call, "" without one. A no is an answer, but shown as denied, or as
// a result that a person gave in its place.
export function decisionOf({ kind }, state, answer) {
  if (kind !== "approval" || !["answered", "declined"].includes(state)) return "";
  if (state === "answered" && [true, "yes"].includes(answer?.value)) return "allowed";
  return typeof answer?.result === "string" ? "responded" : "denied";
}

// outcomeOf returns how a clarification ended, in words, and who closed it, if known.
export function outcomeOf(clarification, state, answer, name, text) {
  const decision = decisionOf(clarification, state, answer);
  if (name && (decision || state === "answered")) return text(`card.${decision || state}_by`, { name });
  return text(`card.${decision || state}`);
}

const marks = { answered: "✓", remembered: "✓", expired: "×", cancelled: "×", denied: "×" };

// closedView draws a clarification in a final state. answer is as in the protocol, or the text that
// the model got. outcome says in words how it ended. noter is the author of a note, if it is not the
// owner of the chat.
export function closedView({ clarification, questions, options, locale, state, answer, text, day, time, when, outcome, asker, notice, unsent, fileUrl, noter }) {
  const noted = (note) => (note ? html`<p class="noted"><span>${text("card.labelled", { label: noter ? text("card.note_by", { name: noter }) : text("card.note") })}</span> <span dir="auto">${note}</span></p>` : nothing);
  const decision = decisionOf(clarification, state, answer), look = ["denied", "responded"].includes(decision) ? decision : state;
  const answers = questions.length === 1 ? [answer] : answer?.answers ?? [];
  const asked = typeof answer === "string" ? questions.map(() => true) : applies(questions, answers);
  const line = (part, a, i) => {
    const alone = questions.length === 1 && (a?.skipped || a?.declined); // the outcome says it
    const lines = !a || typeof a === "string" || alone || decision ? [] : spoken(part, a, { text, day, locale, options: options[i] });
    const url = a?.file && fileUrl?.(a.value);
    return html`<div class="said" part="said" dir=${directionOf(part.question) || nothing}>
      <p class="asked" dir="auto">${part.question}</p>
      ${lines.length ? html`<p class="answer" part="answer" dir="auto">${url ? html`<a href=${url} download=${a.file.name}>${lines[0]}</a>` : lines.join(", ")}</p>` : nothing}
      ${a?.arguments ? html`<div class="noted"><span>${text("card.labelled", { label: text("card.edited") })}</span>${editedView(clarification, a, text)}</div>` : nothing}
      ${decision === "responded" ? html`<p class="answer" part="answer" dir="auto">${a.result}</p>` : nothing}
      ${noted(a?.note)}
    </div>`;
  };
  return html`
    <div class="closed ${look}" tabindex="-1" id="focus">
      <span class="mark" aria-hidden="true">${marks[look] ?? "–"}</span>
      <div class="body">
        ${asker ? html`<p class="asker" part="asker" dir="auto">${text("card.asked_by", { name: asker })}</p>` : nothing}
        ${questions.map((part, i) => asked[i] ? line(part, answers[i], i) : nothing)}
        ${answer?.deleted ? html`<p class="notice" part="notice">${text("card.answer_deleted")}</p>` : nothing}
        ${typeof answer === "string" ? html`<p class="answer" part="answer" dir="auto">${answer}</p>` : nothing}
        ${questions.length > 1 ? noted(answer?.note) : nothing}
        ${decision || typeof answer === "string" ? nothing : others(questions, answers, asked, options, text)}
        ${notice ? html`<p class="notice" part="notice" dir="auto">${notice}</p>` : nothing}
        <p class="outcome" part="outcome">${outcome}${when ? html` · <time datetime=${when.iso}>${when.text}</time>` : nothing}</p>
        ${decisionsView(clarification, text, time, decision === "responded" ? "card.responded_at" : undefined)}
        ${clarification.kind === "approval" && !answer?.arguments ? foldedCall(clarification, text) : nothing}
        ${unsent.length ? html`<details class="unsent"><summary>${text("card.unsent")}</summary>${unsent.map((s) => html`<p dir="auto">${s}</p>`)}</details>` : nothing}
      </div>
    </div>`;
}

// others draws all options of the answered questions in one fold, and marks the chosen ones.
function others(questions, answers, asked, options, text) {
  const lists = questions.flatMap((part, i) => {
    const a = answers[i];
    if (!asked[i] || !a || a.declined || a.skipped || a.deleted || !["select", "multiselect"].includes(part.input_type)) return []; // yes and no need no list
    const { value, values, options: found = [] } = a;
    const all = [...options[i], ...found.filter((f) => !options[i].some((o) => o.value === f.value))];
    return [{ part, all, chosen: (values ?? [value]).map(String) }];
  });
  if (!lists.length) return nothing;
  return html`<details class="others" part="others"><summary>${text("card.all_options", { count: lists.reduce((sum, { all }) => sum + all.length, 0) })}</summary>
    ${lists.map(({ part, all, chosen }) => html`${questions.length > 1 ? html`<p class="asked" dir="auto">${part.question}</p>` : nothing}
    <ul>${all.map((o) => html`<li class=${chosen.includes(o.value) ? "taken" : ""}><span aria-hidden="true">${chosen.includes(o.value) ? "✓" : ""}</span>
      <span><span dir="auto">${o.label}</span>${chosen.includes(o.value) ? html` <span class="unseen">(${text("card.your_choice")})</span>` : nothing}</span></li>`)}</ul>`)}</details>`;
}
