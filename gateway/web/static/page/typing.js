// Where typed text goes while no text field has the focus: into the text field of the card that has the
// focus, or else into the composer; on an approval nowhere. Only the focus moves. The browser then
// inserts the character itself, so AltGr, dead keys and input methods work as in any text field.
import { textField } from "../card/keys.js";

// typed reports whether a keydown writes something. Space does not: it presses buttons and scrolls.
// AltGr is Ctrl+Alt on Windows, and Option on a Mac: both write if the key gives more than its letter or
// digit.
export function typed(event) {
  const { key, altKey, ctrlKey, metaKey } = event;
  if (key === "Process" || key === "Dead" || event.isComposing) return true;
  if ([...key].length !== 1 || key === " " || metaKey) return false;
  return !altKey && !ctrlKey || event.getModifierState("AltGraph") || altKey && !/^[a-z0-9]$/i.test(key);
}

const cardsIn = (event) => event.composedPath().filter((e) => /^askgate-clarifications?$/.test(e.localName));
const isNew = (cards, event) => cards.some((card) => !card._takesKeys(event));

// type moves the focus to where typed text belongs. compose opens the composer and returns its field.
export function type(event, compose) {
  const message = document.querySelector("#message"), within = cardsIn(event);
  const cards = within.length || message ? within : [...document.querySelectorAll("#question, #questions")];
  if (cards.some((card) => card.clarification?.kind === "approval")) return;
  const own = isNew(cards, event) ? null : cards.map(textField).find(Boolean);
  (own ?? message ?? compose())?.focus();
}

// typeEarly does the same for what is typed on a card that ignores keys because it has just appeared: it
// was meant for the composer. Digits are the card's.
export function typeEarly(event, compose) {
  const cards = cardsIn(event);
  if (!typed(event) || !isNew(cards, event) || /^[0-9]$/.test(event.key) && cards[0].shadowRoot.querySelector(".pick")) return;
  event.stopImmediatePropagation();
  type(event, compose);
}
