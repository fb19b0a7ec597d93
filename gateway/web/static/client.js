// AskGate for frontends, without the card: the client of a chat, a reducer from its events to
// what there is to draw, and both for everything that waits for a person. It uses no document,
// so it also runs in workers and Node.js. See docs/frontend.md.
export { Client, newId } from "./client/client.js";
export { Problem } from "./client/problem.js";
export { Inbox, initialInbox, reduceInbox } from "./client/inbox.js";
export { earlier, initialState, reduce } from "./client/reducer.js";
export { readEvents } from "./client/sse.js";
