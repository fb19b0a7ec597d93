// Draws counts and waiting times as charts: SVG with a title, a description and a legend, and the same
// numbers as a table.
import { text } from "../page/texts.js";
import { html, nothing, repeat, svg } from "../vendor/lit.js";

// table draws a table in a box that scrolls sideways. Heads are texts or {text, number}. Rows are lists
// of cells, the first of which is the row's head. key identifies a row when rows change.
export function table(caption, heads, list, key = (row, i) => i) {
  const kind = (i) => (heads[i].number ? "number" : nothing);
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${caption}><table>
    <caption>${caption}</caption>
    <thead><tr>${heads.map((h, i) => html`<th scope="col" class=${kind(i)}>${h.text ?? h}</th>`)}</tr></thead>
    <tbody>${repeat(list, key, (cells) => html`<tr>${cells.map((c, i) => (i ? html`<td class=${kind(i)}>${c}</td>` : html`<th scope="row" class=${kind(i)}>${c}</th>`))}</tr>`)}</tbody>
  </table></div>`;
}

// figure draws a drawing with its legend and table. Series are {key, label}.
export function figure({ id, title, hint, description, drawing: { width, height, thin, content }, series, numbers }) {
  return html`<figure>
    <figcaption>${title}</figcaption>
    ${hint ? html`<p class="hint">${hint}</p>` : nothing}
    <svg class=${thin ? "thin" : nothing} viewBox="0 0 ${width} ${height}" width=${width} height=${height} role="img" aria-labelledby="${id}-title" aria-describedby="${id}-text">
      <title id="${id}-title">${title}</title><desc id="${id}-text">${description}</desc>${content}
    </svg>
    <ul class="legend">${series.map((s) => html`<li><span class="key ${s.key}" aria-hidden="true"></span>${s.label}</li>`)}</ul>
    <details><summary>${text("admin.as_table")}</summary>${numbers}</details>
  </figure>`;
}

const margin = { top: 8, right: 8, bottom: 26, left: 60 };
const letter = 6.5; // approximate width of a letter in px, used to keep labels inside

// steps returns round numbers from 0 to at least most.
function steps(most) {
  const size = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  const step = Math.max(1, [0.2, 0.5, 1, 2].map((f) => f * size).find((s) => most / s <= 5) ?? size);
  const list = [0];
  while (list.at(-1) < most) list.push(list.at(-1) + step);
  return list.length > 1 ? list : [0, 1];
}

// durations are the marks of a scale of waiting times, in seconds.
const durations = [1, 10, 60, 600, 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400];

// logarithmic maps seconds to 0..1, starting at one second.
function logarithmic(most) {
  const lines = durations.slice(0, Math.max(2, durations.findIndex((d) => d >= most) + 1 || durations.length));
  const top = Math.log(Math.max(lines.at(-1), most));
  return { lines, at: (seconds) => Math.log(Math.max(seconds, 1)) / top };
}

function timeAxis(spans, format, x, width, height) {
  const every = Math.max(1, Math.ceil(spans.length / Math.max(2, Math.floor(width / 105))));
  const bottom = height - margin.bottom;
  return svg`<line class="axis" x1=${margin.left} x2=${width - margin.right} y1=${bottom} y2=${bottom}></line>
    ${spans.map((span, i) => {
      const label = format(span.start);
      return i % every === 0 && x(i) + label.length * letter < width ? svg`<text x=${x(i)} y=${height - 8}>${label}</text>` : nothing;
    })}`;
}

const valueAxis = (marks, label, y, width) => marks.map((at) => svg`
  <line class="grid" x1=${margin.left} x2=${width - margin.right} y1=${y(at)} y2=${y(at)}></line>
  <text x=${margin.left - 6} y=${y(at) + 4} text-anchor="end">${label(at)}</text>`);

// columns draws a stack for each span of time. Spans are {start, values: {key: n}}.
export function columns({ spans, series, width, height = 220, format, number, say }) {
  const total = (s) => series.reduce((sum, { key }) => sum + s.values[key], 0);
  const marks = steps(Math.max(0, ...spans.map(total)));
  const each = (width - margin.left - margin.right) / spans.length;
  const x = (i) => margin.left + each * i;
  const y = (n) => height - margin.bottom - ((height - margin.top - margin.bottom) * n) / marks.at(-1);
  const stack = ({ start, values }, i) => {
    let below = 0;
    return series.filter(({ key }) => values[key]).map(({ key, label }) => {
      const from = below;
      below += values[key];
      return svg`<rect class="bar ${key}" x=${x(i)} width=${Math.max(1, each - 0.5)} y=${y(below)} height=${y(from) - y(below)}><title>${say(start, label, values[key])}</title></rect>`;
    });
  };
  return { width, height, thin: each < 8, content: [valueAxis(marks, number, y, width), spans.map(stack), timeAxis(spans, format, x, width, height)] }; // thin: no room for gaps
}

// curves draws waiting times on a logarithmic scale. A span without a time interrupts the line. Spans are
// {start, values: {key: seconds}}.
export function curves({ spans, series, width, height = 220, format, duration, say }) {
  const scale = logarithmic(Math.max(0, ...spans.flatMap((s) => series.map(({ key }) => s.values[key] ?? 0))));
  const each = (width - margin.left - margin.right) / spans.length;
  const x = (i) => margin.left + each * i;
  const y = (s) => height - margin.bottom - (height - margin.top - margin.bottom) * scale.at(s);
  const curve = ({ key, label }) => {
    const points = spans.map(({ start, values }, i) => ({ start, s: values[key] ?? null, x: x(i + 0.5) }));
    const path = points.map((p, i) => (p.s === null ? "" : `${(points[i - 1]?.s ?? null) === null ? "M" : "L"}${p.x.toFixed(1)} ${y(p.s).toFixed(1)}`)).join("");
    return svg`<path class="curve ${key}" d=${path}></path>
      ${points.filter((p) => p.s !== null).map((p) => svg`<circle class="dot ${key}" cx=${p.x} cy=${y(p.s)} r="3.5"><title>${say(p.start, label, p.s)}</title></circle>`)}`;
  };
  return { width, height, content: [valueAxis(scale.lines, duration, y, width), series.map(curve), timeAxis(spans, format, x, width, height)] };
}

const row = 44; // px, for a bar and its name

// rows draws a horizontal bar for each name: the values joined end to end or, with nested, waiting times
// on top of each other on a logarithmic scale. Rows are {name, values: {key: n}}.
export function rows({ rows: list, series, width, nested, label, say }) {
  const value = (r, key) => r.values[key] ?? 0;
  const total = (r) => series.reduce((sum, { key }) => (nested ? Math.max(sum, value(r, key)) : sum + value(r, key)), 0);
  const most = Math.max(1, ...list.map(total));
  const scale = nested ? logarithmic(most).at : (n) => n / most;
  const inner = width - 8;
  const bar = (r, i) => {
    let before = 0;
    const parts = nested ? series.toSorted((a, b) => value(r, b.key) - value(r, a.key)) : series;
    return svg`<text x="0" y=${i * row + 14}>${r.name}</text><text x=${inner} y=${i * row + 14} text-anchor="end">${label(r)}</text>
      ${parts.filter(({ key }) => value(r, key)).map((part) => {
        const n = value(r, part.key);
        const from = nested ? 0 : inner * scale(before);
        before += n;
        return svg`<rect class="bar ${part.key}" x=${from} y=${i * row + 20} width=${Math.max(2, inner * scale(nested ? n : before) - from)} height="16"><title>${say(r.name, part.label, n)}</title></rect>`;
      })}`;
  };
  return { width, height: list.length * row + 4, content: list.map(bar) };
}
