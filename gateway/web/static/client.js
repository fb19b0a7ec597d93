// AskGate for frontends, without the card: a client for one chat, a reducer that turns its events into
// state to draw, and the same two for all questions that wait for a person. It does not use the
// document, so it also runs in workers and Node.js. See docs/frontend.md.
export { Client, newId } from "./client/client.js";
export { Problem } from "./client/problem.js";
export { Inbox, initialInbox, reduceInbox } from "./client/inbox.js";
export { earlier, initialState, reduce } from "./client/reducer.js";
export { readEvents } from "./client/sse.js";
