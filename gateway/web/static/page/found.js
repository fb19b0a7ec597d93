// Leads from a search result to its question in the chat, which may be far up in the transcript.
import { focusDock } from "./composer.js";

let sought = null; // {chat, id}: the question that is not in view yet

// seek makes look go to a question of the chat, "" for none.
export function seek(chat, id) {
  sought = id ? { chat, id } : null;
}

// look is called after each draw. It loads older messages until the question is drawn, and brings it
// into view.
export function look(state) {
  const { chat, transcript } = state;
  if (sought && sought.chat !== chat) sought = null;
  if (!sought || !transcript || !chat.view.chatId) return;
  const now = sought, { id } = now, { pending, hasMore } = chat.view;
  const card = [...document.querySelectorAll(".transcript askgate-clarification")].find((c) => c.clarification?.clarificationId === id);
  if (!card && hasMore && !pending.some((c) => c.clarificationId === id)) {
    return void chat.earlier().then((loaded) => { if (!loaded && sought === now) sought = null; }); // otherwise each draw would try again
  }
  sought = null;
  if (!card) return focusDock();
  state.pinned = false; // otherwise the page would follow the end
  card.scrollIntoView({ block: "center" });
  card.focus();
}
