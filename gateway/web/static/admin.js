import { columns, curves, el, figure, rows, table } from "./chart.js";

const $ = (id) => document.getElementById(id);
const stored = "adminKey"; // not the chat's: that one may be another person's
const states = ["answered", "skipped", "declined", "expired", "superseded", "cancelled", "pending"];
const state = {
  texts: {}, language: "", languages: [],
  config: null, seen: "", stats: null, told: "", // what the view shows, and the reload it comes from
  rows: new Map(), next: null, // waiting questions by id, and the cursor behind them
  signedIn: false, timer: 0,
};

// text localises; {name} in a text stands for a value.
function text(id, values = {}) {
  return (state.texts[id] ?? id).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

const number = (n) => new Intl.NumberFormat(state.language).format(n);
const moment = (t) => (t ? new Date(t).toLocaleString(state.language, { dateStyle: "medium", timeStyle: "short" }) : "–");

// duration says seconds in the unit that fits: short where room is, long in sentences.
function duration(seconds, unitDisplay = "short") {
  const [unit, size] = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]].find(([, s]) => seconds >= s) ?? ["second", 1];
  const n = seconds / size;
  return new Intl.NumberFormat(state.language, { style: "unit", unit, unitDisplay, maximumFractionDigits: n < 10 && size > 1 ? 1 : 0 }).format(n);
}

// ---- requests ----

async function call(path, options = {}) {
  const key = sessionStorage.getItem(stored);
  const headers = { "Accept-Language": state.language, ...(key && { Authorization: `Bearer ${key}` }) };
  const response = await fetch(path, { ...options, headers }).catch(() => { throw new Error(text("admin.unreachable")); });
  if (response.ok) return response.status === 204 ? null : response.json();
  const problem = await response.json().catch(() => ({ detail: response.statusText, status: response.status }));
  throw Object.assign(new Error(problem.detail), { problem });
}

// byCookie says whether it is the chat page's session that the gateway goes by: then
// another person's key may help.
async function byCookie() {
  const response = await fetch("/v1/session").catch(() => null);
  return response?.ok === true && (await response.json()).signedIn;
}

// attempt runs what asks the gateway, and shows why it failed.
async function attempt(work) {
  try {
    await work();
    $("alert").textContent = "";
    return true;
  } catch (error) {
    if (!error.problem && error.message !== text("admin.unreachable")) throw error;
    const status = error.problem?.status;
    const hadKey = sessionStorage.getItem(stored);
    $("alert").textContent = status === 401 && !hadKey ? "" : error.message; // the form says what to do
    if (status === 401 || (status === 403 && (hadKey || await byCookie()))) signOut();
    else if (status === 403) show(false);
    return false;
  }
}

function show(signedIn) {
  state.signedIn = signedIn;
  for (const id of ["view", "sections", "refresh"]) $(id).hidden = !signedIn;
  $("sign-out").hidden = !signedIn || !sessionStorage.getItem(stored);
  if (signedIn) $("key").hidden = true;
}

function signOut() {
  sessionStorage.removeItem(stored);
  show(false);
  for (const id of ["faults", "pending", "drawn", "app-list", "tool-list", "told"]) $(id).replaceChildren();
  state.rows.clear();
  $("key").hidden = false;
  $("key-input").value = "";
  $("key-input").focus();
}

// ---- configuration ----

function drawFaults(last, config) {
  const item = (f) => el("li", {}, el("code", {}, f.line ? `${f.file}:${f.line}:${f.column}` : f.file), f.message);
  const box = $("faults");
  box.replaceChildren();
  if (last.items.length) {
    box.append(
      el("p", { class: "bad" }, text("admin.faulty", { time: moment(last.at), since: moment(last.loadedAt) })),
      el("ul", { class: "faults" }, last.items.map(item)));
  } else {
    box.append(el("p", { class: "good" }, text("admin.no_faults", { time: moment(last.loadedAt) })));
  }
  if (config.warnings.length) {
    box.append(el("details", {}, el("summary", {}, text("admin.warnings", { count: number(config.warnings.length) })),
      el("ul", { class: "faults" }, config.warnings.map(item))));
  }
  const { audit } = config;
  box.append(el("p", {}, text(`admin.audit_${!audit.enabled ? "off" : audit.texts ? "texts" : "on"}`)));
  box.append(el("h3", {}, text("admin.models")), table(text("admin.models"),
    [text("admin.model"), text("admin.provider"), text("admin.server"), text("admin.timeout")],
    config.models.map((m) => [
      [m.name, m.fallbacks.length ? el("small", {}, text("admin.fallbacks", { names: m.fallbacks.join(", ") })) : null],
      [m.model ? `${m.provider}: ${m.model}` : m.provider, m.maxTokens ? el("small", {}, text("admin.max_tokens", { count: number(m.maxTokens) })) : null],
      m.baseUrl || "–", m.timeout,
    ])));
}

function drawApps({ apps }) {
  $("app-list").replaceChildren(table(text("admin.apps"),
    [text("admin.app"), text("admin.enabled"), text("admin.model"), text("admin.tools"), text("admin.caps"), text("admin.limits"), text("admin.access")],
    apps.map((a) => [
      [a.name, el("small", {}, a.id)],
      el("span", { class: a.enabled ? "good" : "off" }, text(a.enabled ? "admin.on" : "admin.off")),
      [a.model, el("small", {}, text("admin.max_steps", { count: number(a.maxSteps) }))],
      a.tools.join(", ") || "–",
      [text("admin.caps_of", { conversation: number(a.clarifications.perConversation), turn: number(a.clarifications.perTurn) }),
        el("small", {}, a.clarifications.expiresIn ? text("admin.expires_in", { time: a.clarifications.expiresIn }) : text("admin.never_expires"))],
      [text("admin.rate", { count: a.limits.requestsPerMinute ? number(a.limits.requestsPerMinute) : "∞" }),
        el("small", {}, text("admin.concurrent", { count: a.limits.concurrentTurns ? number(a.limits.concurrentTurns) : "∞" })),
        el("small", {}, a.retention ? text("admin.kept", { time: a.retention }) : text("admin.kept_always"))],
      a.roles.join(", ") || text("admin.everybody"),
    ])));
}

function drawTools({ tools }) {
  $("tool-list").replaceChildren(table(text("admin.tools"),
    [text("admin.tool"), text("admin.type"), text("admin.server"), text("admin.person"), text("admin.used_by")],
    tools.map((t) => [
      [t.id, el("small", {}, t.app ? text("admin.own_of", { app: t.app }) : text("admin.shared"))],
      t.type,
      t.server ? [`${t.method ?? ""} ${t.server}`.trim(), t.headers ? el("small", {}, text("admin.headers", { names: t.headers.join(", ") })) : null,
        t.allowPrivate ? el("small", {}, text("admin.allow_private")) : null] : "–",
      text(t.needsApproval ? "admin.approves" : t.requiresUserInput ? "admin.answers" : "admin.nobody"),
      t.apps.join(", ") || "–",
    ])));
}

// choose fills a select and keeps what was chosen. Choices are [value, label].
function choose(select, choices, wanted) {
  const before = select.value || wanted;
  select.replaceChildren(...choices.map(([value, label]) => el("option", { value }, label)));
  select.value = choices.some(([value]) => value === before) ? before : choices[0]?.[0] ?? "";
}

const languageName = (tag) => new Intl.DisplayNames([state.language], { type: "language", fallback: "code" }).of(tag);

async function drawTold() {
  const enabled = state.config.apps.filter((a) => a.enabled);
  choose($("told-app"), enabled.map((a) => [a.id, a.name]), "");
  const app = enabled.find((a) => a.id === $("told-app").value);
  if (!app) return;
  choose($("told-language"), [...new Set([...state.languages, ...app.languages])].map((l) => [l, languageName(l)]), state.language);
  const { items } = await call(`/v1/admin/tools?app=${encodeURIComponent(app.id)}&language=${encodeURIComponent($("told-language").value)}`);
  const shown = JSON.stringify(items) + state.language;
  if (shown === state.told) return; // what is unfolded stays so
  state.told = shown;
  const lang = $("told-language").value;
  $("told").replaceChildren(...items.map((d) => el("article", { class: "told" },
    el("h3", {}, el("code", {}, d.name)),
    el("p", { lang }, d.description),
    el("details", {}, el("summary", {}, text("admin.parameters")), el("pre", { lang, tabindex: 0 }, JSON.stringify(d.parameters, null, 2))))));
  if (!items.length) $("told").append(el("p", {}, text("admin.no_tools")));
}

// ---- waiting questions ----

// loadPending reads as much of the list as is shown.
async function loadPending(more) {
  const wanted = Math.max(20, state.rows.size + (more ? 20 : 0));
  let items = [];
  let cursor = "";
  do {
    const part = await call(`/v1/admin/clarifications?limit=${Math.min(100, wanted - items.length)}${cursor}`);
    items = items.concat(part.items);
    state.next = part.nextCursor;
    cursor = `&cursor=${encodeURIComponent(part.nextCursor ?? "")}`;
  } while (state.next && items.length < wanted);
  drawPending(items);
}

function drawPending(items) {
  const known = new Set(items.map((c) => c.clarificationId));
  for (const [id, row] of state.rows) {
    if (!known.has(id)) {
      const focused = row.contains(document.activeElement);
      row.remove();
      state.rows.delete(id);
      if (focused) $("waiting-title").focus();
    }
  }
  if (!items.length) {
    $("pending").replaceChildren(el("p", {}, text("admin.nothing_waiting")));
  } else if (!$("pending").querySelector("table")) {
    $("pending").replaceChildren(
      el("p", { class: "hint" }, text("admin.waiting_caption")),
      ...(items.some((c) => c.questions) ? [] : [el("p", { class: "hint" }, text("admin.hidden_hint"))]),
      table(text("admin.waiting"), [text("admin.app"), text("admin.question"), text("admin.kind"), text("admin.asked_at"),
        { text: text("admin.age"), number: true }, { text: text("admin.number"), number: true }, text("admin.expires"), text("admin.action")], []));
  }
  const body = $("pending").querySelector("tbody");
  for (const c of items) {
    let row = state.rows.get(c.clarificationId);
    if (!row) {
      row = drawWaiting(c);
      state.rows.set(c.clarificationId, row);
      body.append(row);
    }
    row.querySelector(".age").textContent = duration(c.ageSeconds);
  }
  $("more").hidden = !state.next;
}

function drawWaiting(c) {
  const button = el("button", { type: "button", class: "danger", "aria-label": text("admin.cancel_of", { app: c.app, time: moment(c.askedAt) }) }, text("admin.cancel"));
  button.addEventListener("click", () => cancel(c));
  return el("tr", {},
    el("th", { scope: "row" }, c.app),
    el("td", c.questions ? {} : { class: "off" }, c.questions ? c.questions.join(" · ") : text("admin.hidden")),
    el("td", {}, text(`admin.kind_${c.kind}`), el("small", {}, c.kind === "question" ? c.input_type : c.toolName)),
    el("td", {}, moment(c.askedAt)),
    el("td", { class: "number age" }),
    el("td", { class: "number" }, text("admin.number_of", { number: number(c.clarificationNumber), max: number(c.maxClarifications) })),
    el("td", {}, c.expiresAt ? moment(c.expiresAt) : text("admin.never")),
    el("td", {}, button));
}

// cancel asks first: it cannot be undone.
async function cancel(c) {
  const dialog = $("confirm");
  $("confirm-text").textContent = text("admin.cancel_text", { app: c.app, age: duration(c.ageSeconds, "long") });
  dialog.returnValue = "";
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  if (dialog.returnValue !== "cancel") return; // the focus is back on its button
  const done = await attempt(() => call(`/v1/admin/clarifications/${encodeURIComponent(c.clarificationId)}/cancel`, { method: "POST" }));
  const why = $("alert").textContent;
  if (done) $("status").textContent = text("admin.was_cancelled");
  await attempt(() => loadPending());
  if (!done) $("alert").textContent = why; // it was closed in the meantime
}

// ---- charts ----

const series = () => states.map((key) => ({ key, label: text(`admin.${key}`) }));
const sum = (list, key) => list.reduce((n, c) => n + c[key], 0);

// spansOf are all spans of the time, those with nothing in them included.
function spansOf(apps, values) {
  const at = new Map();
  for (const app of apps) for (const s of app.spans) at.set(Date.parse(s.start), [...(at.get(Date.parse(s.start)) ?? []), s]);
  const list = [];
  for (let t = Date.parse(state.stats.from); t <= Date.parse(state.stats.to); t += state.stats.spanSeconds * 1000) {
    list.push({ start: t, values: values(at.get(t) ?? []) });
  }
  return list;
}

function drawCharts() {
  const { stats } = state;
  choose($("chart-app"), [["", text("admin.all_apps")], ...stats.apps.map((a) => [a.app, a.app])], "");
  const one = stats.apps.find((a) => a.app === $("chart-app").value);
  const apps = one ? [one] : stats.apps;
  const asked = apps.filter((a) => a.asked > 0);
  const waited = asked.filter((a) => a.waitSeconds);
  const box = $("drawn");
  const wide = box.clientWidth || 320;
  const width = Math.floor(wide >= 736 ? (wide - 16) / 2 : wide);
  box.replaceChildren(drawFigures(asked, one));
  if (!asked.length) box.append(el("p", {}, text("admin.nothing_asked")));
  const graphs = el("div", { class: "graphs" });
  if (asked.length) {
    graphs.append(drawAsked(asked, width));
    if (!one) graphs.append(drawPerApp(asked, width));
  }
  if (waited.length) graphs.append(one ? drawWait(one, width) : drawWaitPerApp(waited, width));
  graphs.append(drawCaps(apps, width));
  box.append(graphs);
}

function drawFigures(apps, one) {
  const figures = [["asked", number(sum(apps, "asked"))], ["answered", number(sum(apps, "answered"))], ["pending", number(sum(apps, "pending"))]];
  if (one?.waitSeconds) figures.push(["half_within", duration(one.waitSeconds.p50)], ["most_within", duration(one.waitSeconds.p90)]);
  return el("dl", { class: "figures" }, figures.map(([id, value]) => el("div", {}, el("dt", {}, text(`admin.${id}`)), el("dd", {}, value))));
}

function short(t) {
  const span = state.stats.spanSeconds;
  const options = span >= 86400 ? { day: "numeric", month: "short" } : span >= 21600 ? { day: "numeric", month: "short", hour: "numeric" } : { hour: "numeric", minute: "2-digit" };
  return new Intl.DateTimeFormat(state.language, options).format(new Date(t));
}

const say = (where, label, value) => `${where}: ${label} ${value}`;
const summary = (list) => text("admin.summary", { asked: number(sum(list, "asked")), answered: number(sum(list, "answered")), pending: number(sum(list, "pending")) });
const countHeads = () => ["asked", ...states].map((key) => ({ text: text(`admin.${key}`), number: true }));

function drawAsked(apps, width) {
  const spans = spansOf(apps, (list) => Object.fromEntries(["asked", ...states].map((key) => [key, sum(list, key)])));
  const used = series().filter(({ key }) => sum(apps, key) > 0);
  const title = text("admin.asked_over_time");
  return figure({
    title, description: summary(apps), series: used, asTable: text("admin.as_table"),
    drawing: columns({ spans, series: used, width, format: short, number, say: (t, label, n) => say(moment(t), label, number(n)) }),
    numbers: table(title, [text("admin.begins"), ...countHeads()],
      spans.filter((s) => s.values.asked).map((s) => [moment(s.start), ...["asked", ...states].map((key) => number(s.values[key]))])),
  });
}

const mostRows = 12; // of a picture; the table has all

function drawPerApp(apps, width) {
  const used = series().filter(({ key }) => sum(apps, key) > 0);
  const list = [...apps].sort((a, b) => b.asked - a.asked);
  const title = text("admin.per_app");
  return figure({
    title, description: summary(apps), series: used, asTable: text("admin.as_table"),
    drawing: rows({
      rows: list.slice(0, mostRows).map((a) => ({ name: a.app, values: a })), series: used, width,
      label: (r) => number(r.values.asked), say: (name, label, n) => say(name, label, number(n)),
    }),
    numbers: table(title, [text("admin.app"), ...countHeads()], list.map((a) => [a.app, ...["asked", ...states].map((key) => number(a[key]))])),
  });
}

const waitSeries = () => [{ key: "p50", label: text("admin.half_within") }, { key: "p90", label: text("admin.most_within") }];
const waitHeads = () => [{ text: text("admin.half_within"), number: true }, { text: text("admin.most_within"), number: true }, { text: text("admin.nearly_all_within"), number: true }];
const waitCells = (w) => [duration(w.p50), duration(w.p90), duration(w.p99)];
const waitSummary = (w) => text("admin.wait_summary", { p50: duration(w.p50, "long"), p90: duration(w.p90, "long") });

function drawWait(app, width) {
  const spans = spansOf([app], ([s]) => s?.waitSeconds ?? {});
  const title = text("admin.wait_over_time");
  return figure({
    title, hint: text("admin.wait_hint"), description: waitSummary(app.waitSeconds), series: waitSeries(), asTable: text("admin.as_table"),
    drawing: curves({ spans, series: waitSeries(), width, format: short, duration, say: (t, label, s) => say(moment(t), label, duration(s)) }),
    numbers: table(title, [text("admin.begins"), ...waitHeads()],
      spans.filter((s) => s.values.count).map((s) => [moment(s.start), ...waitCells(s.values)])),
  });
}

function drawWaitPerApp(apps, width) {
  const list = [...apps].sort((a, b) => b.waitSeconds.p50 - a.waitSeconds.p50);
  const title = text("admin.wait_per_app");
  return figure({
    title, hint: text("admin.wait_hint"), series: waitSeries(), asTable: text("admin.as_table"),
    description: list.map((a) => `${a.app}: ${waitSummary(a.waitSeconds)}`).slice(0, mostRows).join(" "),
    drawing: rows({
      rows: list.slice(0, mostRows).map((a) => ({ name: a.app, values: a.waitSeconds })), series: waitSeries(), width, nested: true,
      label: (r) => `${duration(r.values.p50)} / ${duration(r.values.p90)}`, say: (name, label, s) => say(name, label, duration(s)),
    }),
    numbers: table(title, [text("admin.app"), ...waitHeads()], list.map((a) => [a.app, ...waitCells(a.waitSeconds)])),
  });
}

// The caps, each with the colours of an outcome.
const caps = [["conversation", "expired"], ["turn", "declined"], ["principal", "skipped"], ["app", "superseded"]];

function drawCaps(apps, width) {
  const total = (a) => caps.reduce((n, [cap]) => n + a.capsHit[cap], 0);
  const hit = apps.filter((a) => total(a) > 0);
  const title = text("admin.caps_hit");
  const hint = text("admin.caps_hint", { time: moment(state.stats.capsSince) });
  if (!hit.length) {
    return el("figure", {}, el("figcaption", {}, title), el("p", { class: "hint" }, hint), el("p", {}, text("admin.no_caps")));
  }
  const used = caps.filter(([cap]) => hit.some((a) => a.capsHit[cap] > 0));
  const label = (cap) => text(`admin.cap_${cap}`);
  const series = used.map(([cap, key]) => ({ key, class: key, label: label(cap) }));
  return figure({
    title, hint, series, asTable: text("admin.as_table"),
    description: hit.map((a) => `${a.app}: ${number(total(a))}.`).slice(0, mostRows).join(" "),
    drawing: rows({
      rows: hit.slice(0, mostRows).map((a) => ({ name: a.app, total: total(a), values: Object.fromEntries(used.map(([cap, key]) => [key, a.capsHit[cap]])) })),
      series, width, label: (r) => number(r.total), say: (name, label, n) => say(name, label, number(n)),
    }),
    numbers: table(title, [text("admin.app"), ...used.map(([cap]) => ({ text: label(cap), number: true }))],
      hit.map((a) => [a.app, ...used.map(([cap]) => number(a.capsHit[cap]))])),
  });
}

async function loadStats() {
  state.stats = await call(`/v1/admin/stats?hours=${$("hours").value || 24}`);
  drawCharts();
}

// ---- the page ----

async function setLanguage(wish) {
  const response = await fetch(`/page/texts${wish ? `?lang=${encodeURIComponent(wish)}` : ""}`);
  const { language, languages, texts } = await response.json();
  Object.assign(state, { language, languages, texts });
  document.documentElement.lang = language;
  document.title = text("admin.title");
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = text(node.dataset.text);
  choose($("language"), languages.map((l) => [l, languageName(l)]), language);
  $("language").value = language;
  choose($("hours"), [1, 24, 168, 720, 2160].map((h) => [String(h), text(`admin.hours_${h}`)]), "24");
  state.rows.clear();
  $("pending").replaceChildren();
}

// load reads everything anew.
async function load() {
  const ok = await attempt(async () => {
    const [last, config] = await Promise.all([call("/v1/admin/faults"), call("/v1/admin/config")]);
    Object.assign(state, { config, seen: last.at });
    show(true);
    drawFaults(last, config);
    drawApps(config);
    drawTools(config);
    await Promise.all([loadPending(), loadStats(), drawTold()]);
  });
  clearTimeout(state.timer);
  state.timer = setTimeout(watch, 15000);
  return ok;
}

// watch keeps what changes by itself up to date while somebody looks.
async function watch() {
  if (state.signedIn && !document.hidden) {
    await attempt(async () => {
      const last = await call("/v1/admin/faults");
      if (last.at !== state.seen) {
        state.seen = last.at;
        state.config = await call("/v1/admin/config");
        drawFaults(last, state.config);
        drawApps(state.config);
        drawTools(state.config);
        await drawTold();
      }
      await loadPending();
    });
  }
  state.timer = setTimeout(watch, 15000);
}

$("key").addEventListener("submit", async (event) => {
  event.preventDefault();
  sessionStorage.setItem(stored, $("key-input").value);
  if (await load()) {
    $("key-input").value = "";
    $("main").focus();
  }
});
$("sign-out").addEventListener("click", signOut);
$("refresh").addEventListener("click", async () => { if (await load()) $("status").textContent = text("admin.refreshed"); });
$("more").addEventListener("click", () => attempt(() => loadPending(true)));
$("hours").addEventListener("change", () => attempt(loadStats));
$("chart-app").addEventListener("change", drawCharts);
for (const id of ["told-app", "told-language"]) $(id).addEventListener("change", () => attempt(drawTold));
$("language").addEventListener("change", async () => {
  localStorage.setItem("language", $("language").value);
  await setLanguage($("language").value);
  if (state.signedIn) await load();
});
let drawnWidth = 0;
new ResizeObserver(() => { // the pictures are drawn as wide as there is room, so that their texts stay readable
  const width = $("drawn").clientWidth;
  if (state.stats && width && Math.abs(width - drawnWidth) > 8) drawCharts();
  drawnWidth = width;
}).observe($("drawn"));

await setLanguage(localStorage.getItem("language"));
await load();
