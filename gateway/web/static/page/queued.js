// Messages that wait for the end of a turn: shown below the transcript, each with buttons to take it
// back into the composer and to send it now.
import { html, nothing } from "../vendor/lit.js";
import { sentFiles } from "./attach.js";
import * as icons from "./icons.js";
import { text } from "./texts.js";

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

// queuedItem draws a message that waits.
export function queuedItem(message, chat) {
  const { queued, view: { pending } } = chat, busy = queued.busy.has(message.id), problem = queued.problems.get(message.id);
  const closes = pending.some((c) => c.turnId);
  const back = async () => {
    if (!await queued.takeBack(message)) return;
    dispatchEvent(new CustomEvent("page-news", { detail: text("page.taken_back") }));
    requestAnimationFrame(() => requestAnimationFrame(() => document.querySelector("#message")?.focus()));
  };
  return html`<li class="item user queued">
    <h2 class="unseen">${text("page.you")}</h2>
    ${sentFiles(message.files, chat)}<div class="bubble" dir="auto">${message.content}</div>
    <p class="hint">${text("page.queued")}${closes ? html` <span class="closes">${text("page.send_now_closes")}</span>` : nothing}</p>
    <div class="acts">
      <button type="button" class="quiet" data-back ?disabled=${busy} @click=${back}>${text("page.take_back")}</button>
      <button type="button" class="quiet" data-now ?disabled=${busy} title=${text(closes ? "page.send_now_closes" : "page.send_now_stops")} @click=${() => queued.sendNow(message)}>${icons.send}${text("page.send_now")}</button>
    </div>
    ${problem ? html`<p class="bad" role="alert" dir="auto">${problem.status === 0 ? text("page.unreachable") : problem.message}</p>` : nothing}
  </li>`;
}
