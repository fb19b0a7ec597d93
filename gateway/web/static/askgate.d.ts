// Types of askgate.js. The fields of events are explained in docs/protocol.md.

/** How a question is answered. */
export type InputType = "text" | "select" | "multiselect" | "confirm" | "number" | "date" | "file";

/** States of a clarification; everything but "pending" is final. */
export type State = "pending" | "answered" | "skipped" | "declined" | "expired" | "superseded" | "cancelled" | "remembered";

export interface Option {
  label: string;
  value: string;
  description?: string;
  recommended?: boolean;
  /** Markdown that shows what the option stands for: never its HTML, never its pictures. */
  preview?: string;
}

/** On which answer a question hangs: the id of an earlier one, and the values that it may have. */
export interface When {
  question: string;
  is: string[];
}

/** Rules for an answer. min and max: length of a text, bounds of a number or date, how many choices. */
export interface Validation {
  pattern?: string;
  flags?: "u" | "";
  min?: number | string;
  max?: number | string;
  integer?: boolean;
  message?: string;
}

export interface Question {
  /** Names the question among those that are asked together: "q1" and so on, unless the asker named it. Events always have it. */
  id?: string;
  question: string;
  header?: string;
  input_type: InputType;
  options?: Option[];
  /** There are more options than these: optionsTotal in all, to be searched for. */
  searchable?: boolean;
  optionsTotal?: number;
  allow_other: boolean;
  allow_skip: boolean;
  placeholder?: string;
  validation?: Validation;
  context?: string;
  /** The kind of secret that this seems to ask for: warn the reader. */
  secret?: "password" | "pin" | "code" | "card" | "key" | "identity";
  /** Offered as the answer, as an answer sends it (value or values): it counts only if the reader sends it. */
  default?: string | number | boolean | string[];
  /** Of a file: media types such as "image/*" and extensions such as ".csv", any if left out; and its bytes at most. */
  accept?: string[];
  maxBytes?: number;
  /** Of a text: what it must be. */
  format?: "email" | "uri" | "phone" | "duration";
  /** The question is asked only where this holds; else its place in the answers takes {skipped: true}. */
  when?: When;
  /** A page that the asker wants visited, http or https. */
  link?: string;
  /** A short stable name of what is asked, the same whenever it is asked for. */
  key?: string;
  /** The name of the template that it was made from. */
  template?: string;
  /** What the reader answered to the same before: offer it, it counts only if the reader sends it. */
  earlier?: EarlierAnswer;
  /** The answer is kept of the person beyond the chat: offered in later ones, or used there unasked if it says dontAskAgain. */
  kept?: "offered" | "unasked";
}

/** An answer from before the question was asked, that fits it still: value, values or other as an answer has them. */
export interface EarlierAnswer {
  value?: string | number | boolean;
  values?: string[];
  other?: string;
  label: string;
  answeredAt: string;
  /** From what is remembered of the reader, and not from this chat. */
  memory?: boolean;
}

/** Who asks, as the gateway knows it. A program chose its own title. */
export interface Asker {
  kind: "model" | "tool" | "server" | "program" | "app";
  name: string;
  title?: string;
  version?: string;
}

/** Data of the event "clarification". */
export interface Clarification extends Partial<Question> {
  chatId: string;
  /** Left out where a program asks, without a turn. */
  turnId?: string;
  clarificationId: string;
  toolCallId: string;
  kind: "question" | "approval" | "input";
  questions: Question[];
  clarificationNumber: number;
  maxClarifications: number;
  timestamp: string;
  expiresAt: string | null;
  /** Of an approval or input, and if someone other than the assistant asks: the call that waits. */
  toolName?: string;
  arguments?: unknown;
  /** Of an approval: the arguments for people to read: exact, with visible escapes. */
  argumentsText?: string;
  /** Of an approval, where the tool's parameters have titles: the arguments one by one. */
  argumentFields?: { name: string; title: string; text: string }[];
  /** Of an approval: identifies what would run; goes back with the answer. */
  digest?: string;
  /** Of an approval: JSON Pointers (RFC 6901) to the arguments that nobody gave; left out if there are none. */
  unfounded?: string[];
  /** Of an approval: the answer may have other arguments. */
  editable?: boolean;
  /** Of an approval: a yes counts for all later calls of the tool in this chat. */
  remember?: "chat";
  /** Who asks. */
  askedBy?: Asker;
  /** Whose holders answer it; left out where the owner of the chat does. */
  waitsFor?: { role: string };
  /** Whose call waits for a role: a subject. */
  requester?: string;
  /** false where the reader may not answer, but others: see waitsFor. */
  mayAnswer?: false;
  /** A text to be read to its end before the answer may be anything but no; what cannot be seen stands there as ⟨U+202E⟩. */
  details?: string;
  /** What the reader should be told before answering. */
  warning?: string;
  /** Of a pending one from a snapshot or a list: what was typed on some device, as it was saved. */
  draft?: unknown;
}

/** Who closed a clarification, and by what way; there will be more channels. */
export interface By {
  subject: string;
  channel: "api" | "message" | "admin" | (string & {});
}

/** A clarification as it is stored: in snapshots, in lists, and alone. */
export interface KeptClarification extends Clarification {
  app: string;
  state: State;
  answer: Answer | null;
  answeredAt: string | null;
  /** null while it is pending, and where nobody closed it. */
  answeredBy: By | null;
  remembered?: boolean;
  approval?: Approval;
  /** When a screen first showed it; left out while none has said so. */
  seenAt?: string;
}

/** An answer, as POST messages accepts it. */
export interface Answer {
  toolCallId?: string;
  clarificationId?: string;
  /** Of an approval: that of what was decided about. */
  digest?: string;
  value?: string | number | boolean;
  values?: string[];
  other?: string;
  note?: string;
  skipped?: boolean;
  declined?: boolean;
  /** The answer may be used without asking in later chats, where its part is kept "unasked". */
  dontAskAgain?: boolean;
  /** One per question in order; {skipped: true} to one that is not asked. */
  answers?: Answer[];
  /** Of an accepted answer: what is known of the file that value names. */
  file?: { name: string; type: string; size: number };
  /** Of an accepted answer: the chosen options that the question did not list. */
  options?: Option[];
  /** Of a clarification of kind "input". */
  result?: unknown;
  error?: string;
  /** Of an approval that says remember: a yes is for this call alone. */
  once?: boolean;
  /** Of an approval that is editable: the call's arguments, changed; sent as the text of a JSON object, so that no number is rounded. */
  arguments?: Record<string, unknown> | string;
}

export interface FieldError {
  question: number;
  field: string;
  code: string;
  message: string;
  /** Where several answers were sent together: which one this is about. */
  toolCallId?: string;
  clarificationId?: string;
}

/** The fields of a problem (RFC 9457). status 0, code "offline": no response came. */
export interface ProblemFields {
  title?: string;
  status: number;
  code: string;
  detail?: string;
  errors?: FieldError[];
  outcome?: State;
  answer?: Answer | null;
  state?: State;
  /** Of "clarification_pending" and "approval_changed": what waits. */
  clarification?: Clarification;
  scope?: string;
  /** Of "stale_option": which question it is about, what is gone, and the first options that there are now. */
  question?: number;
  gone?: string[];
  options?: Option[];
  optionsTotal?: number;
  requestId?: string;
  /** Seconds. */
  retryAfter?: number;
}

/** Options that fit a search: total in all. */
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
  /** Reads the run here: the promise then resolves at its end. */
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
  /** The last event seen. Set before follow, it says where to begin. */
  lastEventId: string;
  /** Resolves when the gateway has accepted the message. Repeats requests without a response, without doing anything twice. */
  sendMessage(message: string, options?: SendOptions & { interactive?: boolean; clarificationId?: string; files?: string[] }): Promise<void>;
  /** Sends a file for the next message, where the app takes any; the chat need not have begun. Its fileId is one of the message's files. onProgress is told how much is sent, from 0 to 1. */
  attach(file: File | Blob, options?: { signal?: AbortSignal; onProgress?: (part: number) => void }): Promise<Uploaded>;
  /** Deletes a file that was sent for a message, and came with none. */
  discard(fileId: string): Promise<void>;
  /** Where a file is to be had that came with a message, or is to, by the same cookie or headers as everything else. */
  attachmentUrl(fileId: string): string;
  /** Sends an answer in the same way. */
  answer(answer: Answer, options?: SendOptions): Promise<void>;
  /** Sends several answers, each of which names its question; they are taken together or not at all. */
  answers(answers: Answer[], options?: SendOptions): Promise<void>;
  /** Goes on with a turn that an error, a stop or a limit ended (state.resumable), in the same way. */
  resume(options?: SendOptions): Promise<void>;
  /**
   * Begins a new chat with what this one has before a point, and goes on there: with another
   * message, the same again, or another answer. Resolves with the id of that chat when the
   * gateway has accepted it; this chat stays as it is.
   */
  fork(point: ({ messageId: string; message?: string } | { clarificationId: string; answer: Answer }) & { newChatId?: string },
    options?: Omit<SendOptions, "onEvent">): Promise<string>;
  /** Reports what happens, from a snapshot on, until the returned function is called. */
  follow(onEvent: (event: ChatEvent) => void, options?: { onConnection?: (connection: Connection, problem?: Problem) => void }): () => void;
  /** Finds options of a pending question that is searchable, up to 100 at a time. */
  searchOptions(clarificationId: string, query: string, options?: { question?: number; limit?: number; cursor?: string; closed?: boolean; signal?: AbortSignal }): Promise<FoundOptions>;
  /** Keeps what was typed so far with an open question, for the person's other devices: any JSON up to 16 KiB, null removes it. */
  saveDraft(clarificationId: string, draft: unknown, options?: { signal?: AbortSignal; keepalive?: boolean }): Promise<void>;
  /** Sends a file for an open question that takes one; its fileId is the value of the answer. */
  upload(clarificationId: string, file: File | Blob, options?: { signal?: AbortSignal }): Promise<Uploaded>;
  /** Where a file that answered a question is to be had, by the same cookie or headers as everything else. */
  fileUrl(clarificationId: string, fileId: string): string;
  /** Tells that a pending question was shown to the person whom it asks: the detail of "askgate-seen". */
  seen(clarificationId: string): Promise<void>;
  /** Cancels the running turn. */
  stop(): Promise<void>;
  /** Has the chat ask again before each call of the tool. */
  revoke(tool: string): Promise<void>;
  /** The chat as it is stored, with its newest messages (200, or fewer), older than the one with the id before. */
  snapshot(options?: { messages?: number; before?: string }): Promise<any>;
  /** Gives the chat a title of up to 100 characters, with branches all of its branches; resolves with the chat as lists have it. */
  rename(title: string, options?: { branches?: boolean }): Promise<ListedChat>;
  /**
   * The person's chats in the client's app, newest first; with q those in which all of its words
   * occur. A page may then have none, and others after it: go on until nextCursor is null.
   */
  chats(options?: { q?: string; limit?: number; cursor?: string; signal?: AbortSignal }): Promise<{ items: ListedChat[]; nextCursor: string | null }>;
  /** Deletes the chat, with branches all of its branches, and everything stored about it. */
  erase(options?: { branches?: boolean }): Promise<void>;
}

/** A chat in a list. */
export interface ListedChat {
  chatId: string;
  /** That was given, else how the first message begins. */
  title: string;
  createdAt: string;
  updatedAt: string;
  forkedFrom?: { chatId: string; messageId?: string; clarificationId?: string };
  /** Of a branch that a client made: the id by which clients know its chat. */
  root?: string;
  /** When the person last began, answered or resumed a turn. */
  writtenAt?: string;
  /** Of a search: a piece of what was said, in parts; those with match are what was searched for. Left out where only the title has any of it. */
  snippet?: { text: string; match?: boolean }[];
}

/** One of the branches of a chat, or the chat itself. */
export interface Branch {
  chatId: string;
  createdAt: string;
  /** When the person last began, answered or resumed a turn. */
  writtenAt?: string;
  forkedFrom?: { chatId: string; messageId?: string; clarificationId?: string };
  /** What it has in place of the point in forkedFrom: the id of its message, or of the call that asked the question. */
  partsAt?: string;
}

/** A file that was sent. */
export interface Uploaded {
  fileId: string;
  name: string;
  type: string;
  size: number;
}

/** Everything that waits for a person, over all apps and chats. Every method rejects with a Problem. */
export class Inbox {
  constructor(options?: GatewayOptions);
  base: string;
  locale: string;
  /** The last event seen. Set before follow, it says where to begin. */
  lastEventId: string;
  /** Reports what happens, from a snapshot on, until the returned function is called. */
  follow(onEvent: (event: ChatEvent) => void, options?: { onConnection?: (connection: Connection, problem?: Problem) => void }): () => void;
  /** Answers a question, the detail of "askgate-answer"; a turn that waits for it goes on by itself. */
  answer(answer: Answer): Promise<KeptClarification>;
  /** Finds options of a pending question that is searchable. */
  searchOptions(clarificationId: string, query: string, options?: { question?: number; limit?: number; cursor?: string; signal?: AbortSignal }): Promise<FoundOptions>;
  /** Sends a file for an open question that takes one; its fileId is the value of the answer. */
  upload(clarificationId: string, file: File | Blob, options?: { signal?: AbortSignal }): Promise<Uploaded>;
  /** Where a file that answered a question is to be had, by the same cookie or headers as everything else. */
  fileUrl(clarificationId: string, fileId: string): string;
  /** Tells that a pending question was shown to the person whom it asks. */
  seen(clarificationId: string): Promise<void>;
}

/** A clarification of any app and chat, as an Inbox tells it. */
export type Waiting = Clarification & Partial<KeptClarification> & { app: string };

export interface InboxState {
  /** What waits, in the order in which it was asked. */
  readonly pending: readonly Waiting[];
  /** What waited here and was closed, the newest first, up to 50. */
  readonly closed: readonly Waiting[];
  /** More waits than this. */
  readonly hasMore: boolean;
  readonly lastEventId: string;
}

export const initialInbox: InboxState;

/** The state after an event of an Inbox. Pure. */
export function reduceInbox(state: InboxState, event: ChatEvent): InboxState;

/** An unguessable id, for a chat or an idempotency key. */
export function newId(): string;

/**
 * What a tool's result shows beside its text, as an MCP server sent it: check addresses and
 * types before you use them. data (in a resource: blob) has the bytes in base64 where they are
 * few; url is their address at the gateway, left out where they are not kept.
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

/** What a person decided about a call. */
export interface Approval {
  outcome: "allowed" | "refused";
  by: string;
  at: string;
  digest?: string;
}

/** How far a call has come, while it runs, in the words of its server: plain text. */
export interface CallProgress {
  progress: number;
  /** What it counts up to; left out if its server does not know. */
  total?: number;
  message?: string;
}

export type Item = { key: string } & (
  | { type: "user"; content: string; files?: Uploaded[] }
  | { type: "assistant" | "thinking"; content: string; open: boolean; askedBy?: Asker }
  | { type: "tool"; toolCallId: string; toolName: string; arguments: any; argumentsText?: string; approval?: Approval; result?: string; error?: { code: string; message: string }; content?: ResultPart[]; open: boolean; progress?: CallProgress }
  | { type: "clarification"; clarification: Clarification; state: State; answer: Answer | string | null; answeredAt: string | null; answeredBy: By | null; call?: { arguments: any; argumentsText?: string; approval?: Approval } }
  | { type: "notice"; code: "length" | "content_filter" | "max_steps" | "cancelled" }
  | { type: "error"; code: string; message: string; retryable: boolean; retryAfter?: number; resumable?: false }
  | { type: "damaged"; event: string }
);

/** What there is to draw of a chat. */
export interface ChatState {
  readonly chatId: string;
  readonly status: "idle" | "running" | "awaiting_input";
  /** The transcript, oldest first. What did not change is the same object as before. */
  readonly items: readonly Item[];
  /** The open clarifications, in order. */
  readonly pending: readonly Clarification[];
  /** Messages that wait until the turn is over, if the app lets them. Only a snapshot has them. */
  readonly queued: readonly { id: string; content: string; createdAt: string; files?: Uploaded[] }[];
  /** Tools whose calls are no longer asked about. Only a snapshot shows that one was revoked elsewhere. */
  readonly approvals: readonly string[];
  readonly clarifications: { readonly used: number; readonly max: number };
  /** What a person or the model called the chat, "" where nobody did. Of a snapshot; later titles are events of an Inbox, "chat.title", which reduce takes too. */
  readonly title: string;
  /** Where the chat left another, null where it began by itself. */
  readonly forkedFrom: { readonly chatId: string; readonly messageId?: string; readonly clarificationId?: string } | null;
  /** Of a branch that a client made: the id by which clients know its chat; "" of others. */
  readonly root: string;
  /** The chat's branches and the chat itself, the oldest first; none where there is one alone. Of a snapshot. */
  readonly branches: readonly Branch[];
  /** Of the last run of a turn: what programs ask and say changes nothing here. */
  readonly finishReason: string;
  readonly usage: { inputTokens: number; outputTokens: number; cachedInputTokens?: number; reasoningTokens?: number } | null;
  /** The turn ended without a whole answer: resume() goes on with it. */
  readonly resumable: boolean;
  /** The text of the last step was discarded, and begins again. */
  readonly restarted: boolean;
  readonly lastEventId: string;
  /** There are older messages than these: snapshot({ before: state.oldest }), and earlier. */
  readonly hasMore: boolean;
  readonly oldest: string;
}

export const initialState: ChatState;

/** The state after an event. Pure. */
export function reduce(state: ChatState, event: ChatEvent): ChatState;

/** The state with older messages, of a snapshot before state.oldest. Pure. */
export function earlier(state: ChatState, snapshot: any): ChatState;

/** Reads server-sent events from a response's body. */
export function readEvents(body: ReadableStream<Uint8Array>, onBytes?: () => void): AsyncGenerator<ChatEvent | { retry: number }>;

/** Checks an answer by the gateway's rules. maxAnswer: code points of a text answer, 4000 by default. */
export function check(questions: Question[], answer: Answer, maxAnswer?: number): {
  answer: Answer;
  errors: { question: number; field: string; code: string; params: Record<string, unknown>; message?: string }[];
};

/** The card's texts in English, by id. */
export const english: Record<string, string>;

/**
 * Gets the texts of a language from the gateway, ahead of the first card. base is the gateway's
 * address, where this module was not loaded from it; later texts come from there, too.
 */
export function loadMessages(locale: string, base?: string): Promise<Record<string, string>>;

/** Draws a clarification and gathers its answer. */
export class AskgateClarification extends HTMLElement {
  /** Data of the event "clarification". */
  clarification: Clarification | null;
  /** "pending" by default; a final state folds the card. */
  state: State | "sending";
  /** What was answered, for a final state: the contract's answer, or a text. */
  answer: Answer | string | null;
  /** ISO time, and a name: shown in a final state. */
  answeredAt: string;
  answeredBy: string;
  /** What POST was refused with: 422, 409 and 410 are shown as what they mean. */
  error: ProblemFields | null;
  /** BCP 47 tag; by default that of the nearest lang attribute, else the browser's. */
  locale: string;
  /** Texts of your own, by id, over those of the language. */
  messages: Record<string, string> | null;
  /** Finds options as somebody types, if a question is searchable; without it only the options in the question are offered. */
  searchOptions: ((query: string, options: { question: number; signal: AbortSignal }) => Promise<FoundOptions>) | null;
  /** Sends the file that answers a question: the upload of a Client or an Inbox. Without it such a question says that it is answered elsewhere. */
  uploadFile: ((clarificationId: string, file: File, options: { signal: AbortSignal }) => Promise<Uploaded>) | null;
  /** Where the file of an answer is to be had: a closed card then links to it. */
  fileUrl: ((clarificationId: string, fileId: string) => string) | null;
  disabled: boolean;
  /** One click answers a question with one choice, after five seconds in which it can be undone. */
  instant: boolean;
  /** "light", "dark", "inherit" (the page's color-scheme); "" follows the system. */
  theme: string;
}

/** Draws the open questions of one step as the pages of one form. */
export class AskgateClarifications extends HTMLElement {
  /** Data of the events "clarification", in order; what is not among them any more drops out. */
  clarifications: Clarification[];
  /** What POST was refused with. */
  error: ProblemFields | null;
  locale: string;
  messages: Record<string, string> | null;
  /** Finds options of a question that is searchable: a Client's searchOptions. */
  searchOptions: ((clarificationId: string, query: string, options: { question: number; signal: AbortSignal }) => Promise<FoundOptions>) | null;
  /** Sends the file that answers a question: the upload of a Client or an Inbox. Without it such a question says that it is answered elsewhere. */
  uploadFile: ((clarificationId: string, file: File, options: { signal: AbortSignal }) => Promise<Uploaded>) | null;
  disabled: boolean;
  /** As the card's, of a question that is alone. */
  instant: boolean;
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
