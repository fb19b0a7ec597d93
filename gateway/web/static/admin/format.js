// Numbers, times and durations in the reader's language.
import { language } from "../page/texts.js";

export const number = (n) => new Intl.NumberFormat(language).format(n);
export const moment = (t) => (t ? new Date(t).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" }) : "–");

const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

// duration formats seconds in the largest suitable unit: short for labels, long for sentences.
export function duration(seconds, unitDisplay = "short") {
  const [unit, size] = units.find(([, s]) => seconds >= s) ?? units.at(-1);
  const n = seconds / size;
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay, maximumFractionDigits: n < 10 && size > 1 ? 1 : 0 }).format(n);
}

// mark labels the beginning of a span on a time axis, as precisely as the span's length requires.
export function mark(t, spanSeconds) {
  const day = { day: "numeric", month: "short" };
  const options = spanSeconds >= 86400 ? day : spanSeconds >= 21600 ? { ...day, hour: "numeric" } : { hour: "numeric", minute: "2-digit" };
  return new Intl.DateTimeFormat(language, options).format(new Date(t));
}
