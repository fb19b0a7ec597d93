// Guard protects a question from input that was meant for what was there before. In the first half
// second that the question is in view, it refuses every click, touch and key, and also a press that
// begins then and ends later. It uses the time at which an event happened, because the page may have been
// busy since. Controls are not disabled: the focus stays, and screen readers announce the same as always.
// Events from scripts are accepted, and so are keys that cannot answer: Tab, and shortcuts of the browser.
import { Seen } from "./seen.js";

const moment = 500; // ms, as browsers wait before they accept an answer about a permission

const kinds = { pointerdown: "pointer", mousedown: "pointer", click: "pointer", drop: "pointer", keydown: "key", beforeinput: "key" };
const answers = ({ key, ctrlKey, metaKey, altKey }) => key !== "Tab" && !ctrlKey && !metaKey && !altKey;

export class Guard {
  #from = { pointer: 0, key: 0 }; // when input is first accepted, as performance.now(); Infinity: not yet
  #held = { pointer: false, key: false }; // a press that began before that and may still be held
  #element = null;
  #timer = 0;
  #seen = new Seen(() => { this.#timer = setTimeout(() => this.#over(), moment); });
  #news;

  // news is called with whether clicks are refused.
  constructor(news) {
    this.#news = news;
  }

  // protect listens to all events below root.
  protect(root) {
    for (const type of Object.keys(kinds)) root.addEventListener(type, this, { capture: true });
    return root;
  }

  // begin refuses clicks and touches until element has been in view for a moment, and keys as well,
  // unless the user got here by a key press or click.
  begin(element, came) {
    this.#from.pointer = Infinity;
    if (!came) this.#from.key = Infinity;
    this.#held.key = true; // a key that is held answers one question only
    this.#element = element;
    clearTimeout(this.#timer);
    this.#seen.watch(element);
    this.#news(true);
  }

  #over() {
    if (document.hidden) return this.#seen.watch(this.#element);
    for (const kind of ["pointer", "key"]) this.#from[kind] = Math.min(this.#from[kind], performance.now());
    this.#news(false);
  }

  // end accepts all input.
  end() {
    this.#seen.stop();
    clearTimeout(this.#timer);
    this.#from = { pointer: 0, key: 0 };
    this.#held = { pointer: false, key: false };
    this.#news(false);
  }

  takesKeys({ timeStamp }) { return timeStamp >= this.#from.key; }

  handleEvent(event) {
    const { type } = event;
    if (!event.isTrusted || type === "keydown" && !answers(event)) return;
    const kind = type === "click" && event.detail === 0 ? "key" : kinds[type]; // from a key or a screen reader
    const early = event.timeStamp < this.#from[kind];
    if (type === "pointerdown") this.#held.pointer = early;
    else if (type === "keydown" && !event.repeat) this.#held.key = early;
    if (type === "pointerdown" || !early && !this.#holds(event)) return;
    event.preventDefault(); // of mousedown as well, which would move the focus
    event.stopImmediatePropagation();
  }

  // holds reports whether an event belongs to a press that began too early.
  #holds({ type, detail, repeat }) {
    if (type === "keydown") return repeat && this.#held.key;
    return type === "click" && detail > 0 && this.#held.pointer;
  }
}
