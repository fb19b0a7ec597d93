// Typesets formulas with KaTeX. Nothing in a formula is trusted: it has no links, pictures or styles of
// its own, and cannot draw outside of its text.
import { render } from "../vendor/katex/katex.js";
import { css } from "../vendor/lit.js";
import { read } from "./maths.js";
import { root } from "./root.js";
import { text } from "./texts.js";

const kept = 300; // formulas that are not typeset again while the text around them grows
const largest = 20; // em
const tokens = 300_000; // that macros may make of a formula, at most

const style = css`
  askgate-markdown:has(.formula), .passage-text:has(.formula) { overflow: clip; overflow-clip-margin: 0.5rem; }
  .formula { direction: ltr; unicode-bidi: isolate; overflow-wrap: normal; white-space: normal; }
  .formula.display { display: block; overflow: auto hidden; padding-block: 0.125rem; }
  .formula.display .katex-display { margin: 0.25rem 0; }
  .formula.display:focus-visible { outline: 2px solid var(--_accent); outline-offset: -2px; border-radius: 0.5rem; }
  p:has(> .formula:not(.display)) { overflow: auto hidden; }
  .katex { font-size: 1.125em; }
  @media print { .formula.display, p:has(> .formula) { overflow: visible; } }
`;

let styling = null;

// styled resolves once KaTeX's styles are loaded.
export const styled = () => styling ??= new Promise((resolve, reject) => {
  document.adoptedStyleSheets.push(style.styleSheet);
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: `${root}/assets/vendor/katex/katex.css`, onload: resolve });
  link.onerror = () => {
    link.remove();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== style.styleSheet);
    styling = null;
    reject(new Error("katex.css"));
  };
  document.head.append(link);
});

const done = new Map(); // formula as written -> node, or null if it cannot be typeset

// typeset replaces the text of a formula with the formula. What KaTeX cannot read stays as written.
export function typeset(code) {
  const written = code.textContent, formula = read(written);
  if (!formula) return;
  if (!done.has(written)) {
    if (done.size === kept) done.delete(done.keys().next().value);
    done.set(written, nodeOf(formula));
  }
  const node = done.get(written)?.cloneNode(true);
  if (!node) return code.classList.remove("maths");
  if (formula.display) Object.assign(node, { tabIndex: 0, role: "group", ariaLabel: text("page.formula") });
  code.replaceWith(node);
}

function nodeOf({ tex, display }) {
  const node = document.createElement("span");
  node.className = display ? "formula display" : "formula";
  try {
    render(tex.trim(), node, { displayMode: display, throwOnError: true, trust: false, strict: "ignore", maxSize: largest, maxExpand: Math.min(1000, Math.ceil(tokens / tex.length)) });
    return node;
  } catch {
    return null;
  }
}
