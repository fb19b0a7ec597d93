// What the page lists beside the open chat: the apps, and the chats of one app.
import { request } from "./request.js";

const page = 30; // chats at once

const get = async (path) => (await request(path)).json();

// loadApps gets all apps that the caller may use: {id, name, description, starterPrompts, onMessageWhilePending, demo}.
export async function loadApps() {
  const apps = [];
  for (let cursor = ""; cursor !== null;) {
    const { items, nextCursor } = await get(`/v1/apps?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    apps.push(...items);
    cursor = nextCursor;
  }
  return apps;
}

// loadWaiting gets what waits for the caller, as a snapshot of the stream of it.
export async function loadWaiting() {
  const { items, nextCursor } = await get("/v1/clarifications?status=pending&limit=100");
  return { id: "", type: "snapshot", data: { pending: items, hasMore: nextCursor !== null } };
}

// Chats is the list of an app's chats, newest first, as far as it was loaded.
export class Chats {
  items = []; // {chatId, title, updatedAt}
  loaded = false;
  #next = null;

  constructor(app) {
    this.app = app;
  }

  get hasMore() { return this.#next !== null; }

  async #page(cursor) {
    return get(`/v1/apps/${encodeURIComponent(this.app)}/chats?limit=${page}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
  }

  // refresh gets the newest; what was loaded behind them stays.
  async refresh() {
    const { items, nextCursor } = await this.#page();
    const fresh = new Set(items.map((c) => c.chatId));
    const last = items.at(-1)?.updatedAt ?? "";
    const behind = nextCursor === null ? [] : this.items.filter((c) => !fresh.has(c.chatId) && c.updatedAt <= last);
    this.items = [...items, ...behind];
    if (behind.length === 0) this.#next = nextCursor;
    this.loaded = true;
  }

  async more() {
    const { items, nextCursor } = await this.#page(this.#next);
    const have = new Set(this.items.map((c) => c.chatId));
    this.items = [...this.items, ...items.filter((c) => !have.has(c.chatId))];
    this.#next = nextCursor;
  }
}
