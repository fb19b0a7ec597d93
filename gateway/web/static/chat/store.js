// The state of one chat for a framework: follows it while someone subscribes.
//
//   client ── events ──> reducer ── snapshot ──> subscribers
import { Client } from "../client/client.js";
import { earlier, initialState, reduce } from "../client/reducer.js";

export class ChatStore {
  #listeners = new Set();
  #end = null; // of following
  #now = Object.freeze({ state: initialState, connection: "idle", problem: null });

  // The options are those of Client.
  constructor(options) {
    this.client = new Client(options);
  }

  // get returns {state, connection, problem}: the same object until something changes. state is the
  // reducer's, connection and problem are what follow reports.
  get = () => this.#now;

  // subscribe calls listener after each change, until the returned function is called. Without a
  // subscriber there is no connection.
  subscribe = (listener) => {
    const own = () => listener();
    this.#listeners.add(own);
    this.#end ??= this.client.follow((event) => this.#change({ state: reduce(this.#now.state, event) }), {
      onConnection: (connection, problem = null) => this.#change({ connection, problem }),
    });
    return () => {
      if (!this.#listeners.delete(own) || this.#listeners.size) return;
      this.#end();
      this.#end = null;
    };
  };

  // send and answer are those of the client. older loads earlier messages, if state.hasMore. All of
  // them reject with a Problem.
  send = (message, options) => this.client.sendMessage(message, options);
  answer = (answer, options) => this.client.answer(answer, options);
  answers = (answers, options) => this.client.answers(answers, options);
  stop = () => this.client.stop();
  seen = ({ clarificationId }) => this.client.seen(clarificationId);

  older = async () => {
    const before = this.#now.state.oldest;
    const snapshot = await this.client.snapshot({ before });
    if (this.#now.state.oldest === before) this.#change({ state: earlier(this.#now.state, snapshot) });
  };

  // actions are the functions that a framework passes on.
  get actions() {
    const { client, send, answer, answers, stop, seen, older } = this;
    return { client, send, answer, answers, stop, seen, older };
  }

  #change(part) {
    this.#now = Object.freeze({ ...this.#now, ...part });
    for (const listener of [...this.#listeners]) listener();
  }
}
