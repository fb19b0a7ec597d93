// Types of form.js.
import type { Answer, Clarification, Option, ProblemFields, Question } from "./askgate.js";

/** What is wrong with a field of a question, as a text and by its code. */
export interface FormError {
  /** The index of the question. */
  question: number;
  field: string;
  code: string;
  params?: Record<string, unknown>;
  message: string;
}

/** One question, with what is chosen and typed. */
export interface FormField {
  readonly question: Question;
  /** false while its condition on an earlier answer is not met: do not draw it. */
  readonly asked: boolean;
  readonly options: readonly (Option & { readonly chosen: boolean })[];
  readonly text: string;
  readonly other: string;
  readonly note: string;
  /** "skipped" or "declined" if the question is closed without an answer. */
  readonly closed: "" | "skipped" | "declined";
  readonly errors: readonly FormError[];
}

export interface FormState {
  readonly clarification: Clarification;
  readonly fields: readonly FormField[];
  readonly errors: readonly FormError[];
}

/** What changes a question. question is its index in a form, 0 by default. */
export interface FormActions {
  /** Chooses an option, by its value or as a search has found it. In a multiselect, chooses it or no longer. A yes to an approval is for this call, with always for all later calls of the tool in this chat. */
  choose: (value: string | Option, options?: { question?: number; always?: boolean }) => void;
  /** Sets the text of the answer, of the own answer next to options, or of the note. */
  write: (text: string, options?: { question?: number; to?: "text" | "other" | "note" }) => void;
  skip: (options?: { question?: number }) => void;
  decline: (options?: { question?: number }) => void;
  /** Sets the JSON text that replaces the arguments of an editable approval. */
  editArguments: (json: string) => void;
  /** Sets the text that is sent as the result of an approval's call, in its place, if the approval has respond. Choosing an option drops it. */
  respond: (result: string) => void;
  /** Resolves with what answer() sends, or with null if something is invalid: see errors. */
  submit: () => Promise<Answer | null>;
  /** Shows the errors of the Problem with which the gateway refused the answer. */
  refuse: (problem: ProblemFields) => void;
}

/** A question without markup, by the rules of the card. */
export class QuestionForm implements FormActions {
  constructor(clarification: Clarification, options?: FormOptions);
  /** The same object until something changes. */
  get: () => FormState;
  subscribe: (listener: () => void) => () => void;
  choose: FormActions["choose"];
  write: FormActions["write"];
  skip: FormActions["skip"];
  decline: FormActions["decline"];
  editArguments: FormActions["editArguments"];
  respond: FormActions["respond"];
  submit: FormActions["submit"];
  refuse: FormActions["refuse"];
  readonly actions: FormActions;
}

export interface FormOptions {
  /** The language in which numbers are typed, as a BCP 47 tag. */
  locale?: string | undefined;
  /** Texts by id, as loadMessages returns them; English by default. */
  messages?: Record<string, string> | undefined;
}
