// The card of AskGate, <askgate-clarification>, and several of them as one form,
// <askgate-clarifications>. See docs/frontend.md.
//
// Importing it defines the elements, if custom elements exist.
import { AskgateClarification } from "./card/element.js";
import { AskgateClarifications } from "./card/several.js";

export { AskgateClarification, AskgateClarifications };
export { english, loadMessages } from "./card/texts.js";
export { check } from "./card/validate.js";

const elements = { "askgate-clarification": AskgateClarification, "askgate-clarifications": AskgateClarifications };
for (const [name, element] of Object.entries(elements)) {
  if (globalThis.customElements && !customElements.get(name)) customElements.define(name, element);
}
