// The chat page: holds which app, chat and language are shown, and draws at most once per frame.
//
//	address #app/chat ──> Chat (chat.js) ── change ──> view (view.js) ──> the screen
//	                        └─ client and reducer of askgate.js
import "../askgate.js";
import { grow } from "../card/fields.js";
import { sendChosen } from "../card/instant.js";
import { palette } from "../palette.js";
import { render } from "../vendor/lit.js";
import { followAskers } from "./askers.js";
import { countOf, landed, toBeside } from "./branches.js";
import { Chat } from "./chat.js";
import { chosen, setTheme, theme, themes } from "./choices.js";
import { focusDock } from "./composer.js";
import { closeSide, showSide, wide } from "./drawer.js";
import { finding, leaveDocuments } from "./finding.js";
import { look, seek } from "./found.js";
import { forget } from "./keep.js";
import { Inbox, initialInbox, reduceInbox } from "../client/inbox.js";
import { askerOf, counted, eventOf, isForMe, placeOf, renew, wordsOf } from "./inbox.js";
import { Late } from "./late.js";
import { Chats, loadApps, loadWaiting, Search } from "./lists.js";
import { ask, badge, notify, over } from "./notify.js";
import { follow, place, toAddress } from "./place.js";
import { atEnd, scrolling } from "./scroll.js";
import { sent, session, signIn, signOut } from "./session.js";
import { lettersWrite, listen } from "./shortcuts.js";
import { Tabs } from "./tabs.js";
import { titleOf, titles } from "./titles.js";
import { root } from "./root.js";
import { choose, firstTexts, language, loadTexts, text } from "./texts.js";
import { view } from "./view.js";

const spoken = 1500; // maximum characters of a complete answer that a screen reader reads out

const state = {
  problem: null, // why nothing can be shown
  refusal: null, // why a key was refused
  signedIn: false,
  admin: false, // may open the admin view
  version: "", // the gateway's version, known once signed in
  apps: null, app: null,
  chats: null, listProblem: null,
  search: null, // search in the app's chats
  menuOf: null, // the listed chat whose menu is open
  renaming: null, // {chatId, title, was, problem}: the listed chat that is being renamed
  away: false, // the inbox stream has lost the gateway
  inbox: initialInbox, // the open questions of all apps
  waiting: [], // those that the user can answer
  inInbox: false, // the inbox is shown instead of the chat
  inDocuments: null, // the search in the app's documents that is shown instead of the chat
  get covered() { return this.inInbox || this.inDocuments !== null; },
  refused: new Map(), // clarification id -> problem of an answer in the inbox
  chat: null, title: "", transcript: null, // transcript: draws the chat, once loaded
  notice: "", news: "", eraseProblem: null, revokeProblem: null, pinned: true, // pinned: the view follows the end of the transcript
};

// ---- drawing ----

const late = new Late(state, change), scroll = scrolling(state, change);
let asked = true; // a draw is scheduled; true at first, to draw only once the texts are loaded

function change() {
  if (asked) return;
  asked = true;
  if (document.hidden) setTimeout(draw, 250); // hidden windows get no animation frames
  else requestAnimationFrame(draw);
}

let shown = null; // what the dock showed: a clarification's id, "" for the composer

function draw() {
  asked = false;
  const { chat } = state;
  if (late.holds()) return;
  if (chat) state.title = titleOf(state, chat);
  const dockHadFocus = document.activeElement === document.body || document.activeElement?.closest(".dock, .greeting");
  render(view(state, actions), document.body);
  const waiting = counted(state), count = waiting ? `(${waiting}) ` : "";
  badge(waiting);
  document.title = `${count}${chat ? `${state.inInbox ? text("page.inbox") : state.inDocuments === null ? state.title : text("page.documents")} · ` : ""}${text("page.title")}`;
  scroll.observe();
  if (state.covered) return void (shown = null);
  const docked = chat && (chat.question && !chat.writing ? chat.question.clarificationId : "");
  const branch = chat && landed(chat);
  if (chat && docked !== shown && shown !== null && dockHadFocus && !branch && !chat.writing && byKeyboard() && !(docked && (chat.stays || chat.writable))) focusDock();
  if (docked === "" && shown === null && !chat.begun && byKeyboard()) focusDock();
  shown = docked ?? null;
  look(state);
  const area = document.querySelector("#message");
  if (area) grow(area);
  if (branch) {
    Object.assign(state, { pinned: atEnd(), news: branch }); // keep the place where the branches part in view
    change();
  }
}

// byKeyboard is false on touch screens, where focusing a field would open the on-screen keyboard.
const byKeyboard = () => !matchMedia("(pointer: coarse)").matches;

// ---- events ----

function seen({ type, data }, elsewhere) {
  if (type === "done" && data.turnId) {
    const { items, pending } = state.chat.view;
    const last = items.findLast((item) => item.type === "assistant" && !item.askedBy);
    const others = !state.chat.question && pending[0]?.waitsFor;
    state.news = others ? text("card.waits_for", others) : data.finishReason === "clarification" ? text("page.waiting") : `${text("page.complete")} ${(last?.content ?? "").slice(0, spoken)}`;
  }
  if (type === "asker.message") state.news = `${askerOf(data, state.apps)}: ${data.content.slice(0, spoken)}`;
  if (type === "turn.start") state.news = text("page.working");
  if (type === "clarification") lettersWrite();
  if (elsewhere && ["answered", "skipped", "declined"].includes(data.outcome)) state.news = text("card.elsewhere");
  if (["snapshot", "user.message", "done", "clarification.resolved"].includes(type)) refreshChats();
}

function lost(problem) {
  if (problem.status === 401) return needKey(problem);
  if (problem.status === 403) {
    state.problem = problem;
    return change();
  }
  refreshChats();
  tabs.fresh(); // the chat's questions are gone as well
  openChat("");
  state.notice = text("page.gone");
}

let refreshing = null;

// refreshChats loads the lists. If it is called again while loading, it loads them once more.
function refreshChats() {
  const { chats, inbox: known } = state;
  if (refreshing === chats) return void (chats.stale = true);
  refreshing = chats;
  chats.stale = false;
  const waiting = online ? null : loadWaiting().then((snapshot) => { if (state.inbox === known) waits(snapshot); }); // unless the stream has sent something newer
  Promise.all([chats.refresh(), waiting]).then(() => {
    state.listProblem = null;
    if (chats === state.chats && state.chat?.begun && countOf(state) > 1) state.chat.refreshBranches();
  }, (problem) => { state.listProblem = problem; }).finally(() => {
    if (refreshing === chats) refreshing = null;
    if (chats === state.chats && chats.stale) refreshChats();
    change();
  });
}

// ---- the inbox ----

let online = false; // the inbox stream is connected

function waits(event) {
  const { type, data } = event;
  const { chat } = state;
  if (type === "chat.title") return actions.called(data);
  state.inbox = reduceInbox(state.inbox, event);
  state.waiting = state.inbox.pending.filter(isForMe);
  if (type === "clarification.resolved") over(data.clarificationId);
  if (type === "clarification" && chat?.id === data.chatId) lettersWrite();
  if (type !== "snapshot" && state.apps) {
    if (chat && chat.app === (data.app ?? chat.app) && chat.id === data.chatId) chat.waits(event);
    else if (type === "clarification" && isForMe(data)) state.news = `${text("card.asked_by", { name: askerOf(data, state.apps) })}: ${wordsOf(data)}`;
    if (data.app === state.app?.id && !document.hidden) refreshChats();
  }
  change();
}

followAskers(state, change);
const inbox = () => new Inbox({ base: root, locale: language });

const tabs = new Tabs({
  event(event) {
    waits(event);
    const { data, type } = event;
    if (type === "snapshot" && !document.hidden && data.pending.some((c) => c.app === state.app?.id)) refreshChats(); // the question's chat may be newer than the list
  },
  connection: ([connection, status]) => {
    online = connection === "online";
    const away = connection === "offline" && (!status || status >= 500); // with another status, a gateway answers but refuses
    if (away !== state.away && connection !== "connecting") {
      state.away = away;
      change();
    }
  },
  stream: (may) => (may ? state.chat?.open() : state.chat?.pause()),
  tell: (asked) => isForMe(asked) && state.apps && notify(asked.clarificationId, askerOf(asked, state.apps), wordsOf(asked), () => { location.hash = `#${placeOf(asked)}`; }),
});

// ---- user actions ----

function openApp(app) {
  if (state.app?.id === app.id) return;
  state.app = app;
  state.chats = new Chats(app.id);
  state.search?.look("");
  state.search = new Search(app.id, change);
  state.renaming = null;
  refreshChats();
}

function openChat(id) {
  state.chat?.close();
  state.notice = "";
  state.news = "";
  state.pinned = true;
  Object.assign(state, { inInbox: false, inDocuments: null });
  state.chat = new Chat({ app: state.app.id, id, on: {
    change: () => changed(chat), event: (...e) => chat === state.chat && seen(...e), lost: (p) => chat === state.chat && lost(p),
    acts: () => tabs.look(), streams: () => tabs.streams,
  } });
  const { chat } = state;
  if (!id && place().chat) toAddress(location.pathname + location.search);
  chat.open();
  closeSide();
  change();
}

// changed redraws after a change of the open chat, and sets the address of a chat that has just begun.
function changed(chat) {
  if (chat !== state.chat) return;
  if (chat.begun && place().chat !== chat.id && !state.covered) toAddress(`#${chat.app}/${chat.id}`);
  if (!state.covered) tabs.show(`${chat.app}/${chat.id}`);
  change();
}

// cover shows something else than the chat, which stays open behind it.
function cover(app, what) {
  if (!state.chat || app !== state.app) {
    openApp(app);
    openChat("");
  }
  Object.assign(state, { inInbox: false, inDocuments: null, ...what });
  closeSide();
  change();
}

// openDocuments shows the search in an app's documents. at is the search, as in the address.
function openDocuments(app, at) {
  cover(app, { inDocuments: at });
  tabs.show("/documents");
}

// openInbox shows the inbox.
function openInbox(id) {
  cover(state.app ?? state.apps[0], { inInbox: true });
  if (id) renew(state.waiting);
  tabs.show("/inbox");
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const entry = id && document.getElementById(id);
    if (entry) entry.scrollIntoView({ block: "center" });
    else scrollTo({ top: 0 });
    (entry?.querySelector("askgate-clarification, a") ?? document.querySelector("#inbox h1"))?.focus();
  }));
}

// go opens the chat, app or inbox in the address.
function go() {
  if (!state.apps?.length) return;
  const at = place(), app = state.apps.find((a) => a.id === at.app);
  follow();
  if (at.inbox) return openInbox(at.id);
  if (at.documents !== null && app?.documents) return openDocuments(app, at.documents);
  if (state.covered) {
    Object.assign(state, { inInbox: false, inDocuments: null });
    change();
  }
  if (app && at.chat && state.app === app && state.chat?.begun && state.chat.id === at.chat) return void (seek(state.chat, at.id), change());
  openApp(app ?? state.app ?? state.apps[0]);
  openChat(app ? at.chat : "");
  seek(state.chat, app && at.id);
}

function needKey(problem, refusal = null) {
  state.refusal = refusal;
  state.problem = problem;
  change();
}

const actions = {
  ...finding(state, () => actions.newChat()),
  ...titles(state, { change, needKey, erase: () => { go(); actions.askErase(); } }),

  async start() {
    try {
      [state.apps, { signedIn: state.signedIn, admin: state.admin, version: state.version }] = await Promise.all([loadApps(), session()]);
      if (late.outdated) return location.reload();
      state.problem = null;
      tabs.again();
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
    sendChosen(); // while the user's session is valid
    try {
      await signOut();
    } catch (problem) {
      state.listProblem = problem; // the user is still signed in: another person must not use this session
      return change();
    }
    forget();
    tabs.stop();
    state.chat?.close();
    Object.assign(state, { app: null, chat: null, apps: null });
    history.replaceState(null, "", location.pathname + location.search);
    needKey({ status: 401 });
  },

  async answer(detail) {
    const { clarificationId } = detail;
    state.refused.delete(clarificationId);
    try {
      waits(eventOf(await sent(inbox().answer(detail))));
    } catch (problem) {
      if (problem.status === 401) return needKey(problem);
      state.refused.set(clarificationId, problem);
    }
    change();
  },

  seen(detail) { state.chat.seen(detail); },
  renewInbox() { renew(state.waiting); change(); },
  upload: (...of) => inbox().upload(...of),
  fileUrl: (...of) => inbox().fileUrl(...of),
  searchOptions: ({ clarificationId }) => (query, options) => inbox().searchOptions(clarificationId, query, options),

  async notify() {
    await ask();
    change();
  },

  newChat() {
    openChat("");
    leaveDocuments(state);
    requestAnimationFrame(() => requestAnimationFrame(focusDock));
  },

  pickApp(id) {
    openApp(state.apps.find((a) => a.id === id));
    openChat("");
    leaveDocuments(state);
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
      const spoken = language, apps = await loadApps();
      if (spoken !== language) return; // another language was chosen in the meantime
      state.apps = apps;
      state.app = state.apps.find((a) => a.id === state.app.id) ?? state.app;
      state.chat.speak();
    } catch (problem) {
      state.listProblem = problem;
    }
    change();
  },

  theme(value) {
    setTheme(value);
    change();
  },

  nextTheme() {
    const [value, name] = themes[(themes.findIndex(([v]) => v === theme()) + 1) % themes.length];
    actions.theme(value);
    state.news = `${text("page.theme")}: ${text(name)}`;
  },

  shortcuts() {
    document.querySelector("#shortcuts-dialog").showModal();
  },

  write: focusDock,

  // compose opens the composer below the card at once, and returns its field.
  compose() {
    if (!state.covered) state.chat.compose();
    draw();
    return document.querySelector("#message");
  },

  stop() {
    if (state.chat.running) state.chat.stop();
  },

  search() {
    if (!wide.matches) document.querySelector("#side").showPopover();
    else showSide(true);
    document.querySelector("#search").focus();
  },

  toggleSide() {
    if (!wide.matches) return document.querySelector("#side").togglePopover();
    const side = document.querySelector("#side"), within = side.contains(document.activeElement);
    showSide(side.checkVisibility() === false);
    if (within) document.querySelector(".menu").focus();
  },

  // openSide shows the list next to the chat again after it was hidden.
  openSide(event) {
    if (!wide.matches) return;
    event.preventDefault();
    showSide(true);
    document.querySelector("#hide-side").focus();
  },

  async revoke(tool) {
    const { chat } = state;
    state.revokeProblem = null;
    try {
      await chat.revoke(tool);
      state.news = text("page.asks_again", { tool });
      if (chat.view.approvals.length === 0 && byKeyboard()) focusDock(); // the focused button is gone
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

  async erase({ branches }) {
    try {
      await state.chat.erase({ branches });
    } catch (problem) {
      state.eraseProblem = problem;
      return change();
    }
    document.querySelector("#erase-dialog").close();
    if (branches || !toBeside(state.chat)) actions.newChat();
    refreshChats();
    state.search.again();
    tabs.fresh();
  },
};

addEventListener("hashchange", go);
for (const news of ["storage", "page-letters"]) addEventListener(news, change); // storage: another window changed the theme
addEventListener("page-news", ({ detail }) => {
  state.news = ""; // so that a repeated message is read out again
  draw();
  state.news = detail;
  change();
});
listen(actions, () => state.chat && state.apps && !state.problem);
wide.addEventListener("change", closeSide);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) state.chat?.saveTyped();
  change(); // what is on the screen is not counted
  if (!document.hidden && state.chats) refreshChats();
});

document.adoptedStyleSheets.push(palette.styleSheet);
showSide(chosen("side") !== "off");
await firstTexts();
document.body.replaceChildren();
asked = false;
if (new URLSearchParams(location.search).has("inbox")) history.replaceState(null, "", `${location.pathname}#/inbox`); // a link from outside the page
actions.start();
