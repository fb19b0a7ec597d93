// Colors code. A worker reads it (colorist.js), so that code which takes long to read does not block the
// page; it then stays as it is. Only the color of the text changes, never the text or its layout.
import { css } from "../vendor/lit.js";
import { root } from "./root.js";
import { scriptURL } from "./trusted.js";

const longest = 50_000; // characters per block
const patience = 2000; // ms for one block
const start = 20_000; // ms for the first, before which the worker is loaded
const kept = 30; // results

const names = { __proto__: null, shell: "bash", "c#": "csharp" };
const worker = `${root}/assets/page/colorist.js`;

// Each has a contrast of at least 4.5 on the background of code.
const style = css`
  .hl-comment { color: light-dark(#5a6172, #a7aebd); }
  .hl-keyword { color: light-dark(#7a1fa2, #d4a6ff); }
  .hl-string { color: light-dark(#1a6b33, #8fd6a3); }
  .hl-number { color: light-dark(#9a3b00, #f5b07c); }
  .hl-title { color: light-dark(#0b57b0, #8fbcff); }
  .hl-name { color: light-dark(#7a4d00, #e6c77a); }
  .hl-deletion { color: light-dark(#b3261e, #ff9d94); }
`;
document.adoptedStyleSheets.push(style.styleSheet);

const known = []; // {language, text, parts}: results, the newest last
const colored = new WeakMap(); // code -> length of its text when it was last colored or waited for that
const waiting = [];
let running = null; // the worker
let busy = false;

// color colors the code of a box now, if the worker has read it before, or else later. Code that has
// grown since keeps the colors of its beginning until then.
export function color(code) {
  const text = code.textContent, name = code.dataset.language.toLowerCase(), language = names[name] ?? name;
  if (text.length > longest || colored.get(code) === text.length) return;
  colored.set(code, text.length);
  const before = known.findLast((k) => k.language === language && text.startsWith(k.text));
  if (before) paint(code, before.parts);
  if (before?.text.length === text.length) return;
  waiting.push({ code, text, language });
  next();
}

// next lets the worker read what waits, one block at a time.
function next() {
  if (busy) return;
  let job;
  do job = waiting.shift(); while (job && (!job.code.isConnected || job.code.textContent.length !== job.text.length)); // drawn again since
  if (!job) return;
  busy = true;
  const end = (parts) => {
    clearTimeout(timer);
    busy = false;
    if (parts) {
      known.push({ ...job, parts, code: null });
      if (known.length > kept) known.shift();
      if (job.code.textContent === job.text) paint(job.code, parts);
    } else {
      running?.terminate();
      running = null;
    }
    next();
  };
  const timer = setTimeout(end, running ? patience : start);
  try {
    running ??= new Worker(scriptURL(worker), { type: "module" });
  } catch {
    return end();
  }
  running.onmessage = ({ data }) => end(data);
  running.onerror = (event) => {
    event.preventDefault();
    end();
  };
  running.postMessage({ code: job.text, language: job.language });
}

// paint wraps the parts of a text in elements of their color. The boxes of continued code stay.
function paint(code, parts) {
  let i = 0, left = parts[1] ?? Infinity;
  const painted = (text) => {
    const nodes = document.createDocumentFragment();
    for (let at = 0; at < text.length;) {
      const length = Math.min(left, text.length - at), words = text.slice(at, at + length), role = parts[i];
      nodes.append(role ? Object.assign(document.createElement("span"), { className: `hl-${role}`, textContent: words }) : words);
      at += length;
      left -= length;
      if (left === 0) left = parts[(i += 2) + 1] ?? Infinity;
    }
    return nodes;
  };
  const own = [...code.childNodes].filter((node) => node.className !== "piece");
  const beginning = painted(own.map((node) => node.textContent).join(""));
  for (const node of own) node.remove();
  code.prepend(beginning);
  for (const piece of code.querySelectorAll(":scope > .piece")) piece.replaceChildren(painted(piece.textContent));
}
