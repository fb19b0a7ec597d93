// Messages and answers that were written while the gateway could not be reached. They are kept in this
// tab, shown above the composer, and sent in their order once there is a connection, each with the
// idempotency key and the newest event of when it was written: so nothing is sent twice, and the gateway
// knows what the person had not seen. Approvals never come here.
//
//	send ──> accepted, or refused: nothing is kept
//	  └─ no response, or no connection ──> kept ── flush ──> accepted, asks (too old), or put back (refused)
import { Client, newId } from "../client/client.js";
import { again } from "../client/follow.js";
import { offline } from "../client/problem.js";
import { html, nothing, repeat } from "../vendor/lit.js";
import { keep, kept, whenForgotten } from "./keep.js";
import { root } from "./root.js";
import { identity, sent, session } from "./session.js";
import { text } from "./texts.js";

const name = "outbox";
const old = 10 * 60_000; // ms: what was written longer ago is sent only if the person agrees
const most = 20; // entries of all chats; what is beyond stays in the composer
const first = 1_000, longest = 15_000; // ms between attempts

const place = ({ app, chat }) => `${app}/${chat}`;

// later reports whether the same request may be accepted later.
const later = ({ status }) => [0, 401, 429, 502, 503, 504].includes(status);

class Outbox {
  // {key, who, app, chat, kind: message, answer or answers, content, files, queue, answer, label, secret, locale,
  // lastEventId, at, tried, asks, agreed, held}
  #entries = [];
  #chats = new Map(); // place -> the open Chat
  #keys = new Map(); // what the gateway may have although it answered with 502 to 504 -> its key
  #flushing = false;
  #timer = 0;
  #wait = first;

  constructor() {
    try {
      this.#entries = JSON.parse(kept(name) || "[]");
    } catch { /* nothing that this version can read */ }
    whenForgotten(() => {
      this.#entries = [];
      this.#keys.clear();
    });
    addEventListener("online", () => this.flush());
    if (this.#entries.length) this.#again();
  }

  // enter and leave say which chats are open.
  enter(chat) { this.#chats.set(`${chat.app}/${chat.id}`, chat); }
  leave(chat) { if (this.#at(chat) === chat) this.#chats.delete(`${chat.app}/${chat.id}`); }
  #at({ app, id }) { return this.#chats.get(`${app}/${id}`); }

  // of returns what waits in a chat, in order.
  of({ app, id }) { return this.#entries.filter((e) => e.app === app && e.chat === id && e.who === identity()); }

  // answers reports whether an answer to a question waits.
  answers(chat, id) { return this.of(chat).some((e) => [e.answer].flat().some((a) => a?.clarificationId === id)); }

  // send sends an entry, and resolves to true once the gateway has accepted it. It resolves to false if
  // the entry was kept, and rejects with a Problem if the gateway refused it, or too much waits.
  async send(chat, entry) {
    this.enter(chat);
    const { client } = chat, what = JSON.stringify([chat.app, chat.id, entry]);
    const full = { ...entry, key: this.#keys.get(what) ?? newId(), who: identity(), app: chat.app, chat: chat.id, locale: client.locale, lastEventId: client.lastEventId, at: Date.now() };
    this.#keys.delete(what);
    if (navigator.onLine && chat.connection !== "offline" && !this.of(chat).length) {
      try {
        await deliver(full, client);
        return true;
      } catch (problem) {
        if (again(problem, 0)) this.#keys.set(what, full.key);
        if (problem.status !== 0) throw problem;
        full.tried = true;
      }
    }
    if (this.#entries.length >= most) throw offline("too much waits");
    this.#entries.push(full);
    this.#keys.delete(what);
    this.#save();
    if (full.tried) this.#again();
    else this.flush();
    return false;
  }

  // flush sends what it can.
  async flush() {
    if (this.#flushing || !this.#entries.length) return;
    this.#flushing = true;
    clearTimeout(this.#timer);
    try {
      await session(); // is the gateway there, and for whom?
      if (this.#entries.some((e) => e.who !== identity())) this.#entries = this.#entries.filter((e) => e.who === identity());
      for (const of of new Set(this.#entries.map(place))) await this.#flushChat(of);
      this.#wait = first;
    } catch (problem) {
      if (!later(problem)) throw problem;
    } finally {
      this.#flushing = false;
      this.#save();
    }
    if (this.#entries.some((e) => !e.asks && !e.held)) this.#again();
  }

  #again() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), this.#wait);
    this.#wait = Math.min(2 * this.#wait, longest);
  }

  async #flushChat(of) {
    for (;;) {
      const entry = this.#entries.find((e) => place(e) === of);
      if (!entry || entry.held) return;
      entry.asks = !entry.agreed && Date.now() - entry.at > old;
      if (entry.asks) return;
      entry.tried = true;
      this.#save();
      try {
        await deliver(entry, new Client({ base: root, app: entry.app, chat: entry.chat, locale: entry.locale }));
      } catch (problem) {
        if (later(problem)) throw problem;
        this.#refused(entry, problem);
        return;
      }
      this.#drop(entry);
      this.#chats.get(of)?.arrived();
    }
  }

  // refused puts an entry back, and holds those behind it. One that was taken back on another device is
  // there already.
  #refused(entry, problem) {
    this.#drop(entry);
    if (problem.code === "taken_back") return;
    for (const e of this.#entries) if (place(e) === place(entry)) e.held = true;
    this.#putBack(entry, problem);
  }

  #putBack(entry, problem) {
    const chat = this.#chats.get(place(entry));
    if (chat) return chat.returned(entry, problem);
    const draft = `message:${place(entry)}`; // see chat.js
    if (entry.kind === "message") keep(draft, [entry.content, kept(draft)].filter(Boolean).join("\n\n"));
  }

  // mayTakeBack: the gateway cannot have it, or the person is asked about it.
  mayTakeBack(entry) { return !entry.tried || Boolean(entry.asks); }

  takeBack(entry) {
    if (!this.#entries.includes(entry) || !this.mayTakeBack(entry)) return; // the button is about to go
    this.#drop(entry);
    this.#putBack(entry, entry.kind === "message" ? null : offline());
    this.flush();
  }

  // agree sends what was too old or held.
  agree(entry) {
    Object.assign(entry, { agreed: true, asks: false });
    for (const e of this.#entries) if (place(e) === place(entry)) e.held = false;
    this.#save();
    this.flush();
  }

  // erased drops what waits in a chat that is gone.
  erased(app, chat) {
    this.#entries = this.#entries.filter((e) => e.app !== app || e.chat !== chat);
    this.#save();
  }

  #drop(entry) {
    this.#entries = this.#entries.filter((e) => e !== entry);
    this.#save();
  }

  // save stores everything but secrets, which stay in memory.
  #save() {
    const storable = this.#entries.filter((e) => !e.secret);
    keep(name, storable.length ? JSON.stringify(storable) : "");
    for (const chat of this.#chats.values()) chat.changed();
  }
}

// deliver sends an entry.
function deliver({ kind, content, files = [], queue, answer, key, lastEventId }, client) {
  const how = { idempotencyKey: key, lastEventId };
  return sent(kind === "message" ? client.sendMessage(content, { files: files.map((f) => f.fileId), queue, ...how }) : client[kind](answer, how));
}

export const outbox = new Outbox();

// unsent draws what waits in a chat.
export function unsent(chat) {
  const list = outbox.of(chat);
  if (!list.length) return nothing;
  const back = (entry) => {
    outbox.takeBack(entry);
    requestAnimationFrame(() => requestAnimationFrame(() => document.querySelector("#message")?.focus()));
  };
  return html`<ul class="outbox" aria-label=${text("page.outbox")}>${repeat(list, (e) => e.key, (e) => html`<li class="user unsent">
    <div class="bubble" dir="auto">${e.kind === "message" ? e.content : text("page.outbox_answer", { question: e.label })}</div>
    <p class="hint" role="status">${text(e.asks ? "page.outbox_asks" : e.held ? "page.outbox_held" : e.tried ? "page.outbox_tried" : "page.outbox_waits")}</p>
    <div class="acts">
      ${outbox.mayTakeBack(e) ? html`<button type="button" class="quiet" data-unsend @click=${() => back(e)}>${text("page.take_back")}</button>` : nothing}
      ${e.asks || e.held ? html`<button type="button" class="quiet" data-agree @click=${() => outbox.agree(e)}>${text("page.send_now")}</button>` : nothing}
    </div>
  </li>`)}</ul>`;
}
