// Announces questions outside of the page: by browser notifications and on the page's icon.
import { text } from "./texts.js";

const asked = "askgate:notify"; // key in localStorage: the user was asked once
const most = 200; // maximum characters of a question
const shown = new Map(); // by clarification id

// mayAsk reports whether the browser would still ask for permission to notify.
export const mayAsk = () => globalThis.Notification?.permission === "default";

// ask makes the browser ask for permission.
export async function ask() {
  try {
    localStorage.setItem(asked, "1");
  } catch { /* then the user may be asked again */ }
  try {
    await Notification.requestPermission();
  } catch { /* no notifications in this browser */ }
}

function askedBefore() {
  try {
    return localStorage.getItem(asked) !== null;
  } catch {
    return false;
  }
}

// notify announces a question that no window shows; who is the name of the asker. open is called
// when the user clicks the notification.
export async function notify(clarificationId, who, question, open) {
  if (mayAsk() && !askedBefore()) await ask();
  if (globalThis.Notification?.permission !== "granted") return;
  try {
    const note = new Notification(text("card.asked_by", { name: who }), { body: question.slice(0, most), tag: clarificationId });
    shown.set(clarificationId, note);
    note.onclick = () => {
      focus();
      note.close();
      open();
    };
  } catch { /* in some browsers, only service workers can notify */ }
}

// over closes the notification, because the question is closed.
export function over(clarificationId) {
  shown.get(clarificationId)?.close();
  shown.delete(clarificationId);
}

let badged = null; // the number on the icon

// badge shows a number on the page's icon, if the browser supports it.
export function badge(count) {
  if (count === badged) return;
  badged = count;
  (count ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.())?.catch(() => {});
}
