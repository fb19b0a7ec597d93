// Types for React 19 and later: what askgate.d.ts has, and the elements for JSX.
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { Answer, AskgateClarification, AskgateClarifications } from "./askgate.js";

export * from "./askgate.js";

type Settable = Partial<Pick<AskgateClarification,
  "clarification" | "state" | "answer" | "error" | "locale" | "messages" | "searchOptions" | "uploadFile" | "fileUrl" | "disabled" | "instant" | "theme">>;

/** What <askgate-clarification> takes. React sets properties of these names, and listens to the events. */
export interface ClarificationProps extends DetailedHTMLProps<HTMLAttributes<AskgateClarification>, AskgateClarification>, Settable {
  /** As an item of the reducer has it. */
  answeredAt?: string | null;
  /** A name. */
  answeredBy?: string | null;
  "onaskgate-answer"?: (event: CustomEvent<Answer>) => void;
  "onaskgate-draft"?: (event: CustomEvent<{ clarificationId: string; answer: Answer; draft: unknown }>) => void;
  "onaskgate-seen"?: (event: CustomEvent<{ clarificationId: string }>) => void;
}

/** What <askgate-clarifications> takes. */
export interface ClarificationsProps extends DetailedHTMLProps<HTMLAttributes<AskgateClarifications>, AskgateClarifications>,
  Partial<Pick<AskgateClarifications, "clarifications" | "error" | "locale" | "messages" | "searchOptions" | "uploadFile" | "disabled" | "instant" | "theme">> {
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
