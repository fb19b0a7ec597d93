// Draws the messages that wait for the end of a turn, below the transcript, each with buttons to take it
// back into the composer and to send it now.
import { html, nothing } from "../vendor/lit.js";
import { sentFiles } from "./attach.js";
import * as icons from "./icons.js";
import { text } from "./texts.js";

// waiting draws a message that waits.
export function waiting(message, chat) {
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
