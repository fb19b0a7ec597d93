// All questions that wait for a person, in any app and chat, including those from programs.
import { withAsker, amended } from "./decisions.js";
import { Follow, Gateway, about } from "./follow.js";

const remembered = 50; // closed questions that the state keeps

export class Inbox extends Gateway {
  #follow = new Follow((init) => this.call("/v1/events", init));

  // The options base, headers, locale and fetch are as for Client.
  constructor(gateway = {}) {
    super(gateway);
  }

  get lastEventId() { return this.#follow.lastEventId; }
  set lastEventId(id) { this.#follow.lastEventId = id; }

  // follow works as in Client: without lastEventId, the first event is a snapshot. A connection is
  // never "new".
  follow(onEvent, options) {
    return this.#follow.follow(onEvent, options);
  }

  // answer closes a question and resolves to the closed clarification; if others must allow a call as well, to
  // the pending one with the decisions so far. A turn that waits for it continues automatically. It rejects
  // with a Problem.
  async answer({ clarificationId, ...answer }) {
    return (await this.call(`${about(clarificationId)}/answer`, { method: "POST", json: { clarificationId, ...answer } })).json();
  }

  // searchOptions works as in Client.
  async searchOptions(clarificationId, query, { question = 0, limit = 20, cursor, signal } = {}) {
    const wanted = new URLSearchParams({ q: query, question, limit, ...(cursor && { cursor }) });
    return (await this.call(`${about(clarificationId)}/options?${wanted}`, { signal })).json();
  }

  // deleteAnswer deletes the person's answer to a closed question, wherever it stands.
  async deleteAnswer(clarificationId) {
    await this.call(`${about(clarificationId)}/answer`, { method: "DELETE" });
  }

  // seen reports that an open question was shown to the person.
  async seen(clarificationId) {
    await this.call(`${about(clarificationId)}/seen`, { method: "POST", keepalive: true });
  }
}

export const initialInbox = Object.freeze({
  pending: Object.freeze([]), // open questions, in the order in which they were asked
  closed: Object.freeze([]), // questions that were pending here and are closed, newest first
  hasMore: false, // there are more open questions than these
  lastEventId: "",
});

// reduceInbox returns the state after an event of an Inbox. Pure.
export function reduceInbox(state, { id, type, data } = {}) {
  if (id && id === state.lastEventId && type !== "snapshot") return state;
  const now = { ...state, lastEventId: id || state.lastEventId };
  const is = (c) => c.clarificationId === data.clarificationId;
  switch (type) {
    case "snapshot":
      return { ...now, pending: data.pending ?? [], hasMore: data.hasMore ?? false };
    case "clarification":
      return state.pending.some(is) || state.closed.some(is) ? now : { ...now, pending: [...state.pending, data] };
    case "clarification.asker": // of the page, which asks for it
    case "clarification.decided":
    case "clarification.escalated": {
      const asked = state.pending.find(is), known = asked && (type === "clarification.asker" ? withAsker : amended)(asked, data);
      return known === asked ? now : { ...now, pending: state.pending.map((c) => (c === asked ? known : c)) };
    }
    case "clarification.resolved": {
      const asked = state.pending.find(is);
      if (!asked) return now;
      const answer = data.answer && data.argumentsText ? { ...data.answer, argumentsText: data.argumentsText } : data.answer;
      const closed = { ...amended(asked, data), state: data.outcome, answer, answeredAt: data.answeredAt, answeredBy: data.by ?? null };
      return { ...now, pending: state.pending.filter((c) => c !== asked), closed: [closed, ...state.closed].slice(0, remembered) };
    }
  }
  return now;
}
