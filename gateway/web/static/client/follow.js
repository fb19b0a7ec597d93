// A stream of events over any number of connections, from the last event seen on: that of
// one chat, or of everything that waits for a person.
import { formOf } from "./attach.js";
import { offline, problemOf } from "./problem.js";
import { readEvents } from "./sse.js";

// Times in ms.
const firstWait = 500, longestWait = 15_000; // between attempts to reconnect
const silence = 40_000; // heartbeats come every 14 s: a stream silent for this long is dead
const attempts = 3; // of a request without a response, or with 503
const patience = 8; // likewise, while a node is replaced: some 30 s

// backoff is how long to wait after the nth failure in a row: longer each time,
// and random, so that the clients of a restarted gateway do not all come at once.
export function backoff(n, retryAfter = 0) {
  return Math.max(retryAfter * 1000, Math.random() * Math.min(firstWait * 2 ** n, longestWait));
}

// again says whether the nth attempt may be followed by another: nobody was there, or
// nobody who could.
export function again(problem, n) {
  const { status = 0, code } = problem; // without a status, a stream broke
  if (status !== 0 && ![502, 503, 504].includes(status)) return false;
  return n < (code === "draining" || code === "http" ? patience : attempts); // http: a proxy says so
}

export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}

// about is the address of a clarification.
export const about = (clarificationId) => `/v1/clarifications/${encodeURIComponent(clarificationId)}`;

// Gateway sends requests: to base, with headers, for texts in locale.
export class Gateway {
  constructor({ base = "", headers = {}, locale = "", fetch = globalThis.fetch }) {
    Object.assign(this, { base, headers, locale });
    this.fetch = (...request) => fetch(...request); // the browser's fetch must not be called as a method
  }

  // call resolves to a response that is ok, and rejects with a Problem.
  async call(path, { headers, json, via = this.fetch, ...init } = {}) {
    const own = typeof this.headers === "function" ? await this.headers() : this.headers;
    const body = json !== undefined && { body: JSON.stringify(json) };
    let response;
    try {
      response = await via(this.base + path, {
        ...init, ...body, headers: { ...(body && { "Content-Type": "application/json" }), ...(this.locale && { "Accept-Language": this.locale }), ...own, ...headers },
      });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw offline(error);
    }
    if (!response.ok) throw await problemOf(response);
    return response;
  }

  // upload sends a file for an open question that takes one, as {fileId, name, type, size}: the
  // fileId is the value of the answer. It rejects with a Problem.
  async upload(clarificationId, file, { signal } = {}) {
    return (await this.call(`${about(clarificationId)}/files`, { method: "POST", body: formOf(file), signal })).json();
  }

  // fileUrl is where a file that answered a clarification is to be had, with the cookie or
  // headers of its reader.
  fileUrl(clarificationId, fileId) { return `${this.base}${about(clarificationId)}/files/${encodeURIComponent(fileId)}`; }
}

export class Follow {
  lastEventId = ""; // of the last event seen. Set before it begins, it says where to
  #open;
  #mayBegin;
  #followers = new Set();
  #loop = null; // AbortController while somebody follows
  #taken = 0;
  #connection = "idle";
  #wake = () => {};
  #watch = () => {};

  // open(init) requests the stream. mayBegin says that what does not exist (404) will once
  // something is taken; otherwise it is asked for again and again.
  constructor(open, { mayBegin = false } = {}) {
    this.#open = open;
    this.#mayBegin = mayBegin;
  }

  get running() { return this.#loop !== null; }

  // follow calls onEvent for each event until the function that it returns is called.
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
      this.#wake();
    };
  }

  // taken is told that the gateway has accepted something; it shows in a live stream within ms.
  taken(ms) {
    this.#taken++;
    if (ms) this.#watch(ms);
    this.#wake();
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
        const gone = problem.status === 404 && this.#mayBegin;
        if (gone || [401, 403].includes(problem.status)) {
          if (gone) this.lastEventId = "";
          this.#connect(gone ? "new" : "refused", problem);
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
    const watch = this.#watch = (ms) => {
      clearTimeout(timer);
      timer = setTimeout(stop, ms);
    };
    watch(silence);
    let retry;
    try {
      const { body } = await this.#open({ signal: stream.signal, headers: this.lastEventId ? { "Last-Event-ID": this.lastEventId } : {} });
      this.#connect("online");
      for await (const event of readEvents(body, () => { watch(silence); onBytes(); })) {
        if (stream.signal.aborted) break;
        if (event.retry !== undefined) retry = event.retry;
        else this.#tell(event);
      }
      return retry;
    } finally {
      clearTimeout(timer);
      if (this.#watch === watch) this.#watch = () => {}; // else another follow has begun
      loop.signal.removeEventListener("abort", stop);
    }
  }

  #tell(event) {
    if (event.id) this.lastEventId = event.id;
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
