// The admin view: what the gateway runs with, which questions wait, what was asked. It
// asks the gateway and keeps the answers in state; view.js draws them.
import { keep, kept } from "../page/keep.js";
import { request, why } from "../page/request.js";
import { signedIn } from "../page/session.js";
import { choose, firstTexts, language, languages, loadTexts, text } from "../page/texts.js";
import { palette } from "../palette.js";
import { render } from "../vendor/lit.js";
import { view } from "./view.js";

const period = 15_000; // ms between looks at what changes by itself
const adminKey = "adminKey"; // its place in keep.js; the chat page's cookie may be another person's

const state = {
  open: false, // the caller may see the view
  asksKey: false, hasKey: false,
  status: "", alert: "",
  faults: null, config: null, // of the last reload
  pending: null, more: false, // waiting questions, and whether there are others behind them
  stats: null, hours: 24, chartApp: "", width: 0, // width: px that the charts have
  questions: null, reported: { hours: 720, app: "" }, // what became of each question, and which are wanted
  told: null, // the descriptions that the model gets: {apps, app, languages, language, items}
  models: null, // what their servers refused: {since, items}
  trial: null, // of a model: {model, waiting}, then what came of it
  cancelling: null, // the question that the dialog is about
};

const $ = (selector) => document.querySelector(selector);

// ---- drawing ----

function change() {
  const row = document.activeElement?.closest("#pending tr");
  state.hasKey = kept(adminKey) !== "";
  render(view(state, actions), document.body);
  document.title = text("admin.title");
  if (row && !row.isConnected) $("#waiting-title")?.focus(); // it had the focus, and its question is closed
  observe();
}

// Charts are drawn as wide as there is room, so that their texts stay readable.
const room = new ResizeObserver(([{ target: { clientWidth } }]) => {
  if (!clientWidth || Math.abs(clientWidth - state.width) <= 8) return;
  state.width = clientWidth;
  change();
});
let observed = null;

function observe() {
  const drawn = $("#drawn");
  if (drawn === observed) return;
  room.disconnect();
  observed = drawn;
  if (drawn) room.observe(drawn);
}

// ---- requests ----

async function call(path, init) {
  const key = kept(adminKey);
  const response = await request(path, { ...init, headers: key ? { Authorization: `Bearer ${key}` } : {} });
  return response.status === 204 ? null : response.json();
}

// attempt runs what asks the gateway, shows why it failed, and says whether it went well.
async function attempt(work) {
  try {
    await work();
    state.alert = "";
    return true;
  } catch (problem) {
    const { status } = problem;
    if (status === undefined) throw problem;
    const hadKey = kept(adminKey);
    state.alert = status === 401 && !hadKey ? "" : why(problem, "admin.unreachable"); // the form says what to do
    if (status === 401 || (status === 403 && (hadKey || await byCookie()))) signOut();
    else if (status === 403) state.open = false;
    return false;
  } finally {
    change();
  }
}

// byCookie says whether the gateway knows the caller by the chat page's session: then
// another person's key may help.
const byCookie = () => signedIn().catch(() => false);

function signOut() {
  keep(adminKey, "");
  Object.assign(state, { open: false, asksKey: true, pending: null, stats: null, questions: null, told: null, models: null, trial: null });
  change();
  $("#key").reset();
  $("#key-input").focus();
}

// load reloads everything.
async function load() {
  const ok = await attempt(async () => {
    [state.faults, state.config] = await Promise.all([call("/v1/admin/faults"), call("/v1/admin/config")]);
    Object.assign(state, { open: true, asksKey: false });
    change();
    await Promise.all([loadModels(), loadPending(), loadStats(), loadQuestions(), loadDescriptions()]);
  });
  clearTimeout(timer);
  timer = setTimeout(watch, period);
  return ok;
}

let timer = 0;

// watch refreshes what changes by itself while the page is visible.
async function watch() {
  if (state.open && !document.hidden) {
    await attempt(async () => {
      const faults = await call("/v1/admin/faults");
      if (faults.at !== state.faults.at) {
        Object.assign(state, { config: await call("/v1/admin/config"), faults });
        await loadDescriptions();
      }
      await Promise.all([loadModels(), loadPending()]);
    });
  }
  timer = setTimeout(watch, period);
}

// loadPending reads as much of the list as is shown, or a page more.
async function loadPending(more = 0) {
  const wanted = Math.max(20, (state.pending?.length ?? 0) + more);
  const items = [];
  let cursor = "";
  do {
    const page = await call(`/v1/admin/clarifications?limit=${Math.min(100, wanted - items.length)}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor && items.length < wanted);
  Object.assign(state, { pending: items, more: Boolean(cursor) });
}

async function loadModels() {
  state.models = await call("/v1/admin/models");
}

async function loadStats() {
  state.stats = await call(`/v1/admin/stats?hours=${state.hours}`);
}

async function loadQuestions() {
  const { hours, app } = state.reported;
  state.questions = await call(`/v1/admin/questions?since=${hours}h${app && `&app=${encodeURIComponent(app)}`}`);
}

// loadDescriptions loads the descriptions that the model gets in an app and a language, if both exist.
async function loadDescriptions({ app: id, language: tag } = state.told ?? {}) {
  const apps = state.config.apps.filter((a) => a.enabled);
  const app = apps.find((a) => a.id === id) ?? apps[0];
  if (!app) return void (state.told = null);
  const tags = [...new Set([...languages, ...app.languages])];
  const chosen = tags.includes(tag) ? tag : language;
  const { items } = await call(`/v1/admin/tools?app=${encodeURIComponent(app.id)}&language=${encodeURIComponent(chosen)}`);
  state.told = { apps, app: app.id, languages: tags, language: chosen, items };
}

// ---- what people do ----

const actions = {
  async signIn(key) {
    keep(adminKey, key);
    if (await load()) $("#main").focus();
  },

  signOut,

  async refresh() {
    state.status = "";
    if (await load()) state.status = text("admin.refreshed");
    change();
  },

  async speak(tag) {
    choose(tag);
    await loadTexts(tag);
    state.status = "";
    change();
    if (state.open) await load();
  },

  moreQuestions: () => attempt(() => loadPending(20)),

  pickHours(hours) {
    state.hours = hours;
    attempt(loadStats);
  },

  pickChartApp(app) {
    state.chartApp = app;
    change();
  },

  pickReport(wish) {
    Object.assign(state.reported, wish);
    attempt(loadQuestions);
  },

  // tryModel tries one model at a time; it costs tokens, and takes up to a minute.
  async tryModel(model) {
    if (state.trial?.waiting) return;
    state.trial = { model, waiting: true };
    change();
    let result = null;
    const done = await attempt(async () => {
      result = await call(`/v1/admin/models/${encodeURIComponent(model)}/try`, { method: "POST" });
    });
    const { alert } = state;
    state.trial = result;
    await attempt(loadModels);
    if (done) return;
    state.alert = alert; // why it was not tried
    change();
  },

  pickTold: (wish) => attempt(() => loadDescriptions({ ...state.told, ...wish })),

  // cancel asks first: it cannot be undone.
  async cancel(question) {
    Object.assign(state, { cancelling: question, status: "" });
    change();
    const dialog = $("#confirm");
    dialog.returnValue = "";
    dialog.showModal();
    await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
    if (dialog.returnValue !== "cancel") return; // the focus is back on its button
    const done = await attempt(() => call(`/v1/admin/clarifications/${encodeURIComponent(question.clarificationId)}/cancel`, { method: "POST" }));
    const { alert } = state;
    if (done) state.status = text("admin.was_cancelled");
    await attempt(() => loadPending());
    if (done) return;
    state.alert = alert; // it was closed in the meantime
    change();
  },
};

document.adoptedStyleSheets.push(palette.styleSheet);
await firstTexts();
document.body.replaceChildren();
change();
await load();
