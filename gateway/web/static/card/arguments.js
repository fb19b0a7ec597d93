// <askgate-arguments>: the arguments of a call, as a person reads them. Each value is in a frame, as plain
// text in a direction of its own, with boxes for what cannot be seen. Nothing in a value can leave its
// frame, and nothing outside of a frame is from a value, except for the names of the properties.
//
// The event askgate-read says that the end of each value was in view. It does not leave the card.
import { palette } from "../palette.js";
import { css, html, LitElement, nothing } from "../vendor/lit.js";
import { charName } from "./names.js";
import { piecesOf } from "./pieces.js";
import { rowsOf } from "./rows.js";
import { Reading } from "./seen.js";
import { directionOf } from "./written.js";

const longName = 200; // characters of a path, from which its end must be in view as well

export class AskgateArguments extends LitElement {
  static properties = {
    of: { attribute: false }, // a clarification, or a call in a chat's state
    words: { attribute: false }, // returns the card's texts, by id and values
    language: {}, // draws again with other words
    warning: {}, // of the clarification
    watched: { type: Boolean }, // reports when the ends have been in view
    _diff: { state: true },
    _copied: { state: true },
  };

  #view = null; // see rows.js
  #reading = new Reading(() => this.dispatchEvent(new CustomEvent("askgate-read", { bubbles: true })));
  #loading = null;

  constructor() {
    super();
    this.of = null;
    this.words = (id) => id;
    this.language = this.warning = "";
    this.watched = false;
    this._diff = null; // the module
    this._copied = false;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#reading.watch([]);
  }

  connectedCallback() {
    super.connectedCallback();
    this.requestUpdate(); // watches again
  }

  willUpdate(changed) {
    if (!changed.has("of")) return;
    this.#view = rowsOf(this.of);
    this._copied = false;
  }

  updated(changed) {
    if (changed.has("of")) this.#reading.watch([]); // its elements may be those of another call
    this.#reading.watch(this.watched ? [...this.renderRoot.querySelectorAll(".end")] : []);
  }

  render() {
    const { words } = this, view = this.#view;
    if (!view) return nothing;
    const warnings = [this.warning, view.unknown && words("card.warn_unknown"), view.unseen && words("card.warn_unseen"), view.mixed && words("card.warn_mixed")].filter(Boolean);
    return html`${warnings.length ? html`<div class="warning" part="warning" role="note">${warnings.map((words) => html`<p dir="auto">${words}</p>`)}</div>` : nothing}
      ${view.rows.length ? html`<dl>${view.rows.map((row) => (row.value ? this.#value(row) : this.#difference(row)))}</dl>` : html`<p class="muted">${words("card.no_arguments")}${end}</p>`}
      <details class="json"><summary>${words("card.as_json")}</summary>
        <button type="button" @click=${this.#copy}>${words(this._copied ? "card.copied" : "card.copy")}</button>
        <pre dir="ltr" tabindex="0" role="group" aria-label=${words("card.as_json")}>${marked(view.json)}</pre></details>`;
  }

  #value({ title, path, value, unknown, filled }) {
    const long = path.reduce((sum, { key }) => sum + (key ? key.pieces.join("").length : 0), 0) > longName;
    return html`<div class="row">
      <dt>${title ? html`<span class="title" dir="auto">${title}</span> ` : nothing}${this.#path(path)}${long ? end : nothing}
        ${unknown ? html`<mark>${this.words("card.unknown")}</mark>` : nothing}${filled ? html`<mark>${this.words("card.filled_in")}</mark>` : nothing}</dt>
      <dd class="frame" dir=${directionFor(value)}>${this.#shown(value)}${end}</dd></div>`;
  }

  #path(path) {
    return path.map(({ key, index }, i) => html`${i ? html`<span class="step"> › </span>` : nothing}${key ? html`<code dir=${directionFor(key)}>${this.#shown(key)}</code>` : html`<span class="index">[${index}]</span>`}`);
  }

  #shown({ literal, pieces, quoted }) {
    if (literal !== undefined) return html`<span class="literal">${literal}</span>`;
    const quote = quoted ? html`<span class="quote">"</span>` : nothing;
    return html`${quote}${this.#pieces(pieces)}${quote}`;
  }

  #pieces(pieces) {
    return pieces.map((piece) => {
      if (typeof piece === "string") return piece;
      if (piece.mixed) return html`<mark class="mixed">${piece.mixed}</mark>`;
      if (piece.code !== undefined) return box(charName(piece.code) + (piece.count > 1 ? ` × ${piece.count}` : ""), "ltr");
      if (piece.spaces) return box(this.words("card.spaces", { count: piece.spaces }));
      if (piece.lines) return html`<span class="gap">${"\n"}${box(this.words("card.empty_lines", { count: piece.lines }) + (piece.crlf ? " CRLF" : ""))}${"\n"}</span>`;
      return html`${box("CRLF")}${"\n"}`;
    });
  }

  #line(line) {
    const pieces = piecesOf(JSON.stringify(line));
    return html`<span class="line" dir=${directionFor({ pieces })}>${this.#pieces(pieces)}</span>`;
  }

  #difference({ path, before, after }) {
    const { words } = this, lines = this.#compare(before, after);
    if (lines === undefined) return nothing; // not loaded yet
    return html`<div class="row">
      <dt>${words("card.difference")}${path.length ? html` ${this.#path(path)}` : nothing}</dt>
      <dd class="frame diff" dir=${directionOf(before + after) || "ltr"}>${lines?.map(({ sign, line, same }) => (same ? html`<p class="same">${box(words("card.same_lines", { count: same }))}</p>`
        : html`<p class=${{ "+": "added", "-": "removed" }[sign] ?? nothing}><span class="sign" aria-hidden="true">${sign === "-" ? "−" : sign}</span>${sign === " " ? nothing : html`<span class="unseen">${words(sign === "+" ? "card.line_added" : "card.line_removed")} </span>`}${this.#line(line)}</p>`))
        ?? html`<p class="muted">${words("card.too_many_lines", { count: this._diff.mostLines })}</p>`}</dd></div>`;
  }

  #compared = new Map(); // by the texts of the view

  #compare(before, after) {
    if (!this._diff) {
      this.#loading ??= import("./diff.js").then((module) => { this._diff = module; }, () => { this.#loading = null; });
      return undefined;
    }
    const key = JSON.stringify([before, after]), { compare, folded } = this._diff;
    if (!this.#compared.has(key)) {
      const lines = compare(before, after);
      this.#compared.set(key, lines && folded(lines));
    }
    return this.#compared.get(key);
  }

  #copy = async () => {
    try {
      await navigator.clipboard.writeText(this.#view.json);
      this._copied = true;
    } catch { // no access: the user copies it
      getSelection().selectAllChildren(this.renderRoot.querySelector("pre"));
    }
  };

  static styles = [palette, css`
    :host { display: block; color-scheme: inherit; color: var(--_text); white-space: normal; overflow-wrap: anywhere; }
    *, ::before, ::after { box-sizing: border-box; }
    dl, dd, p, pre { margin: 0; }
    .warning { margin-block-end: 0.75rem; padding: 0.5rem 0.75rem; border-radius: 0.5rem; background: var(--_warn-tint); color: var(--_warn); font-weight: 500; }
    dl { display: grid; gap: 0.75rem; }
    .row { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.25rem; }
    dt { font-weight: 500; }
    .title { margin-inline-end: 0.25rem; }
    .title, code { unicode-bidi: isolate; }
    code, .frame, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.9375em; }
    code { white-space: break-spaces; overflow: clip; }
    dt code { padding: 0 0.25rem; border: 1px solid var(--_line); border-radius: 0.25rem; }
    dt code, .index, .step { color: var(--_muted); font-weight: 400; }
    .frame {
      contain: paint; unicode-bidi: isolate; white-space: break-spaces; tab-size: 4; line-height: 1.6; text-align: start;
      padding: 0.5rem 0.75rem; border: 1px solid var(--_edge); border-radius: 0.5rem; background: var(--_raised);
    }
    .box {
      unicode-bidi: isolate; display: inline-block; padding: 0 0.375rem; border: 1px solid currentColor; border-radius: 0.25rem;
      background: var(--_warn-tint); color: var(--_warn); font: 600 0.75rem / 1.5 var(--_font); white-space: normal;
    }
    .quote { color: var(--_muted); }
    .literal { color: var(--_accent); }
    mark { margin-inline-start: 0.375rem; padding: 0 0.375rem; border-radius: 0.25rem; background: var(--_warn-tint); color: var(--_warn); font-weight: 500; }
    mark.mixed { margin: 0; padding: 0; text-decoration: underline wavy; }
    .diff { padding: 0.25rem 0; }
    .diff p { display: grid; grid-template-columns: 2ch minmax(0, 1fr); gap: 0.25rem; padding-inline: 0.5rem; }
    .diff .same, .diff .muted { display: block; padding-inline-start: calc(2ch + 0.75rem); }
    .sign { font-weight: 700; text-align: center; }
    .removed { background: var(--_danger-tint); }
    .removed .sign { color: var(--_danger); }
    .added { background: var(--_tint); }
    .muted { color: var(--_muted); }
    .unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    .json { margin-block-start: 0.5rem; }
    summary { inline-size: fit-content; min-block-size: 1.5rem; color: var(--_muted); cursor: pointer; }
    pre { margin-block-start: 0.375rem; padding: 0.625rem 0.75rem; border-radius: 0.5rem; background: var(--_raised); white-space: pre-wrap; text-align: start; }
    button {
      min-block-size: 2.75rem; min-inline-size: 2.75rem; padding: 0.5rem 1rem; border: 1px solid var(--_edge); border-radius: calc(var(--_radius) * 0.6);
      background: var(--_surface); color: inherit; font: inherit; font-weight: 600; cursor: pointer;
    }
    :is(button, summary, pre):focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; border-radius: 0.5rem; }
    @media (forced-colors: active) { .frame, .box { border-color: CanvasText; } }
  `];
}

const end = html`<span class="end"></span>`;

const box = (words, dir = "auto") => html`<span class="box" dir=${dir}>${words}</span>`;

// directionFor returns the direction of the first letter of a text, as dir="auto" would, which takes minutes
// with thousands of boxes.
function directionFor({ pieces = [] }) {
  for (const piece of pieces) {
    const direction = directionOf(typeof piece === "string" ? piece : piece.mixed ?? "");
    if (direction) return direction;
  }
  return "ltr";
}

// marked highlights the escapes of a JSON text: each is a character that cannot be seen.
const marked = (json) => json.split(/((?:\\\\)+|\\u[0-9a-f]{4})/).map((piece, i) => (i % 2 && piece.startsWith("\\u") ? html`<mark class="mixed">${piece}</mark>` : piece));

// define makes the element known.
export function define() {
  if (!customElements.get("askgate-arguments")) customElements.define("askgate-arguments", AskgateArguments);
}
