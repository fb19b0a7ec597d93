// A passage of a document, opened in place: for sources.js and documents.js. A passage is as untrusted
// as a model's text.
import { html, nothing } from "../vendor/lit.js";
import * as icons from "./icons.js";
import { finish } from "./finish.js";
import { drawn } from "./markdown.js";
import { request, why } from "./request.js";
import { language, text } from "./texts.js";

export const passageID = /^[a-z2-7]{16}$/; // the ids that a tool of type documents creates

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

// marked returns plain text in which each match of the pattern is in <mark>, as a template.
export function marked(words, pattern) {
  if (!pattern) return words;
  const { folded, at } = fold(words), parts = [];
  let end = 0;
  for (const { 0: { length }, index } of folded.matchAll(pattern)) {
    parts.push(words.slice(end, at[index]), html`<mark>${words.slice(at[index], at[index + length])}</mark>`);
    end = at[index + length];
  }
  return [...parts, words.slice(end)];
}

// ---- passages ----

// Passages are the passages that were opened in an element. Of each, it draws what is below its title.
export class Passages {
  #host;
  #opened = new Map(); // address -> {passage, body} or {problem}, {} while loading

  constructor(host) { this.#host = host; }

  // of returns the passage at an address, once it is loaded.
  of(address) { return this.#opened.get(address)?.passage; }

  // load requests a passage, and highlights what matches the pattern.
  async load(address, pattern) {
    const before = this.#opened.get(address);
    if (before && !before.problem) return;
    this.#opened.set(address, {});
    this.#host.requestUpdate();
    try {
      const passage = await (await request(address)).json();
      const body = document.createElement("div");
      body.className = "passage-text";
      if (passage.format === "markdown") body.append(...drawn(passage.text));
      else body.append(Object.assign(document.createElement("p"), { className: "verbatim", dir: "auto", textContent: passage.text }));
      for (const link of body.querySelectorAll(".to-passage")) link.replaceWith(...link.childNodes); // nothing here cites it
      if (pattern) highlight(body, pattern);
      finish(body);
      this.#opened.set(address, { passage, body });
    } catch (problem) {
      this.#opened.set(address, { problem });
    }
    this.#host.requestUpdate();
    await this.#host.updateComplete;
    const box = this.#host.querySelector(`[data-address="${CSS.escape(address)}"] .passage`), first = box?.querySelector("mark");
    if (first) box.scrollTop = first.offsetTop - box.clientHeight / 3;
  }

  // draw returns what an opened passage shows; again is called to load it once more.
  draw(address, title, again) {
    const { passage, body, problem } = this.#opened.get(address) ?? {};
    if (body) return html`<div class="passage scroll" tabindex="0" role="group" aria-label=${title}>${body}</div>${elsewhere(passage.link)}`;
    if (!problem) return html`<p class="hint" role="status">${text("page.loading")}</p>`;
    const gone = problem.status === 404;
    return html`<p class="bad" role="alert">${gone ? text("page.source_gone") : why(problem)}</p>
      ${gone ? nothing : html`<button type="button" class="plain" @click=${again}>${icons.again}${text("page.retry")}</button>`}`;
  }
}

// elsewhere links to where the passage can be read outside of the page.
export function elsewhere(link) {
  if (!/^https?:/i.test(link) || !URL.canParse(link)) return nothing;
  return html`<p><a href=${link} target="_blank" rel="noopener noreferrer">${text("page.source_at", { place: new URL(link).host })}</a></p>`;
}

// ---- what a document says about itself ----

// facts draws it on a line: validity, date, fields.
export function facts({ date, fields, validFrom, validTo } = {}) {
  const list = [validity(validFrom, validTo), isDay(date) && dayOf(date),
    ...Object.entries(fields ?? {}).map(([name, value]) => `${name}: ${[value].flat().map((v) => (isDay(v) ? dayOf(v) : v)).join(", ")}`)].filter(Boolean);
  return list.length ? html`<p class="hint facts">${list.map((fact, i) => html`${i ? " · " : nothing}<bdi>${fact}</bdi>`)}</p>` : nothing;
}

// validity says when a version applies, or nothing if no days are known.
export function validity(from, to) {
  if (isDay(from)) return text(isDay(to) ? "page.valid_between" : "page.valid_from", { from: dayOf(from), to: isDay(to) ? dayOf(to) : "" });
  return isDay(to) ? text("page.valid_until", { to: dayOf(to) }) : "";
}

const isDay = (value) => /^\d{4}-\d\d-\d\d$/.test(value);

const dayOf = (day) => new Date(`${day}T00:00:00Z`).toLocaleDateString(language, { dateStyle: "medium", timeZone: "UTC" });
