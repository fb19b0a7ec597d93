// Everything that waits for a person, over all apps and chats, or that a program has asked.
import { Follow, Gateway, about } from "./follow.js";

const remembered = 50; // of those that were closed

export class Inbox extends Gateway {
  #follow = new Follow((init) => this.call("/v1/events", init));

  // base, headers, locale and fetch are those of a Client.
  constructor(gateway = {}) {
    super(gateway);
  }

  get lastEventId() { return this.#follow.lastEventId; }
  set lastEventId(id) { this.#follow.lastEventId = id; }

  // follow is that of a Client: without lastEventId the first event is a snapshot. Connections
  // are never "new".
  follow(onEvent, options) {
    return this.#follow.follow(onEvent, options);
  }

  // answer closes a question, and resolves to the clarification as it is then; a turn that
  // waits for it goes on by itself. It rejects with a Problem.
  async answer({ clarificationId, ...answer }) {
    return (await this.call(`${about(clarificationId)}/answer`, { method: "POST", json: { clarificationId, ...answer } })).json();
  }

  // searchOptions is that of a Client.
  async searchOptions(clarificationId, query, { question = 0, limit = 20, cursor, signal } = {}) {
    const wanted = new URLSearchParams({ q: query, question, limit, ...(cursor && { cursor }) });
    return (await this.call(`${about(clarificationId)}/options?${wanted}`, { signal })).json();
  }

  // seen tells that an open question was shown to the person.
  async seen(clarificationId) {
    await this.call(`${about(clarificationId)}/seen`, { method: "POST", keepalive: true });
  }
}

export const initialInbox = Object.freeze({
  pending: Object.freeze([]), // what waits, in the order in which it was asked
  closed: Object.freeze([]), // what waited here and was closed, the newest first
  hasMore: false, // more waits than these
  lastEventId: "",
});

// reduceInbox is the state after an event of an Inbox. Pure.
export function reduceInbox(state, { id, type, data } = {}) {
  if (id && id === state.lastEventId && type !== "snapshot") return state;
  const now = { ...state, lastEventId: id || state.lastEventId };
  const is = (c) => c.clarificationId === data.clarificationId;
  switch (type) {
    case "snapshot":
      return { ...now, pending: data.pending ?? [], hasMore: data.hasMore ?? false };
    case "clarification":
      return state.pending.some(is) || state.closed.some(is) ? now : { ...now, pending: [...state.pending, data] };
    case "clarification.resolved": {
      const asked = state.pending.find(is);
      if (!asked) return now;
      const closed = { ...asked, state: data.outcome, answer: data.answer, answeredAt: data.answeredAt, answeredBy: data.by ?? null };
      return { ...now, pending: state.pending.filter((c) => c !== asked), closed: [closed, ...state.closed].slice(0, remembered) };
    }
  }
  return now;
}
