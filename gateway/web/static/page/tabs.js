// Connects this window with the browser's other windows: see sharing.js.
import { root } from "./root.js";
import { Sharing } from "./sharing.js";
import { scriptURL } from "./trusted.js";

const version = 1; // of the messages: windows of a page with another version use another worker

const worker = `${root}/assets/page/sharing.js`;

export class Tabs {
  streams = true; // whether this window may have a stream of its chat
  #port;
  #place = "";
  #on;

  // on has event(event), connection(connection), stream(may) and tell(clarification).
  constructor(on) {
    this.#on = on;
    this.#connect();
    for (const [target, name] of [[window, "focus"], [document, "visibilitychange"]]) target.addEventListener(name, () => this.look());
    for (const name of ["pointerdown", "keydown"]) addEventListener(name, () => { if (!this.streams) this.look(); }, { capture: true, passive: true });
    addEventListener("pagehide", () => this.#send({ bye: true }));
    addEventListener("pageshow", ({ persisted }) => { if (persisted) this.#hello(); });
  }

  #connect() {
    try {
      const shared = new SharedWorker(scriptURL(worker), { type: "module", name: `askgate ${version}` });
      shared.onerror = (event) => {
        event.preventDefault();
        this.#alone();
      };
      this.#port = shared.port;
    } catch {
      return this.#alone();
    }
    this.#hello();
  }

  // alone replaces the shared worker in browsers that do not have one.
  #alone() {
    const { port1, port2 } = new MessageChannel();
    new Sharing({ alone: true }).join(port1);
    this.#port = port2;
    this.#hello();
  }

  #hello() {
    this.#port.onmessage = ({ data }) => {
      if ("stream" in data) this.streams = data.stream;
      for (const [what, value] of Object.entries(data)) if (value !== null) this.#on[what]?.(value);
    };
    const lock = navigator.locks && `askgate window ${crypto.randomUUID()}`;
    const say = () => {
      this.#send({ hello: { lock }, ...this.#now });
      return new Promise(() => {}); // holds the lock until the window is gone
    };
    if (lock) navigator.locks.request(lock, say);
    else say();
  }

  #send(message) { this.#port.postMessage(message); }

  get #now() {
    const visible = document.visibilityState === "visible";
    return { at: { visible, place: this.#place, looked: visible } };
  }

  // show reports what the window shows: "app/chat", or "/inbox".
  show(place) {
    if (place === this.#place) return;
    this.#place = place;
    this.look();
  }

  // look reports that the user does something in this window.
  look() { this.#send(this.#now); }

  // again follows the inbox of the user who is now signed in. stop discards the inbox. fresh reloads it.
  again() { this.#send({ again: true }); }
  stop() { this.#send({ stop: true }); }
  fresh() { this.#send({ fresh: true }); }
}
