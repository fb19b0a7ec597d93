// The admin view: the gateway's configuration, waiting questions, and statistics. It requests them from
// the gateway and keeps them in state; view.js draws them.
import { keep, kept } from "../page/keep.js";
import { request, why } from "../page/request.js";
import { signedIn } from "../page/session.js";
import { choose, firstTexts, language, languages, loadTexts, text } from "../page/texts.js";
import { palette } from "../palette.js";
import { render } from "../vendor/lit.js";
import { view } from "./view.js";

const period = 15_000; // ms between refreshes
const adminKey = "adminKey"; // its name in keep.js; the cookie of the chat page may belong to another person

const state = {
  open: false, // the caller may use the view
  asksKey: false, hasKey: false,
  status: "", alert: "",
  faults: null, config: null, // faults of the last reload
  pending: null, more: false, // waiting questions, and whether there are more of them
  stats: null, hours: 24, chartApp: "", width: 0, // width: of the charts, in px
  questions: null, reported: { hours: 720, app: "" }, // outcomes of each question, and which period and app to show
  told: null, // the descriptions that the model gets: {apps, app, languages, language, items}
  models: null, // what the model servers refused: {since, items}
  trial: null, // of a model: {model, waiting}, then the result
  cancelling: null, // the question that the dialog asks about
};

const $ = (selector) => document.querySelector(selector);

// ---- drawing ----

function change() {
  const row = document.activeElement?.closest("#pending tr");
  state.hasKey = kept(adminKey) !== "";
  render(view(state, actions), document.body);
  document.title = text("admin.title");
  if (row && !row.isConnected) $("#waiting-title")?.focus(); // the focused row is gone, because its question is closed
  observe();
}

// Charts are drawn as wide as the space allows, so that their texts stay readable.
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

// attempt runs work, which makes requests. It shows the error if one fails, and returns whether all succeeded.
async function attempt(work) {
  try {
    await work();
    state.alert = "";
    return true;
  } catch (problem) {
    const { status } = problem;
    if (status === undefined) throw problem;
    const hadKey = kept(adminKey);
    state.alert = status === 401 && !hadKey ? "" : why(problem, "admin.unreachable"); // without a key, the form says what to do
    if (status === 401 || (status === 403 && (hadKey || await byCookie()))) signOut();
    else if (status === 403) state.open = false;
    return false;
  } finally {
    change();
  }
}

// byCookie reports whether the gateway recognizes the caller by the chat page's cookie: then the key of
// another person may help.
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

// watch refreshes faults, questions and statistics while the page is visible.
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

// loadPending loads as much of the list as is shown, plus more.
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

// ---- user actions ----

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

  // tryModel tries one model at a time, because each try costs tokens and takes up to a minute.
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
    state.alert = alert; // why the model was not tried
    change();
  },

  pickTold: (wish) => attempt(() => loadDescriptions({ ...state.told, ...wish })),

  // cancel asks for confirmation, because it cannot be undone.
  async cancel(question) {
    Object.assign(state, { cancelling: question, status: "" });
    change();
    const dialog = $("#confirm");
    dialog.returnValue = "";
    dialog.showModal();
    await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
    if (dialog.returnValue !== "cancel") return; // the dialog returns the focus to the button
    const done = await attempt(() => call(`/v1/admin/clarifications/${encodeURIComponent(question.clarificationId)}/cancel`, { method: "POST" }));
    const { alert } = state;
    if (done) state.status = text("admin.was_cancelled");
    await attempt(() => loadPending());
    if (done) return;
    state.alert = alert; // the question was closed in the meantime
    change();
  },
};

document.adoptedStyleSheets.push(palette.styleSheet);
await firstTexts();
document.body.replaceChildren();
change();
await load();
