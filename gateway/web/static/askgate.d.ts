// Types of askgate.js. docs/protocol.md explains the fields of events.

/** How a question is answered. */
export type InputType = "text" | "select" | "multiselect" | "confirm" | "number" | "date" | "datetime" | "scale" | "rank" | "file";

/** States of a clarification. All except "pending" are final. */
export type State = "pending" | "answered" | "skipped" | "declined" | "expired" | "superseded" | "cancelled" | "remembered";

export interface Option {
  label: string;
  value: string;
  description?: string;
  recommended?: boolean;
  /** Markdown that previews the option. Do not render HTML or load images from it. */
  preview?: string;
}

/** A condition on an earlier answer: the id of the earlier question, and the values that meet it. */
export interface When {
  question: string;
  is: string[];
}

/** Rules for an answer. min and max limit the length of a text, a number, a date, a time, or the number of choices; the max of a scale is its highest number. */
export interface Validation {
  pattern?: string;
  flags?: "u" | "";
  min?: number | string;
  max?: number | string;
  integer?: boolean;
  message?: string;
}

export interface Question {
  /** Identifies the question among those that are asked together: "q1" and so on, unless the asker named it. Always present in events. */
  id?: string;
  question: string;
  header?: string;
  input_type: InputType;
  options?: Option[];
  /** There are more options than listed, optionsTotal in total, which can be searched. */
  searchable?: boolean;
  optionsTotal?: number;
  allow_other: boolean;
  allow_skip: boolean;
  placeholder?: string;
  validation?: Validation;
  context?: string;
  /** The kind of secret that the question seems to ask for. Warn the user. */
  secret?: "password" | "pin" | "code" | "card" | "key" | "identity";
  /** A prefilled answer, in the form of value or values. It counts only if the user sends it. */
  default?: string | number | boolean | string[];
  /** For type scale: the names of its ends. */
  scale?: { low?: string; high?: string };
  /** For type file: accepted media types such as "image/*" and extensions such as ".csv", any if omitted; and the maximum size in bytes. */
  accept?: string[];
  maxBytes?: number;
  /** For type text: the required format. */
  format?: "email" | "uri" | "phone" | "duration";
  /** The question is asked only if this condition is met; otherwise send {skipped: true} in its place. */
  when?: When;
  /** A page that the asker wants the user to visit, http or https. */
  link?: string;
  /** A short, stable name for what is asked, the same each time. */
  key?: string;
  /** The name of the template that the question comes from. */
  template?: string;
  /** The user's earlier answer to the same question. Offer it; it counts only if the user sends it. */
  earlier?: EarlierAnswer;
  /** The answer is remembered beyond the chat: offered in later chats, or used there without asking if the answer has dontAskAgain. */
  kept?: "offered" | "unasked";
}

/** An earlier answer that is still valid for the question: value, values or other, as in an answer. */
export interface EarlierAnswer {
  value?: string | number | boolean;
  values?: string[];
  other?: string;
  label: string;
  answeredAt: string;
  /** The answer is from memory, not from this chat. */
  memory?: boolean;
}

/** Who asks, as known to the gateway. A program chooses its own title. */
export interface Asker {
  kind: "model" | "tool" | "server" | "program" | "app";
  name: string;
  title?: string;
  version?: string;
}

/** An argument of a call that waits for approval. */
export interface ArgumentField {
  name: string;
  /** Its title in the tool's parameters, otherwise its name. */
  title: string;
  /** Its value, as in argumentsText. */
  text: string;
  /** The tool's parameters do not have it. */
  unknown?: true;
}

/** Data of the event "clarification". */
export interface Clarification extends Partial<Question> {
  chatId: string;
  /** Omitted if a program asks outside of a turn. */
  turnId?: string;
  clarificationId: string;
  toolCallId: string;
  kind: "question" | "approval" | "input";
  questions: Question[];
  clarificationNumber: number;
  maxClarifications: number;
  timestamp: string;
  expiresAt: string | null;
  /** For an approval or input, and if the asker is not the assistant: the tool call that waits. */
  toolName?: string;
  arguments?: unknown;
  /** For an approval: the exact arguments as text for people, with visible escapes. */
  argumentsText?: string;
  /** For an approval: the arguments one by one; omitted if there are none. */
  argumentFields?: ArgumentField[];
  /** For an approval: identifies what would run. Send it back with the answer. */
  digest?: string;
  /** For an approval: JSON Pointers (RFC 6901) to the arguments that no one gave; omitted if there are none. */
  unfounded?: string[];
  /** For an approval: the answer may change the arguments. */
  editable?: boolean;
  /** For an approval: a yes applies to all later calls of the tool in this chat. */
  remember?: "chat";
  /** For an approval: the index of the rule that asks, -1 if none of them fits; omitted if there are no rules. */
  rule?: number;
  /** For an approval: why a person is asked, as plain text. */
  reason?: string;
  /** For an approval: the answer may be a result in place of the call. */
  respond?: boolean;
  /** For an approval: how many different holders of the role must allow the call; omitted if one is enough. */
  quorum?: number;
  /** For an approval with quorum: what they decided so far, in order. */
  decisions?: Decision[];
  /** Who asks. */
  askedBy?: Asker;
  /** The role whose holders answer; omitted if the owner of the chat answers. */
  waitsFor?: { role: string };
  /** The roles whose holders may answer, too, since the question was escalated; omitted until then. */
  alsoAsks?: AlsoAsked[];
  /** The subject whose call waits for a role. */
  requester?: string;
  /** false if others must answer, not the current user: see waitsFor. */
  mayAnswer?: false;
  /** A text that must be read to its end before any answer except no. Invisible characters appear as ⟨U+202E⟩. */
  details?: string;
  /** A warning to show before the user answers. */
  warning?: string;
  /** For a pending clarification from a snapshot or a list: the draft saved from any device. */
  draft?: unknown;
}

/** What one of several people decided about a call that all of them must allow. */
export interface Decision {
  /** The subject of the person. */
  by: string;
  at: string;
  /** Whether the person allowed the call. */
  value: boolean;
}

/** Data of the event "clarification.decided": someone has decided, and the question waits for others. */
export interface Decided {
  chatId: string;
  clarificationId: string;
  /** All decisions so far, in order. */
  decisions: Decision[];
}

/** A role that is asked in addition to the first, and since when. */
export interface AlsoAsked {
  role: string;
  at: string;
}

/** Data of the event "clarification.escalated": the holders of another role may answer, too. */
export interface Escalated {
  chatId: string;
  clarificationId: string;
  /** All such roles so far, in order. */
  alsoAsks: AlsoAsked[];
}

/** Who closed a clarification, and through which channel. More channels may follow. */
export interface By {
  subject: string;
  channel: "api" | "message" | "admin" | (string & {});
}

/** A stored clarification, as in snapshots, lists and single responses. */
export interface KeptClarification extends Clarification {
  app: string;
  state: State;
  answer: Answer | null;
  answeredAt: string | null;
  /** null while it is pending, and if no one closed it. */
  answeredBy: By | null;
  remembered?: boolean;
  approval?: Approval;
  /** When a client first reported it as shown; omitted until then. */
  seenAt?: string;
  /** In lists and single responses, while a program's question is pending: whether the asker waits for its end, or did within the last minute. Omitted until it has waited once. */
  askerWaiting?: boolean;
  /** The ids of the channels that could tell no one of the question, while it is pending. */
  notTold?: string[];
}

/** An answer in the form that POST messages accepts. */
export interface Answer {
  toolCallId?: string;
  clarificationId?: string;
  /** For an approval: the digest of what was decided. */
  digest?: string;
  value?: string | number | boolean;
  values?: string[];
  other?: string;
  note?: string;
  skipped?: boolean;
  declined?: boolean;
  /** Allows using the answer in later chats without asking, if the question has kept: "unasked". */
  dontAskAgain?: boolean;
  /** One per question, in order; {skipped: true} for a question that is not asked. */
  answers?: Answer[];
  /** In stored answers: the person has deleted the answer, and nothing else of it is left. */
  deleted?: boolean;
  /** In accepted answers: the file that value identifies. */
  file?: { name: string; type: string; size: number };
  /** In accepted answers: the chosen options that the question did not list. */
  options?: Option[];
  /** For a clarification of kind "input"; for an approval with respond and value false, a text of at most 32,000 characters in place of the call. */
  result?: unknown;
  error?: string;
  /** For an approval with remember: a yes applies to this call only. */
  once?: boolean;
  /** For an editable approval: the changed arguments, sent as the text of a JSON object so that no number is rounded. */
  arguments?: Record<string, unknown> | string;
  /** In accepted answers with arguments: their exact text, as clarification.resolved has it, for the card. */
  argumentsText?: string;
}

export interface FieldError {
  question: number;
  field: string;
  code: string;
  message: string;
  /** If several answers were sent together: the one with the error. */
  toolCallId?: string;
  clarificationId?: string;
}

/** The fields of a problem (RFC 9457). Without a response, status is 0 and code "offline". */
export interface ProblemFields {
  title?: string;
  status: number;
  code: string;
  detail?: string;
  errors?: FieldError[];
  outcome?: State;
  answer?: Answer | null;
  state?: State;
  /** With "clarification_pending", "approval_changed" and "already_decided": what waits. */
  clarification?: Clarification;
  scope?: string;
  /** With "stale_option": the question, the options that no longer exist, and the first current options. */
  question?: number;
  gone?: string[];
  options?: Option[];
  optionsTotal?: number;
  requestId?: string;
  /** Seconds. */
  retryAfter?: number;
}

/** Options that match a search; total is the number of all matches. */
export interface FoundOptions {
  items: Option[];
  total: number;
  nextCursor?: string | null;
}

/** A refused or failed request. */
export class Problem extends Error implements ProblemFields {
  constructor(fields: ProblemFields);
  title?: string;
  status: number;
  code: string;
  detail?: string;
  errors?: FieldError[];
  outcome?: State;
  answer?: Answer | null;
  state?: State;
  clarification?: Clarification;
  scope?: string;
  question?: number;
  gone?: string[];
  options?: Option[];
  optionsTotal?: number;
  requestId?: string;
  retryAfter?: number;
}

/** An event of a stream. */
export interface ChatEvent {
  id: string;
  type: string;
  data: any;
}

export interface GatewayOptions {
  /** The gateway's address; "" (default) is the page's own origin. */
  base?: string;
  /** Sent with each request, such as Authorization. */
  headers?: HeadersInit | Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
  /** Language of texts, a BCP 47 tag. */
  locale?: string;
  fetch?: typeof fetch;
}

export interface ClientOptions extends GatewayOptions {
  app: string;
  /** 1 to 64 of A-Z a-z 0-9 _ -; a new id by default. */
  chat?: string;
}

export interface SendOptions {
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** The newest event that the user had seen when they wrote this, if they wrote it before; by default, the newest that the client has. */
  lastEventId?: string;
  /** Reads the run here; the promise then resolves when the run ends. */
  onEvent?: (event: ChatEvent) => void;
}

export type Connection = "idle" | "connecting" | "online" | "offline" | "new" | "refused";

/** One chat. Every method rejects with a Problem. */
export class Client {
  constructor(options: ClientOptions);
  app: string;
  chat: string;
  base: string;
  locale: string;
  /** The id of the last event seen. Set it before follow to begin after that event. */
  lastEventId: string;
  /** Resolves when the gateway has accepted the message. Retries requests that get no response; nothing is done twice. With queue, the message waits while a turn runs or waits for a person. */
  sendMessage(message: string, options?: SendOptions & { interactive?: boolean; clarificationId?: string; files?: string[]; queue?: boolean }): Promise<void>;
  /** Uploads a file for the next message, if the app accepts files; put its fileId into the message's files. The chat need not exist yet. onProgress gets the share sent so far, from 0 to 1. */
  attach(file: File | Blob, options?: { signal?: AbortSignal; onProgress?: (part: number) => void }): Promise<Uploaded>;
  /** Deletes an uploaded file that no message has used. */
  discard(fileId: string): Promise<void>;
  /** The URL of a file that belongs to a message, or was uploaded for one. It needs the same cookie or headers as other requests. */
  attachmentUrl(fileId: string): string;
  /** Sends an answer in the same way. */
  answer(answer: Answer, options?: SendOptions): Promise<void>;
  /** Sends several answers, each with the id of its question. The gateway accepts all of them or none. */
  answers(answers: Answer[], options?: SendOptions): Promise<void>;
  /** Continues a turn that was ended by an error, a stop or a limit (state.resumable), in the same way. */
  resume(options?: SendOptions): Promise<void>;
  /**
   * Begins a new chat that copies this one up to a point and continues differently: with another
   * message, the same message again, or another answer. Resolves with the id of the new chat when
   * the gateway has accepted the request. This chat does not change; with stop, its running turn is
   * stopped first.
   */
  fork(point: ({ messageId: string; message?: string } | { clarificationId: string; answer: Answer }) & { newChatId?: string; stop?: boolean },
    options?: Omit<SendOptions, "onEvent">): Promise<string>;
  /** Calls onEvent for each event, starting with a snapshot, until the returned function is called. */
  follow(onEvent: (event: ChatEvent) => void, options?: { onConnection?: (connection: Connection, problem?: Problem) => void }): () => void;
  /** Searches the options of a pending, searchable question, up to 100 at a time. */
  searchOptions(clarificationId: string, query: string, options?: { question?: number; limit?: number; cursor?: string; closed?: boolean; signal?: AbortSignal }): Promise<FoundOptions>;
  /** Stores a draft with an open question, for the user's other devices: any JSON up to 16 KiB; null removes it. */
  saveDraft(clarificationId: string, draft: unknown, options?: { signal?: AbortSignal; keepalive?: boolean }): Promise<void>;
  /** Uploads a file for an open question of type file; its fileId is the value of the answer. */
  upload(clarificationId: string, file: File | Blob, options?: { signal?: AbortSignal }): Promise<Uploaded>;
  /** The URL of a file that answered a question. It needs the same cookie or headers as other requests. */
  fileUrl(clarificationId: string, fileId: string): string;
  /** Deletes the user's answer to a closed question, wherever it stands. It rejects with the code "not_deletable" for an approval, and for a question that has no answer. */
  deleteAnswer(clarificationId: string): Promise<void>;
  /** Reports that a pending question was shown to the person whom it asks: the detail of "askgate-seen". */
  seen(clarificationId: string): Promise<void>;
  /** Cancels the running turn. */
  stop(): Promise<void>;
  /** The messages that wait, in order. */
  queued(): Promise<QueuedMessage[]>;
  /** Takes back a message that waits. It rejects with the code "already_begun" once its turn has begun, and with "not_found" if nothing waits under that id. */
  takeBack(messageId: string): Promise<void>;
  /** Stops the running turn, or closes the questions it waits for, and sends a message that waits. It rejects as takeBack does. */
  sendNow(messageId: string): Promise<void>;
  /** Withdraws a remembered approval: each call of the tool needs approval again. */
  revoke(tool: string): Promise<void>;
  /** The stored chat with its newest messages, at most 200; with before, those before that message. */
  snapshot(options?: { messages?: number; before?: string }): Promise<any>;
  /** Sets the title of the chat, up to 100 characters; with branches, also of all its branches. Resolves with the chat as lists have it. */
  rename(title: string, options?: { branches?: boolean }): Promise<ListedChat>;
  /**
   * The user's chats in the client's app, newest first; with q, those that contain all of its words.
   * A page may then be empty although more follow: continue until nextCursor is null. With fold
   * "branches", a chat and all its branches are one entry.
   */
  chats(options?: { q?: string; fold?: "branches"; limit?: number; cursor?: string; signal?: AbortSignal }): Promise<{ items: ListedChat[]; nextCursor: string | null }>;
  /** Deletes the chat and everything stored about it; with branches, also all its branches. */
  erase(options?: { branches?: boolean }): Promise<void>;
}

/** A chat in a list. */
export interface ListedChat {
  chatId: string;
  /** The title that was set, otherwise the beginning of the first message. */
  title: string;
  createdAt: string;
  updatedAt: string;
  forkedFrom?: { chatId: string; messageId?: string; clarificationId?: string };
  /** Of a branch: the id of the first chat of its family. */
  root?: string;
  /** When the person last began, answered or resumed a turn. */
  writtenAt?: string;
  /** With fold: how many branches there are, with the first chat. */
  branches?: number;
  /** With fold: how many questions wait for the user in all branches. */
  pending?: number;
  /** With fold: the ids of these questions, at most 10, those of this branch first. */
  clarificationIds?: string[];
  /** In search results: an excerpt of the text, in parts; those with match are the words searched for. Omitted if only the title matches. */
  snippet?: { text: string; match?: boolean }[];
  /** The question that the snippet is from. Omitted if it is from a message. */
  clarificationId?: string;
}

/** One of the branches of a chat, or the chat itself. */
export interface Branch {
  chatId: string;
  createdAt: string;
  /** When the person last began, answered or resumed a turn. */
  writtenAt?: string;
  forkedFrom?: { chatId: string; messageId?: string; clarificationId?: string };
  /** What replaces the point in forkedFrom: the id of its message, or of the call that asked the question. */
  branchPoint?: string;
}

/** An uploaded file. */
export interface Uploaded {
  fileId: string;
  name: string;
  type: string;
  size: number;
}

/** All questions that wait for a person, in any app and chat. Every method rejects with a Problem. */
export class Inbox {
  constructor(options?: GatewayOptions);
  base: string;
  locale: string;
  /** The id of the last event seen. Set it before follow to begin after that event. */
  lastEventId: string;
  /** Calls onEvent for each event, starting with a snapshot, until the returned function is called. */
  follow(onEvent: (event: ChatEvent) => void, options?: { onConnection?: (connection: Connection, problem?: Problem) => void }): () => void;
  /** Answers a question with the detail of "askgate-answer". A turn that waits for it continues automatically. Resolves with the pending question, and its decisions, if others must allow a call as well. */
  answer(answer: Answer): Promise<KeptClarification>;
  /** Searches the options of a pending, searchable question. */
  searchOptions(clarificationId: string, query: string, options?: { question?: number; limit?: number; cursor?: string; signal?: AbortSignal }): Promise<FoundOptions>;
  /** Uploads a file for an open question of type file; its fileId is the value of the answer. */
  upload(clarificationId: string, file: File | Blob, options?: { signal?: AbortSignal }): Promise<Uploaded>;
  /** The URL of a file that answered a question. It needs the same cookie or headers as other requests. */
  fileUrl(clarificationId: string, fileId: string): string;
  /** Deletes the user's answer to a closed question, wherever it stands. It rejects with the code "not_deletable" for an approval, and for a question that has no answer. */
  deleteAnswer(clarificationId: string): Promise<void>;
  /** Reports that a pending question was shown to the person whom it asks. */
  seen(clarificationId: string): Promise<void>;
}

/** A clarification of any app and chat, as an Inbox reports it. */
export type Waiting = Clarification & Partial<KeptClarification> & { app: string };

export interface InboxState {
  /** Open questions, in the order in which they were asked. */
  readonly pending: readonly Waiting[];
  /** Questions that were pending here and are closed, newest first, up to 50. */
  readonly closed: readonly Waiting[];
  /** There are more open questions than in pending. */
  readonly hasMore: boolean;
  readonly lastEventId: string;
}

export const initialInbox: InboxState;

/** Returns the state after an event of an Inbox. Pure. */
export function reduceInbox(state: InboxState, event: ChatEvent): InboxState;

/** Returns an unguessable id for a chat or an idempotency key. */
export function newId(): string;

/**
 * A part of a tool's result in addition to its text, as sent by an MCP server. Check addresses and
 * types before you use them. data (in a resource: blob) contains small content in base64; url is the
 * address of the content at the gateway, omitted if it is not stored.
 */
export interface ResultPart {
  type: "text" | "image" | "audio" | "resource_link" | "resource";
  text?: string;
  mimeType?: string;
  data?: string;
  url?: string;
  size?: number;
  uri?: string;
  name?: string;
  title?: string;
  description?: string;
  resource?: { uri?: string; mimeType?: string; text?: string; blob?: string };
  [field: string]: unknown;
}

/** A person's decision about a tool call. */
export interface Approval {
  /** "responded": the person gave the result, and the call was not made. */
  outcome: "allowed" | "refused" | "responded";
  by: string;
  at: string;
  digest?: string;
}

/** Progress of a running tool call, as its server reports it; message is plain text. */
export interface CallProgress {
  progress: number;
  /** The final value of progress; omitted if the server does not know it. */
  total?: number;
  message?: string;
}

export type Item = { key: string } & (
  | { type: "user"; content: string; files?: Uploaded[] }
  | { type: "assistant" | "thinking"; content: string; open: boolean; askedBy?: Asker }
  | { type: "tool"; toolCallId: string; toolName: string; arguments: any; argumentsText?: string; argumentFields?: ArgumentField[]; edited?: true; approval?: Approval; decisions?: readonly Decision[]; result?: string; error?: { code: string; message: string }; content?: ResultPart[]; open: boolean; progress?: CallProgress }
  | { type: "clarification"; clarification: Clarification; state: State; answer: Answer | string | null; answeredAt: string | null; answeredBy: By | null; call?: { arguments: any; argumentsText?: string; approval?: Approval } }
  | { type: "notice"; code: "length" | "content_filter" | "max_steps" | "cancelled" }
  | { type: "error"; code: string; message: string; retryable: boolean; retryAfter?: number; resumable?: false }
  | { type: "damaged"; event: string }
);

/** A message that waits for the end of a turn. Its id will be that of the message. */
export interface QueuedMessage {
  id: string;
  content: string;
  createdAt: string;
  files?: Uploaded[];
}

/** The state of a chat, to be drawn. */
export interface ChatState {
  readonly chatId: string;
  readonly status: "idle" | "running" | "awaiting_input";
  /** The transcript, oldest first. Unchanged items are the same objects as before. */
  readonly items: readonly Item[];
  /** The open clarifications, in order. */
  readonly pending: readonly Clarification[];
  /** Messages that wait for the end of the turn, in order. From snapshots, and from "chat.queue" events with what Client.queued returned. */
  readonly queued: readonly QueuedMessage[];
  /** Tools that need no more approval in this chat. Only a snapshot shows that an approval was revoked elsewhere. */
  readonly approvals: readonly string[];
  readonly clarifications: { readonly used: number; readonly max: number };
  /** The title set by a person or the model, "" if there is none. From snapshots; later titles come as "chat.title" events of an Inbox, which reduce accepts, too. */
  readonly title: string;
  /** Where the chat branches off from another, null if it does not. */
  readonly forkedFrom: { readonly chatId: string; readonly messageId?: string; readonly clarificationId?: string } | null;
  /** Of a branch: the id of the first chat of its family; otherwise "". */
  readonly root: string;
  /** All chats of the family, oldest first; empty if there is only one. From snapshots. */
  readonly branches: readonly Branch[];
  /** Of the last run of a turn. Questions and messages from programs do not change it. */
  readonly finishReason: string;
  readonly usage: { inputTokens: number; outputTokens: number; cachedInputTokens?: number; reasoningTokens?: number } | null;
  /** The turn ended without a complete answer: resume() continues it. */
  readonly resumable: boolean;
  /** The text of the last step was discarded and begins again. */
  readonly restarted: boolean;
  readonly lastEventId: string;
  /** There are older messages: get them with snapshot({ before: state.oldest }) and add them with earlier. */
  readonly hasMore: boolean;
  /** How many older messages there are. */
  readonly older: number;
  readonly oldest: string;
}

export const initialState: ChatState;

/** Returns the state after an event. Pure. */
export function reduce(state: ChatState, event: ChatEvent): ChatState;

/** Returns the state with older messages added, from a snapshot before state.oldest. Pure. */
export function earlier(state: ChatState, snapshot: any): ChatState;

/** Reads server-sent events from the body of a response. */
export function readEvents(body: ReadableStream<Uint8Array>, onBytes?: () => void): AsyncGenerator<ChatEvent | { retry: number }>;

/** Checks an answer by the gateway's rules. maxAnswer is the maximum length of a text answer in code points, 4000 by default. */
export function check(questions: Question[], answer: Answer, maxAnswer?: number): {
  answer: Answer;
  errors: { question: number; field: string; code: string; params: Record<string, unknown>; message?: string }[];
};

/** The card's texts in English, by id. */
export const english: Record<string, string>;

/**
 * Loads the texts of a language from the gateway, before the first card needs them. Set base to the
 * gateway's address if this module was not loaded from the gateway; later texts come from there, too.
 */
export function loadMessages(locale: string, base?: string): Promise<Record<string, string>>;

/** Draws a clarification and collects the answer. */
export class AskgateClarification extends HTMLElement {
  /** Data of the event "clarification". */
  clarification: Clarification | null;
  /** "pending" by default; a final state folds the card. */
  state: State | "sending";
  /** The answer, for a final state: as in the protocol, or a text. */
  answer: Answer | string | null;
  /** An ISO time and a name, shown in a final state. */
  answeredAt: string;
  answeredBy: string;
  /** The subject of the user: a card of an approval with quorum then knows whether they have allowed the call. */
  subject: string;
  /** The problem of the refused POST. The card explains 422, 409 and 410. */
  error: ProblemFields | null;
  /** A BCP 47 tag; by default that of the nearest lang attribute, otherwise the browser's. */
  locale: string;
  /** Your own texts by id, which override those of the language. */
  messages: Record<string, string> | null;
  /** Searches options while the user types, if a question is searchable. Without it, only the options in the question are offered. */
  searchOptions: ((query: string, options: { question: number; signal: AbortSignal }) => Promise<FoundOptions>) | null;
  /** Uploads the file that answers a question, such as upload of a Client or an Inbox. Without it, the card of such a question says that it must be answered elsewhere. */
  uploadFile: ((clarificationId: string, file: File, options: { signal: AbortSignal }) => Promise<Uploaded>) | null;
  /** Returns the URL of an answer's file, to which a closed card then links. */
  fileUrl: ((clarificationId: string, fileId: string) => string) | null;
  disabled: boolean;
  /** One click answers a question with a single choice. It can be undone for undoTime, and is then sent. */
  instant: boolean;
  /** How long a one-click answer can be undone, in milliseconds: 0 to 600,000. Other values count as 1,200, the default. */
  undoTime: number;
  /** "light", "dark", "inherit" (the page's color-scheme); "" follows the system. */
  theme: string;
}

/** Draws the open questions of a step as the pages of a form. */
export class AskgateClarifications extends HTMLElement {
  /** Data of the events "clarification", in order. The page of a clarification that is removed disappears. */
  clarifications: Clarification[];
  /** The problem of the refused POST. */
  error: ProblemFields | null;
  locale: string;
  messages: Record<string, string> | null;
  /** Searches the options of a searchable question, such as searchOptions of a Client. */
  searchOptions: ((clarificationId: string, query: string, options: { question: number; signal: AbortSignal }) => Promise<FoundOptions>) | null;
  /** Uploads the file that answers a question, such as upload of a Client or an Inbox. Without it, the card of such a question says that it must be answered elsewhere. */
  uploadFile: ((clarificationId: string, file: File, options: { signal: AbortSignal }) => Promise<Uploaded>) | null;
  disabled: boolean;
  /** As for the card. A form goes on to its next question after a choice that one click would answer. */
  instant: boolean;
  /** As for the card, for a single question. */
  undoTime: number;
  theme: string;
}

declare global {
  interface HTMLElementTagNameMap {
    "askgate-clarification": AskgateClarification;
    "askgate-clarifications": AskgateClarifications;
  }
  interface HTMLElementEventMap {
    "askgate-answer": CustomEvent<Answer>;
    "askgate-answers": CustomEvent<Answer[]>;
    "askgate-draft": CustomEvent<{ clarificationId: string; answer: Answer; draft: unknown }>;
    "askgate-seen": CustomEvent<{ clarificationId: string }>;
  }
}
