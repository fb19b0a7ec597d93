// <page-forget>: the button below a closed question with which the user deletes their answer, after a
// confirmation that says what stays. The event clarification.resolved shows the result.
import { html, LitElement, nothing } from "../vendor/lit.js";
import { forOthers } from "./chat.js";
import { memoryChanged } from "./kept.js";
import { request, why } from "./request.js";
import { text } from "./texts.js";

// forget draws the element for a question whose answer the user can delete.
export function forget({ clarification: c, state, answer }) {
  if (c.kind !== "question" || state === "pending" || !answer || typeof answer !== "object" || answer.deleted || forOthers(c)) return nothing;
  return html`<page-forget .clarificationId=${c.clarificationId}></page-forget>`;
}

class PageForget extends LitElement {
  static properties = { clarificationId: { attribute: false }, _asks: { state: true }, _busy: { state: true }, _problem: { state: true } };

  createRenderRoot() { return this; } // uses the page's style

  render() {
    if (!this._asks) return html`<button type="button" class="quiet" @click=${() => this.#ask(true)}>${text("page.forget_answer")}</button>`;
    return html`<div class="forget" role="group" aria-labelledby="forget-${this.clarificationId}">
      <p id="forget-${this.clarificationId}" class="hint">${text("page.forget_answer_confirm")}</p>
      <p class="bad" role="alert">${this._problem ? why(this._problem) : nothing}</p>
      <button type="button" class="plain" @click=${() => this.#ask(false)}>${text("page.cancel")}</button>
      <button type="button" class="main danger" ?disabled=${this._busy} @click=${this.#forget}>${text("page.forget_answer")}</button>
    </div>`;
  }

  // #ask opens or closes the confirmation, and keeps the focus in its place.
  async #ask(asks) {
    this._asks = asks;
    this._problem = null;
    await this.updateComplete;
    this.querySelector("button")?.focus();
  }

  async #forget() {
    this._busy = true;
    try {
      await request(`/v1/clarifications/${encodeURIComponent(this.clarificationId)}/answer`, { method: "DELETE" });
      this._asks = false;
      memoryChanged();
    } catch (problem) {
      this._problem = problem;
    }
    this._busy = false;
  }
}

customElements.define("page-forget", PageForget);
