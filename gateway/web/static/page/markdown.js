// <askgate-markdown>: what a model writes, drawn while it is written.
//
//	content ──> marked.lexer ──> blocks ──> those that changed: HTML ──> DOMPurify ──> nodes
//
// Only the end of a growing text is parsed again: blocks that two others follow are
// settled until the text is complete, when all of it is parsed once more. The cost of a
// draw bounds how often it happens, so that a long block does not block the page.
//
// A model's text is not trusted as markup. Tags in it are shown as text, except for a few
// that only format a word; DOMPurify lets nothing else through, whatever the renderer
// makes of it; links show where they lead; pictures become links, so that nothing is
// fetched because a model wrote it. Of the gateway's own addresses only those of passages are
// links: they open below the answer (see sources.js).
import { DOMPurify } from "../vendor/purify.js";
import { Marked } from "../vendor/marked.js";
import { text } from "./texts.js";

const quietly = 3; // after a draw, this many times its duration passes before the next
const unsettled = 2; // blocks at the end that more text can still change

const wordTag = /^<\/?(?:b|br|del|em|i|ins|kbd|mark|s|strong|sub|sup|u)\s*\/?>$/i;
const characters = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (s) => s.replace(/[&<>"]/g, (c) => characters[c]);

const marked = new Marked({
  gfm: true,
  breaks: true, // line breaks in a chat are meant
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

// A paragraph, cell or heading of more characters is shown as it was written: what reading it
// takes grows with the square of them.
const longest = 5000;
const { prototype } = marked.Lexer, { inlineTokens } = prototype;
prototype.inlineTokens = function (words, tokens = []) {
  if (words.length <= longest) return inlineTokens.call(this, words, tokens);
  tokens.push(asIs(words));
  return tokens;
};

const asIs = (words) => ({ type: "text", raw: words, text: words });

// blocksIn are the blocks of a text; all of it is one where they are nested too deep to be read.
function blocksIn(words) {
  try {
    return marked.lexer(words);
  } catch {
    return Object.assign([{ type: "paragraph", raw: words, tokens: [asIs(words)] }], { links: {} });
  }
}

function htmlOf(token) {
  try {
    return marked.parser([token]);
  } catch {
    return `<p>${escape(token.raw)}</p>`;
  }
}

// ofPassage is the address of a passage of a document.
export const ofPassage = /^\/v1\/apps\/[A-Za-z0-9][\w.-]*\/documents\/[\w-]+\/[a-z2-7]{16}$/;

const allowed = {
  RETURN_DOM_FRAGMENT: true,
  ALLOWED_TAGS: ["a", "b", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "i", "ins", "kbd", "li", "mark", "ol", "p", "pre",
    "s", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "u", "ul"],
  ALLOWED_ATTR: ["align", "class", "href", "start", "title"],
  ADD_URI_SAFE_ATTR: ["align", "start"],
  ALLOWED_URI_REGEXP: new RegExp(`^(?:https?://|mailto:|tel:)|${ofPassage.source}`, "i"),
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

// nodesOf draws one block.
function nodesOf(token) {
  const fragment = DOMPurify.sanitize(htmlOf(token), allowed);
  for (const node of fragment.children) node.dir = "auto";
  for (const link of fragment.querySelectorAll("a")) finishLink(link);
  for (const pre of fragment.querySelectorAll("pre")) pre.replaceWith(codeBlock(pre));
  for (const table of fragment.querySelectorAll("table")) wrap(table, "table-box", text("page.table"));
  return [...fragment.childNodes].filter((node) => node.textContent.trim() || node.nodeType === Node.ELEMENT_NODE);
}

// drawn draws a whole text.
export const drawn = (content) => blocksIn(content).flatMap(nodesOf);

// blockOf draws a block. A list that grew out of the block before keeps its items.
function blockOf(token, before) {
  const list = token.type === "list" ? { ordered: token.ordered, loose: token.loose, start: token.start, items: token.items.map((item) => item.raw) } : null;
  const old = before?.list;
  if (!list || !old || list.ordered !== old.ordered || list.loose !== old.loose || list.start !== old.start) return { raw: token.raw, nodes: nodesOf(token), list };
  const [node] = before.nodes;
  const differs = list.items.findIndex((raw, i) => raw !== old.items[i]);
  const kept = differs < 0 ? list.items.length : differs;
  while (node.children.length > kept) node.lastElementChild.remove();
  if (differs >= 0) node.append(...nodesOf({ ...token, items: token.items.slice(kept) })[0].children);
  return { raw: token.raw, nodes: before.nodes, list };
}

// agrees says whether a link's text is its address or the host in it, and nothing besides: of
// "bank.example (by evil.example)" or "bank.example@evil.example" a reader sees the bank.
export function agrees(shown, href) {
  if (!/^[!-~]+$/.test(shown)) return false;
  if (/^(?:mailto|tel):/i.test(href)) return shown === href.replace(/^(?:mailto|tel):/i, "");
  try {
    const to = new URL(href), said = new URL(/^https?:\/\//i.test(shown) ? shown : `//${shown}`, to);
    const rest = (url) => url.pathname + url.search + url.hash;
    return !/[@\\]/.test(shown) && said.host === to.host && (rest(said) === "/" || rest(said) === rest(to));
  } catch {
    return false;
  }
}

// finishLink shows where a link leads, unless its text does.
function finishLink(link) {
  const href = link.getAttribute("href");
  if (ofPassage.test(href)) return void (link.className = "to-passage");
  if (!href || href.startsWith("/")) return link.replaceWith(...link.childNodes);
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  let place = href.replace(/^(?:mailto|tel):/i, "");
  try {
    place = new URL(href).host || place;
  } catch { /* as it was written */ }
  if (agrees(link.textContent.trim(), href)) return;
  const shown = document.createElement("bdi");
  shown.className = "place";
  shown.textContent = place;
  link.append(" ", shown);
}

function wrap(node, name, label) {
  const box = document.createElement("div");
  Object.assign(box, { className: name, tabIndex: 0, role: "group", ariaLabel: label });
  node.replaceWith(box);
  box.append(node);
  return box;
}

function codeBlock(pre) {
  const code = pre.firstElementChild ?? pre;
  const box = document.createElement("div");
  box.className = "code";
  const name = document.createElement("span");
  name.textContent = /language-(\S+)/.exec(code.className)?.[1] ?? "";
  code.removeAttribute("class");
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "quiet copy", textContent: text("page.copy") });
  button.addEventListener("click", () => copy(code.textContent, button));
  const head = document.createElement("div");
  head.className = "code-head";
  head.append(name, button);
  const body = document.createElement("pre");
  Object.assign(body, { tabIndex: 0, role: "group", ariaLabel: text("page.code"), dir: "ltr" });
  body.append(code);
  box.append(head, body);
  return box;
}

// copy puts words into the clipboard, and says so on its button and to who cannot see it.
export async function copy(words, button) {
  let done = "page.copied";
  try {
    await navigator.clipboard.writeText(words);
  } catch { // not allowed over plain HTTP, which a gateway in a home network may use
    const area = document.createElement("textarea");
    area.value = words;
    button.after(area);
    area.select();
    if (!document.execCommand("copy")) done = "page.copy_failed";
    area.remove();
    button.focus();
  }
  button.textContent = text(done);
  button.dispatchEvent(new CustomEvent("page-news", { bubbles: true, detail: text(done) }));
  setTimeout(() => { button.textContent = text("page.copy"); }, 2000);
}

const remove = (blocks) => blocks.forEach(({ nodes }) => nodes.forEach((node) => node.remove()));

export class AskgateMarkdown extends HTMLElement {
  #content = "";
  #open = false;
  #blocks = []; // {raw, nodes, list}
  #settled = 0; // how many blocks are settled
  #read = 0; // where the first unsettled block begins
  #timer = 0;
  #due = false; // a draw comes in this very task
  #rest = 0; // the earliest time of the next draw, as performance.now()

  // content is the text so far.
  set content(content) {
    if (content.includes("\r")) content = content.replace(/\r\n?/g, "\n"); // as the lexer counts
    if (content === this.#content) return;
    if (!content.startsWith(this.#content)) this.#settled = this.#read = 0;
    this.#content = content;
    this.#ask();
  }

  // open says that the text still grows.
  set open(open) {
    if (open === this.#open) return;
    this.#open = open;
    this.#ask();
  }

  // ask draws as soon as a draw is due.
  #ask() {
    clearTimeout(this.#timer);
    const wait = this.#open ? this.#rest - performance.now() : 0;
    if (wait > 0) this.#timer = setTimeout(() => this.#draw(), wait);
    else if (!this.#due) queueMicrotask(() => this.#draw()); // content and open come together
    this.#due ||= wait <= 0;
  }

  #draw() {
    this.#due = false;
    const from = performance.now();
    if (!this.#open) this.#settled = this.#read = 0;
    const tokens = blocksIn(this.#content.slice(this.#read));
    const old = this.#blocks.splice(this.#settled);
    let same = Object.keys(tokens.links).length === 0; // a link definition further on can change a block
    tokens.filter((t) => t.type !== "space" && t.type !== "def").forEach((token, i) => {
      const before = same ? old[i] : undefined;
      same &&= before?.raw === token.raw;
      const block = same ? before : blockOf(token, before);
      this.#blocks.push(block);
      if (same) return;
      remove(old.splice(i).filter((b) => b.nodes !== block.nodes));
      if (block.nodes !== before?.nodes) this.append(...block.nodes);
    });
    remove(old.splice(this.#blocks.length - this.#settled));
    if (this.#open) this.#settle(tokens);
    void this.offsetHeight; // the cost of layout counts, too
    const now = performance.now();
    this.#rest = now + quietly * (now - from);
  }

  // settle fixes the blocks that more text can no longer change.
  #settle(tokens) {
    let left = unsettled;
    let at = tokens.length;
    while (at > 0 && left > 0) if (tokens[--at].type !== "space") left--;
    for (const token of tokens.slice(0, at)) {
      this.#read += token.raw.length;
      if (token.type !== "space" && token.type !== "def") this.#settled++;
    }
  }
}

customElements.define("askgate-markdown", AskgateMarkdown);
