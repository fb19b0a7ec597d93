// The inbox: all questions that wait for the user, in any app and chat, newest first. They are answered
// here. What is on the screen stays where it is: newer questions wait behind a button, and a closed one
// keeps its height.
import { nameOf } from "../card/asker.js";
import { html, nothing, repeat } from "../vendor/lit.js";
import { apart } from "./framed.js";
import * as icons from "./icons.js";
import { mayAsk } from "./notify.js";
import { oneClickCard } from "./oneclick.js";
import { subject } from "./session.js";
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

// eventOf returns the event of what an answer made of a question, in case the event itself comes late. A call
// that others must allow as well still waits.
export const eventOf = (now) => (now.state === "pending" ? { type: "clarification.decided", data: now }
  : { type: "clarification.resolved", data: { ...now, outcome: now.state, by: now.answeredBy } });

// inboxButton draws the link to the inbox, with the number of questions in it.
export function inboxButton(count) {
  const label = count ? text("page.inbox_count", { count }) : text("page.inbox");
  return html`<a class="icon-button inbox-button" id="inbox-button" href="#/inbox" aria-label=${label} title=${label}>${icons.tray}${count ? html`<span class="badge" aria-hidden="true">${count}</span>` : nothing}</a>`;
}

const listed = new Set(); // ids of the questions that the inbox shows
const isListed = (c) => listed.has(c.clarificationId);

// keep fills the inbox when it is opened, and when nothing is left of what it shows.
function keep({ inInbox, inbox, waiting }) {
  if (!inInbox) listed.clear();
  else if (![...waiting, ...inbox.closed].some(isListed)) renew(waiting);
}

// renew makes the inbox show exactly what waits now.
export function renew(waiting) {
  listed.clear();
  for (const c of waiting) listed.add(c.clarificationId);
}

// counted returns how many questions wait that are not on the screen.
export function counted(state) {
  keep(state);
  const { chat, covered, inInbox, waiting } = state;
  if (document.hidden) return waiting.length;
  const docked = chat?.question && !covered ? [chat.question, ...chat.form].map((c) => c.clarificationId) : [];
  return waiting.filter((c) => (inInbox ? !isListed(c) : !docked.includes(c.clarificationId))).length;
}

export function inboxView(state, actions) {
  keep(state);
  const { apps, inbox, waiting, refused } = state;
  const closed = inbox.closed.filter(isListed), fresh = waiting.filter((c) => !isListed(c));
  const entries = [...waiting.filter(isListed), ...closed].sort((a, b) => b.timestamp.localeCompare(a.timestamp));
  for (const { clarificationId } of closed) hold(document.getElementById(clarificationId));
  const show = () => {
    const newest = fresh.reduce((a, b) => (b.timestamp > a.timestamp ? b : a));
    actions.renewInbox();
    requestAnimationFrame(() => requestAnimationFrame(() => {
      scrollTo({ top: 0 });
      document.getElementById(newest.clarificationId)?.querySelector("askgate-clarification").focus();
    }));
  };
  return html`<main id="inbox">
    <div class="inbox-head"><h1 tabindex="-1">${text("page.inbox")}</h1>
      ${fresh.length ? html`<button type="button" class="main" id="fresh" @click=${show}>${text("page.inbox_new", { count: fresh.length })}</button>` : nothing}</div>
    ${entries.length ? nothing : html`<p class="hint">${text("page.inbox_empty")}</p>`}
    <ul class="entries">${repeat(entries, (c) => c.clarificationId, (c) => html`<li id=${c.clarificationId}>${card(c, apps, refused, actions)}</li>`)}</ul>
    ${inbox.hasMore ? html`<p class="hint">${text("page.inbox_more")}</p>` : nothing}
    ${mayAsk() ? html`<p><button type="button" class="plain" id="notify" @click=${actions.notify}>${icons.bell}${text("page.notify")}</button></p>` : nothing}
  </main>`;
}

// hold keeps the height of an entry whose card is about to fold, so that those below do not move under
// the user's pointer.
function hold(entry) {
  if (entry && !entry.style.minBlockSize) entry.style.minBlockSize = `${entry.getBoundingClientRect().height}px`;
}

const about = (c, apps) => html`<span class="hint" dir="auto">${c.requester ? `${c.requester} · ` : nothing}${apps.find((app) => app.id === c.app)?.name ?? c.app} · <time datetime=${c.timestamp}>${when(c.timestamp)}</time>
  ${c.expiresAt ? html`· ${text("card.deadline", { time: when(c.expiresAt) })}` : nothing}
  ${c.waitsFor ? nothing : html`· <a class="to-chat" href="#${placeOf(c)}" aria-label=${`${text("page.open_chat")}: ${wordsOf(c)}`}>${text("page.open_chat")}</a>`}</span>`;

const card = (c, apps, refused, actions) => html`${about(c, apps)}
  ${apart(c, placeOf(c)) ?? html`<askgate-clarification theme="inherit" .instant=${oneClickCard().instant} .undoTime=${oneClickCard().undoTime} .locale=${language} .clarification=${c} .state=${c.state ?? "pending"} .answer=${c.answer ?? null} .answeredAt=${c.answeredAt ?? ""} .answeredBy=${c.answeredBy?.subject ?? ""} .subject=${subject()}
    .error=${refused.get(c.clarificationId) ?? null} .uploadFile=${actions.upload} .fileUrl=${actions.fileUrl} .searchOptions=${actions.searchOptions(c)} @askgate-answer=${(e) => actions.answer(e.detail)} @askgate-seen=${(e) => actions.seen(e.detail)}></askgate-clarification>`}`;

// when formats a point in time, without the date if it is today.
function when(iso) {
  const at = new Date(iso), today = at.toDateString() === new Date().toDateString();
  return at.toLocaleString(language, { timeStyle: "short", ...(!today && { dateStyle: "medium" }) });
}
