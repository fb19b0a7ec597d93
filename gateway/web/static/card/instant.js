// One click answers a question with a single choice, or closes it without an answer. The answer can
// be undone for a moment and is then sent; what was sent cannot be taken back. Touching the card again
// stops the clock; leaving the page sends the answer.
import { html, keyed } from "../vendor/lit.js";
import { blank } from "./validate.js";

// The time to undo, in ms: the usual one, and the longest. Longer timers of browsers end at once.
export const usual = 1200;
const longest = 600_000;

const twice = 500; // ms within which a second press of Enter belongs to the first, as with a double click

// instantly reports whether one click may answer: the card has nothing else to read, tick or write, and
// the user has not written anything.
export const instantly = ({ kind = "question" }, part, { useOther, other, noting, note }) => kind === "question" && ["select", "confirm", "scale"].includes(part.input_type)
  && !part.secret && part.kept !== "unasked" && !part.options?.some((o) => o.preview) && !useOther && !noting && blank(other) && blank(note);

const waiting = new Set();

// sendChosen sends the waiting answers of all cards, before the user signs out.
export const sendChosen = () => waiting.forEach((one) => one.flush());

// dropChosen drops the waiting answers to a question that is closed, and reports whether there was one.
export const dropChosen = (id) => [...waiting].filter((one) => one.chosen.of.clarificationId === id && one.end()).length > 0;

// Instant handles the time between a click and sending its answer. card has the state and actions of the
// card: {draft, may, change, focused, stay, answer, of, news, draw, send, time}.
export class Instant {
  chosen = null; // {answer, label, of, before, focus, closes, entered, time, rests}: what will be sent, and the state before
  #card;
  #timer = 0;
  over = false; // the pointer was moved to Undo: one that rests where the button appears does not count
  #listening = null;

  constructor(card) {
    this.#card = card;
  }

  // choose handles a click; patch is its choice.
  choose(patch) {
    const card = this.#card, now = card.draft(), { chosen } = this, over = this.over;
    if (chosen && !chosen.closes && patch.choices[0] === now.choices[0]) return; // the second click of a double click
    const focus = card.focused();
    card.change(patch);
    if (chosen) this.over = over; // the button stays
    if (card.may() && card.draft() !== now) this.#hold({ ...card.answer(), before: chosen?.before ?? now, focus, closes: false });
  }

  // close handles a click that closes without an answer. Written text stays, in case of an undo.
  close(answer, label) {
    if (!this.chosen) this.#hold({ answer, label, before: this.#card.draft(), focus: "first", closes: true });
  }

  #hold(chosen) {
    const time = this.#card.time();
    this.chosen = { ...chosen, of: this.#card.of(), entered: -Infinity, time: time >= 0 && time <= longest ? time : usual };
    this.#wait();
    this.#card.news("card.soon_news", { answer: chosen.label });
  }

  // enter handles Enter on an option at a time (event.timeStamp): it chooses the option, or sends it if
  // already chosen.
  enter(pick, at) {
    const { chosen } = this;
    if (!chosen || chosen.closes || !pick.checked) {
      pick.click();
      if (this.chosen) this.chosen.entered = at;
    } else if (at - chosen.entered > twice) this.flush();
  }

  undo() {
    const chosen = this.end();
    if (!chosen) return; // it has just been sent
    const { before, focus } = chosen;
    this.#card.change(before, focus && !buttons.includes(focus) ? focus : "first");
    this.#card.news("card.undone");
  }

  flush() {
    const within = buttons.includes(this.#card.focused()), chosen = this.end();
    if (!chosen) return;
    if (within) this.#card.stay(); // the focused button goes
    this.#card.send(chosen);
  }

  // end cancels the sending and returns what was chosen, or null.
  end() {
    const { chosen } = this;
    clearTimeout(this.#timer);
    this.#listening?.abort();
    this.chosen = null;
    this.over = false;
    waiting.delete(this);
    return chosen;
  }

  // rest stops the clock while the pointer or the focus is at Undo. After that, the clock starts over.
  rest(over = this.over) {
    this.over = over;
    clearTimeout(this.#timer);
    if (!this.chosen) return;
    this.chosen.rests = over || this.#card.focused() === "undo";
    if (!this.chosen.rests) this.#timer = setTimeout(() => this.flush(), this.chosen.time);
    this.#card.draw();
  }

  #wait() {
    waiting.add(this);
    this.rest();
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

const buttons = ["undo", "send-now"];

// undoView draws the buttons that replace the others while an answer waits. The second click of a double
// click does not count: it was meant for what was there before.
export function undoView({ text, chosen, once }) {
  const only = (act) => (e) => e.detail > 1 || act();
  return html`<footer class="actions grace" part="actions">
    <p class="soon">${text("card.soon", { answer: chosen.label })}</p>
    <div class="onward">
      <button type="button" id="undo" class="plain" part="undo" aria-keyshortcuts="Escape" @click=${only(() => once.undo())}
        @pointermove=${() => once.over || once.rest(true)} @pointerleave=${() => once.rest(false)} @focus=${() => once.rest()} @blur=${() => once.rest()}>${text("card.undo")}</button>
      <button type="button" id="send-now" class="plain" part="send" @click=${only(() => once.flush())}>${text("card.send_now")}</button>
    </div>
    ${keyed(chosen, html`<span class="clock ${chosen.rests ? "still" : ""}" aria-hidden="true" .style=${`animation-duration: ${chosen.time}ms`}></span>`)}
  </footer>`;
}
