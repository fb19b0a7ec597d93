// Says once that an element was in view of somebody: on the screen, in a window that is visible.
export class Seen {
  #tell;
  #observer = null;
  #listening = null;

  constructor(tell) {
    this.#tell = tell;
  }

  watch(element) {
    this.stop();
    let inView = false;
    const look = () => {
      if (!inView || document.visibilityState !== "visible") return;
      this.stop();
      this.#tell();
    };
    this.#listening = new AbortController();
    document.addEventListener("visibilitychange", look, { signal: this.#listening.signal });
    this.#observer = new IntersectionObserver((entries) => {
      inView = entries.at(-1).isIntersecting;
      look();
    });
    this.#observer.observe(element);
  }

  stop() {
    this.#observer?.disconnect();
    this.#listening?.abort();
    this.#observer = this.#listening = null;
  }
}
