// The page's icons, drawn in the color of the surrounding text.
import { html } from "../vendor/lit.js";

const icon = (path) => html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${path}></path></svg>`;

// logo is a copy of icon.svg, which would otherwise be fetched at each visit.
export const logo = (size) => html`<svg viewBox="0 0 32 32" width=${size} height=${size} aria-hidden="true"><rect width="32" height="32" rx="7" fill="#3a4fd0"></rect>
  <path d="M11 12a5 5 0 1 1 7 4.6c-1.4.7-2 1.5-2 3" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"></path><circle cx="16" cy="24.5" r="2" fill="#fff"></circle></svg>`;

export const menu = icon("M4 7h16M4 12h16M4 17h10");
export const panel = icon("M4 5h16v14H4zM9.5 5v14");
export const sliders = icon("M4 7h9M18 7h2M13 7a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0M4 17h2M11 17h9M6 17a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0");
export const keyboard = icon("M3.5 6.5h17v11h-17zM7 10h.01M10.3 10h.01M13.6 10h.01M17 10h.01M7 14h.01M17 14h.01M10 14h4");
export const tray = icon("M4 13.5h4.5l1.2 2.5h4.6l1.2-2.5H20M4 13.5 6.5 5h11L20 13.5V19H4z");
export const bell = icon("M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10 20.5h4");
export const plus = icon("M12 5v14M5 12h14");
export const more = icon("M5 12h.01M12 12h.01M19 12h.01");
export const pencil = icon("M4.5 19.5 5.5 15 15.5 5l3.5 3.5-10 10zM13 7.5l3.5 3.5");
export const bin = icon("M4 7h16M9.5 7V4.5h5V7M6 7l1 13h10l1-13M10 11v5.5M14 11v5.5");
export const send = icon("M12 19.5v-15M5.5 11 12 4.5l6.5 6.5");
export const square = icon("M7 7h10v10H7z");
export const clip = icon("M19 11.5 12 18.5a4.6 4.6 0 0 1-6.5-6.5l7.5-7.5a3 3 0 0 1 4.3 4.3l-7.5 7.5a1.5 1.5 0 0 1-2.1-2.1L14.5 7.5");
export const cross = icon("M6.5 6.5l11 11M17.5 6.5l-11 11");
export const down = icon("M12 5v14M6 13l6 6 6-6");
export const previous = icon("M14.5 6l-6 6 6 6");
export const next = icon("M9.5 6l6 6-6 6");
export const again = icon("M20 12a8 8 0 1 1-2.6-5.9M20 3.5V8h-4.5");
export const shield = icon("M12 3.5 5 6v5.5c0 4.2 2.9 7.4 7 9 4.1-1.6 7-4.8 7-9V6zM9 12l2.2 2.2L15.2 10");
export const tool = icon("M15 6.5a1 1 0 0 0 0 1.4L16.1 9a1 1 0 0 0 1.4 0l3-3a5 5 0 0 1-6.6 6.6L7.3 19.2a1.8 1.8 0 0 1-2.5-2.5l6.6-6.6A5 5 0 0 1 18 3.5z");
export const find = icon("M11 4.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13M16 16l4 4");
export const page = icon("M6.5 3.5h7.5l4 4v13h-11.5zM9.5 11h5.5M9.5 14h5.5M9.5 17h3.5");
export const thought = icon("M9.5 18h5M10.5 21h3M12 3a6 6 0 0 0-3.6 10.8c.7.6 1.1 1.3 1.1 2.2h5c0-.9.4-1.6 1.1-2.2A6 6 0 0 0 12 3z");
