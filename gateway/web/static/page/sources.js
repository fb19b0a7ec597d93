// <page-sources>: lists the passages of documents that an answer cites. Each opens in place. The list is
// built from the chat, that is, from the answer and the tool calls of its turn; a passage is requested
// when the user opens it (passage.js).
import { html, LitElement, nothing, repeat } from "../vendor/lit.js";
import * as icons from "./icons.js";
import { readable } from "./blocks.js";
import { facts, highlights, passageID, Passages, validity } from "./passage.js";
import { text } from "./texts.js";

const linked = /(?:\[([^[\]]*)\]\(\s*<?)?(?<![\w.:-])(\/v1\/apps\/[A-Za-z0-9][\w.-]*\/documents\/[\w-]+\/[a-z2-7]{16})(?![\w-])/g;

// cited returns the passages that an answer cites, in the order of the answer: passages that its turn
// found or read and whose link or id appears in the answer, and passages that it links by their own
// address.
export function cited(app, content, calls) {
  const known = new Map(); // by address
  content = content.slice(0, readable);
  for (const { toolName, result } of calls) {
    const [tool, does] = toolName.split(/__(?=search$|read$)/);
    for (const { id, title, link, validFrom, validTo } of passagesIn(result)) {
      const address = `/v1/apps/${app}/documents/${tool}/${id}`;
      if (!known.has(address) || does === "read") known.set(address, { address, title, link, validFrom, validTo, tool, read: does === "read", at: placeOf(content, id, link) });
    }
  }
  for (const { 1: words, 2: address, index } of content.matchAll(linked)) {
    if (!known.has(address)) known.set(address, { address, title: words || address.split("/").at(-1), tool: address.split("/").at(-2), read: true, at: index });
  }
  const all = [...known.values()].filter(({ at }) => at >= 0);
  const read = new Set(all.map((p) => p.read && p.link)); // the parts of a long section share one link
  return all.filter((p) => p.read || !read.has(p.link)).sort((a, b) => a.at - b.at);
}

function passagesIn(result) {
  try {
    const found = JSON.parse(result);
    return (found.items ?? [found]).filter(({ id, title, link }) => passageID.test(id) && typeof title === "string" && typeof link === "string");
  } catch {
    return []; // the result has no passages
  }
}

// placeOf returns the offset at which a text cites a passage, or -1. It does not count a link that is
// only the beginning of a longer one.
function placeOf(content, id, link) {
  for (let at = content.indexOf(link); link && at >= 0; at = content.indexOf(link, at + 1)) {
    if (!/^(?:[\w~%#&=?/-]|\.\w)/.test(content.slice(at + link.length))) return at;
  }
  return content.indexOf(id);
}

// ---- the element ----

export class PageSources extends LitElement {
  static properties = {
    app: {}, content: {},
    calls: { attribute: false, hasChanged: (now, before) => now.length !== before?.length || now.some((call, i) => call !== before[i]) }, // of document tools in the answer's turn
  };
  #sources = [];
  #opened = new Passages(this);

  createRenderRoot() { return this; } // uses the page's style

  willUpdate(changed) {
    if (["app", "content", "calls"].some((name) => changed.has(name))) this.#sources = cited(this.app, this.content, this.calls);
  }

  // show opens a passage and moves the focus to it.
  show(address) {
    const box = this.querySelector(`[data-address="${CSS.escape(address)}"]`);
    if (!box) return;
    box.open = true;
    box.firstElementChild.focus();
    box.scrollIntoView({ block: "nearest" });
  }

  #load({ address, tool }) {
    return this.#opened.load(address, highlights(this.content, this.calls.filter((c) => c.toolName === `${tool}__search`).map((c) => String(c.arguments?.query ?? ""))));
  }

  render() {
    if (!this.#sources.length) return nothing;
    return html`<h3>${text("page.sources")}</h3>
      <ol>${repeat(this.#sources, (source) => source.address, (source) => this.#source(source))}</ol>`;
  }

  #source(source) {
    const { address, validFrom, validTo } = source, passage = this.#opened.of(address);
    const title = passage?.title || source.title, valid = !passage && validity(validFrom, validTo);
    return html`<li><details class="fold" data-address=${address} @toggle=${(e) => e.target.open && this.#load(source)}>
      <summary>${icons.page}<span><bdi>${title}</bdi>${valid ? html` <span class="hint">${valid}</span>` : nothing}</span></summary>
      ${facts(passage)}${this.#opened.draw(address, title, () => this.#load(source))}
    </details></li>`;
  }
}

customElements.define("page-sources", PageSources);
