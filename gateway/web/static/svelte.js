// AskGate for Svelte: a store for a chat and one for a question without markup, by Svelte's contract of
// stores. svelte/index.js adds the component. See docs/frameworks.md.
import { ChatStore } from "./chat/store.js";
import { QuestionForm } from "./form.js";

export * from "./askgate.js";
export { QuestionForm };

// readable returns a store whose value is what a store here has; its actions are next to subscribe.
const readable = (store) => ({
  ...store.actions,
  subscribe(run) {
    run(store.get());
    return store.subscribe(() => run(store.get()));
  },
});

// useAskGate follows a chat while the store has a subscriber, such as $chat in a component.
export const useAskGate = (options) => readable(new ChatStore(options));

// useQuestion has what is chosen and typed for a question, and what changes it.
export const useQuestion = (clarification, options) => readable(new QuestionForm(clarification, options));
