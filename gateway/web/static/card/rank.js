// The field for an order of options: a list whose entries are dragged, or moved by buttons or keys. The
// order that is shown first is an answer only once the user has moved something or chosen to use it.
import { html, nothing } from "../vendor/lit.js";
import { errorView } from "./fault.js";

// ordered returns the values of all options in the order of a draft.
export function ordered(part, draft) {
  const values = (part.options ?? []).map((o) => o.value), given = draft.choices.filter((v) => values.includes(v));
  return [...given, ...values.filter((v) => !given.includes(v))];
}

let held = null; // {value, from}: what the pointer drags

export function rank(c, described) {
  const { part, options, text } = c, order = ordered(part, c.draft), count = order.length;
  const labelOf = (value) => options.find((o) => o.value === value)?.label ?? value;
  const place = (value, i) => text("card.rank_place", { option: labelOf(value), number: c.number(i + 1), count: c.number(count) });
  const move = (value, to, focus = "") => {
    const now = ordered(part, c.draft), at = Math.max(0, Math.min(to, count - 1));
    if (c.locked || now.indexOf(value) === at) return;
    c.change({ choices: now.filter((v) => v !== value).toSpliced(at, 0, value) }, focus && `${focus}-${at}`);
    if (!held) c.say(place(value, at));
  };
  const keys = (value, i) => (e) => {
    const to = { ArrowUp: i - 1, ArrowDown: i + 1, Home: 0, End: count - 1 }[e.key];
    if (to === undefined || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    e.stopPropagation();
    move(value, to, "rank");
  };
  const grab = (value, i) => (e) => {
    if (c.locked || e.button !== 0) return;
    held = { value, from: i };
    e.currentTarget.setPointerCapture(e.pointerId);
  };
  const drag = (e) => {
    if (!held) return;
    const rows = [...e.currentTarget.closest("ol").children].map((row) => row.getBoundingClientRect());
    const at = rows.findIndex((row) => e.clientY < row.bottom);
    move(held.value, at < 0 ? count - 1 : at);
  };
  const drop = () => {
    if (!held) return;
    const { value, from } = held, at = ordered(part, c.draft).indexOf(value);
    held = null;
    if (at === from) return;
    c.change({}, `rank-${at}`); // draws it without the mark
    c.say(place(value, at));
  };
  const step = (value, i, by, id) => html`<button type="button" id="${id}-${i}" class="step" part="step" aria-label=${text(`card.rank_${id}`, { option: labelOf(value) })}
    aria-disabled=${by < 0 ? i === 0 : i === count - 1} @click=${() => move(value, i + by, id)}><span aria-hidden="true">${by < 0 ? "↑" : "↓"}</span></button>`;
  return html`
    <ol class="rank" part="options" role="list" aria-labelledby="title" aria-describedby="rank-keys ${described}">${order.map((value, i) => html`<li class="ranked ${held?.value === value ? "held" : ""}" part="option">
      <button type="button" id="rank-${i}" class="grip" part="grip" aria-describedby="rank-keys" aria-keyshortcuts="ArrowUp ArrowDown Home End"
        @keydown=${keys(value, i)} @pointerdown=${grab(value, i)} @pointermove=${drag} @pointerup=${drop} @pointercancel=${drop}>
        <span class="words"><span class="label" dir="auto">${labelOf(value)}</span>${about(options, value)}</span>
        <span class="unseen">${text("card.step", { number: c.number(i + 1), count: c.number(count) })}</span></button>
      ${step(value, i, -1, "up")}${step(value, i, 1, "down")}</li>`)}</ol>
    <p id="rank-keys" class="muted">${text("card.rank_keys")}</p>
    ${c.draft.choices.length ? nothing : html`<button type="button" id="rank-keep" class="plain keep-order" part="quiet" @click=${() => c.change({ choices: order }, "rank-0")}>${text("card.rank_keep")}</button>`}
    ${errorView(c, c.errors.value ? "value" : "values")}`;
}

function about(options, value) {
  const { description } = options.find((o) => o.value === value) ?? {};
  return description ? html`<span class="about" dir="auto">${description}</span>` : nothing;
}
