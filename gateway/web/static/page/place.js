// What the address says to show: #app/chat/question, #/inbox/question, or #app/?search, a search in the
// app's documents.

export function place() {
  const [app, chat = "", id] = location.hash.slice(1).split("/");
  if (!app && chat === "inbox") return { app, chat: "", inbox: true, documents: null, id };
  return { app, chat: /^[A-Za-z0-9_-]{1,64}$/.test(chat) ? chat : "", documents: chat.startsWith("?") ? chat.slice(1) : null, id };
}

let followed = ""; // the location.hash that led to the current view

// follow notes that the address is shown.
export function follow() { followed = location.hash; }

// toAddress sets the address of the current view, unless the user has just navigated: the hash changes
// before hashchange fires, and would be overwritten.
export function toAddress(address) { set("pushState", address); }

// rewrite is toAddress for a view that is shown already.
export function rewrite(address) { set("replaceState", address); }

function set(how, address) {
  if (location.hash !== followed) return;
  history[how](null, "", address);
  follow();
}
