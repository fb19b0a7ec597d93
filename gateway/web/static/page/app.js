// The page: which app, which chat, which language; it draws at most once per frame.
//
//	address #app/chat ──> Chat (chat.js) ── change ──> view (view.js) ──> the screen
//	                        └─ client and reducer of askgate.js
import "../askgate.js";
import { grow } from "../card/fields.js";
import { palette } from "../palette.js";
import { render } from "../vendor/lit.js";
import { Chat } from "./chat.js";
import { focusDock } from "./composer.js";
import { forget } from "./keep.js";
import { Chats, loadApps } from "./lists.js";
import { signedIn, signIn, signOut } from "./session.js";
import { choose, firstTexts, loadTexts, text } from "./texts.js";
import { view } from "./view.js";

const nearEnd = 80; // px: a reader this close to the end wants to see what comes
const headRoom = 72; // px, for the bar at the top
const spoken = 1500; // characters of an answer that are read out when it is complete

const state = {
  problem: null, // why there is nothing to show
  refusal: null, // of a key
  signedIn: false,
  apps: null, app: null,
  chats: null, listProblem: null,
  chat: null, title: "",
  notice: "", news: "", eraseProblem: null, revokeProblem: null,
  pinned: true, // to the end of the transcript
};

// ---- drawing ----

let asked = false;

function change() {
  if (asked) return;
  asked = true;
  if (document.hidden) setTimeout(draw, 250); // there are no frames then
  else requestAnimationFrame(draw);
}

let shown = null; // what the dock showed: a clarification's id, "" for the composer

function draw() {
  asked = false;
  const { chat } = state;
  if (chat) state.title = titleOf(chat);
  const dockHadFocus = document.activeElement === document.body || document.activeElement?.closest(".dock, .greeting");
  render(view(state, actions), document.body);
  document.title = chat ? `${chat.question ? "● " : ""}${state.title} · ${text("page.title")}` : text("page.title");
  observe();
  const docked = chat && (chat.question && !chat.writing ? chat.question.clarificationId : "");
  if (chat && docked !== shown && shown !== null && dockHadFocus && !chat.writing && byKeyboard() && !(docked && chat.draft)) focusDock();
  if (docked === "" && shown === null && !chat.begun && byKeyboard()) focusDock();
  shown = docked ?? null;
  const area = document.querySelector("#message");
  if (area) grow(area);
}

// byKeyboard: on a touch screen the focus would open the keyboard.
const byKeyboard = () => !matchMedia("(pointer: coarse)").matches;

function titleOf(chat) {
  const first = chat.view.items.find((item) => item.type === "user") ?? chat.view.queued[0];
  return first?.content.trim().split("\n")[0].slice(0, 80) || state.app.name;
}

// The window follows what grows, unless somebody has scrolled away from it.
const grown = new ResizeObserver(stick);
let observed = null;

function observe() {
  const main = document.querySelector("main");
  if (main === observed) return;
  grown.disconnect();
  observed = main;
  if (main) for (const node of [main, main.nextElementSibling]) if (node) grown.observe(node);
}

// end is the scroll position that shows what is new: of a tall card the question first.
function end() {
  const card = document.querySelector("#question");
  const bottom = document.documentElement.scrollHeight - innerHeight;
  return card ? Math.min(bottom, card.getBoundingClientRect().top + scrollY - headRoom) : bottom;
}

function stick() {
  if (state.pinned) scrollTo({ top: end() });
}

addEventListener("scroll", () => {
  const pinned = scrollY >= end() - nearEnd;
  if (pinned !== state.pinned) {
    state.pinned = pinned;
    change();
  }
}, { passive: true });

// ---- what happens ----

function seen({ type, data }) {
  if (type === "done") {
    const last = state.chat.view.items.findLast((item) => item.type === "assistant");
    state.news = data.finishReason === "clarification" ? text("page.waiting") : `${text("page.complete")} ${(last?.content ?? "").slice(0, spoken)}`;
  }
  if (type === "turn.start") state.news = text("page.working");
  if (["snapshot", "user.message", "done", "clarification.resolved"].includes(type)) refreshChats();
}

function lost(problem) {
  if (problem.status === 401) return needKey(problem);
  if (problem.status === 403) {
    state.problem = problem;
    return change();
  }
  refreshChats();
  openChat("");
  state.notice = text("page.gone");
}

let refreshing = null;

// refreshChats loads the lists, and once more if asked to meanwhile.
function refreshChats() {
  const { chats } = state;
  if (refreshing === chats) return void (chats.stale = true);
  refreshing = chats;
  chats.stale = false;
  chats.refresh().then(() => { state.listProblem = null; }, (problem) => { state.listProblem = problem; }).finally(() => {
    if (refreshing === chats) refreshing = null;
    if (chats === state.chats && chats.stale) refreshChats();
    change();
  });
}

// ---- what people do ----

function place() {
  const [app, chat = ""] = location.hash.slice(1).split("/");
  return { app, chat: /^[A-Za-z0-9_-]{1,64}$/.test(chat) ? chat : "" };
}

function openApp(app) {
  if (state.app?.id === app.id) return;
  state.app = app;
  state.chats = new Chats(app.id);
  refreshChats();
}

function openChat(id) {
  state.chat?.close();
  state.notice = "";
  state.news = "";
  state.pinned = true;
  state.chat = new Chat({ app: state.app.id, id, on: { change: () => changed(chat), event: (e) => chat === state.chat && seen(e), lost: (p) => chat === state.chat && lost(p) } });
  const { chat } = state;
  if (!id && location.hash) history.pushState(null, "", location.pathname + location.search);
  chat.open();
  closeSide();
  change();
}

// changed also sets the address of a chat that begins.
function changed(chat) {
  if (chat !== state.chat) return;
  if (chat.begun && place().chat !== chat.id) history.pushState(null, "", `#${chat.app}/${chat.id}`);
  change();
}

// go opens what the address says.
function go() {
  if (!state.apps?.length) return;
  const at = place();
  const app = state.apps.find((a) => a.id === at.app);
  if (app && at.chat && state.app === app && state.chat?.begun && state.chat.id === at.chat) return;
  openApp(app ?? state.app ?? state.apps[0]);
  openChat(app ? at.chat : "");
}

function closeSide() {
  const side = document.querySelector("#side");
  if (side?.matches(":popover-open")) side.hidePopover();
}

function needKey(problem, refusal = null) {
  state.refusal = refusal;
  state.problem = problem;
  change();
}

const actions = {
  async start() {
    try {
      [state.apps, state.signedIn] = await Promise.all([loadApps(), signedIn()]);
      state.problem = null;
      state.app = state.apps.find((a) => a.id === state.app?.id) ?? null;
      if (!state.app) state.chat = null;
      go();
    } catch (problem) {
      if (problem.status === 401) return needKey(problem);
      state.problem = problem;
    }
    change();
  },

  async signIn(key) {
    try {
      await signIn(key);
    } catch (problem) {
      return needKey(state.problem, problem);
    }
    state.chat?.close();
    Object.assign(state, { app: null, chat: null });
    actions.start();
  },

  async signOut() {
    try {
      await signOut();
    } catch (problem) {
      state.listProblem = problem; // still signed in: the next person here must not be
      return change();
    }
    forget();
    state.chat?.close();
    Object.assign(state, { app: null, chat: null, apps: null });
    history.replaceState(null, "", location.pathname + location.search);
    needKey({ status: 401 });
  },

  newChat() {
    openChat("");
    requestAnimationFrame(() => requestAnimationFrame(focusDock));
  },

  pickApp(id) {
    openApp(state.apps.find((a) => a.id === id));
    openChat("");
  },

  async moreChats() {
    try {
      await state.chats.more();
    } catch (problem) {
      state.listProblem = problem;
    }
    change();
  },

  async speak(tag) {
    choose(tag);
    try {
      await loadTexts(tag);
      state.apps = await loadApps();
      state.app = state.apps.find((a) => a.id === state.app.id) ?? state.app;
      state.chat.speak();
    } catch (problem) {
      state.listProblem = problem;
    }
    change();
  },

  async revoke(tool) {
    const { chat } = state;
    state.revokeProblem = null;
    try {
      await chat.revoke(tool);
      state.news = text("page.asks_again", { tool });
      if (chat.view.approvals.length === 0 && byKeyboard()) focusDock(); // what had the focus is gone
    } catch (problem) {
      state.revokeProblem = problem;
    }
    change();
  },

  askErase() {
    state.eraseProblem = null;
    change();
    document.querySelector("#erase-dialog").showModal();
  },

  async erase() {
    try {
      await state.chat.erase();
    } catch (problem) {
      state.eraseProblem = problem;
      return change();
    }
    document.querySelector("#erase-dialog").close();
    actions.newChat();
    refreshChats();
  },
};

addEventListener("hashchange", go);
matchMedia("(min-width: 60rem)").addEventListener("change", closeSide);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) state.chat?.saveTyped();
  if (document.hidden || !state.chats) return;
  refreshChats();
  change();
});

document.adoptedStyleSheets.push(palette.styleSheet);
await firstTexts();
document.body.replaceChildren();
actions.start();
