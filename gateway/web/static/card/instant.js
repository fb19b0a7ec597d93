// One click answers a question with one choice, or closes one without an answer. For a moment it
// can be taken back: only then is it sent. Whoever touches the card again stops the clock, and
// whoever leaves the page has answered.
import { html } from "../vendor/lit.js";
import { blank } from "./validate.js";

const grace = 5000; // ms
const longer = 1000; // ms, while somebody is at Undo

// instantly says whether one click may answer: nothing else is to be read, ticked or written, and
// nothing has been written.
export const instantly = ({ kind = "question" }, part, { useOther, other, noting, note }) => kind === "question" && ["select", "confirm"].includes(part.input_type)
  && !part.secret && part.kept !== "unasked" && !part.options?.some((o) => o.preview) && !useOther && !noting && blank(other) && blank(note);

const waiting = new Set();

// sendChosen sends what waits on any card: the person is about to sign out.
export const sendChosen = () => waiting.forEach((one) => one.flush());

// Instant is the moment between a click and its way out. card is {draft, may, change, focused,
// answer, of, news, send}: what the card has now, and does.
export class Instant {
  chosen = null; // {answer, label, of, before, focus, closes, entered}: what is sent, and what there was before
  #card;
  #timer = 0;
  #listening = null;

  constructor(card) {
    this.#card = card;
  }

  // choose is one click: patch is its choice.
  choose(patch) {
    const card = this.#card, now = card.draft(), { chosen } = this;
    if (chosen && !chosen.closes && patch.choices[0] === now.choices[0]) return; // the second click of two
    const focus = card.focused();
    card.change(patch);
    if (card.may() && card.draft() !== now) this.#hold({ ...card.answer(), before: chosen?.before ?? now, focus, closes: false });
  }

  // close is a click that gives no answer: what was written stays, should it be taken back.
  close(answer, label) {
    if (!this.chosen) this.#hold({ answer, label, before: this.#card.draft(), focus: "first", closes: true });
  }

  #hold(chosen) {
    this.chosen = { ...chosen, of: this.#card.of(), entered: false };
    this.#wait();
    this.#card.news("card.soon_news", { answer: chosen.label });
  }

  // enter is the key on an option: it chooses, and sends what another key or a click chose.
  enter(pick) {
    const { chosen } = this;
    if (!chosen || chosen.closes || !pick.checked) {
      pick.click();
      if (this.chosen) this.chosen.entered = true;
    } else if (!chosen.entered) this.flush();
  }

  undo() {
    const { before, focus } = this.end();
    this.#card.change(before, focus && focus !== "undo" ? focus : "first");
    this.#card.news("card.undone");
  }

  flush() {
    const chosen = this.end();
    if (chosen) this.#card.send(chosen);
  }

  // end is what was chosen, or null; it is not sent any more.
  end() {
    const { chosen } = this;
    clearTimeout(this.#timer);
    this.#listening?.abort();
    this.chosen = null;
    waiting.delete(this);
    return chosen;
  }

  #wait() {
    const over = () => {
      if (this.#card.focused() === "undo") this.#timer = setTimeout(over, longer);
      else this.flush();
    };
    this.#timer = setTimeout(over, grace);
    waiting.add(this);
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
      event.preventDefault();
      this.undo();
    }, { signal });
    document.addEventListener("visibilitychange", () => document.hidden && this.flush(), { signal });
    globalThis.addEventListener("pagehide", () => this.flush(), { signal });
  }
}

// undoView stands in place of the buttons.
export const undoView = ({ text, chosen, undo }) => html`<footer class="actions grace" part="actions">
    <p class="soon">${text("card.soon", { answer: chosen })}</p>
    <div class="onward"><button type="button" id="undo" class="plain" part="undo" aria-keyshortcuts="Escape" @click=${undo}>${text("card.undo")}</button></div>
    <span class="clock" aria-hidden="true"></span>
  </footer>`;
