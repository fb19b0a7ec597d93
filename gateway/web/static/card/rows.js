// The arguments of a call as rows: one for each value, nested ones too.
import { exactText } from "./call.js";
import { read } from "./json.js";
import { piecesOf, quoted } from "./pieces.js";

const pairs = [["old_string", "new_string"], ["oldText", "newText"], ["old", "new"]];

// rowsOf returns what the card shows of a clarification's or call's arguments, or null if it has none:
//
//   rows      {top, title, path, value, unknown, filled} for each value, or {path, before, after} for
//             two texts to compare. path has the keys, each as {key} or {index}
//   json      the exact text
//   unknown, unseen, mixed: whether any of it is not among the tool's parameters, cannot be seen, or
//             mixes alphabets in a word
//
// edited says that the arguments are a person's, not those of the fields.
export function rowsOf(of) {
  const { argumentFields: fields = [], unfounded = [], edited = false } = of ?? {}, json = exactText(of ?? {});
  if (!json) return null;
  const tree = read(json), view = { rows: [], json, unknown: false, unseen: false, mixed: false };
  const shown = (token) => {
    const pieces = piecesOf(token);
    view.unseen ||= pieces.some(({ code }) => code !== undefined);
    view.mixed ||= pieces.some(({ mixed }) => mixed);
    return { pieces, quoted: quoted(token) };
  };
  const scalar = (raw) => (raw.startsWith('"') ? shown(raw) : { literal: raw });
  const add = (node, path, pointer, top) => {
    const parts = node.items ?? node.entries;
    if (!parts?.length) {
      const value = node.raw ? scalar(node.raw) : { literal: node.items ? "[]" : "{}" };
      view.rows.push({ ...top, path, value, filled: unfounded.some((p) => pointer === p || pointer.startsWith(`${p}/`)) });
      return;
    }
    parts.forEach((part, i) => {
      const [key, value] = node.items ? [null, part] : part;
      const step = key === null ? { index: i } : { key: shown(key) };
      const about = path.length ? (i ? null : top) : topOf(key, fields, i, edited);
      if (!path.length && about.unknown) view.unknown = true;
      add(value, [...path, step], `${pointer}/${key === null ? i : JSON.parse(key).replaceAll("~", "~0").replaceAll("/", "~1")}`, about);
    });
    compared(node.entries ?? [], path, view.rows);
  };
  if (tree?.entries?.length) add(tree, [], "", null);
  else if (!tree?.entries) view.rows.push({ path: [], value: { literal: json } }); // no JSON object: shown as it is
  return view;
}

const inNames = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|[\p{Default_Ignorable_Code_Point}\u2800]/gu; // what the gateway escapes in names

// topOf returns what the gateway says about an argument: its title, and whether the tool's parameters
// lack it. The list has the arguments in their order, unless a person has edited them.
function topOf(key, fields, i, edited) {
  const name = JSON.parse(key).replace(inNames, (c) => [...Array(c.length).keys()].map((n) => `\\u${c.charCodeAt(n).toString(16).padStart(4, "0")}`).join(""));
  const field = fields[i]?.name === name ? fields[i] : fields.find((f) => f.name === name) ?? (edited ? undefined : fields[i]);
  return { top: true, title: field && field.title !== field.name ? field.title : "", unknown: Boolean(field?.unknown) };
}

// compared adds a row for each two texts of an object that are before and after a change.
function compared(entries, path, rows) {
  const texts = new Map(entries.flatMap(([key, { raw }]) => (raw?.startsWith('"') ? [[JSON.parse(key), raw]] : [])));
  for (const [before, after] of pairs) {
    if (texts.has(before) && texts.has(after)) rows.push({ path, before: JSON.parse(texts.get(before)), after: JSON.parse(texts.get(after)) });
  }
}
