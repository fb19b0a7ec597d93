// <askgate-chat>: a whole chat. What a model writes is drawn as templates (see card/markdown.js), so
// that no part of it becomes markup.
import { palette } from "../palette.js";
import { drawnText } from "../card/markdown.js";
import { loadMessages, fill, localeOf } from "../card/texts.js";
import { html, LitElement, nothing, repeat } from "../vendor/lit.js";
import { ChatStore } from "./store.js";
import { styles } from "./style.js";
import { english } from "./texts.js";

const said = { length: "page.cut_length", content_filter: "page.cut_filter", max_steps: "page.cut_steps", cancelled: "page.stopped" };
const near = 40; // px from the end at which the view follows new text

export class AskgateChat extends LitElement {
  static styles = [palette, styles];

  static properties = {
    app: {}, chat: {}, base: {}, locale: {}, theme: { reflect: true },
    headers: { attribute: false }, // an object or a function, as for Client
    _texts: { state: true }, _now: { state: true }, _trouble: { state: true }, _busy: { state: true },
  };

  #store = null;
  #end = null;
  #drawn = new WeakMap(); // item -> its text, drawn
  #refused = new Map(); // clarificationId -> the Problem of its answer
  #pinned = true;
  #inside = false; // had the focus before the update

  constructor() {
    super();
    this.app = this.chat = this.base = this.locale = this.theme = "";
    this.headers = {};
    this._texts = {};
    this._now = this._trouble = null;
    this._busy = false;
  }

  // client is the Client of the chat that is shown, null before the first update.
  get client() { return this.#store?.client ?? null; }

  connectedCallback() {
    super.connectedCallback();
    if (this.#store) this.#follow();
    else this.requestUpdate();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#end?.();
    this.#end = null;
  }

  #follow() {
    this.#end ??= this.#store.subscribe(() => { this._now = this.#store.get(); });
    this._now = this.#store.get();
  }

  willUpdate(changed) {
    this.#inside = this.matches(":focus-within");
    const log = this.renderRoot.querySelector?.(".log");
    this.#pinned = !log || log.scrollHeight - log.scrollTop - log.clientHeight < near;
    if (["app", "chat", "base", "locale"].some((name) => changed.has(name)) && this.app) this.#open();
  }

  #open() {
    this.#end?.();
    this.#end = null;
    const locale = localeOf(this), { app, base } = this;
    this.#refused.clear();
    this.#store = new ChatStore({
      app, base, locale, ...(this.chat && { chat: this.chat }),
      headers: () => (typeof this.headers === "function" ? this.headers() : this.headers ?? {}),
    });
    loadMessages(locale, base).then((texts) => { this._texts = texts; });
    if (this.isConnected) this.#follow();
  }

  updated(changed) {
    if (!changed.has("_now")) return;
    const log = this.renderRoot.querySelector(".log");
    if (log && this.#pinned) log.scrollTop = log.scrollHeight;
    if (this.#inside && !this.matches(":focus-within")) this.focus(); // what had it is gone
  }

  // focus focuses the open question, otherwise the field for messages.
  focus() {
    (this.renderRoot.querySelector("[data-open]") ?? this.renderRoot.querySelector("textarea"))?.focus();
  }

  #text = (id) => fill(this._texts[id] ?? english[id] ?? id);

  // ---- user actions ----

  #submit = async (event) => {
    event.preventDefault();
    const area = this.renderRoot.querySelector("textarea"), message = area.value;
    if (!message.trim() || this._busy) return;
    this._busy = true;
    this._trouble = null;
    try {
      await this.#store.send(message);
      if (area.value === message) area.value = "";
    } catch (problem) {
      this._trouble = problem;
    }
    this._busy = false;
  };

  #key = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && !event.ctrlKey && !event.metaKey && !event.altKey) this.#submit(event);
  };

  async #try(act, ids = []) {
    for (const id of ids) this.#refused.delete(id);
    this._trouble = null;
    try {
      await act();
    } catch (problem) {
      for (const id of ids) this.#refused.set(id, problem);
      if (!ids.length) this._trouble = problem;
      this.requestUpdate();
    }
  }

  #answer = ({ detail }) => this.#try(() => this.#store.answer(detail), [detail.clarificationId]);
  #answers = ({ detail }) => this.#try(() => this.#store.answers(detail), detail.map((answer) => answer.clarificationId));
  #seen = ({ detail }) => { this.#store.seen(detail).catch(() => {}); }; // else it counts as undelivered
  #search = (...of) => this.client.searchOptions(...of);
  #upload = (...of) => this.client.upload(...of);
  #fileUrl = (...of) => this.client.fileUrl(...of);

  // ---- drawing ----

  // form returns the open questions of one step that are shown as the pages of one form.
  get #form() {
    const form = this._now.state.pending.filter((c) => c.kind === "question" && (c.askedBy?.kind ?? "model") === "model" && !c.waitsFor);
    return form.length > 1 && form.every((c) => c.turnId === form[0].turnId) ? form : [];
  }

  render() {
    if (!this._now) return nothing;
    const { state, connection, problem } = this._now, form = this.#form;
    const asks = state.pending.some((c) => c.kind !== "input" && c.mayAnswer !== false), running = state.status === "running";
    const trouble = this._trouble ?? (connection === "refused" ? problem : null);
    return html`<div class="log" role="log" tabindex="0" aria-busy=${running ? "true" : "false"}>
      ${state.hasMore ? html`<p><button type="button" @click=${() => this.#try(() => this.#store.older())}>${this.#text("page.earlier")}</button></p>` : nothing}
      ${repeat(state.items, (item) => item.key, (item) => this.#item(item, form))}
      ${form.length ? html`<askgate-clarifications data-open theme="inherit" .locale=${localeOf(this)} .clarifications=${form} .error=${this.#refused.get(form[0].clarificationId) ?? null}
        .searchOptions=${this.#search} .uploadFile=${this.#upload} @askgate-answers=${this.#answers} @askgate-answer=${this.#answer} @askgate-seen=${this.#seen}></askgate-clarifications>` : nothing}
      ${running ? html`<p class="hint">${this.#text("page.working")}</p>` : nothing}
    </div>
    <div class="dock">
      <p class="hint" role="status">${connection === "offline" ? this.#text("page.connection_lost") : nothing}</p>
      <p class="bad" role="alert" dir="auto">${trouble ? (trouble.status === 0 ? this.#text("page.not_sent") : trouble.detail || this.#text("page.error")) : nothing}</p>
      ${asks ? nothing : html`<form @submit=${this.#submit}>
        <textarea rows="1" dir="auto" aria-label=${this.#text("page.placeholder")} placeholder=${this.#text("page.placeholder")} @keydown=${this.#key}></textarea>
        ${running ? html`<button type="button" @click=${() => this.#try(() => this.#store.stop())}>${this.#text("page.stop")}</button>` : html`<button class="main" ?disabled=${this._busy}>${this.#text("page.send")}</button>`}
      </form>`}
    </div>`;
  }

  #item(item, form) {
    switch (item.type) {
      case "user":
        return html`<div class="user"><h2 class="unseen">${this.#text("page.you")}</h2><p dir="auto">${item.content}</p></div>`;
      case "assistant":
        if (!this.#drawn.has(item)) this.#drawn.set(item, drawnText(item.content));
        return html`<div class="words" dir="auto">${this.#drawn.get(item)}</div>`;
      case "thinking":
        return item.open ? html`<p class="hint">${this.#text("page.thinking")}</p>` : nothing;
      case "tool":
        return html`<p class="hint">${this.#text("page.tool")} <code>${item.toolName}</code>${item.approval?.outcome === "responded" ? html` · ${this.#text("page.tool_responded")}` : nothing}</p>`;
      case "clarification":
        return form.includes(item.clarification) ? nothing : this.#card(item);
      case "notice":
        return html`<p class="hint">${this.#text(said[item.code] ?? "page.stopped")}</p>`;
      case "error":
        return html`<p class="bad" dir="auto">${item.message || this.#text("page.error")}
          ${this._now.state.resumable && item === this._now.state.items.at(-1) ? html`<button type="button" @click=${() => this.#try(() => this.client.resume())}>${this.#text("page.continue")}</button>` : nothing}</p>`;
    }
    return html`<p class="bad">${this.#text("page.error")}</p>`;
  }

  #card({ clarification: c, state, answer, answeredAt, answeredBy }) {
    return html`<askgate-clarification ?data-open=${state === "pending"} theme="inherit" .locale=${localeOf(this)} .clarification=${c} .state=${state} .answer=${answer}
      .answeredAt=${answeredAt ?? ""} .answeredBy=${answeredBy?.subject ?? ""} .error=${this.#refused.get(c.clarificationId) ?? null}
      .searchOptions=${(query, options) => this.#search(c.clarificationId, query, options)} .uploadFile=${this.#upload} .fileUrl=${this.#fileUrl}
      @askgate-answer=${this.#answer} @askgate-seen=${this.#seen}></askgate-clarification>`;
  }
}
