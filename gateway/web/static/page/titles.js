// What people do with a chat of the list: open the next, call it otherwise, or delete it.
import { blank } from "../card/validate.js";
import { entries, familyOfOpen } from "./branches.js";
import { placeMenu } from "./side.js";
import { text } from "./texts.js";

const drawn = (then) => requestAnimationFrame(() => requestAnimationFrame(then));

// titles are the actions of the page for that. erase asks whether the open chat is to be deleted.
export function titles(state, { change, needKey, erase }) {
  const does = {
    chatMenu(item, button) {
      state.menuOf = item;
      requestAnimationFrame(() => placeMenu(button)); // it opens by itself
    },

    rename({ chatId, family, title }) {
      state.renaming = { chatId, family, title, was: title, problem: null };
      change();
      drawn(() => {
        const field = document.querySelector("#chat-title");
        field?.focus();
        field?.select();
      });
    },

    // keepTitle takes back what was typed.
    keepTitle() {
      if (!state.renaming) return; // pressed twice, before it was drawn
      const { family } = state.renaming;
      state.renaming = null;
      change();
      drawn(() => document.getElementById(`chat-${family}`)?.focus());
    },

    // saveTitle sends it; left: the person went elsewhere.
    async saveTitle({ left = false } = {}) {
      const { renaming, chats, chat } = state;
      const title = renaming?.title.trim() ?? "";
      if (!renaming || renaming.saving || left && renaming.problem) return;
      if (blank(title) || title === renaming.was) {
        if (!left) return does.keepTitle();
        state.renaming = null;
        return change();
      }
      renaming.saving = true;
      try {
        await chats.rename(renaming, title);
        state.search.again();
        if (familyOfOpen({ chat, chats }) === renaming.family) chat.called(title);
        state.news = text("page.renamed", { title });
        if (state.renaming === renaming && !left) does.keepTitle();
        else if (state.renaming === renaming) state.renaming = null;
      } catch (problem) {
        if (problem.status === 401) return needKey(problem);
        Object.assign(renaming, { problem, saving: false });
      }
      change();
    },

    // called sets the current title of a chat.
    called({ app, chatId, title }) {
      const { chat } = state;
      if (app === chat?.app && chatId === chat.id) chat.called(title);
      if (app === state.app?.id) {
        state.chats.called(chatId, title);
        state.search.again();
      }
      change();
    },

    // step goes to the chat above (-1) or below (1) in the list.
    step(by) {
      const list = entries(state), open = familyOfOpen(state);
      const at = list.findIndex((c) => c.family === open);
      const to = at < 0 ? list[0] : list[at + by];
      if (to) location.hash = `#${state.app.id}/${to.chatId}`;
    },

    // eraseListed asks whether a chat of the list is to be deleted, which is opened for that.
    eraseListed({ chatId, family }) {
      if (familyOfOpen(state) !== family || state.inInbox) location.hash = `#${state.app.id}/${chatId}`;
      erase();
    },
  };
  return does;
}
