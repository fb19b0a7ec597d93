// Reads JSON exactly as it is written. JSON.parse would round long numbers, drop a key that appears twice
// and put numeric keys first, so that the user would see something that was never sent.
const deepest = 64; // levels, as for arguments
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|[^\s[\]{}:,"]+/g;

// read returns the tree of a JSON array or object: {items: [node]}, {entries: [[key, node]]}, or {raw} for
// a scalar or key as written. It returns null for other texts, and for JSON with too many levels.
export function read(text) {
  try {
    if (!/^\s*[[{]/.test(text)) return null;
    JSON.parse(text); // the code below relies on valid JSON
  } catch {
    return null;
  }
  const stack = [{ items: [] }];
  for (const [token] of text.matchAll(tokens)) {
    if (token === "]" || token === "}") {
      stack.pop();
      continue;
    }
    const opens = token === "[" ? { items: [] } : token === "{" ? { entries: [], key: "" } : null;
    const node = opens ?? { raw: token }, into = stack.at(-1);
    if (into.items) into.items.push(node);
    else if (into.key) {
      into.entries.push([into.key, node]);
      into.key = "";
    } else into.key = token;
    if (opens && stack.push(opens) > deepest) return null;
  }
  return stack[0].items[0];
}

// valueOf returns the text of a scalar: the string, or the literal as written.
export const valueOf = ({ raw }) => (raw.startsWith('"') ? JSON.parse(raw) : raw);

// laid returns a tree as JSON text, on several lines unless most of them would be indentation. Keys and
// scalars are exactly as written.
export function laid(node) {
  const flat = lay(node, null);
  const lines = lay(node, "\n");
  return lines.length > 8 * flat.length ? flat : lines;
}

function lay(node, line) {
  if (node.raw) return node.raw;
  const inner = line && `${line}  `;
  const parts = node.items?.map((item) => lay(item, inner)) ?? node.entries.map(([key, value]) => `${key}:${line ? " " : ""}${lay(value, inner)}`);
  const [open, close] = node.items ? "[]" : "{}";
  return parts.length && line ? `${open}${inner}${parts.join(`,${inner}`)}${line}${close}` : `${open}${parts.join(",")}${close}`;
}

// hidden matches characters that are invisible or look like another one, as tools.Invisible defines them.
export const hidden = /\r\n|[^\p{L}\p{M}\p{N}\p{P}\p{S} \n\t]|[\p{Default_Ignorable_Code_Point}\u2800]/gu;

// escaped splits a text into pieces. Every second piece is the escape of hidden characters.
export function escaped(text) {
  const pieces = [""];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(hidden)) {
    pieces[pieces.length - 1] += text.slice(at, index);
    at = index + found.length;
    if (found === "\r\n") pieces[pieces.length - 1] += "\n";
    else pieces.push([...Array(found.length).keys()].map((i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""), "");
  }
  pieces[pieces.length - 1] += text.slice(at);
  return pieces;
}
