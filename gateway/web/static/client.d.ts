// Types of client.js: the types of askgate.js without the card.
export { Client, Inbox, Problem, earlier, initialInbox, initialState, newId, readEvents, reduce, reduceInbox } from "./askgate.js";
export type {
  AlsoAsked, Answer, Approval, Asker, Branch, By, CallProgress, ChatEvent, ChatState, Clarification, ClientOptions, Connection, Decided, Decision, EarlierAnswer, Escalated, FieldError,
  FoundOptions, GatewayOptions, InboxState, InputType, Item, KeptClarification, ListedChat, Option, ProblemFields, Question, ResultPart,
  SendOptions, State, Uploaded, Validation, Waiting, When,
} from "./askgate.js";
