// One view per input type. A field gets its context from the card:
//
//   part, draft      the question, and its draft
//   options          its options
//   errors           messages by field: value, other, note
//   text(id, values) the card's texts
//   change(patch)    stores what was typed or chosen
//   search           the filter of the option list, and find(text) to set it
//   remote           the page's search result (search.js), null if it does not search
//   number(n)        formats a count
//   say(news)        announces news
//   upload(file)     uploads a file, null if the page cannot; uploads are those in progress (file.js)
//   focused()        the id of the focused element
//   locked           nothing can be changed
//   instant          a click on an option answers, with choose(patch)
//   decides          there are buttons for the answer instead of options
//   unread(value)    the value can only be chosen after everything was read to its end
//
// A card draws one question at a time, so ids are the same in each.
import { againView } from "./again.js";
import { html, live, nothing } from "../vendor/lit.js";
import { datetime } from "./datetime.js";
import { picked } from "./draft.js";
import { errorView } from "./fault.js";
import { fileField, takes } from "./file.js";
import { typing } from "./formats.js";
import { previewOf } from "./markdown.js";
import { numeral, readNumber, typedNumber } from "./number.js";
import { rank } from "./rank.js";
import { scale } from "./scale.js";
import { choosable } from "./types.js";
import { count } from "./validate.js";
import { longDay } from "./written.js";

const chipsUpTo = 4; // more options become a list with a search field

// fieldView draws the controls of a question: its input, other and note.
export function fieldView(c) {
  const input = choosable(c.part) ? choices : { number, date, datetime: (c) => datetime(c, described(c, "value")), scale: (c) => scale(c, described(c, "value")), rank: (c) => rank(c, described(c, "values")), file: fileField }[c.part.input_type] ?? (typing[c.part.format] ? formatted : text);
  return html`
    ${c.decides ? errorView(c, "value") : input(c)}
    ${c.part.allow_other && !choosable(c.part) ? html`<div class="own-plain">
      <label id="other-title" for="other">${c.text("card.other")}</label>${otherField(c)}</div>` : nothing}
    ${note(c)}
    ${againView(c)}`;
}

// hintOf returns the rule of a question in words, "" if it has none.
export function hintOf({ part, text, day, locale }) {
  const { min, max, integer } = part.validation ?? {};
  const has = (v) => v !== undefined;
  const between = (prefix, show = (v) => v) => {
    if (has(min) && has(max)) return text(`${prefix}range`, { min: show(min), max: show(max) });
    if (has(min)) return text(`${prefix}min`, { min: show(min) });
    return has(max) ? text(`${prefix}max`, { max: show(max) }) : "";
  };
  switch (part.input_type) {
    case "multiselect":
      if (has(min) && min === max) return text("card.choose_exactly", { count: min });
      return between("card.choose_") || text("card.choose_several");
    case "file":
      return takes({ part, text, locale });
    case "number":
      return [integer ? text("card.integer") : "", between("card.")].filter(Boolean).join(", ");
    case "date":
      if (has(min) && has(max)) return text("card.range", { min: day(min), max: day(max) });
      return between("card.date_", day);
    case "datetime":
      return between("card.date_", day);
    case "rank":
      return text("card.rank_hint");
    default:
      return "";
  }
}

const described = (c, ...fields) => ["context", "hint", ...fields.filter((f) => c.errors[f]).map((f) => `error-${f}`)].join(" ");

// area draws a text field that grows with its text.
export function area(c, { id, field, value, rows = 1, placeholder = nothing, label, about = "", change }) {
  return html`<textarea id=${id} part="input" rows=${rows} dir=${value ? "auto" : nothing} placeholder=${placeholder}
    aria-labelledby=${label} aria-describedby=${`${about} ${described(c, field)}`.trim()} aria-invalid=${c.errors[field] ? "true" : "false"}
    enterkeyhint=${c.decides ? "enter" : c.last ? "send" : "next"} ?readonly=${c.locked} .value=${live(value)}
    @input=${(e) => { grow(e.target); change(e.target.value); }}></textarea>`;
}

const grown = new WeakMap(); // text field -> the text for which its height was set

// grow sets the height of a text field in browsers without field-sizing, if its text has changed: that
// lays out the page twice.
export function grow(area) {
  if (CSS.supports("field-sizing", "content") || grown.get(area) === area.value) return;
  grown.set(area, area.value);
  area.style.blockSize = "auto";
  area.style.blockSize = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
}

function text(c) {
  const { part, draft } = c;
  const { max } = part.validation ?? {};
  const length = max ? count(draft.input) : 0;
  return html`
    ${area(c, {
      id: "input", field: "value", value: draft.input, rows: part.validation?.pattern || max <= 80 ? 1 : 2,
      placeholder: part.placeholder ?? c.text("card.text_placeholder"), label: "title", change: (input) => c.change({ input }),
    })}
    <p class="below">
      <span class="keys">${c.text(c.last ? "card.keys_text" : "card.keys_text_next")}</span>
      ${max ? html`<span class="length ${length > max ? "over" : ""}">${c.text("card.length", { length, max })}</span>` : nothing}
    </p>
    ${errorView(c, "value")}`;
}

// formatted draws a one-line text field with the on-screen keyboard for its format.
function formatted(c) {
  const { part, draft } = c;
  const { keyboard, offers, example } = typing[part.format];
  return html`
    <input id="input" part="input" type="text" inputmode=${keyboard} autocomplete=${offers} autocapitalize="off" spellcheck="false" dir=${draft.input ? "ltr" : nothing}
      placeholder=${part.placeholder ?? example} aria-labelledby="title" aria-describedby=${described(c, "value")} aria-invalid=${c.errors.value ? "true" : "false"}
      enterkeyhint=${c.last ? "send" : "next"} ?readonly=${c.locked} .value=${live(draft.input)} @input=${(e) => c.change({ input: e.target.value })}>
    ${errorView(c, "value")}`;
}

function number(c) {
  const { part, draft, text } = c;
  const { min, max, integer } = part.validation ?? {};
  const now = numeral(readNumber(draft.input, c.locale) ?? "")?.n;
  const step = (by) => {
    if (c.locked) return;
    let next = now === undefined ? (by > 0 ? min ?? 1 : max ?? min ?? -1) : now + by;
    if (integer) next = by > 0 ? Math.floor(next) : Math.ceil(next);
    if (next < min) next = Math.ceil(min);
    if (next > max) next = Math.floor(max);
    c.change({ input: typedNumber(next, c.locale) });
  };
  const keys = (e) => {
    const by = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[e.key];
    if (!by) return;
    e.preventDefault();
    step(by);
  };
  const button = (by, label, sign) => html`<button type="button" class="step" part="step" tabindex="-1" aria-label=${label}
    ?disabled=${by < 0 ? now <= min : now >= max} @click=${() => step(by)}><span aria-hidden="true">${sign}</span></button>`;
  return html`
    <div class="stepper">
      ${button(-1, text("card.less"), "−")}
      <input id="input" part="input" type="text" role="spinbutton" inputmode=${integer && !(min < 0) ? "numeric" : "decimal"} autocomplete="off"
        placeholder=${part.placeholder ?? ""} aria-labelledby="title" aria-describedby=${described(c, "value")}
        aria-invalid=${c.errors.value ? "true" : "false"} aria-valuemin=${min ?? nothing} aria-valuemax=${max ?? nothing}
        aria-valuenow=${now ?? nothing} aria-valuetext=${draft.input || nothing} enterkeyhint=${c.last ? "send" : "next"}
        ?readonly=${c.locked} .value=${live(draft.input)} @keydown=${keys} @input=${(e) => c.change({ input: e.target.value })}>
      ${button(1, text("card.more"), "+")}
    </div>
    ${errorView(c, "value")}`;
}

function date(c) {
  const { min, max } = c.part.validation ?? {};
  const { input } = c.draft, written = input >= "1000" ? longDay(input, c.locale) : ""; // not while the year is typed
  return html`<div class="date">
    <input id="input" part="input" type="date" min=${min ?? nothing} max=${max ?? "9999-12-31"} aria-labelledby="title"
      aria-describedby="written ${described(c, "value")}" aria-invalid=${c.errors.value ? "true" : "false"} ?readonly=${c.locked}
      .value=${live(input)} @input=${(e) => c.change({ input: e.target.value, unreadable: e.target.validity.badInput })}>
    <span id="written" class="muted" part="written">${written}</span></div>
    ${errorView(c, "value")}`;
}

// found returns the options whose label or description contains the search text.
export function found(options, search) {
  const fold = (s) => s.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const words = fold(search).split(/\s+/).filter(Boolean);
  return options.filter((o) => {
    const s = fold(`${o.label} ${o.description ?? ""} ${o.value}`);
    return words.every((w) => s.includes(w));
  });
}

// columns returns the layout of chips: side by side if their labels are short.
function columns(options) {
  if (options.some((o) => o.description || o.label.length > 24)) return "stacked";
  return `${options.length === 3 ? "three" : "two"} ${options.every((o) => o.label.length < 5) ? "short" : ""}`;
}

function choices(c) {
  const { part, draft, options, text } = c;
  const many = part.input_type === "multiselect";
  const long = options.length > chipsUpTo || part.searchable;
  const remote = c.search.trim() ? c.remote : null;
  const shown = remote?.items ?? (long ? found(options, c.search) : options);
  const total = remote?.items ? remote.total : part.searchable && !c.search.trim() ? Math.max(part.optionsTotal, options.length) : shown.length;
  const count = c.number(part.searchable ? Math.max(part.optionsTotal, options.length) : options.length);
  const field = many ? "values" : "value";
  const fault = c.errors.value ? "value" : c.errors.values ? "values" : field;
  const flip = (o, on, change = c.change) => change(picked(part, c.draft, o, on));
  const box = (id, checked, change, labels, description, value, details = nothing, answer = null) => html`<input id=${id} type=${many ? "checkbox" : "radio"} name="choice" class="pick"
    aria-labelledby=${labels} aria-describedby=${description ?? nothing} aria-details=${details} aria-invalid=${many ? (c.errors[fault] ? "true" : "false") : nothing}
    aria-disabled=${c.unread?.(value) ? "true" : nothing} @click=${(e) => (c.unread?.(value) ? e.preventDefault() : answer?.())} .checked=${live(checked)} @change=${(e) => answer || change(e.target.checked)}>`;
  const item = (o, i) => {
    if (!previews) return option(o, i);
    return html`<div class="item ${o === leading ? "leading" : ""}">${option(o, i)}${o.preview ? html`
      <div class="preview" part="preview" id="preview-${i}" tabindex="0" role="group" aria-label=${text("card.preview", { option: o.label })}>${previewOf(o)}</div>` : nothing}</div>`;
  };
  const option = (o, i) => {
    const chosen = draft.choices.includes(o.value) && (many || !draft.useOther);
    return html`<label class="option ${chosen ? "chosen" : ""}" part="option ${chosen ? "chosen" : ""}">
      ${box(`pick-${i}`, chosen, (on) => flip(o, on), o.recommended ? `label-${i} badge-${i}` : `label-${i}`, o.description ? `about-${i}` : undefined, o.value, o.preview ? `preview-${i}` : nothing, c.instant ? () => flip(o, true, c.choose) : null)}
      <span class="words">
        <span class="label"><span id="label-${i}" dir="auto">${o.label}</span>${o.recommended ? html` <span class="badge" part="badge" id="badge-${i}">${text("card.recommended")}</span>` : nothing}</span>
        ${o.description ? html`<span class="about" id="about-${i}" dir="auto">${o.description}</span>` : nothing}
      </span>
      ${i < 9 ? html`<kbd aria-hidden="true">${i + 1}</kbd>` : nothing}
    </label>`;
  };
  const described_ = described(c, fault);
  const previews = shown.some((o) => o.preview), leading = shown.find((o) => o.preview && o.recommended) ?? shown.find((o) => o.preview);
  return html`
    ${long ? html`<div class="search">
      <input id="search" part="input" type="text" role="searchbox" autocomplete="off" enterkeyhint="search" placeholder=${text("card.search", { count })}
        aria-label=${text("card.search", { count })} aria-controls="options" .value=${live(c.search)} @input=${(e) => c.find(e.target.value)}>
      ${many && draft.choices.length ? html`<span class="count">${text("card.chosen", { count: draft.choices.length })}</span>` : nothing}
    </div>` : nothing}
    <div class="choices" role=${many ? "group" : "radiogroup"} aria-labelledby="title" aria-describedby=${described_}
      aria-invalid=${many ? nothing : c.errors[fault] ? "true" : "false"}>
      <div id="options" class=${previews ? "items" : long ? "list" : `chips ${columns(options)}`} part="options">
        ${shown.map(item)}
        ${shown.length || remote?.busy || remote?.failed ? nothing : html`<p class="none">${text("card.none_found")}</p>`}
        ${total > shown.length ? html`<p class="none">${text("card.more_found", { shown: c.number(shown.length), count: c.number(total) })}</p>` : nothing}
        ${remote?.failed ? html`<p class="none" part="alert">${text("card.search_failed")}</p>` : nothing}
      </div>
      ${part.allow_other ? html`<div class="own ${draft.useOther ? "chosen" : ""}" part="option other">
        ${box("pick-other", draft.useOther, (on) => c.change({ useOther: on }, on ? "other" : ""), "other-label")}
        <label id="other-label" for="other">${text("card.other")}</label>
        ${otherField(c)}
        ${shown.length < 9 ? html`<kbd aria-hidden="true">${shown.length + 1}</kbd>` : nothing}
      </div>` : nothing}
    </div>
    ${errorView(c, fault)}`;
}

function otherField(c) {
  const change = (other) => c.change({ other, useOther: other !== "" || c.draft.useOther && c.part.input_type !== "multiselect" });
  return html`
    ${area(c, { id: "other", field: "other", value: c.draft.other, placeholder: c.text("card.other_placeholder"), label: choosable(c.part) ? "other-label" : "title other-title", change })}
    ${errorView(c, "other")}`;
}

// argumentsView draws the editor for the arguments of a call, as JSON. Enter begins a new line, as in
// any editor.
export function argumentsView(c, args, remember, read) {
  const { draft, text } = c;
  if (!draft.editing) {
    const begin = () => c.change({ editing: true, args: draft.args || args }, "arguments");
    return html`<button type="button" id="edit-arguments" class="quiet edit" part="quiet" ?disabled=${!read} @click=${begin}>${text("card.edit_arguments")}</button>`;
  }
  return html`
    <label id="arguments-label" for="arguments">${text("card.edited_arguments")}</label>
    <textarea id="arguments" class="json" part="input" rows="3" dir="ltr" spellcheck="false" autocomplete="off" autocapitalize="off"
      aria-describedby=${["arguments-hint", ...(c.errors.arguments ? ["error-arguments"] : [])].join(" ")} aria-invalid=${c.errors.arguments ? "true" : "false"}
      ?readonly=${c.locked} .value=${live(draft.args)} @input=${(e) => { grow(e.target); c.change({ args: e.target.value }); }}></textarea>
    ${errorView(c, "arguments")}
    <p id="arguments-hint" class="muted">${text(remember ? "card.edited_once" : "card.edited_hint")}</p>
    <button type="button" class="quiet edit" part="quiet" @click=${() => c.change({ editing: false, args: "" }, "edit-arguments")}>${text("card.keep_arguments")}</button>`;
}

function note(c) {
  const { draft, text } = c;
  if (!draft.noting && draft.note === "" && !c.errors.note) {
    return html`<button type="button" class="quiet add" part="quiet" @click=${() => c.change({ noting: true }, "note")}>${text("card.add_note")}</button>`;
  }
  return html`<div class="note">
    <label id="note-label" for="note">${text("card.note")}</label>
    ${area(c, { id: "note", field: "note", value: draft.note, placeholder: text("card.note_placeholder"), label: "note-label", change: (note) => c.change({ note }) })}
    ${errorView(c, "note")}
  </div>`;
}
