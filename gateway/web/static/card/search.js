// The search of a question that has more options than it carries: the page is asked
// as somebody types, and what came last counts.
const pause = 150; // ms without a key before anybody is asked

export class Search {
  items = null; // the options that fit, null before any came
  total = 0; // how many fit
  busy = false;
  failed = false;
  #changed;
  #asked = null;

  constructor(changed) { this.#changed = changed; }

  // stop forgets what was found, and what is being looked for.
  stop() {
    this.#asked?.abort();
    this.items = null;
    this.busy = this.failed = false;
  }

  // find has ask(query, {signal}) give {items, total}. What was found before stays
  // until then.
  find(query, ask) {
    const before = this.items;
    this.stop();
    if (!query.trim()) return;
    this.items = before;
    this.busy = true;
    const { signal } = this.#asked = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const { items, total } = await ask(query, { signal });
        if (signal.aborted) return;
        Object.assign(this, { items, total, busy: false });
      } catch {
        if (signal.aborted) return;
        Object.assign(this, { items: null, busy: false, failed: true });
      }
      this.#changed();
    }, pause);
    signal.addEventListener("abort", () => clearTimeout(timer));
  }
}
