// The message in the composer. Its text is kept over a reload, and so is the question that it was
// written for, if the user chose to write a message in place of an answer: only such a message may
// answer or close that question.
import { keep, kept } from "./keep.js";

export class Draft {
  #name; // app/chat
  #text;
  #answers; // the id of the question that the message was written for, "" for none
  #below = ""; // the id of the question below which the composer stays

  constructor(name) {
    this.#name = name;
    this.#text = kept(`message:${name}`);
    this.#answers = kept(`answers:${name}`);
  }

  // drop deletes what is kept of a draft.
  static drop(name) {
    keep(`message:${name}`, "");
    keep(`answers:${name}`, "");
  }

  get text() { return this.#text; }
  set text(text) {
    this.#text = text;
    keep(`message:${this.#name}`, text);
  }

  // moved keeps the draft under another name from now on.
  moved(name) {
    Draft.drop(this.#name);
    this.#name = name;
    this.text = this.#text;
    this.answer(this.#answers);
  }

  // answer makes the message one for this question; "" for none.
  answer(id) {
    this.#answers = id;
    keep(`answers:${this.#name}`, id);
  }

  // isFor reports whether the message was written for this question.
  isFor(id) { return id !== "" && id === this.#answers; }

  // stay keeps the composer below the card of this question, even if the text is deleted.
  stay(id) { this.#below = id; }

  stays(id) { return id !== "" && id === this.#below; }
}
