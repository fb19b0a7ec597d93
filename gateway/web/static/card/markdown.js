// Previews of options: enough of Markdown for a draft or a piece of code, drawn as templates, so that
// no part of it becomes markup. HTML and tables are shown as text, pictures as their text, and links
// as their text and address: nothing is fetched or opened because a model wrote it.
import { html } from "../vendor/lit.js";

const longest = 2000; // code points, as in the gateway
const deepest = 4; // nested lists and quotes

const fence = /^ {0,3}(`{3,}|~{3,})/;
const heading = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$/;
const rule = /^ {0,3}([-*_])(?: *\1){2,} *$/;
const quote = /^ {0,3}> ?/;
const bullet = /^ {0,3}(?:[-*+]|(\d{1,9})[.)])(?: {1,4}|$)/;
const verbatim = /^(?: {4}|\t|\s*\|)/;
const begins = (line) => [fence, heading, rule, quote, bullet].some((start) => start.test(line));
const blank = (line) => line === undefined || line.trim() === "";

const drawn = new WeakMap(); // by option

// previewOf draws the preview of an option.
export function previewOf(option) {
  if (!drawn.has(option)) drawn.set(option, blocks([...option.preview].slice(0, longest).join("").split(/\r?\n/), 0));
  return drawn.get(option);
}

// drawnText draws a whole text in the same way.
export const drawnText = (text) => blocks(text.split(/\r?\n/), 0);

const code = (lines) => html`<pre dir="ltr">${lines.join("\n")}</pre>`;

function blocks(lines, depth) {
  const out = [];
  let i = 0;
  const run = (goesOn) => {
    const from = i;
    do i++; while (i < lines.length && goesOn(lines[i], lines[i + 1]));
    return lines.slice(from, i);
  };
  while (i < lines.length) {
    const line = lines[i];
    const [, marks] = fence.exec(line) ?? [];
    const [, level, title] = heading.exec(line) ?? [];
    if (blank(line)) i++;
    else if (marks) {
      const [, ...inside] = run((l) => !l.trim().startsWith(marks));
      i++;
      out.push(code(inside));
    } else if (level) {
      i++;
      out.push(html`<p class="heading" dir="auto">${inline(title)}</p>`); // not part of the page's outline
    } else if (rule.test(line)) {
      i++;
      out.push(html`<hr>`);
    } else if (depth < deepest && quote.test(line)) {
      out.push(html`<blockquote>${blocks(run((l) => quote.test(l)).map((l) => l.replace(quote, "")), depth + 1)}</blockquote>`);
    } else if (depth < deepest && bullet.test(line)) out.push(list());
    else if (verbatim.test(line)) out.push(code(run((l) => verbatim.test(l))));
    else out.push(html`<p dir="auto">${run((l) => !blank(l) && !begins(l)).flatMap((l, n) => [n ? html`<br>` : "", inline(l.trim())])}</p>`);
  }
  return out;

  function list() {
    const [, first] = bullet.exec(lines[i]);
    const items = [];
    const own = (l) => { const m = bullet.exec(l ?? ""); return m && Boolean(m[1]) === Boolean(first) && !rule.test(l); };
    while (i < lines.length && own(lines[i])) {
      const [start] = bullet.exec(lines[i]);
      const [head, ...rest] = run((l, next) => /^ {2}/.test(l) || (blank(l) ? /^ {2}/.test(next ?? "") : !begins(l)));
      const inner = rest.map((l) => l.slice(Math.min(start.length, l.search(/\S|$/))));
      items.push(html`<li dir="auto">${blocks([head.slice(start.length), ...inner], depth + 1)}</li>`);
      if (blank(lines[i]) && own(lines[i + 1])) i++;
    }
    return first ? html`<ol start=${first}>${items}</ol>` : html`<ul>${items}</ul>`;
  }
}

const tokens = /\\([!-/:-@[-`{-~])|(`+)(.+?)\2(?!`)|(\*\*|__)(?=\S)(.+?)\4|([*_])(?=\S)(.+?)\6|~~(.+?)~~|!?\[([^\]]*)\]\(\s*<?([^\s)>]*)>?(?:\s[^)]*)?\)/g;

// inline draws the text of a line.
function inline(text, depth = 0) {
  if (depth > deepest) return text;
  const out = [];
  let at = 0;
  for (const m of text.matchAll(tokens)) {
    const [all, escaped, , monospaced, strong, bold, em, italic, gone, words, address] = m;
    out.push(text.slice(at, m.index));
    at = m.index + all.length;
    const inWord = /[\p{L}\p{N}]/u.test(text[m.index - 1] ?? "") || /[\p{L}\p{N}]/u.test(text[at] ?? "");
    if (escaped) out.push(escaped);
    else if (monospaced !== undefined) out.push(html`<code dir="ltr">${monospaced.trim() || monospaced}</code>`);
    else if ((strong ?? em ?? "")[0] === "_" && inWord) out.push(all); // as in snake_case_names
    else if (bold) out.push(html`<strong>${inline(bold, depth + 1)}</strong>`);
    else if (italic) out.push(html`<em>${inline(italic, depth + 1)}</em>`);
    else if (gone) out.push(html`<s>${inline(gone, depth + 1)}</s>`);
    else if (all.startsWith("!")) out.push(words);
    else out.push(html`${inline(words, depth + 1)}${words === address || !address ? "" : html` <bdi class="muted">(${address})</bdi>`}`);
  }
  out.push(text.slice(at));
  return out;
}
