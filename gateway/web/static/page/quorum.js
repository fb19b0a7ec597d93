// Who decided about a call, and when: one person, or several of whom all had to allow it.
import { html, nothing } from "../vendor/lit.js";
import { language, text } from "./texts.js";

const when = (at) => new Date(at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
const words = { allowed: "page.allowed_by", refused: "page.refused_by", responded: "page.responded_by" };

// decisionsOf draws the decisions about a call, a line each.
export function decisionsOf({ approval, decisions }) {
  if (!approval) return nothing;
  const { outcome, by, at } = approval, all = decisions?.map((d) => ({ ...d, outcome: d.value ? "allowed" : outcome })) ?? [{ outcome, by, at }];
  return all.map((d) => html`<p class="label">${text(words[d.outcome] ?? words.refused, { name: d.by, time: when(d.at) })}</p>`);
}
