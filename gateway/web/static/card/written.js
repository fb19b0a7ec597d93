// How numbers, days and times are written for a reader, in a language.

// day is an ISO date.
export function day(iso, locale) {
  const at = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(at.getTime()) ? iso : format(at, locale, { dateStyle: "medium", timeZone: "UTC" });
}

const fromRight = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

// directionOf is that of a text's first letter, as dir="auto" has it, "" without one: what stands
// around the text may follow it, too.
export function directionOf(words) {
  const [first] = /\p{L}/u.exec(words) ?? [""];
  return first && (fromRight.test(first) ? "rtl" : "ltr");
}

export function number(n, locale) {
  try {
    return new Intl.NumberFormat(locale).format(n);
  } catch {
    return String(n);
  }
}

// time is a point in time as people say it: today's without the date.
export function time(iso, locale) {
  const at = new Date(iso);
  const today = at.toDateString() === new Date().toDateString();
  return format(at, locale, { timeStyle: "short", ...(!today && { dateStyle: "medium" }) });
}

// when is a point in time that is over, as people speak of it: by the time if it was today, else
// by the day.
export function when(iso, locale) {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return { today: false, text: iso };
  const today = at.toDateString() === new Date().toDateString();
  return { today, text: format(at, locale, today ? { timeStyle: "short" } : { dateStyle: "medium" }) };
}

function format(date, locale, options) {
  try {
    return new Intl.DateTimeFormat(locale, options).format(date);
  } catch {
    return new Intl.DateTimeFormat("en", options).format(date);
  }
}

// sizeOf is a number of bytes as people write it.
export function sizeOf(bytes, locale) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  let n = bytes, unit = 0;
  for (; n >= 1000 && unit < 3; unit++) n /= 1000;
  const options = { style: "unit", unit: units[unit], unitDisplay: "short", maximumFractionDigits: unit ? 1 : 0 };
  try {
    return new Intl.NumberFormat(locale, options).format(n);
  } catch {
    return new Intl.NumberFormat("en", options).format(n);
  }
}

// named is what a file is called on the card.
export const named = ({ name, size }, locale) => `${name} (${sizeOf(size, locale)})`;
