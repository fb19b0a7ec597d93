// Choices that apply to all windows of this browser. They are kept in localStorage, or only for this
// visit if storage is not allowed.
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
  } catch { /* kept in memory */ }
}

// themes are the themes to choose from, with the ids of their names. theme returns the active one.
// theme.js applies it at the next visit.
export const themes = [["", "page.theme_system"], ["light", "page.theme_light"], ["dark", "page.theme_dark"]];

export const theme = () => document.documentElement.dataset.theme ?? "";

export function setTheme(value) {
  choose("theme", value);
  if (value) document.documentElement.dataset.theme = value;
  else delete document.documentElement.dataset.theme;
}
