// The whole chat as an element, <askgate-chat>: transcript, questions, and a field for messages. It is
// for pages of other sites, which cannot frame the gateway's page and pass a token. See
// docs/frameworks.md.
//
// Importing it defines the element, and those of card.js, if custom elements exist.
import "./card.js";
import { AskgateChat } from "./chat/element.js";

export { AskgateChat };

if (globalThis.customElements && !customElements.get("askgate-chat")) customElements.define("askgate-chat", AskgateChat);
