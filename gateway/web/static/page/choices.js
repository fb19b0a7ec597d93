// What a person chose for all windows of this browser: in localStorage, or for this visit if
// that is not allowed.
const prefix = "askgate:";
const memory = new Map();

export function chosen(name) {
  try {
    return localStorage.getItem(prefix + name) ?? "";
  } catch {
    return memory.get(name) ?? "";
  }
}

export function choose(name, value) {
  memory.set(name, value);
  try {
    if (value) localStorage.setItem(prefix + name, value);
    else localStorage.removeItem(prefix + name);
  } catch { /* memory has it */ }
}

// themes are those to choose from, with their names; theme is the one that holds. theme.js sets
// it at the next visit.
export const themes = [["", "page.theme_system"], ["light", "page.theme_light"], ["dark", "page.theme_dark"]];

export const theme = () => document.documentElement.dataset.theme ?? "";

export function setTheme(value) {
  choose("theme", value);
  if (value) document.documentElement.dataset.theme = value;
  else delete document.documentElement.dataset.theme;
}
