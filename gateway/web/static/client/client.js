// The client of one chat: sends messages and answers, and follows what happens.
//
//   sendMessage, answer, answers, resume ── POST ──> accepted, or a Problem
//   follow <── /events, from the last event seen on, over any number of reconnects
//
// While there is a follower, all events come through /events, in order and once, so the body of
// a POST response is not read.
import { formOf, reporting } from "./attach.js";
import { Follow, Gateway, about, again, backoff, pause } from "./follow.js";
import { offline } from "./problem.js";
import { readEvents } from "./sse.js";

const promptly = 5_000; // ms: what the gateway has accepted appears in a live stream at once

// newId returns a random id that is hard enough to guess for a chat. crypto.randomUUID is missing
// outside secure contexts.
export function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");
}

export class Client extends Gateway {
  #follow = new Follow((init) => this.#request("/events", init), { mayBegin: true });
  #seen = ""; // the newest event that this page received, with or without follow
  #unsent = new Map(); // body -> idempotency key, for POSTs with an unknown outcome

  // app and chat identify the chat. base is the gateway's address, "" for the page's own origin.
  // headers, an object or a function that returns one or a promise of one, are sent with each
  // request. locale is the language of the gateway's texts.
  constructor({ app, chat = newId(), ...gateway }) {
    super(gateway);
    Object.assign(this, { app, chat });
  }

  // The id of the last event seen. Set it before follow to begin after that event.
  get lastEventId() { return this.#follow.lastEventId; }
  set lastEventId(id) { this.#follow.lastEventId = id; }

  // sendMessage sends a message from the user. It resolves when the gateway has accepted the
  // message, and rejects with a Problem. A request that gets no response is retried with the same
  // idempotencyKey, even if the same text is sent again later, so that nothing is done twice. With
  // onEvent, the run is read here, without follow, and the promise resolves when it ends.
  // clarificationId is the question that the message is about, files are the ids of attached
  // files (see attach). With queue, the message waits while a turn runs or waits for a person.
  sendMessage(message, { interactive, clarificationId, files, queue, ...options } = {}) {
    return this.#send({ message, ...(files?.length && { files }), ...(queue && { queue }), ...(interactive !== undefined && { interactive }), ...(clarificationId && { clarificationId }) }, options);
  }

  // answer sends an answer, the detail of "askgate-answer", in the same way.
  answer(answer, options = {}) {
    return this.#send({ answer }, options);
  }

  // answers sends several answers in the same way. The gateway accepts all of them or none.
  answers(answers, options = {}) {
    return this.#send({ answers }, options);
  }

  // resume continues a turn that was ended by an error, a stop or a limit, in the same way.
  resume(options = {}) {
    return this.#send(null, options);
  }

  // fork begins a new chat that copies this one up to a point and continues differently: with
  // another message ({messageId, message}), the same message again ({messageId}), or another answer
  // ({clarificationId, answer}). It resolves with the id of the new chat when the gateway has
  // accepted the request, and is retried like a message. This chat does not change; with stop: true,
  // its running turn is stopped first.
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

  // follow calls onEvent({id, type, data}) for each event of the chat until the returned function
  // is called. Without lastEventId, the first event is a snapshot. onConnection(connection,
  // problem) gets "connecting", "online", "offline" (it reconnects automatically), "new" (the chat
  // does not exist yet, or was deleted) or "refused" (401, 403). After "new" and "refused", it
  // reconnects once the next message is sent.
  follow(onEvent, options) {
    return this.#follow.follow((event) => {
      this.#seen = event.id || this.#seen;
      onEvent(event);
    }, options);
  }

  // searchOptions searches the options of a pending, searchable question and returns
  // {items, total, nextCursor}. question is its index in a form. closed also searches a closed
  // question, which is being answered differently (see fork).
  async searchOptions(clarificationId, query, { question = 0, limit = 20, cursor, closed, signal } = {}) {
    const wanted = new URLSearchParams({ q: query, question, limit, ...(cursor && { cursor }), ...(closed && { closed }) });
    return (await this.#request(`/clarifications/${encodeURIComponent(clarificationId)}/options?${wanted}`, { signal })).json();
  }

  // attach uploads a file for the next message, if the app accepts files, and returns {fileId,
  // name, type, size}. The chat need not exist yet. onProgress gets the share sent so far, from 0
  // to 1.
  async attach(file, { signal, onProgress } = {}) {
    return (await this.#request("/files", { method: "POST", body: formOf(file), signal, ...(onProgress && { via: reporting(onProgress) }) })).json();
  }

  // discard deletes an uploaded file that no message has used.
  async discard(fileId) {
    await this.#request(`/files/${encodeURIComponent(fileId)}`, { method: "DELETE", keepalive: true });
  }

  // attachmentUrl returns the URL of a file that belongs to a message, or was uploaded for one.
  attachmentUrl(fileId) { return `${this.base}${this.#path}/files/${encodeURIComponent(fileId)}`; }

  // stop cancels the running turn. It succeeds even if no turn runs.
  async stop() {
    await this.#request("/stop", { method: "POST" });
  }

  // queued returns the messages that wait, as in a snapshot.
  async queued() { return (await this.snapshot({ messages: 1 })).queued ?? []; }

  // takeBack takes back a message that waits. Its files can be sent with another.
  async takeBack(messageId) {
    await this.#request(`/queued/${encodeURIComponent(messageId)}`, { method: "DELETE" });
  }

  // sendNow stops the running turn, or closes the questions it waits for, and sends a message that
  // waits.
  async sendNow(messageId) {
    const seen = this.#seen || this.lastEventId;
    await this.#request(`/queued/${encodeURIComponent(messageId)}/send`, { method: "POST", json: { ...(seen && { lastEventId: seen }) } });
  }

  // revoke withdraws a remembered approval: each call of the tool needs approval again.
  async revoke(tool) {
    await this.#request(`/approvals/${encodeURIComponent(tool)}`, { method: "DELETE" });
  }

  // saveDraft stores a draft, any JSON up to 16 KiB, with an open question of the user, for their
  // other devices. null removes it.
  async saveDraft(clarificationId, draft, { signal, keepalive } = {}) {
    await this.call(`${about(clarificationId)}/draft`, { method: "PUT", json: { draft }, signal, ...(keepalive && { keepalive }) });
  }

  // deleteAnswer deletes the user's answer to a closed question, wherever it stands. The event
  // clarification.resolved comes again, with the answer {deleted: true}.
  async deleteAnswer(clarificationId) {
    await this.call(`${about(clarificationId)}/answer`, { method: "DELETE" });
  }

  // seen reports that an open question was shown to the person whom it asks. It causes no event.
  async seen(clarificationId) {
    await this.call(`${about(clarificationId)}/seen`, { method: "POST", keepalive: true });
  }

  // snapshot returns the stored chat with its newest messages: at most messages of them, and only
  // those before the message with the id before, if given.
  async snapshot({ messages, before } = {}) {
    const wanted = new URLSearchParams({ ...(messages && { messages }), ...(before && { before }) });
    return (await this.#request(wanted.size ? `?${wanted}` : "")).json();
  }

  // rename sets the title of the chat, with branches also of all its branches. It resolves with the
  // chat as lists have it.
  async rename(title, { branches } = {}) {
    return (await this.#request(branches ? "?branches=true" : "", { method: "PATCH", json: { title } })).json();
  }

  // chats lists the user's chats in the client's app, newest first, as {items, nextCursor}. With q,
  // it lists the chats that contain all words of q, each with a snippet of the matching text. A page
  // may then be empty although more follow. With fold "branches", a chat and all its branches are one
  // entry.
  async chats({ q, fold, limit = 20, cursor, signal } = {}) {
    const wanted = new URLSearchParams({ ...(q !== undefined && { q }), ...(fold && { fold }), limit, ...(cursor && { cursor }) });
    return (await this.call(`/v1/apps/${encodeURIComponent(this.app)}/chats?${wanted}`, { signal })).json();
  }

  // erase deletes the chat and everything stored about it, with branches also all its branches.
  async erase({ branches } = {}) {
    await this.#request(branches ? "?branches=true" : "", { method: "DELETE" });
  }

  get #path() { return `/v1/apps/${encodeURIComponent(this.app)}/chats/${encodeURIComponent(this.chat)}`; }

  #request(path, init) {
    return this.call(this.#path + path, init);
  }

  async #send(content, { idempotencyKey, signal, onEvent, lastEventId } = {}) {
    const body = { ...content, ...(this.locale && { locale: this.locale }) };
    const seen = lastEventId ?? (this.#seen || this.lastEventId); // lets the gateway refuse what would close a question that this page has not shown
    const text = JSON.stringify(body) + (content ? "" : seen); // a turn may be resumed more than once
    const key = idempotencyKey ?? this.#unsent.get(text) ?? newId();
    this.#unsent.set(text, key);
    const sent = JSON.stringify({ ...body, idempotencyKey: key, ...(content && seen && { lastEventId: seen }) });
    const leaving = content?.answer !== undefined && sent.length < 8000; // a short answer is still sent when the page is closed
    const response = await this.#post(content ? "/messages" : "/resume", sent, signal, () => this.#unsent.delete(text), leaving);
    if (onEvent) {
      this.#follow.taken();
      return this.#run(response.body, onEvent, signal);
    }
    response.body.cancel().catch(() => {});
    this.#follow.taken(promptly);
  }

  // post retries until there is a response. It calls known once the request's outcome is known.
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
        const sent = problem.status !== undefined; // otherwise the caller aborted, or headers() failed
        if (!sent || !again(problem, n) || globalThis.navigator?.onLine === false) throw problem;
        await pause(backoff(n, problem.retryAfter), signal);
      }
    }
  }

  // run reads one run until its done event, and reconnects if necessary.
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
