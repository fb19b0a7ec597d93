// Types of react.js, for React 19 and later: those of askgate.d.ts, the hooks, the component, and the
// elements for JSX.
import type { DetailedHTMLProps, HTMLAttributes, ReactElement } from "react";
import type { Answer, AskgateClarification, AskgateClarifications, Clarification } from "./askgate.js";
import type { AskGateChatProps, AskgateChat, AskGateOptions, ChatActions, ChatNow } from "./chat.js";
import { QuestionForm, type FormActions, type FormOptions, type FormState } from "./form.js";

export * from "./askgate.js";
export { QuestionForm };
export type { AskGateChatProps, AskGateOptions, ChatActions, ChatNow, FormActions, FormOptions, FormState };

/** Follows a chat while the component is shown. Another app, chat, base or locale is another chat. */
export function useAskGate(options: AskGateOptions): ChatNow & ChatActions;

/** What is chosen and typed for a question, and what changes it. Another question begins empty. */
export function useQuestion(clarification: Clarification, options?: FormOptions): FormState & FormActions;

/** A whole chat. */
export function AskGateChat(props: AskGateChatProps & Pick<HTMLAttributes<HTMLElement>, "id" | "className" | "style">): ReactElement;

type Settable = Partial<Pick<AskgateClarification,
  "clarification" | "state" | "answer" | "error" | "locale" | "messages" | "searchOptions" | "uploadFile" | "fileUrl" | "disabled" | "instant" | "undoTime" | "theme">>;

/** The props of <askgate-clarification>. React sets the properties of these names and listens to the events. */
export interface ClarificationProps extends DetailedHTMLProps<HTMLAttributes<AskgateClarification>, AskgateClarification>, Settable {
  /** As in an item of the reducer. */
  answeredAt?: string | null;
  /** A name. */
  answeredBy?: string | null;
  subject?: string;
  "onaskgate-answer"?: (event: CustomEvent<Answer>) => void;
  "onaskgate-draft"?: (event: CustomEvent<{ clarificationId: string; answer: Answer; draft: unknown }>) => void;
  "onaskgate-seen"?: (event: CustomEvent<{ clarificationId: string }>) => void;
}

/** The props of <askgate-clarifications>. */
export interface ClarificationsProps extends DetailedHTMLProps<HTMLAttributes<AskgateClarifications>, AskgateClarifications>,
  Partial<Pick<AskgateClarifications, "clarifications" | "error" | "locale" | "messages" | "searchOptions" | "uploadFile" | "disabled" | "instant" | "undoTime" | "theme">> {
  "onaskgate-answers"?: (event: CustomEvent<Answer[]>) => void;
  "onaskgate-answer"?: (event: CustomEvent<Answer>) => void;
  "onaskgate-draft"?: (event: CustomEvent<{ clarificationId: string; answer: Answer; draft: unknown }>) => void;
  "onaskgate-seen"?: (event: CustomEvent<{ clarificationId: string }>) => void;
}

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "askgate-clarification": ClarificationProps;
      "askgate-clarifications": ClarificationsProps;
      "askgate-chat": DetailedHTMLProps<HTMLAttributes<AskgateChat>, AskgateChat> & Partial<AskGateChatProps>;
    }
  }
}
