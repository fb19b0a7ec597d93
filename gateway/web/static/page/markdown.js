// <askgate-markdown>: draws a model's text while the model is still writing it.
//
//	content ──> pieces (blocks.js) ──> blocks ──> those that changed: HTML ──> DOMPurify ──> nodes
//
// Only the end of a growing text is parsed again: a block is settled once two others follow it. When
// the text is complete, all of it is parsed one last time. A long draw is split into several tasks, so
// that the page stays responsive, and the longer a draw takes, the longer the next one waits. Parts of
// a long text that are off the screen are not laid out.
//
// A model's text is not trusted as markup. Its tags are shown as text, except for a few that only
// format words; DOMPurify removes everything else, whatever the renderer produces. Links show where
// they lead. Images become links, so that nothing is fetched just because a model wrote it. Of the
// gateway's own addresses, only those of passages become links: they open the passage below the answer
// (see sources.js).
import { DOMPurify } from "../vendor/purify.js";
import { htmlOf, pieceAt } from "./blocks.js";
import { finish, later } from "./finish.js";
import { root } from "./root.js";
import { text } from "./texts.js";

const quietly = 3; // the pause after a draw, as a multiple of the draw's duration
const held = 8; // ms that a draw may block the page at a time
const unsettled = 2; // number of blocks at the end that more text can still change

// ofPassage matches the address of a passage of a document.
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

// nodesOf returns the nodes of one block.
function nodesOf(token) {
  const fragment = DOMPurify.sanitize(htmlOf(token), allowed);
  for (const node of fragment.children) node.dir = "auto";
  for (const link of fragment.querySelectorAll("a")) finishLink(link);
  for (const pre of fragment.querySelectorAll("pre")) pre.replaceWith(codeBlock(pre));
  for (const table of fragment.querySelectorAll("table")) wrap(table, "table-box", text("page.table"));
  return [...fragment.childNodes].filter((node) => node.textContent.trim() || node.nodeType === Node.ELEMENT_NODE);
}

// drawn returns the nodes of a whole text, drawn in one go.
export function drawn(content) {
  const nodes = [];
  for (let at = 0, head = ""; at < content.length;) {
    const { tokens, ...next } = pieceAt(content, at, head, 0);
    nodes.push(...tokens.flatMap(nodesOf));
    ({ to: at, head } = next);
  }
  return nodes;
}

// codeOf returns the unchanged text between the fences of a code block that was cut.
function codeOf({ raw, goesOn, cut }) {
  const body = goesOn ? raw : raw.slice(raw.indexOf("\n") + 1), last = body.trimEnd().lastIndexOf("\n") + 1;
  return !cut && /^ {0,3}[\x60~]{3,}\s*$/.test(body.slice(last)) ? body.slice(0, last) : body;
}

// blockOf draws a block. Continued code goes into the box of the block above. A list that the block
// before has grown into keeps the items that did not change.
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

// agrees reports whether a link's text is exactly its address or the host in it. In
// "bank.example (by evil.example)" or "bank.example@evil.example", readers notice only the bank.
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

// finishLink adds the host that a link leads to, unless the link's text already shows it.
function finishLink(link) {
  const href = link.getAttribute("href");
  if (ofPassage.test(href)) return void Object.assign(link, { className: "to-passage", href: root + href });
  if (!href || href.startsWith("/")) return link.replaceWith(...link.childNodes);
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  let place = href.replace(/^(?:mailto|tel):/i, "");
  try {
    place = new URL(href).host || place;
  } catch { /* then the address is shown as written */ }
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
  code.dataset.language = name.textContent;
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
  } catch { // refused over plain HTTP, which a gateway in a home network may use
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

// height estimates the height of a block in rem: off-screen blocks of a long text are not laid out.
const height = (raw) => Math.ceil(1.6 * (raw.length / 80 + raw.split("\n").length));

const remove = (blocks) => blocks.forEach(({ nodes }) => nodes.forEach((node) => node.remove()));

export class AskgateMarkdown extends HTMLElement {
  #content = "";
  #open = false;
  #blocks = []; // {raw, links, nodes, list, code}
  #settled = 0; // how many blocks are settled
  #read = 0; // offset of the first unsettled block
  #head = ""; // head of the code or table that continues there
  #timer = 0;
  #due = false; // a draw is scheduled in the current task
  #rest = 0; // the earliest time of the next draw, as performance.now()
  #work = null; // the current draw, if it is unfinished

  // content is the text received so far.
  set content(content) {
    if (content.includes("\r")) content = content.replace(/\r\n?/g, "\n"); // as the lexer does, so that offsets match
    if (content === this.#content) return;
    if (!content.startsWith(this.#content)) this.#begin();
    this.#content = content;
    this.#ask();
  }

  // open is true while the text may still grow.
  set open(open) {
    if (open === this.#open) return;
    this.#open = open;
    this.#ask();
  }

  #begin() {
    this.#settled = this.#read = 0;
    this.#head = "";
  }

  // ask schedules a draw, or draws immediately if the pause is over.
  #ask() {
    clearTimeout(this.#timer);
    const wait = this.#open ? this.#rest - performance.now() : 0;
    if (wait > 0) this.#timer = setTimeout(() => this.#draw(), wait);
    else if (!this.#due) queueMicrotask(() => this.#draw()); // content and open are set together
    this.#due ||= wait <= 0;
  }

  #draw() {
    this.#due = false;
    if (!this.#open) this.#begin();
    this.#goOn(this.#work = this.#drawing());
  }

  // goOn draws for at most held ms, and continues in a later task.
  #goOn(work) {
    if (work !== this.#work) return; // a newer draw has replaced this one
    const from = performance.now();
    let done;
    do ({ done } = work.next()); while (!done && performance.now() - from < held);
    this.ariaBusy = done ? null : "true";
    if (done) finish(this);
    if (this.#open) void this.offsetHeight; // forces layout, whose cost counts as well; complete texts do not wait
    const now = performance.now();
    this.#rest = now + quietly * (now - from);
    if (done) this.#work = null;
    else later(() => this.#goOn(work));
  }

  // drawing draws the unsettled text. It yields after each piece and each block.
  *#drawing() {
    for (;;) {
      const piece = pieceAt(this.#content, this.#read, this.#head, this.#settled), more = piece.to < this.#content.length;
      yield;
      const links = JSON.stringify(piece.links); // a link definition further down can change a block
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

  // put draws a block at an index, unless it is there already.
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

  // settle marks the blocks that more text can no longer change as settled: all but the last ones.
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
