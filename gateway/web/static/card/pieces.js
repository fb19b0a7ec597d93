// Splits a JSON text into what a person can read, so that each reading stands for exactly one text:
//
//   "text"                 as it is, with line ends and tabs
//   {code, count}          a character that cannot be seen, or an escape, so many times
//   {lines, crlf}          empty lines, if there are three or more
//   {crlf}                 the end of a line, with a carriage return
//   {spaces}               a long run of spaces
//   {mixed}                a word with Latin letters and others that look like Latin ones
//
// See tools/arguments/text.go for the escapes of the gateway.
import { hidden } from "./json.js";

const marksUpTo = 4; // combining marks on one letter; more would cover other lines
const plain = { n: "\n", t: "\t", '"': '"', "\\": "\\" }; // the escapes that are read
const others = { b: 8, f: 12, r: 13, "/": 47 };
const tokens = /(?:\\n){4,}|(?:(?:\\r|\\u000[dD])\\n)+| {100,}|\\u[0-9a-fA-F]{4}|\\[^]|[^]/gu;

// piecesOf returns the pieces of a JSON string token, which has its quotation marks.
export function piecesOf(token) {
  const pieces = [];
  let text = "", marks = marksUpTo, high = 0; // marks: on the current letter, or as many as it may have if there is none
  const flush = () => {
    if (text) pieces.push(...words(text));
    text = "";
  };
  const add = (piece) => {
    flush();
    marks = marksUpTo;
    pieces.push(piece);
  };
  const box = (code) => {
    const last = text ? null : pieces.at(-1);
    if (last?.code === code) last.count++;
    else add({ code, count: 1 });
  };
  const half = () => { // the first half of a character, without the second
    if (high) box(high);
    high = 0;
  };
  const unit = (code) => { // of an escape
    if (high && code >= 0xdc00 && code < 0xe000) {
      box(0x10000 + (high - 0xd800) * 0x400 + code - 0xdc00);
      high = 0;
      return;
    }
    half();
    if (code >= 0xd800 && code < 0xdc00) high = code;
    else box(code);
  };
  const say = (character) => {
    marks = /\s/.test(character) ? marksUpTo : 0;
    text += character;
  };
  for (const [t] of token.slice(1, -1).matchAll(tokens)) {
    if (t.startsWith("\\u") && !t.endsWith("\\n")) {
      unit(parseInt(t.slice(2), 16));
      continue;
    }
    half();
    if (t.length > 2 && t.endsWith("\\n")) ends(t, add);
    else if (t.length === 2 && t.startsWith("\\")) {
      if (t[1] in plain) say(plain[t[1]]);
      else box(others[t[1]] ?? t.codePointAt(1));
    } else if (t.length >= 100) add({ spaces: t.length });
    else if (t.search(hidden) >= 0) box(t.codePointAt(0));
    else if (!/\p{M}/u.test(t)) say(t);
    else if (marks++ < marksUpTo) text += t;
    else box(t.codePointAt(0));
  }
  half();
  flush();
  return pieces;
}

// ends adds ends of lines: four or more \n, or any number of \r\n.
function ends(t, add) {
  const crlf = !t.startsWith("\\n"), count = t.split("\\n").length - 1;
  if (count >= 4) add({ lines: count - 1, ...(crlf && { crlf }) });
  else for (let i = 0; i < count; i++) add({ crlf: true });
}

const word = /\p{L}[\p{L}\p{M}\p{N}]*/gu;
const latin = /\p{Script=Latin}/u;
const alike = /[асеорхуіјѕһԁԛԝАВСЕНІЈКМОРЅТХУΑΒΕΖΗΙΚΜΝΟΡΤΥΧοντ]/u; // Cyrillic and Greek

// words splits a text before and after each word that mixes alphabets.
function words(text) {
  if (!alike.test(text)) return [text];
  const list = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(word)) {
    if (!latin.test(found) || !alike.test(found)) continue;
    if (index > at) list.push(text.slice(at, index));
    list.push({ mixed: found });
    at = index + found.length;
  }
  return at < text.length ? [...list, text.slice(at)] : list;
}

const numeral = /^[+-]?(?:\p{Nd}+\.?\p{Nd}*|\.\p{Nd}+)(?:e[+-]?\p{Nd}+)?$/iu;

// quoted reports whether a text keeps its quotation marks, because it would otherwise read as
// nothing, as another type, or without the spaces at its ends.
export function quoted(token) {
  let text;
  try {
    text = JSON.parse(token);
  } catch {
    return true;
  }
  return text === "" || text.startsWith('"') || /^\s|\s$/.test(text) || /^(?:true|false|null)$/i.test(text) || numeral.test(text) || isJSON(text);
}

function isJSON(text) {
  if (!/^[[{]/.test(text)) return false;
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}
