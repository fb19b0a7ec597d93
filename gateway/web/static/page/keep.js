// What a tab keeps over a reload (drafts, the admin view's key): in sessionStorage, or in memory if
// storage is not allowed.
const prefix = "askgate:";
const memory = new Map();

export function keep(name, value) {
  memory.set(name, value);
  try {
    if (value) sessionStorage.setItem(prefix + name, value);
    else sessionStorage.removeItem(prefix + name);
  } catch { /* kept in memory */ }
}

export function kept(name) {
  try {
    return sessionStorage.getItem(prefix + name) ?? "";
  } catch {
    return memory.get(name) ?? "";
  }
}

const forgetting = []; // see whenForgotten

// whenForgotten calls a function that forgets what its module has in memory.
export const whenForgotten = (f) => forgetting.push(f);

// forget deletes everything kept, because another person may use this tab next.
export function forget() {
  memory.clear();
  for (const f of forgetting) f();
  try {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith(prefix)) sessionStorage.removeItem(name);
  } catch { /* storage is not allowed */ }
}
