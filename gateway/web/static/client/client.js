// The client of one chat: sends messages and answers, and follows what happens.
//
//   sendMessage, answer, resume ── POST ──> accepted, or a Problem
//   follow <── /events, from the last event seen on, over any number of reconnects
//
// While somebody follows, everything comes through /events, in order and once, so
// the body of a POST is not read. A chat that does not exist yet has no /events:
// its first run is read from the POST, and followed from its last event on.
import { readEvents } from "./sse.js";
import { offline, problemOf } from "./problem.js";

// Times in ms.
const firstWait = 500, longestWait = 15_000; // between attempts to reconnect
const silence = 40_000; // heartbeats come every 14 s: a stream silent for this long is dead
const promptly = 5_000; // what the gateway has accepted appears in a live stream at once
const attempts = 3; // of a request without a response, or with 503
const patience = 8; // likewise, while a node is replaced: some 30 s

// newId is unguessable enough for a chat; randomUUID is missing outside secure contexts.
export function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");
}

// backoff is how long to wait after the nth failure in a row: longer each time,
// and random, so that the clients of a restarted gateway do not all come at once.
function backoff(n, retryAfter = 0) {
  return Math.max(retryAfter * 1000, Math.random() * Math.min(firstWait * 2 ** n, longestWait));
}

// again says whether the nth attempt may be followed by another: nobody was there, or
// nobody who could.
function again(problem, n) {
  const { status = 0, code } = problem; // without a status, a stream broke
  if (status !== 0 && ![502, 503, 504].includes(status)) return false;
  return n < (code === "draining" || code === "http" ? patience : attempts); // http: a proxy says so
}

export class Client {
  // The id of the last event seen. Set before follow, it says where to begin.
  lastEventId = "";
  #followers = new Set();
  #loop = null; // AbortController of the running follow
  #first = null; // body of the POST that began the chat, to be read instead of /events
  #taken = 0; // POSTs that the gateway accepted
  #seen = ""; // the newest event that this page has had, however it came
  #unsent = new Map(); // body -> idempotency key, of POSTs whose outcome is not known
  #connection = "idle";
  #wake = () => {};
  #watch = () => {};

  // app and chat name the chat. base is the gateway's address, "" for the page's
  // own origin; headers (an object, or a function that returns one or a promise of
  // one) are sent with each request; locale is the language that texts come in.
  constructor({ app, chat = newId(), base = "", headers = {}, locale = "", fetch = globalThis.fetch }) {
    Object.assign(this, { app, chat, base, headers, locale });
    this.fetch = (...request) => fetch(...request); // the browser's fetch must not be called as a method
  }

  // sendMessage sends what a person wrote. It resolves when the gateway has accepted
  // it, and rejects with a Problem. A request that got no response is tried again
  // with the same idempotencyKey, also if the same text is sent again later, so
  // that nothing is done twice. With onEvent the run is read here, without follow,
  // and the promise resolves at its end.
  // clarificationId names the question that the message is about.
  sendMessage(message, { interactive, clarificationId, ...options } = {}) {
    return this.#send({ message, ...(interactive !== undefined && { interactive }), ...(clarificationId && { clarificationId }) }, options);
  }

  // answer sends an answer, the detail of "askgate-answer", in the same way.
  answer(answer, options = {}) {
    return this.#send({ answer }, options);
  }

  // resume goes on with a turn that an error, a stop or a limit ended, in the same way.
  resume(options = {}) {
    return this.#send(null, options);
  }

  // follow calls onEvent({id, type, data}) with what happens in the chat, until
  // the function that it returns is called. Without lastEventId the first event is
  // a snapshot. onConnection(connection, problem) gets "connecting", "online",
  // "offline" (it reconnects by itself), "new" (there is no such chat, or no longer)
  // and "refused" (401, 403); the last two wait for the next message.
  follow(onEvent, { onConnection = () => {} } = {}) {
    const follower = { onEvent, onConnection };
    this.#followers.add(follower);
    if (this.#loop) onConnection(this.#connection);
    else this.#following(this.#loop = new AbortController());
    return () => {
      if (!this.#followers.delete(follower) || this.#followers.size > 0) return;
      this.#loop.abort();
      this.#loop = null;
      this.#connection = "idle";
      this.#first?.cancel().catch(() => {});
      this.#first = null;
      this.#wake();
    };
  }

  // searchOptions finds options of a pending question that is searchable, as
  // {items, total, nextCursor}. question is its index in a form.
  async searchOptions(clarificationId, query, { question = 0, limit = 20, cursor, signal } = {}) {
    const wanted = new URLSearchParams({ q: query, question, limit, ...(cursor && { cursor }) });
    return (await this.#request(`/clarifications/${encodeURIComponent(clarificationId)}/options?${wanted}`, { signal })).json();
  }

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
    await this.#call(`/v1/clarifications/${encodeURIComponent(clarificationId)}/draft`, {
      method: "PUT", body: JSON.stringify({ draft }), headers: { "Content-Type": "application/json" }, signal, ...(keepalive && { keepalive }),
    });
  }

  // snapshot is the chat as it is stored, with its newest messages: up to so many, older
  // than the one with the id before if that is given.
  async snapshot({ messages, before } = {}) {
    const wanted = new URLSearchParams({ ...(messages && { messages }), ...(before && { before }) });
    return (await this.#request(wanted.size ? `?${wanted}` : "")).json();
  }

  // erase deletes the chat and everything stored about it.
  async erase() {
    await this.#request("", { method: "DELETE" });
  }

  #request(path, init) {
    return this.#call(`/v1/apps/${encodeURIComponent(this.app)}/chats/${encodeURIComponent(this.chat)}${path}`, init);
  }

  async #call(path, { headers, ...init } = {}) {
    const own = typeof this.headers === "function" ? await this.headers() : this.headers;
    let response;
    try {
      response = await this.fetch(this.base + path, { ...init, headers: { ...(this.locale && { "Accept-Language": this.locale }), ...own, ...headers } });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw offline(error);
    }
    if (!response.ok) throw await problemOf(response);
    return response;
  }

  async #send(content, { idempotencyKey, signal, onEvent } = {}) {
    const body = { ...content, ...(this.locale && { locale: this.locale }) };
    const seen = this.#seen || this.lastEventId; // so that nothing closes a question that nobody has seen here
    const text = JSON.stringify(body) + (content ? "" : seen); // a turn may end more than once
    const key = idempotencyKey ?? this.#unsent.get(text) ?? newId();
    this.#unsent.set(text, key);
    const sent = JSON.stringify({ ...body, idempotencyKey: key, ...(content && seen && { lastEventId: seen }) });
    const response = await this.#post(content ? "/messages" : "/resume", sent, signal, () => this.#unsent.delete(text));
    this.#taken++;
    if (onEvent) return this.#run(response.body, onEvent, signal);
    if (this.#loop && !this.lastEventId) this.#first = response.body;
    else response.body.cancel().catch(() => {});
    this.#watch(promptly);
    this.#wake();
  }

  // post tries until there is a response; known is called once the request's outcome is known.
  async #post(path, body, signal, known) {
    for (let n = 1; ; n++) {
      try {
        const response = await this.#request(path, {
          method: "POST", body, signal, headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
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

  async #following(loop) {
    const back = () => this.#wake();
    globalThis.addEventListener?.("online", back, { signal: loop.signal });
    for (let failures = 0; !loop.signal.aborted;) {
      const taken = this.#taken;
      let wait = 0;
      try {
        if (this.#connection !== "offline") this.#connect("connecting");
        const retry = await this.#read(loop, () => { failures = 0; });
        wait = retry ?? Math.random() * firstWait; // the gateway ended it: erased, restarting, or we were too slow
      } catch (problem) {
        if (loop.signal.aborted) return;
        if ([401, 403, 404].includes(problem.status)) {
          if (problem.status === 404) this.lastEventId = "";
          this.#connect(problem.status === 404 ? "new" : "refused", problem);
          wait = this.#taken === taken ? Infinity : 0;
        } else {
          this.#connect("offline", problem);
          wait = backoff(failures++, problem.retryAfter);
        }
      }
      await new Promise((resolve) => {
        this.#wake = resolve;
        if (wait < Infinity) setTimeout(resolve, wait);
      });
    }
  }

  // read passes on one stream to its end, and returns when to reconnect, if the
  // gateway said so.
  async #read(loop, onBytes) {
    const stream = new AbortController();
    const stop = () => stream.abort();
    loop.signal.addEventListener("abort", stop, { once: true });
    let timer;
    this.#watch = (ms) => {
      clearTimeout(timer);
      timer = setTimeout(stop, ms);
    };
    this.#watch(silence);
    let body = this.lastEventId ? null : this.#first;
    let retry;
    try {
      if (body) stream.signal.addEventListener("abort", () => body.cancel().catch(() => {}));
      else {
        ({ body } = await this.#request("/events", { signal: stream.signal, headers: this.lastEventId ? { "Last-Event-ID": this.lastEventId } : {} }));
        this.#first?.cancel().catch(() => {});
      }
      this.#first = null;
      this.#connect("online");
      for await (const event of readEvents(body, () => { this.#watch(silence); onBytes(); })) {
        if (stream.signal.aborted) break;
        if (event.retry !== undefined) retry = event.retry;
        else this.#tell(event);
      }
      return retry;
    } finally {
      clearTimeout(timer);
      this.#watch = () => {};
      loop.signal.removeEventListener("abort", stop);
    }
  }

  #tell(event) {
    if (event.id) this.#seen = this.lastEventId = event.id;
    for (const { onEvent } of this.#followers) {
      try {
        onEvent(event);
      } catch (error) {
        reportError(error); // an error in one listener costs the others no events
      }
    }
  }

  #connect(connection, problem) {
    if (this.#connection === connection) return;
    this.#connection = connection;
    for (const { onConnection } of this.#followers) onConnection(connection, problem);
  }
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}
