// <tool-result>: shows what a tool returned: a list of objects as a table, an object as its fields, web
// addresses as links and, one click away, the exact JSON. It shows exactly what is stored: numbers as
// they are written, and invisible characters as escapes.
import { html, LitElement, nothing } from "../vendor/lit.js";
import { escaped, laid, read, valueOf } from "../card/json.js";
import { agrees, copy } from "./markdown.js";
import { text } from "./texts.js";

const few = { rows: 20, columns: 8, characters: 300, text: 4000 }; // limits until the user asks for everything
const all = { rows: Infinity, columns: Infinity, characters: Infinity, text: Infinity };
const mostCells = 10_000; // a result has at most 64 KiB, so the cells of a larger table would be mostly empty
const deepest = 2; // levels drawn as tables and lists; deeper ones are shown as JSON

export class ToolResult extends LitElement {
  static properties = { content: { attribute: false }, _all: { state: true }, _exact: { state: true } };
  #tree = null;
  #cut = false; // the result is not shown in full

  constructor() {
    super();
    this.content = "";
    this._all = this._exact = false;
  }

  createRenderRoot() { return this; } // uses the page's style

  willUpdate(changed) {
    if (!changed.has("content")) return;
    this.#tree = read(this.content);
    this._all = this._exact = false;
  }

  render() {
    const tree = this.#tree, had = this._all;
    this.#cut = false;
    const shown = tree ? this.#view(tree, 0) : this.#text();
    return html`<div class="result-head"><p class="label">${text("page.result")}</p>
        <button type="button" class="quiet copy" .textContent=${text("page.copy")} @click=${(e) => copy(this.content, e.currentTarget)}></button></div>
      ${shown}
      ${this.#cut || had ? html`<button type="button" class="plain all" aria-expanded=${had} @click=${() => { this._all = !had; }}>${text(had ? "page.show_less" : "page.show_all")}</button>` : nothing}
      ${tree ? html`<details class="exact" ?open=${this._exact} @toggle=${(e) => { this._exact = e.target.open; }}><summary>${text("page.as_json")}</summary>
        ${this._exact ? html`<pre tabindex="0" role="group" aria-label=${text("page.as_json")} dir="ltr">${marked(laid(tree))}</pre>` : nothing}</details>` : nothing}`;
  }

  get #most() { return this._all ? all : few; }

  // upTo returns the part of a list that is shown.
  #upTo(list, most) {
    if (list.length > most) this.#cut = true;
    return list.slice(0, most);
  }

  #text() {
    return html`<pre tabindex="0" role="group" aria-label=${text("page.result")} dir="auto">${this.#words(this.content, this.#most.text)}</pre>`;
  }

  #words(words, most = this.#most.characters) {
    if (words.length <= most) return linked(words);
    this.#cut = true;
    return [linked(words.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")), "…"];
  }

  #view(node, depth) {
    if (node.raw) return this.#scalar(node);
    const size = (node.items ?? node.entries).length;
    if (size === 0 || depth > deepest) return html`<code dir="ltr">${this.#words(laid(node))}</code>`;
    const columns = columnsOf(node);
    if (columns) return this.#table(node.items, columns, depth);
    if (node.items) {
      return html`<ol class="values">${this.#upTo(node.items, this.#most.rows).map((item) => html`<li>${this.#view(item, depth + 1)}</li>`)}</ol>${this.#rest("page.rows", size, this.#most.rows)}`;
    }
    return html`<div class="table-box" tabindex="0" role="group" aria-label=${text("page.result")}><table>
      ${this.#upTo(node.entries, this.#most.rows).map(([key, value]) => html`<tr><th scope="row" dir="auto">${this.#key(key)}</th><td dir="auto">${this.#view(value, depth + 1)}</td></tr>`)}
    </table></div>${this.#rest("page.rows", size, this.#most.rows)}`;
  }

  #table(rows, columns, depth) {
    const shown = this.#upTo(columns, this.#most.columns);
    const cell = (value) => html`<td dir="auto">${value ? this.#view(value, Math.max(depth, 1) + 1) : nothing}</td>`;
    return html`<div class="table-box" tabindex="0" role="group" aria-label=${text("page.table")}><table>
      <thead><tr>${shown.map((key) => html`<th scope="col" dir="auto">${this.#key(key)}</th>`)}</tr></thead>
      <tbody>${this.#upTo(rows, this.#most.rows).map(({ entries }) => {
        const values = new Map(entries);
        return html`<tr>${shown.map((key) => cell(values.get(key)))}</tr>`;
      })}</tbody>
    </table></div>${this.#rest("page.rows", rows.length, this.#most.rows)}${this.#rest("page.columns", columns.length, this.#most.columns)}`;
  }

  #rest(label, count, most) {
    return count > most ? html`<p class="hint">${text(label, { shown: most, count })}</p>` : nothing;
  }

  #key(raw) {
    const name = valueOf({ raw });
    return name.trim() ? html`<span class="text">${this.#words(name)}</span>` : html`<code>${raw}</code>`;
  }

  // scalar draws a string as its text, and everything else, including blank strings, as code.
  #scalar(node) {
    const value = valueOf(node);
    return node.raw.startsWith('"') && value.trim() ? html`<span class="text">${this.#words(value)}</span>` : html`<code dir="ltr">${marked(node.raw)}</code>`;
  }
}

// columnsOf returns the keys of a list of objects, in order; null if the list is not a table.
function columnsOf({ items }) {
  if (!items?.length || !items.every((item) => item.entries?.length)) return null;
  const columns = new Set();
  for (const { entries } of items) {
    if (new Set(entries.map(([key]) => key)).size < entries.length) return null; // a key appears twice
    for (const [key] of entries) columns.add(key);
  }
  return columns.size * items.length > mostCells ? null : [...columns];
}

// marked highlights the escapes in a text.
const marked = (words) => escaped(words).map((piece, i) => (i % 2 ? html`<mark>${piece}</mark>` : piece));

// linked draws a text with links: its web addresses that lead exactly where they seem to lead.
function linked(words) {
  return words.split(/(https?:\/\/[!-~]+)/i).map((piece, i) => {
    if (i % 2 === 0) return marked(piece);
    let end = piece.length; // drop trailing punctuation; a regular expression would take quadratic time
    while (".,;:!?'\")]}>".includes(piece[end - 1])) end--;
    const address = piece.slice(0, end), rest = piece.slice(end);
    if (!agrees(address, hrefOf(address))) return piece;
    return html`<a href=${hrefOf(address)} target="_blank" rel="noopener noreferrer">${address}</a>${rest}`;
  });
}

function hrefOf(address) {
  try {
    return new URL(address).href;
  } catch {
    return "";
  }
}

customElements.define("tool-result", ToolResult);
