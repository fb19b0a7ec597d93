// Messages of a chat that wait for the end of a turn: what a person may do with them. waiting.js draws
// them.

// codes with which the gateway says that a message does not wait any more.
const over = ["not_found", "already_begun"];

export class Queued {
  busy = new Set(); // ids of messages about which a request is on its way
  problems = new Map(); // id -> why it was not sent now or taken back
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
    const taken = await this.#ask(message, () => this.#client.takeBack(message.id));
    if (taken) this.putBack([message]);
    return taken;
  }

  // takeAllBack does the same with all of them. What it could not take back still waits.
  async takeAllBack() {
    const taken = [];
    for (const message of this.#chat.view.queued) if (await this.#ask(message, () => this.#client.takeBack(message.id))) taken.push(message);
    if (taken.length) this.putBack(taken);
  }

  // putBack puts texts and files before what is in the composer.
  putBack(messages) {
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
