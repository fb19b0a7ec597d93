// Parses a model's text into blocks, piece by piece, so that a long text does not block the page. A
// piece is parsed in one go, and not again once more text follows it. A block that is longer than a
// piece is cut: the rest of a list becomes another list, the rest of a table another table with the same
// head, the rest of code goes into the same box, and the rest of anything else becomes a paragraph.
//
// Parsing may take time that grows with the square of a paragraph's length, with the depth of lists and
// quotes, and with rows times columns of a table. Text beyond the limits below is shown unformatted.
import { Marked } from "../vendor/marked.js";
import { maths } from "./maths.js";
import { text } from "./texts.js";

const longest = 8192; // characters per piece
const lines = 200; // per parsed piece; an unformatted one may have more
export const readable = 262_144; // characters of a text that are parsed as Markdown
const most = 2000; // parsed blocks per text
const words = 5000; // characters per paragraph, cell or heading
const deepest = 16; // depth of nested lists and quotes
const cells = 2000; // cells per table

const wordTag = /^<\/?(?:b|br|del|em|i|ins|kbd|mark|s|strong|sub|sup|u)\s*\/?>$/i;
const characters = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (s) => s.replace(/[&<>"]/g, (c) => characters[c]);

const marked = new Marked({
  gfm: true,
  breaks: true, // line breaks in a chat are intended
  extensions: maths(escape),
  tokenizer: {
    table(src) { // count rows times columns: short rows are filled up
      const [head] = /^[^\n]*/.exec(src), rows = /^(?:[^\n]*\S[^\n]*(?:\n|$))*/.exec(src)[0].split("\n").length;
      return head.split("|").length * rows > cells ? undefined : false;
    },
  },
  renderer: {
    html({ text: tag, block }) {
      if (wordTag.test(tag.trim())) return tag;
      return block ? `<p>${escape(tag)}</p>` : escape(tag);
    },
    heading({ tokens, depth }) { // below the headings of the page
      const level = Math.min(depth + 2, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    image: ({ href, text: alt }) => `<a href="${escape(href)}">${escape(alt || text("page.image"))}</a>`,
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  },
});

const asIs = (raw) => ({ type: "text", raw, text: raw });
const paragraph = (raw) => ({ type: "paragraph", raw, text: raw, tokens: [asIs(raw)] });

let depth = 0;
const { prototype } = marked.Lexer, { inlineTokens, blockTokens } = prototype;
prototype.inlineTokens = function (raw, tokens = []) {
  if (raw.length <= words) return inlineTokens.call(this, raw, tokens);
  tokens.push(asIs(raw));
  return tokens;
};
prototype.blockTokens = function (raw, tokens = [], ...rest) {
  if (depth < deepest) {
    depth++;
    try {
      return blockTokens.call(this, raw, tokens, ...rest);
    } finally {
      depth--;
    }
  }
  tokens.push(paragraph(raw));
  return tokens;
};

// end returns where the piece that begins at from ends: after a line, if possible.
function end(content, from, lines = longest) {
  let to = from;
  for (let n = 0; n < lines; n++) {
    const next = content.indexOf("\n", to) + 1;
    if (next === 0 || next - from > longest) break;
    to = next;
  }
  const limit = from + longest;
  if (content.length <= limit && content.indexOf("\n", to) < 0) return content.length; // up to the end of its last line
  if (to > from) return to;
  return limit - (/[\uD800-\uDBFF]/.test(content[limit - 1]) ? 1 : 0);
}

// piecesOf returns the pieces of a text that is shown unformatted.
export function piecesOf(content) {
  const pieces = [];
  for (let from = 0; from < content.length;) pieces.push(content.slice(from, from = end(content, from, lines)));
  return pieces;
}

// pieceAt parses the piece of a text that begins at from, after the given number of drawn blocks. If the
// piece begins within code or a table, head is the line that opened the code or the head of the table;
// otherwise it is "". The result is {tokens, links, to, head}: to is where the next piece begins if all
// blocks of this one are settled, and head is the head for that piece.
export function pieceAt(content, from, head, drawn) {
  if (!isFence(head) && (from >= readable || drawn >= most)) {
    const to = end(content, from); // few pieces, because each layout visits all of them
    return { tokens: [{ type: "verbatim", raw: content.slice(from, to) }], links: {}, to, head: "" };
  }
  const to = end(content, from, lines), raw = content.slice(from, to);
  let tokens;
  try {
    tokens = marked.lexer(head + raw);
  } catch {
    tokens = Object.assign([paragraph(raw)], { links: {} });
  }
  if (head) tokens[0] = { ...tokens[0], raw: tokens[0].raw.slice(head.length), goesOn: isFence(head) };
  const next = to < content.length ? openedBy(tokens, head, content[to]) : "";
  if (isFence(next)) tokens.at(-1).cut = true;
  return { tokens, links: tokens.links, to, head: next };
}

const isFence = (head) => /^ {0,3}[\x60~]/.test(head);

// openedBy returns the head of the code that the last block leaves open, or of the table if the table is
// the only block, otherwise "". before is the head that the piece began with, after is the character
// that follows the piece.
function openedBy(tokens, before, after) {
  const token = tokens.at(-1), whole = token?.raw ?? "";
  if (token?.type === "table") return tokens.length > 1 || after === "\n" ? "" : before || (/^[^\n]*\n[^\n]*\n/.exec(whole) ?? [""])[0];
  if (token?.type !== "code" || token.codeBlockStyle === "indented") return "";
  const first = token.goesOn ? before : /^[^\n]*\n?/.exec(whole)[0], [sign] = /[\x60~]{3,}/.exec(first) ?? [""];
  const last = whole.slice(token.goesOn ? 0 : first.length).trimEnd().split("\n").at(-1).trim();
  return sign && (!last.startsWith(sign) || last.replaceAll(sign[0], "")) ? first : "";
}

// htmlOf returns a block as HTML.
export function htmlOf(token) {
  if (token.type === "verbatim") return `<p class="verbatim">${escape(token.raw)}</p>`;
  try {
    return marked.parser([token]);
  } catch {
    return `<p>${escape(token.raw)}</p>`;
  }
}
