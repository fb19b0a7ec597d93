// <page-kept>: shows the current state of a memory below the call of remember that stored it, also
// after a reload or after a change in another window. The user can delete the memory there.
import { html, LitElement, nothing } from "../vendor/lit.js";
import { request, why } from "./request.js";
import { text } from "./texts.js";

const path = "/v1/memory";
const all = new Set(); // all elements on the page
const loading = new Map(); // app -> its memories, requested in the current task
const windows = globalThis.BroadcastChannel ? new BroadcastChannel("askgate-memory") : null;

// wordsIn returns the memories of an app by key.
function wordsIn(app) {
  if (!loading.has(app)) {
    loading.set(app, Promise.resolve().then(async () => {
      loading.delete(app);
      const items = [];
      for (let cursor = ""; cursor !== null;) {
        const page = await (await request(`${path}?app=${encodeURIComponent(app)}&limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)).json();
        items.push(...page.items);
        cursor = page.nextCursor;
      }
      return new Map(items.map((item) => [item.key, item]));
    }));
  }
  return loading.get(app);
}

const look = () => all.forEach((one) => one.look());
let due = 0;
const lookSoon = () => { due ||= setTimeout(() => { due = 0; look(); }); };
if (windows) windows.onmessage = look;

// memoryChanged notifies all windows that a memory was changed or deleted.
export function memoryChanged() {
  windows?.postMessage("");
  look();
}

export class PageKept extends LitElement {
  static properties = { app: {}, call: { attribute: false }, _item: { state: true }, _problem: { state: true } };

  constructor() {
    super();
    this.app = "";
    this.call = null;
    this._item = undefined; // undefined: not loaded; null: deleted
    this._problem = null;
  }

  createRenderRoot() { return this; } // uses the page's style

  connectedCallback() {
    super.connectedCallback();
    all.add(this);
    lookSoon(); // the others as well: this call may have changed their memories
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    all.delete(this);
  }

  look() {
    return this.#try(async () => { this._item = (await wordsIn(this.app)).get(this.call.arguments.key) ?? null; });
  }

  async #try(act) {
    this._problem = null;
    try {
      await act();
    } catch (problem) {
      this._problem = problem;
    }
  }

  #forget = () => this.#try(async () => {
    await request(`${path}/${encodeURIComponent(this._item.id)}`, { method: "DELETE" });
    this._item = null;
    this.querySelector("p").focus(); // the focused button is gone
    memoryChanged();
  });

  render() {
    const item = this._item, { text: said } = this.call.arguments;
    const is = item === null ? "page.remembered_gone" : item && item.text !== said.trim() ? "page.remembered_changed" : "page.remembered";
    return html`<p class="kept" tabindex="-1" role="status"><span dir="auto">${item === undefined ? nothing : text(is, { text: item?.text ?? item?.label ?? said })}</span>
      ${item ? html`<button type="button" class="quiet" @click=${this.#forget}>${text("page.memory_forget")}</button>` : nothing}
      ${this._problem ? html`<span class="bad" role="alert">${why(this._problem)}</span>` : nothing}</p>`;
  }
}

customElements.define("page-kept", PageKept);
