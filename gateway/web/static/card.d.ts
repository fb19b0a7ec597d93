// Types of card.js: the card's types of askgate.js.
export { AskgateClarification, AskgateClarifications, check, english, loadMessages } from "./askgate.js";
export type {
  Answer, Asker, By, Clarification, Decision, EarlierAnswer, FieldError, FoundOptions, InputType, KeptClarification, Option, ProblemFields, Question, State,
  Uploaded, Validation, When,
} from "./askgate.js";
