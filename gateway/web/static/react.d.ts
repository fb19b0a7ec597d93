// Types for React 19 and later: what askgate.d.ts has, and the card as an element of JSX.
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { Answer, AskgateClarification } from "./askgate.js";

export * from "./askgate.js";

type Settable = Partial<Pick<AskgateClarification,
  "clarification" | "state" | "answer" | "error" | "locale" | "messages" | "searchOptions" | "disabled" | "theme">>;

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

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "askgate-clarification": ClarificationProps;
    }
  }
}
