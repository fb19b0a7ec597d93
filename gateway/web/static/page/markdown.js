// <askgate-markdown>: what a model writes, drawn while it is written.
//
//	content ──> pieces (blocks.js) ──> blocks ──> those that changed: HTML ──> DOMPurify ──> nodes
//
// Only the end of a growing text is parsed again: blocks that two others follow are
// settled until the text is complete, when all of it is parsed once more. A draw of much
// is done in several tasks, so that the page does what people want meanwhile, and its cost
// bounds how often it happens. What is not on the screen of a long text is not laid out.
//
// A model's text is not trusted as markup. Tags in it are shown as text, except for a few
// that only format a word; DOMPurify lets nothing else through, whatever the renderer
// makes of it; links show where they lead; pictures become links, so that nothing is
// fetched because a model wrote it. Of the gateway's own addresses only those of passages are
// links: they open below the answer (see sources.js).
import { DOMPurify } from "../vendor/purify.js";
import { htmlOf, pieceAt } from "./blocks.js";
import { root } from "./root.js";
import { text } from "./texts.js";

const quietly = 3; // after a draw, this many times its duration passes before the next
const held = 8; // ms that a draw may hold the page in one piece
const unsettled = 2; // blocks at the end that more text can still change

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

// drawn draws a whole text, at once.
export function drawn(content) {
  const nodes = [];
  for (let at = 0, head = ""; at < content.length;) {
    const { tokens, ...next } = pieceAt(content, at, head, 0);
    nodes.push(...tokens.flatMap(nodesOf));
    ({ to: at, head } = next);
  }
  return nodes;
}

// codeOf is the text between the fences of a code block that was cut, unchanged.
function codeOf({ raw, goesOn, cut }) {
  const body = goesOn ? raw : raw.slice(raw.indexOf("\n") + 1), last = body.trimEnd().lastIndexOf("\n") + 1;
  return !cut && /^ {0,3}[\x60~]{3,}\s*$/.test(body.slice(last)) ? body.slice(0, last) : body;
}

// blockOf draws a block; code that goes on does so in the box of the block above. A list that grew out of the block before keeps its items.
function blockOf(token, before, above) {
  if (token.goesOn) {
    const code = above?.code;
    const more = Object.assign(document.createElement("span"), { className: "piece", textContent: codeOf(token) });
    code?.append(more);
    return { raw: token.raw, nodes: [more], list: null, code };
  }
  const list = token.type === "list" ? { ordered: token.ordered, loose: token.loose, start: token.start, items: token.items.map((item) => item.raw) } : null;
  const old = before?.list;
  if (!list || !old || list.ordered !== old.ordered || list.loose !== old.loose || list.start !== old.start) return fresh(token, list);
  const [node] = before.nodes;
  const differs = list.items.findIndex((raw, i) => raw !== old.items[i]);
  const kept = differs < 0 ? list.items.length : differs;
  while (node.children.length > kept) node.lastElementChild.remove();
  if (differs >= 0) node.append(...nodesOf({ ...token, items: token.items.slice(kept) })[0].children);
  return { raw: token.raw, nodes: before.nodes, list };
}

function fresh(token, list) {
  const nodes = nodesOf(token), code = token.type === "code" ? nodes[0].querySelector("code") : null;
  if (token.cut) code.textContent = codeOf(token);
  return { raw: token.raw, nodes, list, code };
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
  if (ofPassage.test(href)) return void Object.assign(link, { className: "to-passage", href: root + href });
  if (!href || href.startsWith("/")) return link.replaceWith(...link.childNodes);
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  let place = href.replace(/^(?:mailto|tel):/i, "");
  try {
    place = new URL(href).host || place;
  } catch { /* shown as written */ }
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

// copy copies text to the clipboard and confirms it on the button and to screen readers.
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

// height is about what a block takes: of a long text, only what is near the screen is laid out.
const height = (raw) => Math.ceil(1.6 * (raw.length / 80 + raw.split("\n").length));

const remove = (blocks) => blocks.forEach(({ nodes }) => nodes.forEach((node) => node.remove()));

// later goes on in a task of its own, after what people did meanwhile.
const later = (then) => (globalThis.scheduler?.yield ? scheduler.yield().then(then) : setTimeout(then));

export class AskgateMarkdown extends HTMLElement {
  #content = "";
  #open = false;
  #blocks = []; // {raw, links, nodes, list, code}
  #settled = 0; // how many blocks are settled
  #read = 0; // where the first unsettled block begins
  #head = ""; // of the code or table in which it begins
  #timer = 0;
  #due = false; // a draw comes in this very task
  #rest = 0; // the earliest time of the next draw, as performance.now()
  #work = null; // what is left of this draw

  // content is the text so far.
  set content(content) {
    if (content.includes("\r")) content = content.replace(/\r\n?/g, "\n"); // as the lexer counts
    if (content === this.#content) return;
    if (!content.startsWith(this.#content)) this.#begin();
    this.#content = content;
    this.#ask();
  }

  // open says that the text still grows.
  set open(open) {
    if (open === this.#open) return;
    this.#open = open;
    this.#ask();
  }

  #begin() {
    this.#settled = this.#read = 0;
    this.#head = "";
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
    if (!this.#open) this.#begin();
    this.#goOn(this.#work = this.#drawing());
  }

  // goOn draws for as long as the page may be held, and the rest later.
  #goOn(work) {
    if (work !== this.#work) return; // there is more text meanwhile
    const from = performance.now();
    let done;
    do ({ done } = work.next()); while (!done && performance.now() - from < held);
    this.ariaBusy = done ? null : "true";
    void this.offsetHeight; // the cost of layout counts, too
    const now = performance.now();
    this.#rest = now + quietly * (now - from);
    if (done) this.#work = null;
    else later(() => this.#goOn(work));
  }

  // drawing draws what is not settled, and stops behind each piece and block.
  *#drawing() {
    for (;;) {
      const piece = pieceAt(this.#content, this.#read, this.#head, this.#settled), more = piece.to < this.#content.length;
      yield;
      const links = JSON.stringify(piece.links); // a definition further on can change a block
      let at = this.#settled;
      for (const token of piece.tokens) {
        if (token.type === "space" || token.type === "def") continue;
        this.#put(at++, token, links);
        yield;
      }
      if (!more) {
        remove(this.#blocks.splice(at));
        if (this.#open) this.#settle(piece.tokens, unsettled);
        return;
      }
      this.classList.add("long");
      const blocks = piece.tokens.filter((t) => t.type !== "space").length;
      const all = piece.head || blocks < 2;
      this.#settle(piece.tokens, all ? 0 : Math.min(unsettled, blocks - 1));
      if (all) this.#read = piece.to;
      this.#head = piece.head;
    }
  }

  // put draws the block at a place, unless it stands there.
  #put(at, token, links) {
    let before = this.#blocks[at];
    if (before?.raw === token.raw && before.links === links) return;
    remove(this.#blocks.splice(at).slice(1));
    if (before && before.links !== links) {
      remove([before]);
      before = undefined;
    }
    const block = blockOf(token, before, this.#blocks[at - 1]);
    if (block.nodes !== before?.nodes) {
      if (before) remove([before]);
      if (!token.goesOn) this.append(...block.nodes);
    }
    for (const node of block.nodes) if (node.style) node.style.containIntrinsicBlockSize = `auto ${height(token.raw)}rem`;
    this.#blocks.push({ ...block, links });
  }

  // settle fixes the blocks that more text can no longer change: all but the last ones.
  #settle(tokens, left) {
    let at = tokens.length;
    while (at > 0 && left > 0) if (tokens[--at].type !== "space") left--;
    for (const token of tokens.slice(0, at)) {
      this.#read += token.raw.length;
      if (token.type !== "space" && token.type !== "def") this.#settled++;
    }
  }
}

customElements.define("askgate-markdown", AskgateMarkdown);
