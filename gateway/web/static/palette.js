// The colors and fonts of everything that users see: the card, on any page, and the gateway's own
// pages. Each can be set from outside with a custom property --askgate-...
import { css } from "./vendor/lit.js";

export const palette = css`
  :host, :root {
    color-scheme: light dark;
    --_page: var(--askgate-page, light-dark(#fbfbfd, #121419));
    --_accent: var(--askgate-accent, light-dark(#3a4fd0, #a3b1ff));
    --_on-accent: var(--askgate-on-accent, light-dark(#fff, #10142e));
    --_tint: var(--askgate-tint, light-dark(#eef0fd, #262b4a));
    --_surface: var(--askgate-surface, light-dark(#fff, #1b1d23));
    --_raised: var(--askgate-raised, light-dark(#f6f7f9, #24272f));
    --_text: var(--askgate-text, light-dark(#191c23, #eceef2));
    --_muted: var(--askgate-muted, light-dark(#5a6172, #a7aebd));
    --_line: var(--askgate-line, light-dark(#dde0e6, #3a3f4b));
    --_edge: var(--askgate-edge, light-dark(#868e9e, #727a8a));
    --_danger: var(--askgate-danger, light-dark(#b3261e, #ff9d94));
    --_danger-tint: var(--askgate-danger-tint, light-dark(#fdeeec, #3d2422));
    --_warn: var(--askgate-warn, light-dark(#7a4d00, #ffc669));
    --_warn-tint: var(--askgate-warn-tint, light-dark(#fff5e0, #372b15));
    --_good: var(--askgate-good, light-dark(#1a7340, #74d69b));
    --_radius: var(--askgate-radius, 0.875rem);
    --_font: var(--askgate-font, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif);
  }
`;
