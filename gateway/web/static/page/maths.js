// Finds formulas in a model's text: $$...$$ and \[...\] on their own, \(...\) and $...$ within a line.
// A single $ more often means money: a formula in $...$ has no space inside its signs, no digit after
// them, and no amount with words behind it ("$5 to $10", "$5 or 10$").
//
// These are extensions of marked. A formula becomes <code class="maths">, with its text as written;
// finish.js typesets it.
const longest = 2000; // characters per formula

const between = (open, close, inside) => new RegExp(`^${open}((?:${inside}){1,${longest}}?)${close}`);
const forms = [
  between("\\$\\$", "\\$\\$", "\\\\[^]|[^$\\\\]"),
  between("\\\\\\[", "\\\\\\]", "[^]"),
  between("\\\\\\(", "\\\\\\)", "[^]"),
  between("\\$(?![\\s$])", "(?<!\\s)\\$(?![\\d$]|[A-Z_{])", "\\\\[^\\n]|[^$\\\\\\n]"),
];
const amount = /^\d[^\\]*\s[A-Za-z]{2,}(?:[\s.,]|$)/;
const emptyLine = /\n[ \t]*\n/;
const first = /\$|\\[([]/;
const block = /^ {0,3}(?:\$\$(?!\$)|\\\[)/;
const blockAfterLine = /\n {0,3}(?:\$\$(?!\$)|\\\[)/;

// formulaAt returns the formula at the beginning of a text, with its signs, or "".
function formulaAt(src) {
  for (const [i, form] of forms.entries()) {
    const [raw, inside] = form.exec(src) ?? [];
    if (raw && inside.trim() && !emptyLine.test(inside) && !(i === 3 && amount.test(inside))) return raw;
  }
  return "";
}

export const maths = (escape) => [{
  name: "maths",
  level: "inline",
  start(src) {
    const at = src.search(first);
    return at < 0 ? undefined : at;
  },
  tokenizer(src, tokens) {
    if (!first.test(src.slice(0, 2)) || src[0] === "$" && /[\w$]$/.test(tokens.at(-1)?.raw ?? "")) return undefined; // US$5
    const raw = formulaAt(src);
    return raw ? { type: "maths", raw } : undefined;
  },
  renderer: ({ raw }) => `<code class="maths">${escape(raw)}</code>`,
}, {
  name: "mathsBlock",
  level: "block",
  start(src) {
    const at = src.search(blockAfterLine);
    return at < 0 ? undefined : at + 1;
  },
  tokenizer(src) {
    if (!block.test(src)) return undefined;
    const indent = src.search(/\S/), raw = formulaAt(src.slice(indent));
    const [rest] = /^[ \t]*(?:\n|$)/.exec(src.slice(indent + raw.length)) ?? [];
    if (raw && rest !== undefined) return { type: "mathsBlock", raw: src.slice(0, indent + raw.length + rest.length), formula: raw };
    if (raw || src.length - indent > longest || emptyLine.test(src)) return undefined;
    return { type: "mathsBlock", raw: src, formula: src.trim() }; // the end is still to come: it has no emphasis meanwhile
  },
  renderer: ({ formula }) => `<p><code class="maths">${escape(formula)}</code></p>`,
}];

// read returns a formula without its signs, and whether it stands on its own; null if its end is missing.
export function read(written) {
  for (const [i, form] of forms.entries()) {
    const [raw, tex] = form.exec(written) ?? [];
    if (raw === written) return { tex, display: i < 2 };
  }
  return null;
}
