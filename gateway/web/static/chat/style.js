// The style of <askgate-chat>, with the colors of the card.
import { css } from "../vendor/lit.js";

export const styles = css`
  :host { display: flex; flex-direction: column; min-inline-size: 0; block-size: 100%; container-type: inline-size; background: var(--_page); color: var(--_text); font: 1rem/1.6 var(--_font); overflow-wrap: anywhere; }
  :host([hidden]) { display: none; }
  :host([theme="light"]) { color-scheme: light; }
  :host([theme="dark"]) { color-scheme: dark; }
  :host([theme="inherit"]) { color-scheme: inherit; }
  *, ::before, ::after { box-sizing: border-box; }
  .log { flex: 1 1 auto; overflow-y: auto; padding: 1rem; display: flex; flex-direction: column; gap: 1rem; overscroll-behavior: contain; }
  .log > * { inline-size: 100%; max-inline-size: 46rem; margin-inline: auto; }
  p, ul, ol, pre, h2 { margin: 0; }
  .unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  .user > p { inline-size: fit-content; max-inline-size: 85%; margin-inline-start: auto; padding: 0.5rem 0.875rem; border-radius: var(--_radius); background: var(--_tint); white-space: pre-wrap; }
  .words { display: grid; gap: 0.5rem; }
  pre, .hint code { max-inline-size: 100%; overflow-x: auto; font: 0.875rem/1.5 ui-monospace, monospace; }
  .hint { color: var(--_muted); font-size: 0.9375rem; }
  .muted { color: var(--_muted); }
  .bad { color: var(--_danger); }
  .dock { flex: none; padding: 0.75rem 1rem 1rem; border-block-start: 1px solid var(--_line); }
  .dock > * { max-inline-size: 46rem; margin-inline: auto; }
  form { display: flex; gap: 0.5rem; align-items: end; }
  textarea { flex: 1; min-inline-size: 0; min-block-size: 2.75rem; max-block-size: 12rem; padding: 0.5rem 0.75rem; border: 1px solid var(--_edge); border-radius: 0.625rem; background: var(--_surface); color: inherit; font: inherit; resize: none; field-sizing: content; }
  button { min-block-size: 2.75rem; padding-inline: 1rem; border: 1px solid var(--_edge); border-radius: 0.625rem; background: var(--_surface); color: inherit; font: inherit; font-weight: 500; cursor: pointer; }
  button.main { border-color: transparent; background: var(--_accent); color: var(--_on-accent); }
  button:disabled { opacity: 0.6; cursor: default; }
  :focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
`;
