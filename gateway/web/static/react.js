// AskGate for React 19 and later: all of askgate.js, a hook for a chat, one for a question without
// markup, and the whole chat as a component. See docs/frameworks.md.
import { createElement, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import "./chat.js";
import { ChatStore } from "./chat/store.js";
import { newId } from "./client/client.js";
import { QuestionForm } from "./form.js";

export * from "./askgate.js";
export { QuestionForm };

// useAskGate follows a chat while the component is shown. Another app, chat, base or locale is another
// chat; headers may be another object or function each time.
export function useAskGate({ app, chat, base, headers, locale }) {
  const [own] = useState(newId);
  const latest = useRef(headers);
  useEffect(() => { latest.current = headers; });
  const store = useMemo(() => new ChatStore({
    app, chat: chat ?? own, base, locale, headers: () => (typeof latest.current === "function" ? latest.current() : latest.current ?? {}),
  }), [app, chat, own, base, locale]);
  const now = useSyncExternalStore(store.subscribe, store.get, store.get);
  return useMemo(() => ({ ...now, ...store.actions }), [now, store]);
}

// useQuestion has what is chosen and typed for a question, and what changes it. Another
// question begins empty.
export function useQuestion(clarification, { locale, messages } = {}) {
  const form = useMemo(() => new QuestionForm(clarification, { locale, messages }), [clarification.clarificationId, locale, messages]);
  const now = useSyncExternalStore(form.subscribe, form.get, form.get);
  return useMemo(() => ({ ...now, ...form.actions }), [now, form]);
}

// AskGateChat is <askgate-chat> with typed props.
export function AskGateChat(props) {
  return createElement("askgate-chat", props);
}
