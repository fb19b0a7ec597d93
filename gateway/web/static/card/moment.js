// Days and times: those of answers (RFC 3339 with an offset, by the gateway's rules in
// tools/askuser/datetime.go), and those of <input type=datetime-local>, which are in the browser's
// time zone and have no offset.

// isDate reports whether s is a calendar date as YYYY-MM-DD.
export function isDate(s) {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(s) ?? [];
  if (!year) return false;
  const d = midnight(year, month, day);
  return d.getUTCMonth() === Number(month) - 1 && d.getUTCDate() === Number(day);
}

function midnight(year, month, day) {
  const d = new Date(0);
  d.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return d;
}

const form = /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?(?:Z|([+-])((?:[01]\d|2[0-3]):[0-5]\d))$/;

// readInstant returns a time as {text, seconds, nanos} since 1970, null if it is not one. text has T and
// Z as capital letters, as the gateway stores it.
export function readInstant(s) {
  const text = String(s).toUpperCase();
  const [, day, clock, fraction = "", sign, offset] = form.exec(text) ?? [];
  if (!day || !isDate(day) || text.length !== s.length) return null;
  const minutes = (hm) => hm.split(":").reduce((sum, n, i) => sum + n * [60, 1, 0][i], 0);
  const seconds = midnight(...day.split("-")).getTime() / 1000 + minutes(clock) * 60 + Number(clock.slice(6));
  return { text, seconds: seconds - (offset ? Number(`${sign}1`) * minutes(offset) * 60 : 0), nanos: Number(fraction.padEnd(9, "0")) };
}

// after reports whether time a is after time b.
export function after(a, b) {
  const [x, y] = [readInstant(a), readInstant(b)];
  return Boolean(x && y) && (x.seconds - y.seconds || x.nanos - y.nanos) > 0;
}

const two = (n) => String(n).padStart(2, "0");

function wall(d) {
  const year = d.getFullYear(), seconds = d.getSeconds() ? `:${two(d.getSeconds())}` : "";
  if (!(year >= 0 && year <= 9999)) return "";
  return `${String(year).padStart(4, "0")}-${two(d.getMonth() + 1)}-${two(d.getDate())}T${two(d.getHours())}:${two(d.getMinutes())}${seconds}`;
}

// toLocal returns a time as the browser's local time, "" if it is not one.
export function toLocal(s) {
  const read = readInstant(s);
  return read ? wall(new Date(read.seconds * 1000)) : "";
}

// fromLocal returns a local time with its offset, "" if it is not one. Of a local time that the clocks
// skip, it is the one as long after the change (02:30 becomes 03:30); of one that comes twice, the first:
// see twin.
export function fromLocal(local) {
  const [, ...fields] = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?/.exec(local) ?? [];
  if (!fields.length) return "";
  const [year, month, day, hour, minute, second = 0] = fields.map((n) => Number(n ?? 0));
  const d = new Date(2000, month - 1, day, hour, minute, second);
  d.setFullYear(year, month - 1, day);
  d.setHours(hour, minute, second);
  return withOffset(d);
}

function withOffset(d) {
  const local = wall(d), by = Math.round(-d.getTimezoneOffset()), minutes = Math.abs(by);
  return local && `${local.length < 19 ? `${local}:00` : local}${by < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

// twin returns the other time that the clocks show alike, when they are set back, "" if there is none.
export function twin(s) {
  const read = readInstant(s), local = toLocal(s);
  if (!local) return "";
  const found = [-120, -60, -30, 30, 60, 120].map((by) => new Date((read.seconds + by * 60) * 1000)).find((d) => wall(d) === local);
  return found ? withOffset(found) : "";
}

// zone returns the name of the browser's time zone, such as Europe/Berlin.
export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
