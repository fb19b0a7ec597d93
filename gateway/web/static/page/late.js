import { missing } from "./missing.js";

// Loads the module that draws a chat when the first chat begins: with marked and DOMPurify, it is a
// quarter of the page. While the gateway cannot be reached, loading is retried.
export class Late {
  outdated = false; // the module is of another version, or the browser does not request it again
  #state;
  #change;
  #loading = false;
  #tried = false; // at least one attempt failed

  constructor(state, change) {
    this.#state = state;
    this.#change = change;
  }

  // holds reports whether to wait with drawing: content that appears above a question would push the
  // question away.
  holds() {
    const { chat, transcript, problem, covered } = this.#state;
    if (chat?.begun) this.#load();
    return !transcript && !this.#tried && chat?.empty === false && !problem && !covered;
  }

  async #load() {
    if (this.#loading) return;
    this.#loading = true;
    const state = this.#state;
    for (let failed = 0; !state.transcript && failed < 4;) {
      try {
        state.transcript = (await import("./transcript.js")).transcript;
      } catch {
        this.#tried = true;
        if (!state.chat?.sending) missing(import.meta.url); // a reload would not wait for the response
        if (state.chat?.connection === "online") failed++;
        this.#change();
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
    this.outdated = !state.transcript;
    if (this.outdated) state.problem = { status: 0 };
    this.#change();
  }
}
