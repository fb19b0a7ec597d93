// The page's texts in the reader's language, from the gateway's message files.
import { fill, know } from "../card/texts.js";
import { firstFetch } from "./begun.js";
import { root } from "./root.js";

let texts = {};

// language is the language of the loaded texts, languages are the available ones, as BCP 47 tags.
export let language = "";
export let languages = [];

// text returns the text with an id. {name} in it is replaced by a value.
export const text = (id, values) => fill(texts[id] ?? id, values);

let newest; // the latest request: the result of an earlier one is ignored

// loadTexts loads the texts in the language that was chosen here before, otherwise in the language that
// the browser prefers.
export async function loadTexts(wish = chosen()) {
  const mine = newest = {};
  const response = await firstFetch(root, `/page/texts${wish ? `?lang=${encodeURIComponent(wish)}` : ""}`);
  if (!response.ok) throw new Error(String(response.status));
  const got = await response.json();
  if (mine !== newest) return;
  ({ texts, language, languages } = got);
  know(language, texts);
  const page = document.documentElement;
  page.lang = language;
  page.dir = new Intl.Locale(language).getTextInfo?.().direction ?? "ltr";
}

// firstTexts loads the first texts of a page. It retries until the gateway answers.
export async function firstTexts() {
  for (let wait = 500; ; wait = Math.min(wait * 2, 15_000)) {
    try {
      return await loadTexts();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

// choose stores a language for the next visit.
export function choose(tag) {
  try {
    localStorage.setItem("askgate:language", tag);
  } catch { /* then only for this visit */ }
}

function chosen() {
  try {
    return localStorage.getItem("askgate:language") ?? "";
  } catch {
    return "";
  }
}

// nameOf returns the name of a language in that language.
export const nameOf = (tag) => {
  const name = new Intl.DisplayNames([tag], { type: "language" }).of(tag);
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
};

// dayOf returns the heading under which a list puts a point in time: today, yesterday, or its month.
export function dayOf(iso, now = new Date()) {
  const at = new Date(iso);
  const days = Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(at).setHours(0, 0, 0, 0)) / 86_400_000);
  const said = days < 2
    ? new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(-Math.max(days, 0), "day")
    : new Intl.DateTimeFormat(language, { month: "long", year: "numeric" }).format(at);
  return said.charAt(0).toLocaleUpperCase(language) + said.slice(1);
}
