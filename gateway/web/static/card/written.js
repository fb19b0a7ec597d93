// Formats numbers, days and times for people, in their language.

// day formats an ISO date, or a time with its day, in the user's time zone.
export function day(iso, locale, dateStyle = "medium") {
  if (String(iso).includes("T")) return longTime(iso, locale, "short");
  const at = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(at.getTime()) ? iso : format(at, locale, { dateStyle, timeZone: "UTC" });
}

// longDay includes the day of the week.
export const longDay = (iso, locale) => day(iso, locale, "full");

// longTime formats a time with its day and the name of the user's time zone.
export function longTime(iso, locale, month = "long") {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  return format(at, locale, { weekday: month === "long" ? "long" : undefined, year: "numeric", month, day: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short" });
}

const fromRight = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

// directionOf returns the direction of a text's first letter, as dir="auto" does, "" without a
// letter, so that elements around the text can follow it.
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

// time formats a point in time, without the date if it is today.
export function time(iso, locale) {
  const at = new Date(iso);
  const today = at.toDateString() === new Date().toDateString();
  return format(at, locale, { timeStyle: "short", ...(!today && { dateStyle: "medium" }) });
}

// when formats a past point in time: by the time if it was today, otherwise by the day.
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

// sizeOf formats a number of bytes.
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

// named returns the text for a file on the card.
export const named = ({ name, size }, locale) => `${name} (${sizeOf(size, locale)})`;
