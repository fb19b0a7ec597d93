// The roles that are asked in addition to the first, since a question was escalated.
import { html, nothing } from "../vendor/lit.js";

// alsoView draws them, one a line.
export const alsoView = ({ alsoAsks }, text, time) => (alsoAsks?.length
  ? html`<div class="also" part="also" role="note">${alsoAsks.map(({ role, at }) => html`<p dir="auto">${text("card.also_asks", { role, at: time(at) })}</p>`)}</div>` : nothing);
