// <page-documents>: a search in an app's documents, without a model: what to look for, filters, the day,
// and the passages that are found. Each opens in place (passage.js).
//
//	at (the address) ──> the search ──> request ──> results
//	the user's input ──> the search ──> "page-searched", which changes the address
//
// A request that is no longer wanted is aborted, so its response never replaces a newer one.
import { html, keyed, live, LitElement, nothing, repeat } from "../vendor/lit.js";
import * as icons from "./icons.js";
import { elsewhere, facts, highlights, marked, passageID, Passages, validity } from "./passage.js";
import { request, why } from "./request.js";
import { text } from "./texts.js";

const typingPause = 300; // ms without a change before a search starts
const page = 20; // number of passages per request
const oldest = "1000-01-01"; // a date before it is still being typed: the year 2 is on the way to 2015

export class PageDocuments extends LitElement {
  static properties = { app: { attribute: false }, at: {}, away: { attribute: false }, language: {} };
  #search = null; // {tool, q, asOf, versions, filter}
  #said = null; // the search that the address has because of this element
  #documents = null; // app.documents, as of the last search
  #items = [];
  #versions = []; // of the works found, if a year in the query may say which one is meant
  #next = null; // cursor of the next page
  #pattern = null; // of highlights
  #indexing = false;
  #running = false;
  #problem = null;
  #looking = null; // AbortController
  #timer = 0;
  #opened = new Passages(this); // of this search: the next one closes them

  createRenderRoot() { return this; } // uses the page's style

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#stop();
  }

  willUpdate(changed) {
    if (changed.has("app")) {
      this.#documents = this.app.documents;
      if (this.#search) this.#search = searchIn(this.#said, this.#documents);
    }
    if (changed.get("away") && this.#problem?.status === 0) this.#now(); // the gateway is back
    if (!changed.has("at") || this.at === this.#said) return;
    this.#said = this.at;
    this.#search = searchIn(this.at, this.#documents);
    this.#unfolded = Object.keys(this.#search.filter).length > 0;
    this.#arrived = true;
    this.#now();
  }

  #unfolded = false; // the address led to a search with filters
  #arrived = false; // the focus is to go to the field: the address led here, or a button is gone

  updated() {
    if (!this.#arrived) return;
    this.#arrived = false;
    this.querySelector(matchMedia("(pointer: coarse)").matches ? "h1" : "#documents-q").focus(); // a field would open the on-screen keyboard
  }

  get #tool() { return this.#documents.find(({ tool }) => tool === this.#search.tool); }
  get #active() { return /[\p{L}\p{N}]/u.test(this.#search.q); }

  // ---- searching ----

  // change changes the search, and starts it after a pause.
  #change(change, pause = typingPause) {
    this.#search = { ...this.#search, ...change };
    this.#said = addressOf(this.#search);
    this.dispatchEvent(new CustomEvent("page-searched", { detail: this.#said }));
    this.#stop();
    this.#running = this.#active;
    this.#timer = setTimeout(() => this.#now(), pause);
    this.requestUpdate();
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#looking?.abort();
  }

  // now searches at once.
  #now() {
    this.#stop();
    if (this.#active) return this.#find(null);
    this.#items = this.#versions = [];
    this.#next = this.#problem = null;
    this.#running = this.#indexing = false;
    this.requestUpdate();
  }

  // find loads a page of results. With the first come the values of filters, if they can be loaded: the
  // documents may have changed.
  async #find(cursor) {
    const { signal } = this.#looking = new AbortController(), { tool, q, asOf, versions, filter } = this.#search;
    this.#running = true;
    this.#problem = null;
    this.requestUpdate();
    const query = new URLSearchParams({ q, limit: page });
    if (versions) query.set("versions", "all");
    else if (asOf) query.set("asOf", asOf);
    if (Object.keys(filter).length) query.set("filter", JSON.stringify(filter));
    if (cursor !== null) query.set("cursor", cursor);
    const app = `/v1/apps/${encodeURIComponent(this.app.id)}`, load = async (path) => (await request(path, { signal })).json();
    try {
      const [found, { documents }] = await Promise.all([load(`${app}/documents/${encodeURIComponent(tool)}?${query}`), cursor === null ? load(app).catch(() => ({})) : {}]);
      if (signal.aborted) return;
      if (documents?.some((d) => d.tool === tool)) this.#documents = documents;
      const items = found.items.filter(({ id }) => passageID.test(id)).map((item) => ({ ...item, tool })), known = cursor === null ? [] : this.#items;
      this.#items = [...known, ...items.filter(({ id }) => !known.some((k) => k.id === id))];
      this.#next = found.nextCursor;
      this.#indexing = Boolean(found.note);
      if (cursor === null) {
        this.#versions = (found.versions ?? []).filter(({ validFrom, validTo }) => validFrom ?? validTo);
        this.#pattern = highlights("", [q]);
        this.#opened = new Passages(this);
      } else this.#focus(known.length);
    } catch (problem) {
      if (signal.aborted) return;
      this.#problem = problem;
      if (cursor === null) this.#items = this.#versions = []; // those of another search
    }
    this.#running = false;
    this.requestUpdate();
  }

  // focus moves the focus to a result, once it is drawn.
  async #focus(index) {
    this.requestUpdate();
    await this.updateComplete;
    this.querySelectorAll(".found summary")[index]?.focus();
  }

  // ---- drawing ----

  render() {
    const { tool, q } = this.#search;
    const submit = (e) => {
      e.preventDefault();
      this.#change({ q: this.querySelector("#documents-q").value }, 0);
    };
    const again = () => {
      this.#arrived = true;
      this.#now();
    };
    return html`<h1 tabindex="-1">${text("page.documents")}</h1>
      <form class="documents-search" @submit=${submit}>
        ${this.#documents.length > 1 ? html`<label class="field"><span>${text("page.documents_tool")}</span>
          <select id="documents-tool" @change=${(e) => this.#change({ tool: e.target.value, filter: {}, asOf: "", versions: false }, 0)}>
            ${this.#documents.map((d) => html`<option value=${d.tool} .selected=${d.tool === tool}>${d.name}</option>`)}
          </select></label>` : nothing}
        <div class="search">
          <input id="documents-q" type="search" dir="auto" autocomplete="off" spellcheck="false" enterkeyhint="search" maxlength="1000" aria-label=${text("page.documents_search")} placeholder=${text("page.documents_search")}
            aria-describedby="documents-found" .value=${live(q)} @input=${(e) => this.#change({ q: e.target.value })}>
          <button class="icon-button" aria-label=${text("page.search")} title=${text("page.search")}>${icons.find}</button>
        </div>
        ${this.#tool.versions ? this.#day() : nothing}
        ${this.#tool.fields ? this.#filters(this.#tool.fields) : nothing}
      </form>
      <div id="documents-found" role="status"><p class="hint">${this.#status()}</p>${this.#versions.length ? html`<p>${text("page.documents_which")}</p>` : nothing}</div>
      ${this.#versions.length ? html`<ul class="which" aria-label=${text("page.documents_which")}>${this.#versions.map((version) => this.#version(version))}</ul>` : nothing}
      ${this.#problem ? html`<div class="alert" role="alert"><p>${why(this.#problem)}</p>
        ${this.#problem.status === 400 ? nothing : html`<button type="button" class="plain" @click=${again}>${icons.again}${text("page.retry")}</button>`}</div>` : nothing}
      ${keyed(this.#opened, html`<ol class="found">${repeat(this.#items, ({ id }) => id, (item) => this.#item(item))}</ol>`)}
      ${this.#next !== null && !this.#running && !this.#problem ? html`<p><button type="button" class="plain" id="documents-more" @click=${() => this.#find(this.#next)}>${text("page.documents_more")}</button></p>` : nothing}`;
  }

  #status() {
    if (this.#problem) return nothing;
    if (!this.#active) return text("page.documents_hint");
    if (this.#running) return text("page.search_wait");
    const count = this.#items.length, { asOf, filter } = this.#search, narrow = asOf || Object.keys(filter).length > 0;
    const note = this.#indexing ? ` · ${text("page.documents_indexing")}` : "";
    return (count === 0 ? text(narrow ? "page.documents_none_narrow" : "page.documents_none") : text(this.#next === null ? "page.documents_count" : "page.documents_first", { count })) + note;
  }

  // version draws one of the versions that a year may mean. Pressed, it searches as of its first day.
  #version({ work, validFrom, validTo }) {
    const day = validFrom ?? validTo, { asOf, versions } = this.#search, pressed = day === asOf && !versions;
    return html`<li><button type="button" class="plain" aria-pressed=${pressed} @click=${() => this.#change({ asOf: pressed ? "" : day, versions: false }, 0)}>
      <span><bdi>${work}</bdi></span><span class="hint">${validity(validFrom, validTo)}</span></button></li>`;
  }

  #day() {
    const { asOf, versions } = this.#search;
    return html`<div class="day">
      <label class="field"><span>${text("page.documents_as_of")}</span>
        <input id="documents-as-of" type="date" min=${oldest} max="9998-12-31" ?disabled=${versions} .value=${live(asOf)} @change=${(e) => this.#dated(e.target, (asOf) => ({ asOf }))}></label>
      <label class="switch"><input type="checkbox" id="documents-versions" .checked=${live(versions)} @change=${(e) => this.#change({ versions: e.target.checked }, 0)}>${text("page.documents_versions")}</label>
    </div>`;
  }

  // dated changes the search to that of a date, unless its year is still being typed.
  #dated({ value }, change) {
    if (value === "" || value >= oldest) this.#change(change(value));
  }

  #filters(fields) {
    const { filter } = this.#search, count = Object.keys(filter).length;
    const remove = () => {
      this.#change({ filter: {} }, 0);
      this.querySelector(".filters summary").focus(); // the button goes
    };
    return html`<details class="fold filters" ?open=${this.#unfolded}>
      <summary>${icons.sliders}<span>${count ? text("page.documents_filtered", { count }) : text("page.documents_filters")}</span></summary>
      <div class="filter-list">${Object.keys(fields).sort().map((name) => this.#filter(name, fields[name], filter[name]))}</div>
      ${count ? html`<p><button type="button" class="quiet" id="documents-unfiltered" @click=${remove}>${text("page.documents_unfiltered")}</button></p>` : nothing}
    </details>`;
  }

  // filter draws the condition for one field.
  #filter(name, { type, values }, condition) {
    const set = (to) => {
      const { [name]: _, ...filter } = this.#search.filter;
      this.#change({ filter: to === undefined ? filter : { ...filter, [name]: to } });
    };
    const label = html`<legend dir="auto">${name}</legend>`;
    if (type === "date" || type === "number") return html`<fieldset>${label}${this.#range(type, condition ?? {}, set)}</fieldset>`;
    const chosen = condition ?? [], all = [...new Set([...values ?? [], ...chosen])]; // one that is chosen may be gone
    if (!values?.length && chosen.length < 2) {
      return html`<fieldset>${label}<input type="text" dir="auto" maxlength="100" aria-label=${name} .value=${live(chosen[0] ?? "")} @input=${(e) => set(e.target.value.trim() ? [e.target.value] : undefined)}></fieldset>`;
    }
    const choose = (value, on) => {
      const now = all.filter((v) => (v === value ? on : chosen.includes(v)));
      set(now.length ? now : undefined);
    };
    return html`<fieldset>${label}<div class="values">${all.map((value) => html`<label class="switch"><input type="checkbox" .checked=${live(chosen.includes(value))} @change=${(e) => choose(value, e.target.checked)}><bdi>${value}</bdi></label>`)}</div></fieldset>`;
  }

  // range draws the two ends of a condition. A search leaves out the ends themselves: those of a date are
  // shown as the first and the last day that are found.
  #range(type, { after, before }, set) {
    const date = type === "date";
    const end = (label, value, step, to) => html`<label class="field"><span>${text(label)}</span>
      <input type=${type} step=${date ? nothing : "any"} min=${date ? oldest : nothing} max=${date ? "9998-12-31" : nothing} .value=${value === undefined ? "" : date ? shifted(value, step) : String(value)} @change=${(e) => {
        const { value: now } = e.target;
        if (date && now !== "" && now < oldest) return;
        const ends = { after, before, [to]: now === "" ? undefined : date ? shifted(now, -step) : Number(now) };
        set(ends.after === undefined && ends.before === undefined ? undefined : JSON.parse(JSON.stringify(ends)));
      }}></label>`;
    return html`<div class="range">${end(date ? "page.documents_from" : "page.documents_above", after, 1, "after")}${end(date ? "page.documents_to" : "page.documents_below", before, -1, "before")}</div>`;
  }

  #item(item) {
    const { id, tool, title, link, snippet = "" } = item, address = `/v1/apps/${this.app.id}/documents/${tool}/${id}`;
    const load = () => this.#opened.load(address, this.#pattern);
    const ask = () => this.dispatchEvent(new CustomEvent("page-ask", { detail: `${text("page.documents_question", { title, link })} ` }));
    return html`<li>
      <details class="fold" data-address=${address} @toggle=${(e) => e.target.open && load()}>
        <summary id="title-${id}">${icons.page}<h2 dir="auto">${marked(title, this.#pattern)}</h2></summary>
        ${this.#opened.draw(address, title, load)}
      </details>
      ${facts(item)}
      ${snippet ? html`<p class="snippet" dir="auto">${marked(snippet, this.#pattern)}</p>` : nothing}
      <div class="acts">${elsewhere(link)}<button type="button" class="quiet" id="ask-${id}" aria-labelledby="ask-${id} title-${id}" @click=${ask}>${text("page.documents_ask")}</button></div>
    </li>`;
  }
}

// shifted returns the day that is some days after another.
function shifted(day, days) {
  const at = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) return "";
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

// searchIn returns the search that an address has, without what the documents do not have.
function searchIn(at, documents) {
  const said = new URLSearchParams(at), { tool, fields = {}, versions } = documents.find((d) => d.tool === said.get("documents")) ?? documents[0];
  const day = said.get("asOf") ?? "";
  return { tool, q: said.get("q") ?? "", asOf: versions && /^\d{4}-\d\d-\d\d$/.test(day) ? day : "", versions: versions && said.get("versions") === "all", filter: filterIn(said.get("filter"), fields) };
}

function filterIn(said, fields) {
  let filter = {};
  try {
    filter = JSON.parse(said) ?? {};
  } catch { /* none */ }
  const known = Object.entries(filter).map(([name, condition]) => [name, conditionOf(fields[name]?.type, condition)]);
  return Object.fromEntries(known.filter(([, condition]) => condition));
}

function conditionOf(type, condition) {
  if (type === "enum" || type === "list") {
    const values = [condition].flat().filter((v) => typeof v === "string");
    return values.length ? values : null;
  }
  const fits = (v) => (type === "date" ? /^\d{4}-\d\d-\d\d$/.test(v) : type === "number" && Number.isFinite(v));
  const ends = Object.fromEntries(["after", "before"].map((end) => [end, condition?.[end]]).filter(([, v]) => fits(v)));
  return Object.keys(ends).length ? ends : null;
}

// addressOf returns a search as the address has it.
function addressOf({ tool, q, asOf, versions, filter }) {
  const said = new URLSearchParams({ documents: tool, q });
  if (asOf) said.set("asOf", asOf);
  if (versions) said.set("versions", "all");
  if (Object.keys(filter).length) said.set("filter", JSON.stringify(filter));
  return said.toString();
}

customElements.define("page-documents", PageDocuments);
