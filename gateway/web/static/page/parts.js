// The parts of a tool's result other than text: images, links, files. They come from another server, so
// only types that cannot contain code are shown, and only web addresses become links.
import { html, nothing } from "../vendor/lit.js";
import { ofPassage } from "./markdown.js";
import { root } from "./root.js";
import { language, text } from "./texts.js";

// pictures are the image types that a browser shows without running code.
const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];

export function parts(content, tool) {
  const shown = (Array.isArray(content) ? content : []).map((part) => shownPart(part ?? {}, tool)).filter((part) => part !== nothing);
  return shown.length ? html`<ul class="parts">${shown.map((part) => html`<li>${part}</li>`)}</ul>` : nothing;
}

function shownPart(part, tool) {
  if (part.type === "resource_link") return ofPassage.test(part.uri) ? nothing : link(part); // passages: see sources.js
  if (!["image", "audio", "resource"].includes(part.type) || !part.size) return nothing; // the result shows its text
  const media = String(part.mimeType ?? part.resource?.mimeType ?? "");
  if (!ours(part.url)) return html`<p class="notice">${text("page.part_gone", { type: media, size: sized(part.size) })}</p>`;
  const url = root + part.url;
  if (part.type === "image" && pictures.includes(media.toLowerCase())) {
    return html`<a href=${url} target="_blank" rel="noopener noreferrer"><img src=${url} loading="lazy" alt=${text("page.picture", { name: tool })}></a>`;
  }
  return html`<a href=${url} download rel="noopener noreferrer">${text("page.part_save", { type: media, size: sized(part.size) })}</a>`;
}

// ours reports whether an address is the gateway's own.
const ours = (url) => typeof url === "string" && url.startsWith("/v1/apps/");

// link draws a link with its address. An address that is not a web address is shown as text.
function link({ uri, title, name, description }) {
  const about = description ? html`<p class="hint" dir="auto">${description}</p>` : nothing;
  let to = null;
  try {
    to = new URL(String(uri));
  } catch { /* not a URL */ }
  if (to?.protocol !== "https:" && to?.protocol !== "http:") return html`<bdi>${title || name}</bdi> <bdi class="place">${uri}</bdi>${about}`;
  return html`<a href=${to.href} target="_blank" rel="noopener noreferrer"><bdi>${title || name || to.href}</bdi> <bdi class="place">${to.host}</bdi></a>${about}`;
}

function sized(bytes) {
  const [unit, one] = bytes >= 1e6 ? ["megabyte", 1e6] : bytes >= 1e3 ? ["kilobyte", 1e3] : ["byte", 1];
  return (bytes / one).toLocaleString(language, { style: "unit", unit, maximumFractionDigits: 1 });
}
