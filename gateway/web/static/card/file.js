// A question that is answered with a file. The file is uploaded as soon as it is chosen or dropped,
// and the answer refers to it by id.
import { html, nothing } from "../vendor/lit.js";
import { errorView } from "./fault.js";
import { named, sizeOf } from "./written.js";

// takes returns in words which files a question accepts.
export const takes = ({ part, text, locale }) => [
  ...(part.accept ?? []), part.maxBytes ? text("card.file_max", { max: sizeOf(part.maxBytes, locale) }) : "",
].filter(Boolean).join(", ");

// Uploads holds a card's running and failed uploads, by question. changed is called with a text to
// announce, or without one.
export class Uploads {
  #of = new Map(); // id of the part -> {name, abort}, {known} or {failed}, a text

  constructor(changed) { this.changed = changed; }

  of(part) { return this.#of.get(part.id); }

  // send uploads a file. The gateway's response is kept until the question is drawn again, because
  // another question of the form may be in view by then.
  async send(part, file, { upload, text }) {
    this.stop(part);
    const now = { name: file.name, abort: new AbortController() };
    this.#of.set(part.id, now);
    this.changed(text("card.file_sending", { name: file.name }));
    const latest = () => this.#of.get(part.id) === now;
    try {
      const known = await upload(file, { signal: now.abort.signal });
      if (!latest()) return;
      this.#of.set(part.id, { known });
      this.changed(text("card.file_attached", { name: known.name }));
    } catch (problem) {
      if (latest()) this.fail(part, problem.status && problem.detail || text("card.file_failed"));
    }
  }

  fail(part, failed) {
    this.#of.set(part.id, { failed });
    this.changed(failed);
  }

  // stop aborts a running upload.
  stop(part) {
    this.of(part)?.abort?.abort();
    this.#of.delete(part.id);
  }

  // stopAll aborts all uploads, for a card that shows another question or none.
  stopAll() {
    for (const { abort } of this.#of.values()) abort?.abort();
    this.#of.clear();
  }
}

// fileField draws the control: to choose or drop a file, in progress, or uploaded.
export function fileField(c) {
  const { part, draft, text, uploads } = c;
  const now = uploads.of(part), there = draft.input && draft.file;
  const later = (patch, focus) => queueMicrotask(() => c.change(patch, focus));
  const held = c.focused() === "focus-file"; // by a control that is no longer drawn; do not move the focus of someone who writes a note
  const refuse = (why) => {
    uploads.stop(part);
    uploads.fail(part, why);
  };
  const send = (list) => {
    if (!list?.length || c.locked) return;
    const [file] = list;
    if (list.length > 1) return refuse(text("card.file_one"));
    if (part.maxBytes && file.size > part.maxBytes) return refuse(text("card.file_too_large", { max: sizeOf(part.maxBytes, c.locale) }));
    uploads.send(part, file, c);
    c.change({ input: "", file: "" }, "focus-file");
  };
  const drop = (e) => {
    e.preventDefault();
    send(e.dataTransfer?.files);
  };
  const button = (label, does) => html`<button type="button" class="quiet" part="quiet" id="focus-file" aria-describedby="file" ?disabled=${c.locked} @click=${does}>${text(label)}</button>`;
  const error = now?.failed ? html`<p class="error" part="error" id="error-file">${now.failed}</p>` : nothing;
  if (now?.known && !c.locked) {
    uploads.stop(part);
    later({ input: now.known.fileId, file: named(now.known, c.locale) }, held ? "focus-file" : "");
  }
  if (now?.failed && held && !there) later({}, "input");
  if (!c.upload) return html`<p class="muted" id="input" tabindex="-1" dir=${there ? "auto" : nothing}>${there ? draft.file : text("card.file_elsewhere")}</p>${errorView(c, "value")}`;
  const body = now?.abort ? html`<span id="file" dir="auto">${text("card.file_sending", { name: now.name })}</span> <progress aria-labelledby="file"></progress>
      ${button("card.file_cancel", () => { uploads.stop(part); c.change({}, "input"); })}`
    : there ? html`<span id="file" dir="auto">${draft.file}</span>
      ${button("card.file_remove", () => { uploads.stop(part); c.change({ input: "", file: "" }, "input"); })}`
    : html`<input id="input" class="native" type="file" accept=${part.accept?.join(",") ?? nothing} aria-labelledby="title choose" aria-describedby="context hint error-file error-value"
        aria-invalid=${c.errors.value || now?.failed ? "true" : "false"} ?disabled=${c.locked} @change=${(e) => { send(e.target.files); e.target.value = ""; }}>
      <label id="choose" class="choose" part="choose" for="input">${text("card.file_choose")}</label>
      <span class="muted" aria-hidden="true">${text("card.file_drop")}</span>`;
  return html`<div class="file" @dragover=${(e) => e.preventDefault()} @drop=${drop}>${body}</div>${error}${errorView(c, "value")}`;
}
