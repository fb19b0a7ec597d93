// The outcomes of each question, as the gateway counts them, and what to do about them.
import { text } from "../page/texts.js";
import { html, nothing } from "../vendor/lit.js";
import { table } from "./chart.js";
import { duration, number } from "./format.js";

const counts = ["asked", "shown", "answered", "skipped", "declined", "expired", "superseded", "remembered", "other", "recommended"];

const head = (id) => ({ text: text(id), number: true });
const heads = () => [...counts.map((key) => head(`admin.${key}`)), head("admin.again_same"), head("admin.again_other")];
const cells = (row) => [...counts.map((key) => number(row[key])), number(row.again.same), number(row.again.other)];
const small = (content) => html`<small>${content}</small>`;

// report draws the rows of GET /v1/admin/questions.
export function report({ items, others, models }) {
  if (!items.length) return html`<p>${text("admin.nothing_asked")}</p>`;
  return html`${items.some((row) => row.template || row.text) ? nothing : html`<p class="hint">${text("admin.hidden_hint")}</p>`}
    ${table(text("admin.report"), [text("admin.question"), text("admin.app"), ...heads(), head("admin.half_within"), head("admin.most_within")], items.map((row) => [
      [name(row), row.advice ? html`<strong class="advice">${row.advice}</strong>` : nothing, by(row.models)],
      row.app,
      ...cells(row),
      ...["p50", "p90"].map((key) => (row.seconds ? duration(row.seconds[key]) : "–")),
    ]))}
    ${others ? html`<p class="hint">${text("admin.report_others", { count: number(others) })}</p>` : nothing}
    ${models.length ? html`<h3>${text("admin.models")}</h3>
      ${table(text("admin.report_models"), [text("admin.model"), text("admin.app"), ...heads()], models.map((row) => [row.model, row.app, ...cells(row)]))}` : nothing}`;
}

const by = (models) => {
  const each = Object.entries(models).map(([model, n]) => `${model}: ${number(n)}`);
  return each.length ? small(each.join(", ")) : nothing;
};

function name({ template, text: asked, options, input_type: type }) {
  if (template) return html`<code>${template}</code>`;
  if (!asked) return [html`<span class="off">${text("admin.hidden")}</span>`, small(type)];
  return [asked, options ? small(options.join(", ")) : nothing];
}
