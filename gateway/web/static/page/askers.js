// Whether the programs that ask still wait for the answers. No event says so: the page looks from time to
// time, while it is in view and a program's question waits.
import { reduceInbox } from "../client/inbox.js";
import { ofProgram } from "./chat.js";
import { isForMe } from "./inbox.js";
import { loadWaiting } from "./lists.js";

const pause = 10_000; // ms

// followAskers keeps askerWaiting of the questions in the inbox and in the open chat.
export function followAskers(state, change) {
  const look = async () => {
    if (document.hidden || !state.inbox.pending.some(ofProgram)) return;
    const { data } = await loadWaiting().catch(() => ({ data: { pending: [] } })); // the next look may succeed
    for (const { clarificationId, askerWaiting } of data.pending.filter(ofProgram)) {
      const event = { type: "clarification.asker", data: { clarificationId, askerWaiting } };
      state.inbox = reduceInbox(state.inbox, event);
      state.chat?.reduce(event);
    }
    state.waiting = state.inbox.pending.filter(isForMe);
    change();
  };
  setInterval(look, pause);
  document.addEventListener("visibilitychange", look);
}
