// The formats of a text, with the same expressions as tools/askuser/format.go, which documents them.
const mailLocal = "[\\p{L}\\p{M}\\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}";
const mailLabel = "[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?";
const mailMost = 254; // code points

const beyond = "[^\\x00-\\x7F\\p{Z}\\p{Cc}\\p{Cf}\\p{Co}]";
const uriChar = `(?:[A-Za-z0-9._~!$&'()*+,;=:@/?#\\[\\]-]|%[0-9A-Fa-f]{2}|${beyond})`;
const uriUser = "(?:(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})+@)?";
const uriName = `(?:[A-Za-z0-9_-]|${beyond})+`;
const uriHost = `(?:\\[[0-9A-Fa-f:.]{2,45}\\]|${uriName}(?:\\.${uriName})*\\.?)`;

const phoneGap = "[ \\u00a0\\u2009\\u202f\\u2010\\u2011\\u2013()./-]{0,4}";
const phoneMore = "(?: {0,2}(?:[Ee][Xx][Tt]\\.?|[Xx]|#) ?[0-9]{1,6})?";

const some = "[0-9]{1,9}(?:[.,][0-9]{1,9})?";
const isoDays = `(?:${some}Y)?(?:${some}M)?(?:${some}W)?(?:${some}D)?`;
const isoTime = `(?:${some}H)?(?:${some}M)?(?:${some}S)?`;
const days = `(?:${some} ?[Ww] ?)?(?:${some} ?[Dd] ?)?`;
const hours = `(?:${some} ?[Hh] ?)?(?:${some} ?[Mm](?:[Ii][Nn])? ?)?(?:${some} ?[Ss](?:[Ee][Cc])?)?`;
const hourOnly = "[0-9]{1,4} ?[Hh] ?[0-5][0-9]";

const whole = (expression) => new RegExp(`^(?:${expression})$`, "u");
const email = whole(`${mailLocal}@${mailLabel}(?:\\.${mailLabel})*`);
const uri = whole(`[A-Za-z][A-Za-z0-9+.-]{0,31}:${uriChar}+`);
const webURI = /^(?:[Hh][Tt][Tt][Pp][Ss]?|[Ww][Ss][Ss]?|[Ff][Tt][Pp]):/u;
const hosted = whole(`[A-Za-z]+://${uriUser}${uriHost}(?::[0-9]{1,5})?(?:[/?#]${uriChar}*)?`);
const phone = whole(`(?:\\+|00)?(?:${phoneGap}[0-9]){3,15}\\)?${phoneMore}`);
const duration = whole(`P${isoDays}(?:T${isoTime})?|${days}${hours}|${hourOnly}`);
const withUnit = whole("P.*[0-9][A-Z]|[^P].*");

const formats = {
  email: (s) => email.test(s) && [...s].length <= mailMost,
  uri: (s) => uri.test(s) && (!webURI.test(s) || hosted.test(s)),
  phone: (s) => phone.test(s),
  duration: (s) => duration.test(s) && withUnit.test(s),
};

// hasFormat reports whether s has a format. It is true without a format, and for one that only a newer
// gateway knows.
export const hasFormat = (format, s) => !Object.hasOwn(formats, format ?? "") || formats[format](s);

// trimmed returns s without the white space that people copy along.
export function trimmed(s, white = " \t\r\n\u00a0") {
  let from = 0, to = s.length;
  while (from < to && white.includes(s[from])) from++;
  while (to > from && white.includes(s[to - 1])) to--;
  return s.slice(from, to);
}

// How a text of each format is typed: the keyboard, what the browser may fill in, and an example.
export const typing = {
  email: { keyboard: "email", offers: "email", example: "name@example.org" },
  uri: { keyboard: "url", offers: "url", example: ["https:", "", "example.org"].join("/") },
  phone: { keyboard: "tel", offers: "tel", example: "+49 30 123456" },
  duration: { keyboard: "text", offers: "off", example: "1h30m" },
};
