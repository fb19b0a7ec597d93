// Seen reports once that an element was in view: on the screen, in a visible window.
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

// Reading reports that the end of an element came into view, even in a box that scrolls.
export class Reading {
  #read;
  #end = null;
  #observer = null;

  constructor(read) {
    this.#read = read;
  }

  // watch waits for the end of this element instead of the previous one; null for none.
  watch(end) {
    if (end === this.#end) return;
    this.#observer?.disconnect();
    this.#end = end;
    if (!end) return;
    this.#observer = new IntersectionObserver((entries) => {
      if (entries.some((e) => e.isIntersecting)) this.#read();
    });
    this.#observer.observe(end);
  }
}
