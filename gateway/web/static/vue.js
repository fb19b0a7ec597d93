// AskGate for Vue 3: a composable for a chat, one for a question without markup, and the whole chat as
// a component. See docs/frameworks.md.
import { defineComponent, getCurrentInstance, getCurrentScope, h, onMounted, onScopeDispose, shallowReactive } from "vue";
import "./chat.js";
import { ChatStore } from "./chat/store.js";
import { QuestionForm } from "./form.js";

export * from "./askgate.js";
export { QuestionForm };

// use returns a reactive copy of what a store has, with its actions, until the scope ends.
function use(store) {
  const now = shallowReactive({ ...store.get(), ...store.actions });
  let end = () => {};
  const begin = () => { end = store.subscribe(() => Object.assign(now, store.get())); };
  if (getCurrentInstance()) onMounted(begin); // not on a server
  else begin();
  if (getCurrentScope()) onScopeDispose(() => end());
  return now;
}

// useAskGate follows a chat while the component is mounted. For another chat, give the component
// another key.
export const useAskGate = (options) => use(new ChatStore(options));

// useQuestion has what is chosen and typed for a question, and what changes it. For another question,
// give the component another key.
export const useQuestion = (clarification, options) => use(new QuestionForm(clarification, options));

const names = ["app", "chat", "base", "headers", "locale", "theme"];

// AskGateChat is <askgate-chat>, of which the template compiler need not know.
export const AskGateChat = defineComponent({
  name: "AskGateChat",
  props: { app: { type: String, required: true }, chat: String, base: String, headers: [Object, Function], locale: String, theme: String },
  setup: (props) => () => h("askgate-chat", Object.fromEntries(names.filter((name) => props[name] !== undefined).map((name) => [`.${name}`, props[name]]))),
});
