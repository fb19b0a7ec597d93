// Figures and charts of the questions asked in a period, of all apps or of one.
import { text } from "../page/texts.js";
import { html, nothing } from "../vendor/lit.js";
import { columns, curves, figure, rows, table } from "./chart.js";
import { duration, mark, moment, number } from "./format.js";

const outcomes = ["answered", "skipped", "declined", "expired", "superseded", "cancelled", "remembered", "pending"];
const counts = ["asked", ...outcomes];
const mostRows = 12; // rows of a chart; the table has all

const sum = (list, key) => list.reduce((n, c) => n + c[key], 0);
const sums = (list) => Object.fromEntries(counts.map((key) => [key, sum(list, key)]));
const say = (where, label, value) => `${where}: ${label} ${value}`;
const head = (label) => ({ text: label, number: true });

export function charts(stats, one, room) {
  const apps = one ? [one] : stats.apps;
  const asked = apps.filter((a) => a.asked > 0);
  const waited = asked.filter((a) => a.waitSeconds);
  const wide = room || 320;
  const width = Math.floor(wide >= 736 ? (wide - 16) / 2 : wide);
  return html`${figures(asked, one)}
    ${asked.length ? nothing : html`<p>${text("admin.nothing_asked")}</p>`}
    <div class="graphs">
      ${asked.length ? overTime(stats, asked, width) : nothing}
      ${asked.length && !one ? perApp(asked, width) : nothing}
      ${!waited.length ? nothing : one ? wait(stats, one, width) : waitPerApp(waited, width)}
      ${caps(stats, apps, width)}
    </div>`;
}

function figures(apps, one) {
  const list = ["asked", "answered", "pending"].map((key) => [text(`admin.${key}`), number(sum(apps, key))]);
  if (one?.waitSeconds) list.push([text("admin.half_within"), duration(one.waitSeconds.p50)], [text("admin.most_within"), duration(one.waitSeconds.p90)]);
  return html`<dl class="figures">${list.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
}

// spansOf returns all spans of the period, including empty ones. values turns what apps have in a span
// into the numbers to draw.
function spansOf({ from, to, spanSeconds }, apps, values) {
  const at = Map.groupBy(apps.flatMap((a) => a.spans), (s) => Date.parse(s.start));
  const list = [];
  for (let t = Date.parse(from); t <= Date.parse(to); t += spanSeconds * 1000) list.push({ start: t, values: values(at.get(t) ?? []) });
  return list;
}

// ---- counts, by outcome ----

const usedBy = (apps) => outcomes.filter((key) => sum(apps, key) > 0).map((key) => ({ key, label: text(`admin.${key}`) }));
const summary = (apps) => text("admin.summary", { asked: number(sum(apps, "asked")), answered: number(sum(apps, "answered")), pending: number(sum(apps, "pending")) });
const countHeads = () => counts.map((key) => head(text(`admin.${key}`)));
const countCells = (values) => counts.map((key) => number(values[key]));

function overTime(stats, apps, width) {
  const spans = spansOf(stats, apps, sums);
  const series = usedBy(apps);
  const title = text("admin.asked_over_time");
  return figure({
    id: "asked-over-time", title, description: summary(apps), series,
    drawing: columns({ spans, series, width, format: (t) => mark(t, stats.spanSeconds), number, say: (t, label, n) => say(moment(t), label, number(n)) }),
    numbers: table(title, [text("admin.begins"), ...countHeads()], spans.filter((s) => s.values.asked).map((s) => [moment(s.start), ...countCells(s.values)])),
  });
}

function perApp(apps, width) {
  const series = usedBy(apps);
  const list = apps.toSorted((a, b) => b.asked - a.asked);
  const title = text("admin.per_app");
  return figure({
    id: "per-app", title, description: summary(apps), series,
    drawing: rows({
      rows: list.slice(0, mostRows).map((a) => ({ name: a.app, values: a })), series, width,
      label: (r) => number(r.values.asked), say: (name, label, n) => say(name, label, number(n)),
    }),
    numbers: table(title, [text("admin.app"), ...countHeads()], list.map((a) => [a.app, ...countCells(a)])),
  });
}

// ---- waiting times ----

const waitSeries = () => [{ key: "p50", label: text("admin.half_within") }, { key: "p90", label: text("admin.most_within") }];
const waitHeads = () => [...waitSeries().map((s) => head(s.label)), head(text("admin.nearly_all_within"))];
const waitCells = (w) => [duration(w.p50), duration(w.p90), duration(w.p99)];
const waitSummary = (w) => text("admin.wait_summary", { p50: duration(w.p50, "long"), p90: duration(w.p90, "long") });

function wait(stats, app, width) {
  const spans = spansOf(stats, [app], ([s]) => s?.waitSeconds ?? {});
  const series = waitSeries();
  const title = text("admin.wait_over_time");
  return figure({
    id: "wait-over-time", title, hint: text("admin.wait_hint"), description: waitSummary(app.waitSeconds), series,
    drawing: curves({ spans, series, width, format: (t) => mark(t, stats.spanSeconds), duration, say: (t, label, s) => say(moment(t), label, duration(s)) }),
    numbers: table(title, [text("admin.begins"), ...waitHeads()], spans.filter((s) => s.values.count).map((s) => [moment(s.start), ...waitCells(s.values)])),
  });
}

function waitPerApp(apps, width) {
  const list = apps.toSorted((a, b) => b.waitSeconds.p50 - a.waitSeconds.p50);
  const shown = list.slice(0, mostRows);
  const title = text("admin.wait_per_app");
  return figure({
    id: "wait-per-app", title, hint: text("admin.wait_hint"), series: waitSeries(),
    description: shown.map((a) => `${a.app}: ${waitSummary(a.waitSeconds)}`).join(" "),
    drawing: rows({
      rows: shown.map((a) => ({ name: a.app, values: a.waitSeconds })), series: waitSeries(), width, nested: true,
      label: (r) => `${duration(r.values.p50)} / ${duration(r.values.p90)}`, say: (name, label, s) => say(name, label, duration(s)),
    }),
    numbers: table(title, [text("admin.app"), ...waitHeads()], list.map((a) => [a.app, ...waitCells(a.waitSeconds)])),
  });
}

// ---- the caps, each in the color of an outcome ----

const colors = { conversation: "expired", turn: "declined", principal: "skipped", app: "superseded", approvals: "cancelled" };

function caps({ capsSince }, apps, width) {
  const total = (a) => Object.keys(colors).reduce((n, cap) => n + a.capsReached[cap], 0);
  const hit = apps.filter((a) => total(a) > 0);
  const shown = hit.slice(0, mostRows);
  const used = Object.keys(colors).filter((cap) => hit.some((a) => a.capsReached[cap] > 0));
  const series = used.map((cap) => ({ key: colors[cap], label: text(`admin.cap_${cap}`) }));
  const title = text("admin.caps_hit");
  const hint = text("admin.caps_hint", { time: moment(capsSince) });
  if (!hit.length) return html`<figure><figcaption>${title}</figcaption><p class="hint">${hint}</p><p>${text("admin.no_caps")}</p></figure>`;
  return figure({
    id: "caps-hit", title, hint, series, description: shown.map((a) => `${a.app}: ${number(total(a))}.`).join(" "),
    drawing: rows({
      rows: shown.map((a) => ({ name: a.app, total: total(a), values: Object.fromEntries(used.map((cap) => [colors[cap], a.capsReached[cap]])) })),
      series, width, label: (r) => number(r.total), say: (name, label, n) => say(name, label, number(n)),
    }),
    numbers: table(title, [text("admin.app"), ...series.map((s) => head(s.label))], hit.map((a) => [a.app, ...used.map((cap) => number(a.capsReached[cap]))])),
  });
}
