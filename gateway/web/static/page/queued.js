// Messages of a chat that wait for the end of a turn: what a person may do with them. waiting.js draws
// them.
import { again } from "../client/follow.js";

// codes with which the gateway says that a message does not wait any more.
const over = ["not_found", "already_begun"];

export class Queued {
  busy = new Set(); // ids of messages about which a request is on its way
  problems = new Map(); // id -> why it was not sent now or taken back
  #unsure = new Map(); // id -> a message that may be out of the queue: no response said so
  #chat;
  #client;
  #changed;

  constructor({ chat, client, changed }) {
    this.#chat = chat;
    this.#client = client;
    this.#changed = changed;
  }

  // refresh loads what waits. The chat's own stream does not report it.
  async refresh() {
    this.#chat.reduce({ type: "chat.queue", data: { queued: await this.#client.queued() } });
    this.#changed();
  }

  // takeBack puts a message into the composer once the gateway has removed it from the queue. It
  // resolves to whether the message is in the composer.
  async takeBack(message) {
    const taken = await this.#taken(message);
    if (taken) this.putBack([message]);
    return taken;
  }

  // takeAllBack does the same with all of them, and resolves to whether there were any. What it could
  // not take back still waits.
  async takeAllBack() {
    const taken = [];
    for (const message of this.#chat.view.queued) if (await this.#taken(message)) taken.push(message);
    if (taken.length) this.putBack(taken);
    return taken.length > 0;
  }

  // finish takes back what vanished from the queue after a request without a response.
  finish() {
    for (const message of this.#unsure.values()) if (this.#vanished(message)) this.takeBack(message);
  }

  #vanished = ({ id }) => this.#unsure.has(id) && !this.busy.has(id) && !this.#chat.view.queued.some((m) => m.id === id);

  // taken removes a message from the queue. It resolves to whether it is out because of that.
  async #taken(message) {
    const ask = () => this.#ask(message, () => this.#remove(message));
    return await ask() || this.#vanished(message) && ask();
  }

  async #remove(message) {
    const { id } = message, unsure = this.#unsure.delete(id);
    try {
      await this.#client.takeBack(id);
    } catch (problem) {
      if (unsure && problem.code === "not_found") return; // the earlier request removed it
      if (again(problem, 0) || unsure && !over.includes(problem.code)) this.#unsure.set(id, message);
      throw problem;
    }
  }

  // putBack puts texts and files before what is in the composer. They were not written for the question
  // in view, so the message is not for it any more.
  putBack(messages) {
    this.#chat.writing = false;
    this.#chat.files.putBack(messages.flatMap((m) => m.files ?? []));
    this.#chat.draft = [...messages.map((m) => m.content), this.#chat.draft].filter((s) => s.trim()).join("\n\n");
  }

  // sendNow stops the turn, or closes its questions, and sends the message.
  sendNow(message) {
    return this.#ask(message, () => this.#client.sendNow(message.id));
  }

  async #ask(message, request) {
    const { id } = message;
    if (this.busy.has(id)) return false;
    this.busy.add(id);
    this.problems.delete(id);
    this.#changed();
    let done = false;
    try {
      await request();
      done = true;
    } catch (problem) {
      if (!over.includes(problem.code)) this.problems.set(id, problem);
    }
    await this.refresh().catch(() => {}); // the next event or look shows it
    this.busy.delete(id);
    this.#changed();
    return done;
  }
}
