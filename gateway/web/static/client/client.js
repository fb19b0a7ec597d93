// The client of one chat: sends messages and answers, and follows what happens.
//
//   sendMessage, answer, answers, resume ── POST ──> accepted, or a Problem
//   follow <── /events, from the last event seen on, over any number of reconnects
//
// While somebody follows, everything comes through /events, in order and once, so
// the body of a POST is not read.
import { formOf, reporting } from "./attach.js";
import { Follow, Gateway, about, again, backoff, pause } from "./follow.js";
import { offline } from "./problem.js";
import { readEvents } from "./sse.js";

const promptly = 5_000; // ms: what the gateway has accepted appears in a live stream at once

// newId is unguessable enough for a chat; randomUUID is missing outside secure contexts.
export function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");
}

export class Client extends Gateway {
  #follow = new Follow((init) => this.#request("/events", init), { mayBegin: true });
  #seen = ""; // the newest event that this page has had, without follow
  #unsent = new Map(); // body -> idempotency key, of POSTs whose outcome is not known

  // app and chat name the chat. base is the gateway's address, "" for the page's
  // own origin; headers (an object, or a function that returns one or a promise of
  // one) are sent with each request; locale is the language that texts come in.
  constructor({ app, chat = newId(), ...gateway }) {
    super(gateway);
    Object.assign(this, { app, chat });
  }

  // The id of the last event seen. Set before follow, it says where to begin.
  get lastEventId() { return this.#follow.lastEventId; }
  set lastEventId(id) { this.#follow.lastEventId = id; }

  // sendMessage sends what a person wrote. It resolves when the gateway has accepted
  // it, and rejects with a Problem. A request that got no response is tried again
  // with the same idempotencyKey, also if the same text is sent again later, so
  // that nothing is done twice. With onEvent the run is read here, without follow,
  // and the promise resolves at its end.
  // clarificationId names the question that the message is about, files the ids of files that
  // come with it (see attach).
  sendMessage(message, { interactive, clarificationId, files, ...options } = {}) {
    return this.#send({ message, ...(files?.length && { files }), ...(interactive !== undefined && { interactive }), ...(clarificationId && { clarificationId }) }, options);
  }

  // answer sends an answer, the detail of "askgate-answer", in the same way.
  answer(answer, options = {}) {
    return this.#send({ answer }, options);
  }

  // answers sends several answers, which are taken together or not at all, in the same way.
  answers(answers, options = {}) {
    return this.#send({ answers }, options);
  }

  // resume goes on with a turn that an error, a stop or a limit ended, in the same way.
  resume(options = {}) {
    return this.#send(null, options);
  }

  // fork begins a new chat with what this one has before a point, and goes on there: with another
  // message ({messageId, message}), the same again ({messageId}), or another answer
  // ({clarificationId, answer}). It resolves with the id of that chat when the gateway has
  // accepted it, and is sent again like a message; this chat stays as it is.
  async fork(point, { idempotencyKey, signal } = {}) {
    const wanted = { ...point, ...(this.locale && { locale: this.locale }) };
    const text = `fork ${JSON.stringify(wanted)}`;
    const key = idempotencyKey ?? this.#unsent.get(text) ?? newId();
    this.#unsent.set(text, key);
    const newChatId = point.newChatId ?? `fork-${key.replace(/[^A-Za-z0-9_-]/g, "-").slice(0, 48)}`;
    const response = await this.#post("/fork", JSON.stringify({ ...wanted, newChatId, idempotencyKey: key }), signal, () => this.#unsent.delete(text));
    response.body.cancel().catch(() => {});
    return newChatId;
  }

  // follow calls onEvent({id, type, data}) with what happens in the chat, until
  // the function that it returns is called. Without lastEventId the first event is
  // a snapshot. onConnection(connection, problem) gets "connecting", "online",
  // "offline" (it reconnects by itself), "new" (there is no such chat any longer)
  // and "refused" (401, 403); the last two wait for the next message.
  follow(onEvent, options) {
    return this.#follow.follow((event) => {
      this.#seen = event.id || this.#seen;
      onEvent(event);
    }, options);
  }

  // searchOptions finds options of a pending question that is searchable, as
  // {items, total, nextCursor}. question is its index in a form; closed has it find those of a
  // closed one, too, which is being answered otherwise (see fork).
  async searchOptions(clarificationId, query, { question = 0, limit = 20, cursor, closed, signal } = {}) {
    const wanted = new URLSearchParams({ q: query, question, limit, ...(cursor && { cursor }), ...(closed && { closed }) });
    return (await this.#request(`/clarifications/${encodeURIComponent(clarificationId)}/options?${wanted}`, { signal })).json();
  }

  // attach sends a file for the next message, where the app takes any, as {fileId, name, type, size};
  // the chat need not have begun. onProgress is told how much is sent, from 0 to 1.
  async attach(file, { signal, onProgress } = {}) {
    return (await this.#request("/files", { method: "POST", body: formOf(file), signal, ...(onProgress && { via: reporting(onProgress) }) })).json();
  }

  // discard deletes a file that was sent for a message, and came with none.
  async discard(fileId) {
    await this.#request(`/files/${encodeURIComponent(fileId)}`, { method: "DELETE", keepalive: true });
  }

  // attachmentUrl is where a file is to be had that came with a message, or is to.
  attachmentUrl(fileId) { return `${this.base}${this.#path}/files/${encodeURIComponent(fileId)}`; }

  // stop cancels the running turn; nothing to cancel is fine too.
  async stop() {
    await this.#request("/stop", { method: "POST" });
  }

  // revoke has the chat ask again before each call of the tool.
  async revoke(tool) {
    await this.#request(`/approvals/${encodeURIComponent(tool)}`, { method: "DELETE" });
  }

  // saveDraft keeps what was typed so far, any JSON up to 16 KiB, with an open question of
  // the person's, for their other devices; null removes it.
  async saveDraft(clarificationId, draft, { signal, keepalive } = {}) {
    await this.call(`${about(clarificationId)}/draft`, { method: "PUT", json: { draft }, signal, ...(keepalive && { keepalive }) });
  }

  // seen tells that an open question was shown to the person whom it asks. No event says so.
  async seen(clarificationId) {
    await this.call(`${about(clarificationId)}/seen`, { method: "POST", keepalive: true });
  }

  // snapshot is the chat as it is stored, with its newest messages: up to so many, older
  // than the one with the id before if that is given.
  async snapshot({ messages, before } = {}) {
    const wanted = new URLSearchParams({ ...(messages && { messages }), ...(before && { before }) });
    return (await this.#request(wanted.size ? `?${wanted}` : "")).json();
  }

  // rename gives the chat a title, with branches all of its branches, and resolves with the chat as
  // lists have it.
  async rename(title, { branches } = {}) {
    return (await this.#request(branches ? "?branches=true" : "", { method: "PATCH", json: { title } })).json();
  }

  // chats lists the person's chats in the client's app, as {items, nextCursor}, newest first; with
  // q those in which all of its words occur, each with a snippet where they stand in its texts. A
  // page may then have none, and others after it.
  async chats({ q, limit = 20, cursor, signal } = {}) {
    const wanted = new URLSearchParams({ ...(q !== undefined && { q }), limit, ...(cursor && { cursor }) });
    return (await this.call(`/v1/apps/${encodeURIComponent(this.app)}/chats?${wanted}`, { signal })).json();
  }

  // erase deletes the chat, with branches all of its branches, and everything stored about it.
  async erase({ branches } = {}) {
    await this.#request(branches ? "?branches=true" : "", { method: "DELETE" });
  }

  get #path() { return `/v1/apps/${encodeURIComponent(this.app)}/chats/${encodeURIComponent(this.chat)}`; }

  #request(path, init) {
    return this.call(this.#path + path, init);
  }

  async #send(content, { idempotencyKey, signal, onEvent } = {}) {
    const body = { ...content, ...(this.locale && { locale: this.locale }) };
    const seen = this.#seen || this.lastEventId; // so that nothing closes a question that nobody has seen here
    const text = JSON.stringify(body) + (content ? "" : seen); // a turn may end more than once
    const key = idempotencyKey ?? this.#unsent.get(text) ?? newId();
    this.#unsent.set(text, key);
    const sent = JSON.stringify({ ...body, idempotencyKey: key, ...(content && seen && { lastEventId: seen }) });
    const leaving = content?.answer !== undefined && sent.length < 8000; // a short answer outlives the page that is left
    const response = await this.#post(content ? "/messages" : "/resume", sent, signal, () => this.#unsent.delete(text), leaving);
    if (onEvent) {
      this.#follow.taken();
      return this.#run(response.body, onEvent, signal);
    }
    response.body.cancel().catch(() => {});
    this.#follow.taken(promptly);
  }

  // post tries until there is a response; known is called once the request's outcome is known.
  async #post(path, body, signal, known, keepalive = false) {
    for (let n = 1; ; n++) {
      try {
        const response = await this.#request(path, {
          method: "POST", body, signal, keepalive, headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
        });
        known();
        return response;
      } catch (problem) {
        if (problem.status > 0 && !again(problem, 0)) known();
        const sent = problem.status !== undefined; // else its sender gave up, or had no headers
        if (!sent || !again(problem, n) || globalThis.navigator?.onLine === false) throw problem;
        await pause(backoff(n, problem.retryAfter), signal);
      }
    }
  }

  // run reads one run to its done, over reconnects.
  async #run(body, onEvent, signal) {
    for (let last = "", n = 1; ; n++) {
      let wait = 0;
      try {
        body ??= (await this.#request("/events", { signal, headers: last ? { "Last-Event-ID": last } : {} })).body;
        for await (const event of readEvents(body)) {
          if (event.retry !== undefined) {
            wait = event.retry;
            continue;
          }
          this.#seen = last = event.id || last;
          n = 1;
          onEvent(event);
          if (event.type === "done" || event.type === "snapshot" && event.data.status !== "running") return;
        }
        if (!wait) throw offline("the stream ended early");
      } catch (problem) {
        if (signal?.aborted || !again(problem, n)) throw problem;
        wait = problem.retryAfter * 1000 || 0;
      }
      body = null;
      await pause(Math.max(wait, backoff(n)), signal);
    }
  }
}
