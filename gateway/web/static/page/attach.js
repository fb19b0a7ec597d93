// Files for the next message. Each is uploaded as soon as it is chosen, pasted or dropped, and the
// message refers to it. Uploaded files survive a reload, like the draft.
import { sizeOf } from "../card/written.js";
import { html, nothing, repeat } from "../vendor/lit.js";
import * as icons from "./icons.js";
import { keep, kept } from "./keep.js";
import { language, text } from "./texts.js";

const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]; // types in which browsers do not run code

let keys = 0;

export class Attachments {
  list = []; // {key, name, size, fileId} once uploaded; {..., file, part, abort} while uploading; {..., failed} after an error
  full = ""; // which file was left out, and why
  said = ""; // the latest announcement
  #changed;
  #client;
  #listening = new AbortController();

  // name returns the storage key of the list. changed is called after every change.
  constructor({ client, name, changed }) {
    Object.assign(this, { name });
    this.#client = client;
    this.#changed = changed;
    for (const known of keptFiles(name()).files ?? []) this.list.push({ key: ++keys, ...known });
    for (const known of this.list) this.#look(known);
    for (const [target, event] of [[document, "visibilitychange"], [globalThis, "pagehide"]]) target.addEventListener(event, () => this.#keep(event !== "pagehide"), { signal: this.#listening.signal });
    this.#keep();
  }

  get ids() { return this.list.map((f) => f.fileId); }
  get onTheirWay() { return this.list.some((f) => f.abort); }
  get failed() { return this.list.some((f) => f.failed); }

  // add adds files up to the app's limits: {maxFiles, maxBytes}.
  add(files, takes) {
    this.full = "";
    for (const file of files) {
      if (this.list.length >= takes.maxFiles) {
        this.full = text("page.attach_full", { max: takes.maxFiles, name: file.name });
        this.#changed();
        break;
      }
      const f = { key: ++keys, name: file.name, size: file.size, file };
      this.list = [...this.list, f];
      if (file.size > takes.maxBytes) this.#fail(f, text("card.file_too_large", { max: sizeOf(takes.maxBytes, language) }), true);
      else this.send(f);
    }
  }

  // send uploads a file, or retries the upload.
  send(f) {
    Object.assign(f, { abort: new AbortController(), failed: "", part: 0 });
    this.#say(text("card.file_sending", { name: f.name }));
    f.settled = this.#send(f);
  }

  async #send(f) {
    const { signal } = f.abort;
    const onProgress = (part) => {
      f.part = part;
      this.#changed();
    };
    try {
      const { fileId, name, size, type } = await this.#client.attach(f.file, { signal, onProgress });
      if (signal.aborted) return void this.#client.discard(fileId).catch(() => {}); // the gateway would delete it after a day anyway
      Object.assign(f, { fileId, name, size, type, abort: null, file: null });
      this.#keep();
      this.#say(text("card.file_attached", { name }));
    } catch (problem) {
      f.abort = null;
      if (!signal.aborted) this.#fail(f, problem.status && problem.detail || text("card.file_failed"), problem.status === 413 || problem.status === 415);
    }
  }

  // settled resolves when no upload is running.
  async settled() {
    while (this.onTheirWay) await Promise.all(this.list.map((f) => f.settled));
  }

  remove(f) {
    f.abort?.abort();
    if (f.fileId) this.#client.discard(f.fileId).catch(() => {});
    this.drop([f]);
  }

  // putBack puts uploaded files of a message that was taken back before the others.
  putBack(files) {
    if (!files.length) return;
    this.list = [...files.map((f) => ({ key: ++keys, ...f })), ...this.list];
    this.#keep();
    this.#changed();
  }

  // drop removes files from the list that a message has used.
  drop(gone) {
    this.list = this.list.filter((f) => !gone.includes(f));
    this.full = "";
    this.#keep();
    this.#changed();
  }

  // refused marks the files for which the gateway refused a message. The field of an error, such as
  // files[1], refers to the list of sent files.
  refused(errors, sent) {
    for (const { field, message } of errors ?? []) {
      const f = sent[/^files\[(\d+)\]$/.exec(field)?.[1]];
      if (f) this.#fail(f, message, true);
    }
    this.#keep();
  }

  // moved stores the list under its new key, once the chat has an id.
  moved(before) {
    keep(before, "");
    this.#keep();
  }

  stop() {
    for (const f of this.list) f.abort?.abort();
    this.#listening.abort();
    this.#keep(false);
  }

  // look checks whether an uploaded file still exists.
  async #look(f) {
    try {
      const response = await fetch(this.#client.attachmentUrl(f.fileId));
      response.body?.cancel().catch(() => {});
      if (response.status === 404 && this.list.includes(f)) this.#fail(f, text("page.attach_gone"), true);
    } catch { /* sending the message reports it */ }
  }

  #fail(f, failed, final) {
    Object.assign(f, { failed, ...(final && { file: null }) });
    this.#say(`${f.name}: ${failed}`);
  }

  #say(said) {
    this.said = said;
    this.#changed();
  }

  // keep stores the list, and whether this tab is visible. A tab that loads a list marked as visible
  // is a duplicate of the tab that stored it.
  #keep(here = true) {
    const files = this.list.filter((f) => f.fileId).map(({ fileId, name, size, type }) => ({ fileId, name, size, type }));
    keep(this.name(), files.length ? JSON.stringify({ chat: this.#client.chat, files, open: here && document.visibilityState === "visible" }) : "");
  }
}

// keptFiles returns the {chat, files} that were stored before the page was loaded. Files belong to one
// chat, even before it has begun. A duplicated tab begins without the files of the original.
export function keptFiles(name) {
  try {
    const { open, ...files } = JSON.parse(kept(name));
    if (!open) return files;
    keep(name, "");
    return {};
  } catch {
    return {};
  }
}

// chips draws the files of the next message.
export function chips({ files, sending }) {
  const focusNext = (n) => requestAnimationFrame(() => requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return; // the user has moved the focus
    (document.querySelectorAll(".chips .remove")[n] ?? document.querySelector("#message"))?.focus();
  }));
  return html`<p id="attach-said" class="unseen" role="status">${files.said}</p>
    ${files.full ? html`<p class="bad chip-note" role="alert">${files.full}</p>` : nothing}
    ${files.list.length ? html`<ul class="chips" aria-label=${text("page.attached")}>${repeat(files.list, (f) => f.key, (f, n) => html`<li class="chip">
      <bdi class="name">${f.name}</bdi><span class="hint">${sizeOf(f.size, language)}</span>
      ${f.abort ? html`<progress max="1" .value=${f.part} aria-label=${text("card.file_sending", { name: f.name })}></progress>` : nothing}
      ${f.failed && f.file ? html`<button type="button" class="icon-button" aria-label=${text("page.attach_again", { name: f.name })} title=${text("page.attach_again", { name: f.name })}
        @click=${() => files.send(f)}>${icons.again}</button>` : nothing}
      <button type="button" class="icon-button remove" aria-label=${text("page.attach_remove", { name: f.name })} title=${text("page.attach_remove", { name: f.name })}
        ?disabled=${sending && !f.abort} @click=${() => { files.remove(f); focusNext(n); }}>${icons.cross}</button>
      ${f.failed ? html`<span class="bad">${f.failed}</span>` : nothing}
    </li>`)}</ul>` : nothing}`;
}

// attachButton draws the button that opens the file picker.
export function attachButton({ files }, takes) {
  const chosen = ({ target }) => {
    files.add([...target.files], takes);
    target.value = "";
    document.querySelector("#message")?.focus();
  };
  return html`<input id="files" type="file" multiple hidden accept=${takes.accept?.join(",") ?? nothing} @change=${chosen}>
    <button type="button" class="icon-button" id="attach" aria-label=${text("page.attach")} title=${text("page.attach")}
      @click=${() => document.querySelector("#files").click()}>${icons.clip}</button>`;
}

// pasted attaches the files of a paste, unless the paste also has text, as from a word processor: then
// the text is pasted.
export function pasted(e, { files }, takes) {
  const list = [...e.clipboardData?.files ?? []];
  if (!takes || !list.length || e.clipboardData.types.includes("text/plain")) return;
  e.preventDefault();
  files.add(list, takes);
}

let into = null; // where dropped files go: {files, takes}

// droppable sets where dropped files go. It is called at each draw of the composer, with null if files
// cannot be dropped.
export function droppable(place) { into = place; }

const dropping = (e) => into && !e.defaultPrevented && e.dataTransfer?.types.includes("Files") && document.querySelector(".composer");

for (const type of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(type, (e) => {
    const composer = dropping(e);
    if (!composer) return;
    composer.classList.toggle("dropping", type === "dragover" || type === "dragleave" && e.relatedTarget !== null);
    if (type === "dragleave") return;
    e.preventDefault();
    if (type === "drop") into.files.add([...e.dataTransfer.files], into.takes);
  });
}

// sentFiles draws the files of a sent message.
export function sentFiles(files, chat) {
  if (!files?.length) return nothing;
  return html`<ul class="sent" aria-label=${text("page.attached")}>${files.map((f) => {
    const url = chat.attachmentUrl(f.fileId);
    return html`<li>${pictures.includes(f.type) ? html`<a href=${url} download=${f.name} tabindex="-1" aria-hidden="true"><img src=${url} loading="lazy" alt=""></a>` : nothing}
      <a class="chip" href=${url} download=${f.name}>${icons.clip}<bdi class="name">${f.name}</bdi> <span class="hint">${sizeOf(f.size, language)}</span></a></li>`;
  })}</ul>`;
}
