// Shares connections between the windows of one browser. HTTP/1.1 allows six connections to a server, so
// any number of windows share one stream of the inbox and a few streams of chats: those of the windows
// that the user looked at last.
//
//	window ── {hello} {at} {again} {fresh} {stop} {bye} ──> Sharing ── {event} {connection} {stream} ──> each window
//	                                                           └── {tell}: to one window, if none shows the question
//
// It runs in a worker that all windows share (see tabs.js), otherwise in each window.
import { Inbox, initialInbox, reduceInbox } from "../client/inbox.js";
import { root } from "./root.js";

const streams = 3; // of chats; with the inbox stream, two connections are left for requests

export class Sharing {
  #windows = new Set();
  #inbox = new Inbox({ base: root });
  #state = initialInbox;
  #connection = ["idle"];
  #end = null; // stops following the inbox
  #wanted = false; // a user is signed in
  #alone; // serves a single window, and releases all streams while it is hidden
  #looks = 0;

  constructor({ alone = false } = {}) {
    this.#alone = alone;
  }

  // join adds a window, whose first message is hello.
  join(port) {
    const window = { port, looked: 0, visible: false, place: "", streams: null };
    port.onmessage = ({ data }) => {
      for (const [what, value] of Object.entries(data)) does[what]?.(value);
      this.#share();
    };
    const does = {
      hello: ({ lock }) => {
        this.#windows.add(window);
        window.streams = null;
        port.postMessage({ connection: this.#connection, event: this.#state.lastEventId ? this.#snapshot() : null });
        if (lock) navigator.locks.request(lock, () => does.bye()); // granted once the window is gone, even after a crash
      },
      at: ({ visible, place, looked }) => {
        Object.assign(window, { visible, place });
        if (looked) window.looked = ++this.#looks;
      },
      again: () => {
        this.#wanted = true;
        if (this.#connection[0] === "refused") this.#stop();
      },
      fresh: () => {
        this.#stop();
        this.#inbox.lastEventId = "";
      },
      stop: () => {
        this.#wanted = false;
        this.#stop();
        this.#inbox.lastEventId = "";
        this.#state = initialInbox;
        this.#send({ event: this.#snapshot() });
      },
      bye: () => {
        this.#windows.delete(window);
        this.#share();
      },
    };
  }

  #snapshot() {
    const { pending, hasMore, lastEventId } = this.#state;
    return { id: lastEventId, type: "snapshot", data: { pending, hasMore, lastEventId } };
  }

  // share decides which windows may have a stream of a chat, and follows the inbox while a window is open.
  #share() {
    const windows = [...this.#windows].sort((a, b) => b.looked - a.looked);
    windows.forEach((window, i) => {
      const may = this.#alone ? window.visible : i < streams;
      if (may !== window.streams) window.port.postMessage({ stream: window.streams = may });
    });
    const follow = this.#wanted && windows.some((window) => window.visible || !this.#alone);
    if (!follow) this.#stop();
    else this.#end ??= this.#inbox.follow((event) => this.#told(event), { onConnection: (...connection) => this.#connected(connection) });
  }

  #stop() {
    this.#end?.();
    this.#end = null;
  }

  #told(event) {
    this.#state = reduceInbox(this.#state, event);
    this.#send({ event });
    if (event.type === "clarification" && this.#state.pending.some((c) => c.clarificationId === event.data.clarificationId)) this.#tell(event.data);
  }

  // tell has one window announce a question that no window shows.
  #tell(asked) {
    const place = asked.waitsFor ? "/inbox" : `${asked.app}/${asked.chatId}`;
    const windows = [...this.#windows].sort((a, b) => b.looked - a.looked);
    if (!windows.some((window) => window.visible && window.place === place)) windows[0]?.port.postMessage({ tell: asked });
  }

  #connected([connection, problem]) {
    this.#connection = [connection, problem?.status];
    this.#send({ connection: this.#connection });
  }

  #send(message) {
    for (const { port } of this.#windows) port.postMessage(message);
  }
}

if ("onconnect" in globalThis) {
  const sharing = new Sharing();
  globalThis.onconnect = ({ ports: [port] }) => sharing.join(port);
}
