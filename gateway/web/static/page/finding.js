// The actions of the search in an app's documents: see documents.js.
import { closeSide } from "./drawer.js";
import { place, rewrite, toAddress } from "./place.js";

// finding returns the actions. newChat begins a new chat.
export const finding = (state, newChat) => ({
  // findDocuments goes to a search in the first of the app's documents.
  findDocuments(q) {
    const { id, documents: [{ tool }] } = state.app;
    closeSide();
    location.hash = `#${id}/?${new URLSearchParams({ documents: tool, q })}`;
  },

  // documentsAt notes the search that is shown now.
  documentsAt(search) {
    state.inDocuments = search;
    rewrite(`#${state.app.id}/?${search}`);
  },

  // askAbout begins a message in a new chat.
  askAbout(words) {
    newChat();
    const { chat } = state;
    chat.draft = chat.draft.trim() ? `${chat.draft.trimEnd()}\n\n${words}` : words;
  },
});

// leaveDocuments removes the search from the address.
export function leaveDocuments({ app }) {
  if (place().documents !== null) toAddress(`#${app.id}`);
}
