// <page-sources>: lists the passages of documents that an answer cites. Each opens in place. The list is
// built from the chat, that is, from the answer and the tool calls of its turn; a passage is requested
// when the user opens it. A passage is as untrusted as a model's text.
import { html, LitElement, nothing, repeat } from "../vendor/lit.js";
import * as icons from "./icons.js";
import { readable } from "./blocks.js";
import { finish } from "./finish.js";
import { drawn } from "./markdown.js";
import { request, why } from "./request.js";
import { text } from "./texts.js";

const passageID = /^[a-z2-7]{16}$/; // the ids that a tool of type documents creates
const linked = /(?:\[([^[\]]*)\]\(\s*<?)?(?<![\w.:-])(\/v1\/apps\/[A-Za-z0-9][\w.-]*\/documents\/[\w-]+\/[a-z2-7]{16})(?![\w-])/g;

// cited returns the passages that an answer cites, in the order of the answer: passages that its turn
// found or read and whose link or id appears in the answer, and passages that it links by their own
// address.
export function cited(app, content, calls) {
  const known = new Map(); // by address
  content = content.slice(0, readable);
  for (const { toolName, result } of calls) {
    const [tool, does] = toolName.split(/__(?=search$|read$)/);
    for (const { id, title, link } of passagesIn(result)) {
      const address = `/v1/apps/${app}/documents/${tool}/${id}`;
      if (!known.has(address) || does === "read") known.set(address, { address, title, link, tool, read: does === "read", at: placeOf(content, id, link) });
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

// ---- highlights ----

const letters = /[\p{L}\p{N}]+/gu;
const unspaced = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}]/u;

// fold returns a text as the search sees it, without case and accents, and the original offset of each
// character.
function fold(words) {
  let folded = "", i = 0;
  const at = [];
  for (const c of words) {
    const plain = c.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss");
    folded += plain;
    for (let n = 0; n < plain.length; n++) at.push(i);
    i += c.length;
  }
  return { folded, at: [...at, i] };
}

// highlights returns a pattern of what to highlight in a folded text, or null: the answer's quotes and
// the words of the searches. Short words such as "of" and "the" are highlighted only if all words are
// short.
export function highlights(content, queries) {
  const quotes = [...content.matchAll(/["“”„«‹]([^"“”„«»‹›\n]{8,500})["“”»›]|^[ \t]*>(.+)$/gm)].slice(0, 200).flatMap(([, quote, line]) => (quote ?? line).split(/…|\.{3}/))
    .map((quote) => fold(quote).folded.match(letters) ?? []).filter((words) => words.length > 2).map((words) => words.join("[^\\p{L}\\p{N}]+"));
  const searched = queries.flatMap((query) => [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(fold(query).folded)].flatMap(({ segment }) => segment.match(letters) ?? []));
  const telling = searched.filter((word) => word.length > 3 || /[\p{N}\p{scx=Han}\p{scx=Katakana}\p{scx=Thai}]/u.test(word));
  const words = (telling.length ? telling : searched).map((word) => {
    if (unspaced.test(word)) return word;
    return `(?<![\\p{L}\\p{N}])${word}${/\p{N}/u.test(word) ? "(?![\\p{L}\\p{N}])" : "[\\p{L}\\p{N}]*"}`;
  });
  const all = [...quotes, ...words];
  return all.length ? new RegExp(all.join("|"), "gu") : null;
}

// highlight wraps each match of the pattern in <mark>.
export function highlight(root, pattern) {
  const nodes = [], walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) nodes.push(walker.currentNode);
  for (const node of nodes) {
    const { folded, at } = fold(node.data);
    for (const { 0: { length }, index } of [...folded.matchAll(pattern)].reverse()) {
      const range = new Range();
      range.setStart(node, at[index]);
      range.setEnd(node, at[index + length]);
      range.surroundContents(document.createElement("mark"));
    }
  }
}

// ---- the element ----

export class PageSources extends LitElement {
  static properties = {
    app: {}, content: {},
    calls: { attribute: false, hasChanged: (now, before) => now.length !== before?.length || now.some((call, i) => call !== before[i]) }, // of document tools in the answer's turn
  };
  #sources = [];
  #opened = new Map(); // address -> {passage, body} or {problem}, {} while loading

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

  async #load({ address, tool }) {
    const before = this.#opened.get(address);
    if (before && !before.problem) return;
    this.#opened.set(address, {});
    this.requestUpdate();
    try {
      const passage = await (await request(address)).json();
      const body = document.createElement("div");
      body.className = "passage-text";
      if (passage.format === "markdown") body.append(...drawn(passage.text));
      else body.append(Object.assign(document.createElement("p"), { className: "verbatim", dir: "auto", textContent: passage.text }));
      for (const link of body.querySelectorAll(".to-passage")) link.replaceWith(...link.childNodes); // the answer does not cite it
      const pattern = highlights(this.content, this.calls.filter((c) => c.toolName === `${tool}__search`).map((c) => String(c.arguments?.query ?? "")));
      if (pattern) highlight(body, pattern);
      finish(body);
      this.#opened.set(address, { passage, body });
    } catch (problem) {
      this.#opened.set(address, { problem });
    }
    this.requestUpdate();
    await this.updateComplete;
    const box = this.querySelector(`[data-address="${CSS.escape(address)}"] .passage`), first = box?.querySelector("mark");
    if (first) box.scrollTop = first.offsetTop - box.clientHeight / 3;
  }

  render() {
    if (!this.#sources.length) return nothing;
    return html`<h3>${text("page.sources")}</h3>
      <ol>${repeat(this.#sources, (source) => source.address, (source) => this.#source(source))}</ol>`;
  }

  #source(source) {
    const { passage, body, problem } = this.#opened.get(source.address) ?? {};
    const title = passage?.title || source.title;
    return html`<li><details class="fold" data-address=${source.address} @toggle=${(e) => e.target.open && this.#load(source)}>
      <summary>${icons.page}<bdi>${title}</bdi></summary>
      ${body ? html`<div class="passage scroll" tabindex="0" role="group" aria-label=${title}>${body}</div>${elsewhere(passage.link)}`
        : problem ? html`<p class="bad" role="alert">${problem.status === 404 ? text("page.source_gone") : why(problem)}</p>
          ${problem.status === 404 ? nothing : html`<button type="button" class="plain" @click=${() => this.#load(source)}>${icons.again}${text("page.retry")}</button>`}`
        : html`<p class="hint" role="status">${text("page.loading")}</p>`}
    </details></li>`;
  }
}

// elsewhere links to where the passage can be read outside of the page.
function elsewhere(link) {
  if (!/^https?:/i.test(link) || !URL.canParse(link)) return nothing;
  return html`<p><a href=${link} target="_blank" rel="noopener noreferrer">${text("page.source_at", { place: new URL(link).host })}</a></p>`;
}

customElements.define("page-sources", PageSources);
