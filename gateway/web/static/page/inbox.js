// The inbox: all questions that wait for the user, in any app and chat. A question in one of the user's
// chats is a link to it; a question for the holders of a role is answered here.
import { nameOf } from "../card/asker.js";
import { html, nothing, repeat } from "../vendor/lit.js";
import * as icons from "./icons.js";
import { mayAsk } from "./notify.js";
import { language, text } from "./texts.js";

// isForMe reports whether the user can answer a question. Calls for a client's tool and questions for
// other people are not included.
export const isForMe = (c) => c.kind !== "input" && c.mayAnswer !== false;

// placeOf returns the address of a question within the page.
export const placeOf = (c) => (c.waitsFor ? `/inbox/${c.clarificationId}` : `${c.app}/${c.chatId}`);

// askerOf returns the name of the asker: a program or server, otherwise the app.
export const askerOf = (c, apps) => nameOf(c.askedBy) || apps.find((app) => app.id === c.app)?.name || c.app;

// wordsOf returns the text of a question or form on one line.
export const wordsOf = (c) => c.question ?? c.questions.map((part) => part.question).join(" · ");

// inboxButton draws the link to the inbox, with the number of questions in it.
export function inboxButton(count) {
  const label = count ? text("page.inbox_count", { count }) : text("page.inbox");
  return html`<a class="icon-button inbox-button" id="inbox-button" href="#/inbox" aria-label=${label} title=${label}>${icons.tray}${count ? html`<span class="badge" aria-hidden="true">${count}</span>` : nothing}</a>`;
}

export function inboxView({ apps, inbox, waiting, refused }, actions) {
  const entries = [...waiting, ...inbox.closed.filter((c) => c.waitsFor && isForMe(c))].sort((a, b) => a.timestamp.localeCompare(b.timestamp));
  return html`<main id="inbox">
    <h1 tabindex="-1">${text("page.inbox")}</h1>
    ${entries.length ? nothing : html`<p class="hint">${text("page.inbox_empty")}</p>`}
    <ul class="entries">${repeat(entries, (c) => c.clarificationId, (c) => html`<li id=${c.clarificationId}>${c.waitsFor ? card(c, apps, refused, actions) : link(c, apps)}</li>`)}</ul>
    ${inbox.hasMore ? html`<p class="hint">${text("page.inbox_more")}</p>` : nothing}
    ${mayAsk() ? html`<p><button type="button" class="plain" id="notify" @click=${actions.notify}>${icons.bell}${text("page.notify")}</button></p>` : nothing}
  </main>`;
}

const about = (c, apps, who = nameOf(c.askedBy)) => html`<span class="hint" dir="auto">${who ? `${who} · ` : nothing}${c.requester ? `${c.requester} · ` : nothing}${apps.find((app) => app.id === c.app)?.name ?? c.app} · <time datetime=${c.timestamp}>${when(c.timestamp)}</time>
  ${c.expiresAt ? html`· ${text("card.deadline", { time: when(c.expiresAt) })}` : nothing}</span>`;

const link = (c, apps) => html`<a class="entry" href="#${placeOf(c)}"><span class="words" dir="auto">${wordsOf(c)}</span>${about(c, apps)}</a>`;

const card = (c, apps, refused, actions) => html`${about(c, apps, "")}
  <askgate-clarification theme="inherit" instant .locale=${language} .clarification=${c} .state=${c.state ?? "pending"} .answer=${c.answer ?? null} .answeredAt=${c.answeredAt ?? ""} .answeredBy=${c.answeredBy?.subject ?? ""}
    .error=${refused.get(c.clarificationId) ?? null} .uploadFile=${actions.upload} .fileUrl=${actions.fileUrl} .searchOptions=${actions.searchOptions(c)} @askgate-answer=${(e) => actions.answer(e.detail)} @askgate-seen=${(e) => actions.seen(e.detail)}></askgate-clarification>`;

// when formats a point in time, without the date if it is today.
function when(iso) {
  const at = new Date(iso), today = at.toDateString() === new Date().toDateString();
  return at.toLocaleString(language, { timeStyle: "short", ...(!today && { dateStyle: "medium" }) });
}
