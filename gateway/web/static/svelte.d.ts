// Types of svelte.js and svelte/index.js.
import type { Component } from "svelte";
import type { Readable } from "svelte/store";
import type { Clarification } from "./askgate.js";
import type { AskGateChatProps, AskGateOptions, ChatActions, ChatNow } from "./chat.js";
import { QuestionForm, type FormActions, type FormOptions, type FormState } from "./form.js";

export * from "./askgate.js";
export { QuestionForm };
export type { AskGateChatProps, AskGateOptions, ChatActions, ChatNow, FormActions, FormOptions, FormState };

/** A store that follows a chat while it has a subscriber, such as $chat in a component. */
export function useAskGate(options: AskGateOptions): Readable<ChatNow> & ChatActions;

/** A store of what is chosen and typed for a question, and what changes it. */
export function useQuestion(clarification: Clarification, options?: FormOptions): Readable<FormState> & FormActions;

/** A whole chat. It is there where Svelte's plugin of the bundler is. */
export const AskGateChat: Component<AskGateChatProps>;
