// What both elements share: their style, the user's language, and the properties that a page sets.
import { LitElement } from "../vendor/lit.js";
import { Guard } from "./guard.js";
import { usual } from "./instant.js";
import { styles } from "./style.js";
import { localeOf, Words } from "./texts.js";
import * as written from "./written.js";

export class CardElement extends LitElement {
  static styles = styles;

  static properties = {
    error: { type: Object },
    locale: {},
    messages: { type: Object },
    searchOptions: { attribute: false },
    uploadFile: { attribute: false },
    disabled: { type: Boolean, reflect: true },
    instant: { type: Boolean, reflect: true },
    undoTime: { type: Number, attribute: "undo-time" },
    theme: { reflect: true },
    _offline: { state: true },
    _early: { state: true }, // clicks are still ignored
  };

  #words = new Words(() => this.requestUpdate());
  #listening = null;
  #shown = "";
  #guard = new Guard((early) => { this._early = early; });

  constructor() {
    super();
    this.error = this.messages = this.searchOptions = this.uploadFile = null;
    this.locale = this.theme = "";
    this.undoTime = usual;
    this.disabled = this.instant = this._offline = this._early = false;
  }

  createRenderRoot() { return this.#guard.protect(super.createRenderRoot()); }

  connectedCallback() {
    super.connectedCallback();
    this.requestUpdate(); // its new place may have another language
    this.#listening = new AbortController();
    const online = () => { this._offline = navigator.onLine === false; };
    for (const name of ["online", "offline"]) globalThis.addEventListener(name, online, { signal: this.#listening.signal });
    online();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#listening.abort();
    this._shows("");
  }

  // shows is called after each update with an id of what can be answered here, "" for nothing. came
  // means that the user got here from another question of the form.
  _shows(what, came) {
    if (what === this.#shown) return;
    this.#shown = what;
    if (what) this.#guard.begin(this.renderRoot.querySelector("section"), came);
    else this.#guard.end();
  }

  // takesKeys reports whether a key event counts here: see guard.js.
  _takesKeys(event) { return this.#guard.takesKeys(event); }

  async scheduleUpdate() {
    await this.#words.ready(this._locale);
    super.scheduleUpdate();
  }

  get _locale() { return localeOf(this); }
  _text = (id, values) => this.#words.text(this.messages, id, values);
  _day = (iso) => written.day(iso, this._locale);
  _number = (n) => written.number(n, this._locale);
  _time = (iso) => written.time(iso, this._locale);
}
