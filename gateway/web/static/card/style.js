// The card's style. Colors, radius and fonts are from palette.js; every element is a part. Logical
// properties throughout, so that right-to-left needs no rules.
import { palette } from "../palette.js";
import { css } from "../vendor/lit.js";

export const styles = [palette, css`
  :host {
    display: block;
    min-inline-size: min(16rem, 100%);
    color: var(--_text);
    font: var(--askgate-font-size, 1rem) / 1.5 var(--_font);
    text-align: start;
  }
  :host::before { /* two invisible words, far apart: the card takes 24rem where its parent is as wide as its content, and less where there is less */
    content: "0 0"; display: block; block-size: 0; overflow: hidden; visibility: hidden; font-size: 0; line-height: 0; white-space: normal; word-spacing: 24rem;
  }
  :host([hidden]) { display: none; }
  section { container-type: inline-size; }
  :host([theme="light"]) { color-scheme: light; }
  :host([theme="dark"]) { color-scheme: dark; }
  :host([theme="inherit"]) { color-scheme: inherit; }
  *, ::before, ::after { box-sizing: border-box; }
  p, ul { margin: 0; padding: 0; }
  :is(p, span)[dir] { text-align: -webkit-match-parent; text-align: match-parent; } /* words keep their direction, and lines align with the column */
  .unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

  .card {
    background: var(--_surface);
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    box-shadow: var(--askgate-shadow, 0 1px 2px rgb(16 20 40 / 6%), 0 4px 16px rgb(16 20 40 / 6%));
    overflow-wrap: anywhere;
  }
  .card.page { border: 0; box-shadow: none; background: none; }
  .card.read form { padding-block: 0; }
  .pages > .head { padding: 1.125rem 1.125rem 0.625rem; }
  .pages > form { padding-block-start: 0.875rem; }
  .pages > .alert { margin: 0 1.125rem 1.125rem; }
  form, .handed { display: grid; gap: 0.875rem; padding: 1.125rem; }
  .content { display: grid; gap: 0.625rem; min-inline-size: 0; }

  .top { display: flex; flex-wrap: wrap; align-items: center; gap: 0.375rem 0.625rem; font-size: 0.8125rem; }
  .tag { padding: 0.125rem 0.5rem; border-radius: 0.375rem; background: var(--_tint); color: var(--_accent); font-weight: 600; }
  .asker, .for { color: var(--_muted); font-size: 0.8125rem; font-weight: 500; }
  .waits { padding: 0.5rem 0.75rem; border-radius: calc(var(--_radius) * 0.7); background: var(--_warn-tint); color: var(--_warn); font-size: 0.875rem; }
  .where { display: flex; align-items: center; gap: 0.5rem; margin-inline-start: auto; color: var(--_muted); font-variant-numeric: tabular-nums; }
  .tabs { min-inline-size: 0; flex: 1 1 12rem; }
  .tabs ol { display: flex; flex-wrap: wrap; gap: 0.25rem; margin: 0; padding: 0; list-style: none; }
  .tab { display: inline-flex; align-items: center; gap: 0.25rem; min-block-size: 2.75rem; min-inline-size: 2.75rem; justify-content: center; padding: 0.125rem 0.625rem; border-color: var(--_line); color: var(--_muted); font-size: 0.8125rem; }
  .tab:hover { background: var(--_raised); }
  .tab[aria-current] { border-color: var(--_accent); background: var(--_tint); color: var(--_accent); }
  .tick::before { content: "✓" / ""; color: var(--_good); }

  .title { font-size: 1.125em; font-weight: 600; line-height: 1.35; text-wrap: pretty; }
  .context { color: var(--_muted); }
  .link {
    display: grid; gap: 0.125rem; padding: 0.625rem 0.75rem; border: 1px solid var(--_edge); border-radius: calc(var(--_radius) * 0.7);
    background: var(--_surface); color: var(--_accent); text-decoration: none; overflow-wrap: anywhere;
  }
  .link span { color: var(--_muted); font-size: 0.8125em; }
  .link:hover b, .link:focus-visible b { text-decoration: underline; }
  .hint { color: var(--_muted); font-size: 0.875rem; }
  :is(#context, .hint):not(:has(p)) { display: none; }
  .muted { color: var(--_muted); }

  /* ---- choices ---- */
  .choices { display: grid; gap: 0.5rem; }
  .chips { display: grid; gap: 0.5rem; }
  .two { grid-template-columns: repeat(2, 1fr); }
  .three { grid-template-columns: repeat(3, 1fr); }
  .list {
    display: flex; flex-direction: column; max-block-size: min(20rem, 50vh); overflow: auto; overscroll-behavior: contain;
    border: 1px solid var(--_line); border-radius: calc(var(--_radius) * 0.7); background: var(--_surface);
  }
  .option, .own {
    display: flex; align-items: center; gap: 0.625rem; min-block-size: 2.75rem; padding: 0.5rem 0.75rem;
    border: 1px solid var(--_edge); border-radius: calc(var(--_radius) * 0.7); background: var(--_surface);
    cursor: pointer; transition: background 0.12s, border-color 0.12s, box-shadow 0.12s;
  }
  .list .option { flex: none; border: 0; border-radius: 0; }
  .list .option + .option { border-block-start: 1px solid var(--_line); }
  .option:hover { background: var(--_raised); }
  .chosen { border-color: var(--_accent); background: var(--_tint); box-shadow: inset 0 0 0 1px var(--_accent); }
  .option.chosen:hover { background: var(--_tint); }
  .list .chosen { box-shadow: inset 3px 0 0 var(--_accent); }
  .list .chosen:dir(rtl) { box-shadow: inset -3px 0 0 var(--_accent); }
  .option:has(:focus-visible), .own:has(:focus-visible) { outline: 2px solid var(--_text); outline-offset: 2px; } /* a ring with a gap, neither color nor fill: focus is not a choice */
  .list .option:has(:focus-visible) { outline-offset: -3px; }
  .pick { flex: none; inline-size: 1.125rem; block-size: 1.125rem; margin: 0; accent-color: var(--_accent); outline: 0; cursor: inherit; }
  .words { display: grid; gap: 0.125rem; flex: 1; min-inline-size: 0; }
  .label { font-weight: 500; }
  .about { color: var(--_muted); font-size: 0.875rem; line-height: 1.4; }
  .badge {
    display: inline-block; margin-inline-start: 0.25rem; padding: 0 0.4375rem; border-radius: 1rem; border: 1px solid currentColor;
    color: var(--_good); font-size: 0.75rem; font-weight: 600; line-height: 1.5; white-space: nowrap;
  }

  /* The preview of the focused option, otherwise of the first chosen one. */
  .items { display: grid; gap: 0.5rem; }
  .item { display: grid; gap: 0.5rem; }
  .preview {
    display: none; gap: 0.5rem; max-block-size: 20rem; padding: 0.75rem; overflow: auto; border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 0.7); background: var(--_raised); font-size: 0.9375rem;
  }
  .item:focus-within > .preview, .item:has(.pick:checked) > .preview { display: grid; }
  .items:has(.item:focus-within) > .item:not(:focus-within) > .preview, .item:has(.pick:checked) ~ .item:has(.pick:checked):not(:focus-within) > .preview { display: none; }
  .preview :is(ul, ol) { display: block; margin: 0; padding-inline-start: 1.5rem; list-style: revert; }
  .preview pre { padding: 0; max-block-size: none; }
  .preview .heading { font-weight: 600; }
  .preview blockquote { margin: 0; padding-inline-start: 0.75rem; border-inline-start: 3px solid var(--_line); color: var(--_muted); }
  .preview hr { inline-size: 100%; border: 0; border-block-start: 1px solid var(--_line); }
  kbd {
    flex: none; min-inline-size: 1.375rem; padding: 0 0.25rem; border: 1px solid var(--_line); border-radius: 0.3125rem;
    color: var(--_muted); font: 0.75rem / 1.5 var(--_font); text-align: center;
  }
  @media (pointer: coarse) { kbd, .keys { display: none; } }
  .own { flex-wrap: wrap; cursor: default; }
  .own > label { font-weight: 500; cursor: pointer; }
  .own textarea { flex: 1 1 10rem; min-inline-size: 0; min-block-size: 1.75rem; inline-size: auto; padding: 0.125rem 0; border: 0; background: none; }
  .own textarea:focus-visible { outline: 0; }
  .own .error { flex-basis: 100%; }
  .own-plain, .note { display: grid; gap: 0.25rem; }
  .own-plain label, .note label { font-size: 0.875rem; font-weight: 500; }
  .search { position: relative; }
  .search .count { position: absolute; inset-block: 0; inset-inline-end: 0.75rem; display: flex; align-items: center; color: var(--_muted); font-size: 0.8125rem; pointer-events: none; }
  .none { padding: 0.75rem; color: var(--_muted); }

  /* ---- fields ---- */
  textarea, input:not(.pick) {
    inline-size: 100%; min-block-size: 2.75rem; padding: 0.5625rem 0.75rem; border: 1px solid var(--_edge);
    border-radius: calc(var(--_radius) * 0.6); background: var(--_surface); color: inherit; font: inherit;
  }
  textarea { display: block; field-sizing: content; max-block-size: 50vh; resize: none; overflow: auto; }
  ::placeholder { color: var(--_muted); opacity: 1; unicode-bidi: plaintext; }
  .date { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 0.75rem; }
  input:is([type="date"], [type="datetime-local"]) { inline-size: auto; max-inline-size: 100%; justify-self: start; }
  :is(textarea, input:not(.pick)):focus-visible { outline: 2px solid var(--_accent); outline-offset: 0; border-color: var(--_accent); }
  :is(textarea, input:not(.pick))[aria-invalid="true"] { border-color: var(--_danger); outline-color: var(--_danger); }
  .points { display: grid; grid-template-columns: repeat(auto-fit, minmax(2.5rem, 1fr)); gap: 0.375rem; }
  .points .point { flex-direction: column; gap: 0.25rem; align-items: center; min-inline-size: 0; padding: 0.5rem 0.125rem; text-align: center; font-variant-numeric: tabular-nums; }
  .ends { display: flex; justify-content: space-between; gap: 1rem; margin-block-start: 0.375rem; color: var(--_muted); font-size: 0.875rem; }
  .ends span:last-child { text-align: end; }
  .rank { display: grid; gap: 0.375rem; margin: 0; padding: 0; list-style: none; counter-reset: rank; }
  .ranked { counter-increment: rank; display: flex; align-items: stretch; border: 1px solid var(--_edge); border-radius: calc(var(--_radius) * 0.6); background: var(--_surface); }
  .ranked.held { border-color: var(--_accent); box-shadow: inset 0 0 0 1px var(--_accent); }
  .grip { display: flex; flex: 1; align-items: center; gap: 0.75rem; min-inline-size: 0; padding: 0.5rem 0.75rem; text-align: start; font-weight: 500; cursor: grab; touch-action: none; user-select: none; }
  .grip::before { content: counter(rank) / ""; flex: none; min-inline-size: 1.25rem; color: var(--_muted); font-variant-numeric: tabular-nums; }
  .ranked .step[aria-disabled="true"] { opacity: 0.35; cursor: default; }
  .keep-order { justify-self: start; }
  .stepper { display: flex; gap: 0.5rem; }
  .stepper input { inline-size: 8rem; flex: 0 1 12rem; min-inline-size: 4rem; text-align: center; font-variant-numeric: tabular-nums; }
  .below { margin-block-start: -0.25rem; display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; color: var(--_muted); font-size: 0.8125rem; }
  .length { margin-inline-start: auto; font-variant-numeric: tabular-nums; }
  .over { color: var(--_danger); font-weight: 600; }
  .error { color: var(--_danger); font-size: 0.875rem; font-weight: 500; }
  .error::before { content: "⚠" / ""; margin-inline-end: 0.375rem; }
  .alert { padding: 0.5rem 0.75rem; border-radius: 0.5rem; background: var(--_danger-tint); color: var(--_danger); font-size: 0.875rem; }
  .alert.soft, .warning { background: var(--_warn-tint); color: var(--_warn); }
  .warning { padding: 0.5rem 0.75rem; border-radius: 0.5rem; font-size: 0.875rem; font-weight: 500; }
  .call label { font-weight: 500; }
  .also { color: var(--_muted); font-size: 0.8125rem; }
  .quorum { display: grid; gap: 0.25rem; font-size: 0.875rem; }
  .decided { display: grid; gap: 0.125rem; margin: 0; padding: 0; list-style: none; color: var(--_muted); font-size: 0.875rem; overflow-wrap: anywhere; }
  .mine { color: var(--_good); font-weight: 500; }
  .edit { justify-self: start; margin-inline-start: -0.5rem; }
  .json { font: 0.875em / 1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; text-align: start; }
  .call { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.5rem; font-size: 0.875rem; }
  code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.875em; }
  mark { background: var(--_warn-tint); color: var(--_warn); border-radius: 0.1875rem; }
  askgate-arguments { font-size: 0.875rem; }
  .asked-for summary { inline-size: fit-content; min-block-size: 1.5rem; color: var(--_muted); font-size: 0.875rem; cursor: pointer; }
  .option:has(.pick[aria-disabled]) { opacity: 0.55; cursor: not-allowed; }
  pre { margin: 0; max-block-size: 16rem; overflow: auto; padding: 0.625rem 0.75rem; border-radius: 0.5rem; background: var(--_raised); white-space: pre-wrap; text-align: start; }

  /* ---- buttons ---- */
  button {
    min-block-size: 2.75rem; min-inline-size: 2.75rem; padding: 0.5rem 1rem; border: 1px solid transparent;
    border-radius: calc(var(--_radius) * 0.6); background: none; color: inherit; font: inherit; font-weight: 600; overflow-wrap: normal; cursor: pointer;
  }
  :is(button, summary, .closed, pre, askgate-arguments, .preview):focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; border-radius: calc(var(--_radius) * 0.6); }
  .main { display: inline-flex; align-items: center; justify-content: center; gap: 0.5rem; padding-inline: 1.25rem; background: var(--_accent); color: var(--_on-accent); }
  .main:hover { filter: brightness(1.08); }
  .plain, .step { border-color: var(--_edge); background: var(--_surface); }
  .step { padding: 0; font-size: 1.25rem; line-height: 1; }
  :is(.plain, .step):hover { background: var(--_raised); }
  .step:disabled { opacity: 0.45; cursor: default; }
  .earlier { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.25rem 0.75rem; padding: 0.375rem; padding-inline-start: 0.75rem; border-radius: 0.5rem; background: var(--_tint); }
  .earlier span { min-inline-size: 0; flex: 1 1 12rem; overflow-wrap: anywhere; font-size: 0.875rem; }
  .quiet { padding-inline: 0.5rem; color: var(--_muted); font-size: 0.875rem; font-weight: 500; }
  .quiet:hover { color: var(--_text); text-decoration: underline; text-underline-offset: 0.2em; }
  .add { display: inline-flex; align-items: center; gap: 0.375rem; justify-self: start; margin-inline-start: -0.5rem; }
  .add::before { content: "+" / ""; font-size: 1.25em; font-weight: 400; line-height: 1; }
  [aria-disabled="true"] { opacity: 0.7; cursor: default; }
  .actions { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.5rem; padding-block-start: 0.25rem; }
  .aside { display: flex; flex-wrap: wrap; margin-inline-start: -0.5rem; }
  .onward { display: flex; gap: 0.5rem; margin-inline-start: auto; }
  .decisions { justify-content: flex-start; }
  .grace { position: relative; padding-block: 0.625rem 0.25rem; }
  .grace .soon { min-inline-size: 0; flex: 1 1 6rem; color: var(--_muted); font-size: 0.875rem; line-height: 1.3; }
  .clock { position: absolute; inset: 0 0 auto; block-size: 3px; border-radius: 3px; background: var(--_accent); transform-origin: left; animation: run-out 1.2s linear forwards; }
  .clock.still { animation-name: none; }
  .clock:dir(rtl) { transform-origin: right; }
  @keyframes run-out { to { transform: scaleX(0); } }
  form:has(.grace) :is(.option:not(.chosen), .own) { color: var(--_muted); border-color: var(--_line); }
  .title:focus { outline: 0; }
  .deadline { color: var(--_muted); font-size: 0.8125rem; text-align: end; }
  .spinner { inline-size: 1em; block-size: 1em; border: 2px solid; border-inline-start-color: transparent; border-radius: 50%; animation: turn 0.8s linear infinite; }
  @keyframes turn { to { rotate: 1turn; } }
  .sending form { cursor: progress; }

  /* ---- review, and closed card ---- */
  .review ul { display: grid; list-style: none; }
  .review button { flex: none; }
  .review li { display: flex; align-items: center; justify-content: space-between; gap: 0.75rem; padding-block: 0.625rem; border-block-start: 1px solid var(--_line); }
  .said { display: grid; min-inline-size: 0; }
  .asked { color: var(--_muted); font-size: 0.875rem; }
  .answer { font-weight: 500; white-space: pre-wrap; }
  .noted { font-size: 0.875rem; white-space: pre-wrap; }
  .noted span:first-child, .outcome { color: var(--_muted); }
  .again { display: flex; align-items: center; gap: .5em; min-block-size: 2.75rem; }
  .card.answered, .card.skipped, .card.declined, .card.expired, .card.superseded, .card.cancelled, .card.remembered { box-shadow: none; background: var(--_raised); }
  .file { position: relative; display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 0.75rem; padding: 0.75rem; border: 1px dashed var(--_line); border-radius: calc(var(--_radius) * 0.6); overflow-wrap: anywhere; }
  .file .native { position: absolute; inline-size: 1px; min-block-size: 1px; block-size: 1px; padding: 0; border: 0; opacity: 0; } /* its button and text are in the browser's language */
  .choose { display: inline-flex; align-items: center; min-block-size: 2.75rem; padding: 0.5rem 1rem; border: 1px solid var(--_edge); border-radius: calc(var(--_radius) * 0.6); font-weight: 600; cursor: pointer; }
  .choose:hover { background: var(--_raised); }
  .native:disabled + .choose { opacity: 0.7; cursor: default; }
  .native:focus-visible + .choose { outline: 2px solid var(--_accent); outline-offset: 2px; }
  .native[aria-invalid="true"] + .choose { border-color: var(--_danger); }
  .closed { display: flex; gap: 0.75rem; padding: 0.75rem 1rem; }
  .closed .body { display: grid; gap: 0.375rem; min-inline-size: 0; flex: 1; }
  .mark { flex: none; inline-size: 1.5rem; block-size: 1.5rem; border-radius: 50%; background: var(--_line); color: var(--_muted); font-size: 0.875rem; line-height: 1.5rem; text-align: center; }
  .closed.answered .mark { background: var(--_good); color: var(--_surface); }
  .closed.denied .mark { background: var(--_danger-tint); color: var(--_danger); }
  .closed.denied .outcome { color: var(--_danger); font-weight: 500; }
  .others { font-size: 0.875rem; }
  @media print { .others:not([open]) { display: none; } }
  .others summary { min-block-size: 1.5rem; color: var(--_muted); cursor: pointer; }
  .others ul { display: grid; gap: 0.125rem; list-style: none; }
  .others .asked { margin-block-start: 0.375rem; }
  .others li { display: flex; gap: 0.5rem; color: var(--_muted); }
  .others li > :first-child { flex: none; inline-size: 1em; }
  .others .taken { color: var(--_text); font-weight: 500; }
  .outcome { font-size: 0.8125rem; }
  .notice { color: var(--_warn); font-size: 0.875rem; font-weight: 500; }
  .unsent { font-size: 0.875rem; }
  .unsent summary { min-block-size: 1.5rem; color: var(--_muted); cursor: pointer; }
  .unsent p { margin-block-start: 0.25rem; padding: 0.375rem 0.625rem; border-radius: 0.375rem; background: var(--_surface); white-space: pre-wrap; }

  @container (min-width: 36rem) { /* there is room next to the options */
    .items { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); align-items: start; gap: 0 0.75rem; }
    .item { display: contents; }
    .item > .option { grid-column: 1; margin-block-end: 0.5rem; }
    .preview { grid-column: 2; grid-row: 1 / span 99; max-block-size: 28rem; }
    .items:not(:has(.item:focus-within, .pick:checked)) > .leading > .preview { display: grid; }
  }
  @container (max-width: 26rem) {
    form, .handed { padding: 0.875rem; }
    .chips:is(:not(.short), :has(.badge)) { grid-template-columns: 1fr; }
    .pages > .head { padding-inline: 0.875rem; }
    .actions { flex-direction: column-reverse; align-items: stretch; }
    .actions.decisions { flex-direction: column; }
    .actions.grace { flex-direction: row; align-items: center; padding-block: 0.375rem 0; }
    .grace button { padding-inline: 0.75rem; }
    .onward { margin: 0; }
    .onward > * { flex: auto; }
    .aside { justify-content: center; margin: 0; }
    .stepper input { flex: 1; }
  }
  @media (prefers-reduced-motion: reduce) {
    *, ::before, ::after { transition: none !important; animation-duration: 4s !important; }
    .clock { display: none; }
  }
  @media (forced-colors: active) {
    .chosen { outline: 2px solid Highlight; outline-offset: -2px; }
    .main { border-color: ButtonText; }
    .tab[aria-current] { outline: 2px solid Highlight; outline-offset: -2px; }
    .mark { border: 1px solid; }
    .clock { background: Highlight; forced-color-adjust: none; }
  }
`];
