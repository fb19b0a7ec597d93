// Types for React 19 and later: those of askgate.d.ts, and the elements for JSX.
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { Answer, AskgateClarification, AskgateClarifications } from "./askgate.js";

export * from "./askgate.js";

type Settable = Partial<Pick<AskgateClarification,
  "clarification" | "state" | "answer" | "error" | "locale" | "messages" | "searchOptions" | "uploadFile" | "fileUrl" | "disabled" | "instant" | "undoTime" | "theme">>;

/** The props of <askgate-clarification>. React sets the properties of these names and listens to the events. */
export interface ClarificationProps extends DetailedHTMLProps<HTMLAttributes<AskgateClarification>, AskgateClarification>, Settable {
  /** As in an item of the reducer. */
  answeredAt?: string | null;
  /** A name. */
  answeredBy?: string | null;
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
    }
  }
}
