// What a tab keeps over a reload: drafts, in sessionStorage. Where that is not allowed,
// in memory.
const prefix = "askgate:";
const memory = new Map();

export function keep(name, value) {
  memory.set(name, value);
  try {
    if (value) sessionStorage.setItem(prefix + name, value);
    else sessionStorage.removeItem(prefix + name);
  } catch { /* memory has it */ }
}

export function kept(name) {
  try {
    return sessionStorage.getItem(prefix + name) ?? "";
  } catch {
    return memory.get(name) ?? "";
  }
}

// forget is for when another person may sit down here.
export function forget() {
  memory.clear();
  try {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith(prefix)) sessionStorage.removeItem(name);
  } catch { /* there is none */ }
}
