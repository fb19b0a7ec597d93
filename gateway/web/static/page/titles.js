// Titles of chats, and actions for the chats in the list: open the previous or next one, rename one, or
// delete one.
import { blank } from "../card/validate.js";
import { entries, familyOfOpen } from "./branches.js";
import { wordsOf } from "./inbox.js";
import { placeMenu } from "./side.js";
import { text } from "./texts.js";

const drawn = (then) => requestAnimationFrame(() => requestAnimationFrame(then));

// titleOf returns the title of a chat, as far as it is known.
export function titleOf({ app, chats }, chat) {
  const { items, queued } = chat.view;
  const asked = items[0]?.clarification; // if a program began the chat
  const words = (items.find((item) => item.type === "user") ?? queued[0] ?? (items[0]?.askedBy && items[0]))?.content ?? (asked && wordsOf(asked));
  const listed = chats?.items.find((c) => c.chatId === chat.id)?.title; // the list can have a title before the messages are loaded
  return chat.view.title || (chat.begun && listed?.trim().split("\n")[0]) || words?.trim().split("\n")[0].slice(0, 80) || app.name;
}

// titles returns these actions. erase asks the user whether to delete the open chat.
export function titles(state, { change, needKey, erase }) {
  const does = {
    chatMenu(item, button) {
      state.menuOf = item;
      requestAnimationFrame(() => placeMenu(button)); // popovertarget opens it
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

    // keepTitle discards the typed title.
    keepTitle() {
      if (!state.renaming) return; // a key was pressed twice before the next draw
      const { family } = state.renaming;
      state.renaming = null;
      change();
      drawn(() => document.getElementById(`chat-${family}`)?.focus());
    },

    // saveTitle saves the typed title. left means that the user has moved the focus out of the field.
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

    // step opens the chat above (-1) or below (1) in the list.
    step(by) {
      const list = entries(state), open = familyOfOpen(state);
      const at = list.findIndex((c) => c.family === open);
      const to = at < 0 ? list[0] : list[at + by];
      if (to) location.hash = `#${state.app.id}/${to.chatId}`;
    },

    // eraseListed opens a chat of the list and asks whether to delete it.
    eraseListed({ chatId, family }) {
      if (familyOfOpen(state) !== family || state.covered) location.hash = `#${state.app.id}/${chatId}`;
      erase();
    },
  };
  return does;
}
