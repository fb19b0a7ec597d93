// Draws counts as pictures: SVG with a title, a description and a legend, and the
// same numbers as a table. Texts are only ever set as textContent.

// el makes an element; what it holds are elements or texts.
export function el(tag, attributes = {}, ...content) {
  return fill(document.createElement(tag), attributes, content);
}

// shape makes an element of SVG, in the name space of the page's template.
function shape(tag, attributes = {}, ...content) {
  const space = document.getElementById("canvas").content.firstElementChild.namespaceURI;
  return fill(document.createElementNS(space, tag), attributes, content);
}

function fill(node, attributes, content) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, String(value));
  }
  node.append(...content.flat().filter((c) => c != null)); // strings become text nodes
  return node;
}

// table makes a table in a box that scrolls sideways. Heads are texts or
// {text, number}; rows are lists of texts or nodes, the first of each heads its row.
export function table(caption, heads, rows) {
  const isNumber = heads.map((h) => Boolean(h.number));
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": caption },
    el("table", {},
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, heads.map((h) => el("th", { scope: "col", class: h.number ? "number" : null }, h.text ?? h)))),
      el("tbody", {}, rows.map((cells) => el("tr", {}, cells.map((c, i) =>
        el(i ? "td" : "th", { scope: i ? null : "row", class: isNumber[i] ? "number" : null }, c)))))));
}

let count = 0; // keeps ids of different figures apart

// figure puts a drawing, its legend and its table together. Series are {key, label}.
export function figure({ title, hint, description, drawing, series, asTable, numbers }) {
  const id = `figure${++count}`;
  drawing.prepend(shape("title", { id: `${id}-title` }, title), shape("desc", { id: `${id}-text` }, description));
  fill(drawing, { role: "img", "aria-labelledby": `${id}-title`, "aria-describedby": `${id}-text` }, []);
  return el("figure", {},
    el("figcaption", {}, title),
    hint ? el("p", { class: "hint" }, hint) : null,
    drawing,
    el("ul", { class: "legend" }, series.map((s) => el("li", {}, el("span", { class: `key ${s.key}`, "aria-hidden": "true" }), s.label))),
    el("details", {}, el("summary", {}, asTable), numbers));
}

function canvas(width, height) {
  return shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height });
}

const margin = { top: 8, right: 8, bottom: 26, left: 60 };
const letter = 6.5; // about the width of one, to keep labels inside

// steps are round numbers from 0 to at least most.
function steps(most) {
  const size = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  const step = Math.max(1, [0.2, 0.5, 1, 2].map((f) => f * size).find((s) => most / s <= 5) ?? size);
  const list = [0];
  while (list.at(-1) < most) list.push(list.at(-1) + step);
  return list.length > 1 ? list : [0, 1];
}

// durations are the lines of a scale of waiting times, in seconds.
const durations = [1, 10, 60, 600, 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400];

// logarithmic maps seconds to 0..1, from a second on.
function logarithmic(most) {
  const lines = durations.slice(0, Math.max(2, durations.findIndex((d) => d >= most) + 1 || durations.length));
  const top = Math.log(Math.max(lines.at(-1), most));
  return { lines, at: (seconds) => Math.log(Math.max(seconds, 1)) / top };
}

function timeAxis(svg, spans, format, x, width, height) {
  const room = Math.max(1, Math.ceil(spans.length / Math.max(2, Math.floor(width / 105))));
  svg.append(shape("line", { class: "axis", x1: margin.left, x2: width - margin.right, y1: height - margin.bottom, y2: height - margin.bottom }));
  spans.forEach((span, i) => {
    const label = format(span.start);
    if (i % room === 0 && x(i) + label.length * letter < width) svg.append(shape("text", { x: x(i), y: height - 8 }, label));
  });
}

function valueAxis(svg, marks, y, width) {
  for (const { at, label } of marks) {
    svg.append(
      shape("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: y(at), y2: y(at) }),
      shape("text", { x: margin.left - 6, y: y(at) + 4, "text-anchor": "end" }, label));
  }
}

// columns draws a stack for each span of time. Spans are {start, values: {key: n}}.
export function columns({ spans, series, width, height = 220, format, number, say }) {
  const svg = canvas(width, height);
  const total = (s) => series.reduce((sum, { key }) => sum + (s.values[key] ?? 0), 0);
  const marks = steps(Math.max(0, ...spans.map(total)));
  const inner = width - margin.left - margin.right;
  if (inner / spans.length < 8) svg.classList.add("thin"); // no room for gaps
  const x = (i) => margin.left + (inner * i) / spans.length;
  const y = (n) => height - margin.bottom - ((height - margin.top - margin.bottom) * n) / marks.at(-1);
  valueAxis(svg, marks.map((n) => ({ at: n, label: number(n) })), y, width);
  spans.forEach((span, i) => {
    let below = 0;
    for (const { key, label } of series) {
      const n = span.values[key] ?? 0;
      if (!n) continue;
      svg.append(shape("rect", {
        class: `bar ${key}`, x: x(i), width: Math.max(1, inner / spans.length - 0.5), y: y(below + n), height: y(below) - y(below + n),
      }, shape("title", {}, say(span.start, label, n))));
      below += n;
    }
  });
  timeAxis(svg, spans, format, x, width, height);
  return svg;
}

// curves draws waiting times on a logarithmic scale; a span without any interrupts
// the line. Spans are {start, values: {key: seconds}}.
export function curves({ spans, series, width, height = 220, format, duration, say }) {
  const svg = canvas(width, height);
  const seconds = spans.flatMap((s) => series.map(({ key }) => s.values[key] ?? 0));
  const scale = logarithmic(Math.max(0, ...seconds));
  const inner = width - margin.left - margin.right;
  const x = (i) => margin.left + (inner * (i + 0.5)) / spans.length;
  const y = (s) => height - margin.bottom - (height - margin.top - margin.bottom) * scale.at(s);
  valueAxis(svg, scale.lines.map((s) => ({ at: s, label: duration(s) })), y, width);
  for (const { key, label } of series) {
    let path = "";
    let broken = true;
    spans.forEach((span, i) => {
      const s = span.values[key];
      if (s != null) path += `${broken ? "M" : "L"}${x(i).toFixed(1)} ${y(s).toFixed(1)}`;
      broken = s == null;
    });
    svg.append(shape("path", { class: `curve ${key}`, d: path }));
    spans.forEach((span, i) => {
      const s = span.values[key];
      if (s != null) svg.append(shape("circle", { class: `dot ${key}`, cx: x(i), cy: y(s), r: 3.5 }, shape("title", {}, say(span.start, label, s))));
    });
  }
  timeAxis(svg, spans, format, (i) => x(i) - inner / spans.length / 2, width, height);
  return svg;
}

// rows draws a horizontal bar for each name: parts on end, or where nested is set, waiting
// times one behind the other on a logarithmic scale. Rows are {name, values: {key: n}}.
export function rows({ rows: list, series, width, nested, label, say }) {
  const row = 44;
  const svg = canvas(width, list.length * row + 4);
  const value = (r, key) => r.values[key] ?? 0;
  const total = (r) => series.reduce((sum, { key }) => (nested ? Math.max(sum, value(r, key)) : sum + value(r, key)), 0);
  const most = Math.max(1, ...list.map(total));
  const scale = nested ? logarithmic(most).at : (n) => n / most;
  const inner = width - 8;
  list.forEach((r, i) => {
    const top = i * row;
    svg.append(shape("text", { x: 0, y: top + 14 }, r.name), shape("text", { x: inner, y: top + 14, "text-anchor": "end" }, label(r)));
    let before = 0;
    const parts = nested ? [...series].sort((a, b) => value(r, b.key) - value(r, a.key)) : series;
    for (const part of parts) {
      const n = value(r, part.key);
      if (!n) continue;
      const from = nested ? 0 : inner * scale(before);
      const to = nested ? inner * scale(n) : inner * scale(before + n);
      svg.append(shape("rect", { class: `bar ${part.key}`, x: from, y: top + 20, width: Math.max(2, to - from), height: 16 },
        shape("title", {}, say(r.name, part.label, n))));
      before += n;
    }
  });
  return svg;
}
