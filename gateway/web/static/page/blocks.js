// What a model wrote, as blocks: piece by piece, so that no text holds the page. A piece is read
// at once, and never again once more text follows it. A block that is longer than a piece is cut:
// a list goes on as another, a table too, with its head, code in the same box, all else as a paragraph.
//
// What reading takes may grow with the square of a paragraph, with the depth of lists and quotes,
// and with rows times columns of a table. Beyond the limits below, text is shown unformatted.
import { Marked } from "../vendor/marked.js";
import { text } from "./texts.js";

const longest = 8192; // characters of a piece
const lines = 200; // of a parsed piece; an unformatted one may have more
export const readable = 262_144; // characters of a text that are read as Markdown
const most = 2000; // blocks that are
const words = 5000; // characters of a paragraph, cell or heading
const deepest = 16; // nested lists and quotes
const cells = 2000; // of a table

const wordTag = /^<\/?(?:b|br|del|em|i|ins|kbd|mark|s|strong|sub|sup|u)\s*\/?>$/i;
const characters = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (s) => s.replace(/[&<>"]/g, (c) => characters[c]);

const marked = new Marked({
  gfm: true,
  breaks: true, // line breaks in a chat are meant
  tokenizer: {
    table(src) { // short rows are filled up
      const [head] = /^[^\n]*/.exec(src), rows = /^(?:[^\n]*\S[^\n]*(?:\n|$))*/.exec(src)[0].split("\n").length;
      return head.split("|").length * rows > cells ? undefined : false;
    },
  },
  renderer: {
    html({ text: tag, block }) {
      if (wordTag.test(tag.trim())) return tag;
      return block ? `<p>${escape(tag)}</p>` : escape(tag);
    },
    heading({ tokens, depth }) { // below the page's own
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

// end is where the piece ends that begins at a place of a text: behind a line, if one ends there.
function end(content, from, lines = longest) {
  let to = from;
  for (let n = 0; n < lines; n++) {
    const next = content.indexOf("\n", to) + 1;
    if (next === 0 || next - from > longest) break;
    to = next;
  }
  const limit = from + longest;
  if (content.length <= limit && content.indexOf("\n", to) < 0) return content.length; // its last line
  if (to > from) return to;
  return limit - (/[\uD800-\uDBFF]/.test(content[limit - 1]) ? 1 : 0);
}

// piecesOf returns the pieces of a text that is shown unformatted.
export function piecesOf(content) {
  const pieces = [];
  for (let from = 0; from < content.length;) pieces.push(content.slice(from, from = end(content, from, lines)));
  return pieces;
}

// pieceAt reads the piece of a text that begins at from, behind drawn blocks. head is the line that
// began the code in which it begins, or the head of the table, or "". It gives {tokens, links, to, head}:
// to is where the next piece begins, if all of this one counts, and head is for that.
export function pieceAt(content, from, head, drawn) {
  if (!isFence(head) && (from >= readable || drawn >= most)) {
    const to = end(content, from); // the fewer the better: each layout visits them all
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

// openedBy is the head of the code that the last block leaves open, or of the table if there is nothing
// else, or "". before is the head that the piece began with, after the character behind it.
function openedBy(tokens, before, after) {
  const token = tokens.at(-1), whole = token?.raw ?? "";
  if (token?.type === "table") return tokens.length > 1 || after === "\n" ? "" : before || (/^[^\n]*\n[^\n]*\n/.exec(whole) ?? [""])[0];
  if (token?.type !== "code" || token.codeBlockStyle === "indented") return "";
  const first = token.goesOn ? before : /^[^\n]*\n?/.exec(whole)[0], [sign] = /[\x60~]{3,}/.exec(first) ?? [""];
  const last = whole.slice(token.goesOn ? 0 : first.length).trimEnd().split("\n").at(-1).trim();
  return sign && (!last.startsWith(sign) || last.replaceAll(sign[0], "")) ? first : "";
}

// htmlOf is a block as HTML.
export function htmlOf(token) {
  if (token.type === "verbatim") return `<p class="verbatim">${escape(token.raw)}</p>`;
  try {
    return marked.parser([token]);
  } catch {
    return `<p>${escape(token.raw)}</p>`;
  }
}
