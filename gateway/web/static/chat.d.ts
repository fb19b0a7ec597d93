// Types of chat.js, and of what react.js, vue.js and svelte.js share.
import type { Answer, ChatState, Client, ClientOptions, Connection, Problem, SendOptions } from "./askgate.js";

/** What a chat shows now. */
export interface ChatNow {
  readonly state: ChatState;
  readonly connection: Connection | "idle";
  /** Why the connection is "offline" or "refused". */
  readonly problem: Problem | null;
}

/** What a person does in a chat. Each rejects with a Problem. */
export interface ChatActions {
  readonly client: Client;
  send: (message: string, options?: SendOptions & { files?: string[]; clarificationId?: string }) => Promise<void>;
  /** Sends an answer: the detail of "askgate-answer", or what submit() of a form resolves with. */
  answer: (answer: Answer, options?: SendOptions) => Promise<void>;
  answers: (answers: Answer[], options?: SendOptions) => Promise<void>;
  stop: () => Promise<void>;
  /** Reports that an open question was shown. */
  seen: (shown: { clarificationId: string }) => Promise<void>;
  /** Loads earlier messages, if state.hasMore. */
  older: () => Promise<void>;
}

/** The props of <AskGateChat/>, and properties of <askgate-chat>. */
export interface AskGateChatProps {
  app: string;
  /** The id of the chat, a new one by default. */
  chat?: string | undefined;
  /** The gateway's address, "" for the page's own origin. */
  base?: string | undefined;
  headers?: ClientOptions["headers"] | undefined;
  locale?: string | undefined;
  /** "light", "dark", "inherit" (the page's color-scheme); "" follows the system. */
  theme?: string | undefined;
}

/** The options of useAskGate. */
export type AskGateOptions = Omit<AskGateChatProps, "theme">;

/** A whole chat: transcript, questions, and a field for messages. */
export class AskgateChat extends HTMLElement {
  app: string;
  chat: string;
  base: string;
  headers: NonNullable<ClientOptions["headers"]>;
  locale: string;
  theme: string;
  /** The client of the chat that is shown, null before the first update. */
  readonly client: Client | null;
}

declare global {
  interface HTMLElementTagNameMap {
    "askgate-chat": AskgateChat;
  }
}
