// One click answers a question with a single choice, or closes it without an answer. The answer can
// be undone for a moment and is then sent. Touching the card again stops the countdown; leaving the
// page sends the answer.
import { html } from "../vendor/lit.js";
import { blank } from "./validate.js";

const grace = 5000; // ms
const longer = 1000; // ms, while the focus or pointer is on Undo

// instantly reports whether one click may answer: the card has nothing else to read, tick or write, and
// the user has not written anything.
export const instantly = ({ kind = "question" }, part, { useOther, other, noting, note }) => kind === "question" && ["select", "confirm"].includes(part.input_type)
  && !part.secret && part.kept !== "unasked" && !part.options?.some((o) => o.preview) && !useOther && !noting && blank(other) && blank(note);

const waiting = new Set();

// sendChosen sends the waiting answers of all cards, before the user signs out.
export const sendChosen = () => waiting.forEach((one) => one.flush());

// Instant handles the time between a click and sending its answer. card has the state and actions of the
// card: {draft, may, change, focused, answer, of, news, send}.
export class Instant {
  chosen = null; // {answer, label, of, before, focus, closes, entered}: what will be sent, and the state before
  #card;
  #timer = 0;
  #listening = null;

  constructor(card) {
    this.#card = card;
  }

  // choose handles a click; patch is its choice.
  choose(patch) {
    const card = this.#card, now = card.draft(), { chosen } = this;
    if (chosen && !chosen.closes && patch.choices[0] === now.choices[0]) return; // the second click of a double click
    const focus = card.focused();
    card.change(patch);
    if (card.may() && card.draft() !== now) this.#hold({ ...card.answer(), before: chosen?.before ?? now, focus, closes: false });
  }

  // close handles a click that closes without an answer. Written text stays, in case of an undo.
  close(answer, label) {
    if (!this.chosen) this.#hold({ answer, label, before: this.#card.draft(), focus: "first", closes: true });
  }

  #hold(chosen) {
    this.chosen = { ...chosen, of: this.#card.of(), entered: false };
    this.#wait();
    this.#card.news("card.soon_news", { answer: chosen.label });
  }

  // enter handles Enter on an option: it chooses the option, or sends it if already chosen.
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

  // end cancels the sending and returns what was chosen, or null.
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

// undoView draws the undo button, which replaces the other buttons.
export const undoView = ({ text, chosen, undo }) => html`<footer class="actions grace" part="actions">
    <p class="soon">${text("card.soon", { answer: chosen })}</p>
    <div class="onward"><button type="button" id="undo" class="plain" part="undo" aria-keyshortcuts="Escape" @click=${undo}>${text("card.undo")}</button></div>
    <span class="clock" aria-hidden="true"></span>
  </footer>`;
