// AskGate for frontends: the card <askgate-clarification>, the client of a chat,
// and a reducer from its events to what there is to draw. See docs/frontend.md.
//
//   client.js ── events ──> reducer.js ── state ──> your page, or the card
//
// Importing it defines the element, if custom elements exist.
import { AskgateClarification } from "./card/element.js";

export { AskgateClarification };
export { english, loadMessages } from "./card/texts.js";
export { check } from "./card/validate.js";
export { Client, newId } from "./client/client.js";
export { Problem } from "./client/problem.js";
export { Inbox, initialInbox, reduceInbox } from "./client/inbox.js";
export { earlier, initialState, reduce } from "./client/reducer.js";
export { readEvents } from "./client/sse.js";

if (globalThis.customElements && !customElements.get("askgate-clarification")) {
  customElements.define("askgate-clarification", AskgateClarification);
}
