// Types of vue.js.
import type { DefineComponent } from "vue";
import type { Clarification } from "./askgate.js";
import type { AskGateChatProps, AskGateOptions, ChatActions, ChatNow } from "./chat.js";
import { QuestionForm, type FormActions, type FormOptions, type FormState } from "./form.js";

export * from "./askgate.js";
export { QuestionForm };
export type { AskGateChatProps, AskGateOptions, ChatActions, ChatNow, FormActions, FormOptions, FormState };

/** Follows a chat while the component is mounted. The result is reactive: do not destructure what changes. */
export function useAskGate(options: AskGateOptions): Readonly<ChatNow> & ChatActions;

/** What is chosen and typed for a question, and what changes it. The result is reactive. */
export function useQuestion(clarification: Clarification, options?: FormOptions): Readonly<FormState> & FormActions;

/** A whole chat. */
export const AskGateChat: DefineComponent<AskGateChatProps>;
