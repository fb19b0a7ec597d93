// What draws a chat is loaded when the first begins: with marked and DOMPurify it is a quarter of
// the page. Without a gateway it is tried again.
export class Late {
  outdated = false; // it is of another version, or the browser does not ask again
  #state;
  #change;
  #loading = false;
  #tried = false; // in vain

  constructor(state, change) {
    this.#state = state;
    this.#change = change;
  }

  // holds says that there is nothing to draw yet: a question would be pushed away by what comes above it.
  holds() {
    const { chat, transcript, problem, inInbox } = this.#state;
    if (chat?.begun) this.#load();
    return !transcript && !this.#tried && chat?.empty === false && !problem && !inInbox;
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
