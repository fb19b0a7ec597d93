// Numbers as people type them, read as the gateway reads them
// (tools/askuser/numeral.go): no hexadecimal, no infinity.
import { trimmed } from "./formats.js";

const plain = /^([+-]?)0*(\d*)(\.\d+)?([eE][+-]?\d{1,4})?$/;
const groupedComma = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/;
const groupedDot = /^[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$/;
const groupedSpace = /^[+-]?[1-9]\d{0,2}([ \u00a0\u2009\u202f]\d{3})+([.,]\d+)?$/;
const commaDecimal = /^[+-]?\d*,\d+$/;
const longestDigits = 64; // the longest number whose digits are kept as typed
const space = "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"; // as the gateway's

// numeral parses a finite decimal number into {literal, n}, or returns null. literal is the same
// number in JSON, with the digits as typed.
export function numeral(text) {
  const s = trimmed(text, space);
  const m = s.length <= 1024 && /\d/.test(s) ? plain.exec(s) : null;
  const n = m ? Number(s) : NaN;
  if (!Number.isFinite(n)) return null;
  if (n === 0) return { literal: "0", n: 0 };
  const [, sign, whole, fraction = "", exponent] = m;
  if (exponent !== undefined || s.length > longestDigits) return { literal: String(n), n };
  return { literal: sign.replace("+", "") + (whole || "0") + (/^[.0]*$/.test(fraction) ? "" : fraction), n };
}

// typedNumber formats n as people type it: steps of 0.1 do not become 0.30000000000000004.
export function typedNumber(n, locale) {
  const s = String(Number(n.toPrecision(15)));
  return readNumber(s.replace(".", ","), locale) === s ? s.replace(".", ",") : s;
}

// readNumber returns the literal of a typed number. A comma groups digits in English and is the
// decimal mark elsewhere. It returns null for text that could be either.
export function readNumber(text, language) {
  let s = text.trim().replace("\u2212", "-"); // the minus sign that people paste
  if (s.length > 1024) return null;
  if (groupedSpace.test(s)) s = s.replace(/[ \u00a0\u2009\u202f]/g, "");
  const dots = s.split(".").length - 1, commas = s.split(",").length - 1;
  const english = /^en(?![a-z])/i.test(language || "en");
  if (groupedComma.test(s)) {
    if (!english && commas === 1 && dots === 0) return null;
    s = s.replaceAll(",", "");
  } else if (!english && groupedDot.test(s)) {
    if (dots === 1 && commas === 0) return null;
    s = s.replaceAll(".", "").replace(",", ".");
  } else if (!english && commaDecimal.test(s)) s = s.replace(",", ".");
  return numeral(s)?.literal ?? null;
}
