// The dialog in which users read, edit and delete what the gateway remembers about them across chats.
import { html, LitElement, nothing, repeat } from "../vendor/lit.js";
import { memoryChanged } from "./kept.js";
import { request, why } from "./request.js";
import { language, text } from "./texts.js";

const path = "/v1/memory", most = 500;

export class PageMemory extends LitElement {
  static properties = { apps: { attribute: false }, _items: { state: true }, _next: { state: true }, _editing: { state: true }, _problem: { state: true } };

  constructor() {
    super();
    this.apps = this._items = [];
    this._next = this._problem = null;
    this._editing = "";
  }

  createRenderRoot() { return this; } // uses the page's style

  // show opens the dialog with the current memories.
  show() {
    this._items = [];
    this._next = null;
    this._editing = "";
    this.querySelector("dialog").showModal();
    this.#try(() => this.#more());
  }

  async #try(act) {
    this._problem = null;
    try {
      await act();
    } catch (problem) {
      this._problem = problem;
    }
  }

  async #more() {
    const response = await request(`${path}?limit=100${this._next ? `&cursor=${encodeURIComponent(this._next)}` : ""}`);
    const { items, nextCursor } = await response.json();
    this._items = [...this._items, ...items];
    this._next = nextCursor;
  }

  #forget = ({ id }) => this.#try(async () => {
    await request(`${path}/${encodeURIComponent(id)}`, { method: "DELETE" });
    memoryChanged();
    this._items = this._items.filter((item) => item.id !== id);
    this.querySelector("h2").focus();
  });

  #forgetAll = () => this.#try(async () => {
    await request(path, { method: "DELETE" });
    memoryChanged();
    this._items = [];
    this._next = null;
    this.querySelector("h2").focus();
  });

  #save = (event, { id }) => {
    event.preventDefault();
    const words = event.target.elements.words.value;
    return this.#try(async () => {
      const body = JSON.stringify({ text: words });
      const response = await request(`${path}/${encodeURIComponent(id)}`, { method: "PUT", headers: { "Content-Type": "application/json" }, body });
      const changed = await response.json();
      this._items = this._items.map((item) => (item.id === id ? changed : item));
      this._editing = "";
      memoryChanged();
    });
  };

  render() {
    return html`<dialog id="memory-dialog" aria-labelledby="memory-title">
      <h2 id="memory-title" tabindex="-1">${text("page.memory")}</h2>
      <p class="hint">${text(this._items.length || this._problem ? "page.memory_hint" : "page.memory_empty")}</p>
      <ul class="entries">${repeat(this._items, (item) => item.id, this.#item)}</ul>
      <p class="bad" role="alert">${this._problem ? why(this._problem) : nothing}</p>
      ${this._next ? html`<button type="button" class="quiet" @click=${() => this.#try(() => this.#more())}>${text("page.memory_more")}</button>` : nothing}
      <div class="choice">
        <button type="button" class="plain" @click=${(e) => e.target.closest("dialog").close()}>${text("page.close")}</button>
        ${this._items.length ? html`<button type="button" class="plain" @click=${this.#forgetAll}>${text("page.memory_forget_all")}</button>` : nothing}
      </div>
    </dialog>`;
  }

  #item = (item) => html`<li>
    <span class="hint" id="about-${item.id}" dir="auto">${item.key} · ${this.apps.find((app) => app.id === item.app)?.name ?? item.app} · <time datetime=${item.updatedAt}>${new Date(item.updatedAt).toLocaleDateString(language, { dateStyle: "medium" })}</time>${item.dontAskAgain ? html` · ${text("page.memory_unasked")}` : nothing}</span>
    ${this._editing === item.id ? html`<form @submit=${(event) => this.#save(event, item)}>
      <textarea name="words" rows="3" required maxlength=${most} aria-labelledby="about-${item.id}" .value=${item.text}></textarea>
      <button type="submit" class="plain">${text("page.memory_save")}</button>
    </form>` : html`<span dir="auto">${item.text ?? item.label}</span>
    <span>
      ${item.text === undefined ? nothing : html`<button type="button" class="quiet" id="edit-${item.id}" aria-labelledby="edit-${item.id} about-${item.id}" @click=${() => { this._editing = item.id; }}>${text("page.memory_edit")}</button>`}
      <button type="button" class="quiet" id="forget-${item.id}" aria-labelledby="forget-${item.id} about-${item.id}" @click=${() => this.#forget(item)}>${text("page.memory_forget")}</button>
    </span>`}
  </li>`;
}

customElements.define("page-memory", PageMemory);
