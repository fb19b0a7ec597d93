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

// Shown reports each of several things once that was in view in the same element.
export class Shown {
  watched = ""; // the id of the last one that was waited for
  #seen;

  constructor(tell) { this.#seen = new Seen(tell); }

  // watch waits for another thing, for none if id is "".
  watch(id, element) {
    if (id && id === this.watched) return;
    this.watched = id;
    if (id) this.#seen.watch(element);
    else this.#seen.stop();
  }
}

// Reading reports that the ends of all its elements came into view, even in a box that scrolls.
export class Reading {
  #read;
  #ends = [];
  #observer = null;

  constructor(read) {
    this.#read = read;
  }

  // watch waits for these ends instead of the previous ones; for none if there are none.
  watch(ends) {
    if (ends.length === this.#ends.length && ends.every((end, i) => end === this.#ends[i])) return;
    this.#observer?.disconnect();
    this.#ends = ends;
    if (!ends.length) return;
    const left = new Set(ends);
    this.#observer = new IntersectionObserver((entries, observer) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        left.delete(target);
      }
      if (!left.size) this.#read();
    });
    for (const end of ends) this.#observer.observe(end);
  }
}
