// Answers that one click chose here, and that were not sent because their question was closed first: by
// another device, by a program, or because its time ran out.
import { dropChosen } from "../card/instant.js";
import { text } from "./texts.js";

// noteUnsent drops such answers. open are the questions that were open before the last event; the cards
// of those that are closed now say so.
export function noteUnsent({ view, refused }, open) {
  for (const { clarificationId: id } of open) {
    if (view.pending.some((c) => c.clarificationId === id) || !dropChosen(id)) continue;
    const { state = "cancelled", answer = null } = view.items.find((item) => item.clarification?.clarificationId === id) ?? {};
    const taken = ["answered", "skipped", "declined"].includes(state); // by someone else, of which the page has news
    refused.set(id, { code: taken ? "already_answered" : "clarification_closed", state, answer, unsent: true });
    if (!taken) dispatchEvent(new CustomEvent("page-news", { detail: text("card.closed_first") }));
  }
}
