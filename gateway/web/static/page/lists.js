// The lists next to the open chat: the apps, the chats of one app, and the search results.
import { Client } from "../client/client.js";
import { distinct, familyOf } from "./branches.js";
import { request } from "./request.js";
import { root } from "./root.js";
import { language } from "./texts.js";

const page = 30; // number of chats per request

const get = async (path) => (await request(path)).json();

// loadApps returns all apps that the caller may use: {id, name, description, starterPrompts, onMessageWhilePending, demo, documents}.
export async function loadApps() {
  const apps = [];
  for (let cursor = ""; cursor !== null;) {
    const { items, nextCursor } = await get(`/v1/apps?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    apps.push(...items);
    cursor = nextCursor;
  }
  return apps;
}

// loadWaiting returns the questions that wait for the caller, in the form of the inbox stream's snapshot.
export async function loadWaiting() {
  const { items, nextCursor } = await get("/v1/clarifications?status=pending&limit=100");
  return { id: "", type: "snapshot", data: { pending: items, hasMore: nextCursor !== null } };
}

// Chats is the loaded part of an app's list of chats, newest first. A chat and its branches are one item.
export class Chats {
  items = []; // {chatId, title, updatedAt, root, branches, pending, clarificationIds}
  loaded = false;
  #next = null;

  constructor(app) {
    this.app = app;
  }

  get hasMore() { return this.#next !== null; }

  async #page(cursor) {
    return get(`/v1/apps/${encodeURIComponent(this.app)}/chats?fold=branches&limit=${page}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
  }

  // refresh loads the newest chats. Older ones that were loaded before are kept.
  async refresh() {
    const { items, nextCursor } = await this.#page();
    const last = items.at(-1)?.updatedAt ?? "";
    const behind = nextCursor === null ? [] : distinct(this.items, items).filter((c) => c.updatedAt <= last);
    this.items = [...items, ...behind];
    if (behind.length === 0) this.#next = nextCursor;
    this.loaded = true;
  }

  // called sets the current title of a chat.
  called(chatId, title) {
    this.items = this.items.map((c) => (c.chatId === chatId ? { ...c, title } : c));
  }

  // rename sets the title of a chat and all its branches. It rejects with a Problem.
  async rename({ chatId, family }, title) {
    const named = (await new Client({ base: root, app: this.app, chat: chatId, locale: language }).rename(title, { branches: true })).title;
    this.items = this.items.map((c) => (familyOf(c) === family ? { ...c, title: named } : c));
  }

  // more loads the next page.
  async more() {
    const { items, nextCursor } = await this.#page(this.#next);
    this.items = [...this.items, ...distinct(items, this.items)]; // one may have moved down, because its newest branch was deleted
    this.#next = nextCursor;
  }
}

const typingPause = 200; // ms without a change before the search starts

// Search finds chats of an app while the user types.
export class Search {
  query = "";
  items = []; // as Client.chats returns them
  running = false;
  problem = null;
  #client;
  #change;
  #next = null;
  #looking = null; // AbortController
  #timer = 0;
  #done = Promise.resolve();

  constructor(app, change) {
    this.#client = new Client({ base: root, app });
    this.#change = change;
  }

  get active() { return this.query.trim() !== ""; }
  get hasMore() { return this.#next !== null; }

  // look searches for another query, once the user has stopped typing for a moment.
  look(query) {
    this.query = query;
    this.#client.locale = language;
    clearTimeout(this.#timer);
    this.#looking?.abort();
    if (this.active) {
      this.running = true;
      this.#done = new Promise((resolve) => { this.#timer = setTimeout(() => resolve(this.#find(null)), typingPause); });
    } else {
      Object.assign(this, { items: [], running: false, problem: null });
      this.#next = null;
    }
    this.#change();
  }

  // again repeats the search, because a chat has changed.
  again() {
    if (this.active) this.look(this.query);
  }

  more() {
    if (this.#next !== null) this.#done = this.#find(this.#next);
  }

  // first resolves to the link to the first result, once the search has finished.
  async first() {
    await this.#done;
    await new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }); // drawn
    return this.active && !this.running && document.querySelector("#side .results a");
  }

  // find loads a page of results, and further pages while they contain nothing new.
  async #find(from) {
    let cursor = from;
    const { signal } = this.#looking = new AbortController();
    Object.assign(this, { running: true, problem: null });
    this.#change();
    try {
      let found = from === null ? [] : this.items;
      const before = found.length;
      do {
        const { items, nextCursor } = await this.#client.chats({ q: this.query, fold: "branches", limit: page, cursor, signal });
        if (signal.aborted) return;
        found = [...found, ...distinct(items, found)];
        cursor = nextCursor;
      } while (cursor !== null && found.length === before);
      this.items = found;
      this.#next = cursor;
    } catch (problem) {
      if (signal.aborted) return;
      this.problem = problem;
    }
    this.running = false;
    this.#change();
  }
}
