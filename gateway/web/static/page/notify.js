// Announces questions outside of the page: by browser notifications and on the page's icon.
import { text } from "./texts.js";

const asked = "askgate:notify"; // in localStorage: the person was asked once
const most = 200; // characters of a question
const shown = new Map(); // by clarification id

// mayAsk says that the browser would still ask whether it may notify.
export const mayAsk = () => globalThis.Notification?.permission === "default";

// ask has the browser ask.
export async function ask() {
  try {
    localStorage.setItem(asked, "1");
  } catch { /* then it may be asked again */ }
  try {
    await Notification.requestPermission();
  } catch { /* not here */ }
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
  } catch { /* some browsers have it for service workers alone */ }
}

// over takes it back: the question was answered.
export function over(clarificationId) {
  shown.get(clarificationId)?.close();
  shown.delete(clarificationId);
}

// badge puts the number on the page's icon, where it has one.
export function badge(count) {
  (count ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.())?.catch(() => {});
}
