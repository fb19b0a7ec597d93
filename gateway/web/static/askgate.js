// AskGate for frontends: the card <askgate-clarification>, several of them as one form
// (<askgate-clarifications>), the client of a chat, and a reducer from its events to what there is to draw. See docs/frontend.md.
//
//   client.js ── events ──> reducer.js ── state ──> your page, or the card
//
// Importing it defines the elements, if custom elements exist.
import { AskgateClarification } from "./card/element.js";
import { AskgateClarifications } from "./card/several.js";

export { AskgateClarification, AskgateClarifications };
export { english, loadMessages } from "./card/texts.js";
export { check } from "./card/validate.js";
export { Client, newId } from "./client/client.js";
export { Problem } from "./client/problem.js";
export { Inbox, initialInbox, reduceInbox } from "./client/inbox.js";
export { earlier, initialState, reduce } from "./client/reducer.js";
export { readEvents } from "./client/sse.js";

const elements = { "askgate-clarification": AskgateClarification, "askgate-clarifications": AskgateClarifications };
for (const [name, element] of Object.entries(elements)) {
  if (globalThis.customElements && !customElements.get(name)) customElements.define(name, element);
}
