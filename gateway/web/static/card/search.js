// The search of a question with more options than it lists: the page searches while the user types,
// and the last result counts.
const pause = 150; // ms after the last key press before the page is asked

export class Search {
  items = null; // the options found, null before the first result
  total = 0; // how many there are
  busy = false;
  failed = false;
  #changed;
  #asked = null;

  constructor(changed) { this.#changed = changed; }

  // stop discards the result and the current search.
  stop() {
    this.#asked?.abort();
    this.items = null;
    this.busy = this.failed = false;
  }

  // find calls ask(query, {signal}) for {items, total}. The previous result stays until it arrives.
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

// withFound returns the questions of a clarification with all known options: the current ones (fresh, by
// question), and those that were chosen from a search.
export const withFound = (clarification, fresh, drafts) => (clarification.questions ?? [clarification]).map((part, i) => {
  if (!part.searchable && !fresh[i]) return part;
  const now = { ...part, ...fresh[i] };
  const chosen = (drafts[i]?.found ?? []).filter((f) => !now.options.some((o) => o.value === f.value));
  return { ...now, options: [...now.options, ...chosen] };
});

// withoutGone returns a draft without options that no longer exist.
export const withoutGone = (draft, gone) => ({ ...draft, choices: draft.choices.filter((v) => !gone.includes(v)), found: draft.found.filter((o) => !gone.includes(o.value)) });
