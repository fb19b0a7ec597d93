// AskGate for frontends, in one module: the card and the client with its reducer. See docs/frontend.md.
//
//   client.js ── events ──> reducer ── state ──> your page, or card.js
//
// Importing it defines the elements, if custom elements exist.
export * from "./card.js";
export * from "./client.js";
