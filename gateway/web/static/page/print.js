// The style of a printed chat: its title, and the messages with the questions and their answers, light,
// in full width and without anything to click. Who decided about a call, and about which arguments, is
// printed even if it is folded; a model's thoughts are not.
import { css } from "../vendor/lit.js";

const style = css`
  .not-loaded { display: none; }
  @media print {
    @page { margin: 1.75cm; }
    :root, :root[data-theme] { color-scheme: light; }
    body, .page, main { display: block; min-block-size: 0; max-inline-size: none; padding: 0; background: none; }
    #side, .top, .skip, .latest, .write, .instead, .connection, .work, .item > .acts.acts, .editor, .code-head, .icon-button, dialog, [popover], page-memory, #news,
    .transcript button, main > p.notice:not(.forked) { display: none; }
    .dock { display: block; position: static; max-inline-size: none; padding: 1rem 0 0; background: none; }

    main > h1.unseen, .item > h2.unseen { position: static; margin-block-end: 0; inline-size: auto; block-size: auto; overflow: visible; clip-path: none; white-space: normal; }
    main > h1 { margin-block-end: 1rem; font-size: 1.375rem; }
    .item > h2 { color: var(--_muted); font-size: 0.8125rem; font-weight: 600; break-after: avoid; }
    .item { display: block; contain: none; }
    .bubble { inline-size: fit-content; max-inline-size: 100%; padding: 0.375rem 0.75rem; border: 1px solid var(--_line); }
    .sent { justify-content: flex-start; }
    .not-loaded { display: block; }

    .fold.decided::details-content { display: block; content-visibility: visible; block-size: auto; }
    summary::after { display: none; }
    askgate-markdown.long > *, .piece { content-visibility: visible; }
    .code, .table-box, .passage, :is(.code, .fold, tool-result, .exact) pre { max-block-size: none; overflow: visible; }
    .code pre { white-space: pre-wrap; overflow-wrap: anywhere; }
    img { max-inline-size: 100%; }
    askgate-markdown a:has(> .place)::after { content: " (" attr(href) ")"; color: var(--_muted); font-size: 0.8125em; }
    askgate-markdown a > .place { display: none; }

    p, li, .bubble { orphans: 3; widows: 3; }
    h3, h4, h5, h6 { break-after: avoid; }
    tr, img, .formula.display, askgate-clarification { break-inside: avoid; }
    .item.user { break-after: avoid; }
  }
`;
document.adoptedStyleSheets.push(style.styleSheet);
