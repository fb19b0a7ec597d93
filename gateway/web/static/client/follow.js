// A stream of events over any number of connections, starting after the last event seen: the
// events of one chat, or of all questions that wait for a person.
import { formOf } from "./attach.js";
import { offline, problemOf } from "./problem.js";
import { readEvents } from "./sse.js";

// Times in ms.
const firstWait = 500, longestWait = 15_000; // between attempts to reconnect
const silence = 40_000; // heartbeats come every 14 s: a stream silent for this long is dead
const attempts = 3; // for a request without a response, or with 502 to 504
const patience = 8; // likewise, while a node is replaced: some 30 s

// backoff returns how long to wait after the nth failure in a row, in ms. It grows with n and is
// random, so that the clients of a restarted gateway do not all reconnect at once.
export function backoff(n, retryAfter = 0) {
  return Math.max(retryAfter * 1000, Math.random() * Math.min(firstWait * 2 ** n, longestWait));
}

// again reports whether to retry after the nth attempt: the gateway was unreachable, or could not
// serve the request.
export function again(problem, n) {
  const { status = 0, code } = problem; // without a status, a stream broke
  if (status !== 0 && ![502, 503, 504].includes(status)) return false;
  return n < (code === "draining" || code === "http" ? patience : attempts); // http: the response came from a proxy
}

export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}

// about returns the path of a clarification.
export const about = (clarificationId) => `/v1/clarifications/${encodeURIComponent(clarificationId)}`;

// Gateway sends requests to base, with headers, and asks for texts in locale.
export class Gateway {
  constructor({ base = "", headers = {}, locale = "", fetch = globalThis.fetch }) {
    Object.assign(this, { base, headers, locale });
    this.fetch = (...request) => fetch(...request); // the browser's fetch must not be called as a method
  }

  // call resolves to a successful response, and rejects with a Problem.
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

  // upload sends a file for an open question of type file and returns {fileId, name, type, size}.
  // The fileId is the value of the answer. It rejects with a Problem.
  async upload(clarificationId, file, { signal } = {}) {
    return (await this.call(`${about(clarificationId)}/files`, { method: "POST", body: formOf(file), signal })).json();
  }

  // fileUrl returns the URL of a file that answered a clarification. It needs the cookie or headers
  // of someone who may read it.
  fileUrl(clarificationId, fileId) { return `${this.base}${about(clarificationId)}/files/${encodeURIComponent(fileId)}`; }
}

export class Follow {
  lastEventId = ""; // of the last event seen. Set it before follow to begin after that event
  #open;
  #mayBegin;
  #followers = new Set();
  #loop = null; // AbortController while there is a follower
  #taken = 0;
  #connection = "idle";
  #wake = () => {};
  #watch = () => {};

  // open(init) requests the stream. With mayBegin, a stream that does not exist (404) is requested
  // again once the gateway has accepted something; without it, again and again.
  constructor(open, { mayBegin = false } = {}) {
    this.#open = open;
    this.#mayBegin = mayBegin;
  }

  get running() { return this.#loop !== null; }

  // follow calls onEvent for each event until the returned function is called.
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

  // taken is called when the gateway has accepted something. A live stream shows it within ms; a
  // stream that does not is reconnected.
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

  // read passes on the events of one stream until it ends. It returns the delay before reconnecting
  // in ms, if the gateway sent one.
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
        else this.#emit(event);
      }
      return retry;
    } finally {
      clearTimeout(timer);
      if (this.#watch === watch) this.#watch = () => {}; // otherwise another stream has begun
      loop.signal.removeEventListener("abort", stop);
    }
  }

  #emit(event) {
    if (event.id) this.lastEventId = event.id;
    for (const { onEvent } of this.#followers) {
      try {
        onEvent(event);
      } catch (error) {
        reportError(error); // an error in one listener must not cost the others their events
      }
    }
  }

  #connect(connection, problem) {
    if (this.#connection === connection) return;
    this.#connection = connection;
    for (const { onConnection } of this.#followers) onConnection(connection, problem);
  }
}
