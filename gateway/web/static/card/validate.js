// Validates answers by the gateway's rules (tools/askuser/check.go), so that users see errors before
// they send. A test compares the results of the two.
import { hasFormat, trimmed } from "./formats.js";
import { matches } from "./matcher.js";
import { after, isDate, readInstant } from "./moment.js";
import { numeral } from "./number.js";
import { many } from "./types.js";
import { before, met } from "./when.js";

const maxExtra = 2000; // code points of a note, and of other

// blank reports whether s has only white space, control and zero-width characters.
export function blank(s) {
  return !s || /^[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\u2800]*$/u.test(s);
}

// count returns the length of s in code points.
export function count(s) {
  let n = 0;
  for (const _ of s) n++;
  return n;
}

// check returns {answer, errors}: the answer as the gateway would store it, and at most one error per
// field, {question, field, code, params}, with message if the asker has its own. maxAnswer is the
// maximum length of a text answer in code points. Patterns are matched here without a time limit,
// unless fits(rule, text) is given, which reports whether a text matches.
export function check(questions, answer, maxAnswer = 4000, fits = matches) {
  const c = new Checker(maxAnswer, fits);
  const checked = questions.length === 1 ? c.part(questions[0], only(answer)) : c.form(questions, answer);
  return { answer: checked, errors: c.errors };
}

const given = (v) => v !== undefined && v !== null;
const hasContent = (a) => given(a.value) || a.values?.length > 0 || !blank(a.other);

// only returns the answer to a single question, taken from answers if it is the only one there.
function only(a) {
  if (a.answers?.length !== 1 || hasContent(a) || a.skipped || a.declined) return a;
  const [inner] = a.answers;
  if (blank(inner.note)) return { ...inner, note: a.note };
  return blank(a.note) ? inner : a;
}

const typeFaults = { text: "type_text", number: "type_number", date: "type_date", datetime: "type_datetime", confirm: "type_confirm", file: "type_file" };

class Checker {
  errors = [];
  #question = 0;
  #own; // the asker's error message

  constructor(maxAnswer, fits) { Object.assign(this, { maxAnswer, fits }); }

  #fault(field, code, params = {}, message = undefined) {
    if (this.errors.some((e) => e.question === this.#question && e.field === field)) return;
    this.errors.push({ question: this.#question, field, code, params, ...(message && { message }) });
  }

  // rule reports a violation of one of the question's rules.
  #rule(field, code, params) { this.#fault(field, code, params, this.#own); }

  form(parts, a) {
    const out = {};
    const closed = this.#closing(a, out);
    if (closed && out.skipped) {
      parts.forEach((p, i) => {
        this.#question = i; // questions that depend on a skipped one are not asked
        if (!p.allow_skip && before(parts, i) < 0) this.#fault("skipped", "skip_not_allowed");
      });
    } else if (!closed && a.answers?.length !== parts.length) {
      this.#fault("answers", "count", { count: parts.length });
    } else if (!closed) {
      this.#unexpected({ ...a, answers: undefined });
      out.answers = this.#parts(parts, a.answers.map((answer) => answer ?? {}));
    }
    return out;
  }

  // parts checks the answers of a form, some of whose questions are not asked. A question that
  // depends on an invalid answer is not checked: it is unknown whether it is asked.
  #parts(parts, answers) {
    const out = [], state = [];
    parts.forEach((p, i) => {
      this.#question = i;
      const j = before(parts, i);
      if (j >= 0 && state[j] === "open") {
        out.push({});
        state.push("open");
      } else if (j >= 0 && (state[j] === "hidden" || !met(p.when, out[j]))) {
        out.push(this.#notAsked(answers[i]));
        state.push("hidden");
      } else {
        const faults = this.errors.length;
        out.push(this.part(p, answers[i]));
        state.push(this.errors.length > faults ? "open" : "asked");
      }
    });
    return out;
  }

  #notAsked(a) {
    const there = {
      value: given(a.value), values: a.values?.length > 0, other: !blank(a.other), note: !blank(a.note), declined: a.declined, answers: a.answers?.length > 0,
    };
    for (const [field, is] of Object.entries(there)) if (is) this.#fault(field, "not_asked");
    return { skipped: true };
  }

  part(p, a) {
    this.#own = p.validation?.message;
    const out = {};
    if (this.#closing(a, out)) {
      if (out.skipped && !p.allow_skip) this.#fault("skipped", "skip_not_allowed");
      return out;
    }
    if (a.answers?.length > 0) {
      this.#fault("answers", "count", { count: 1 });
      return out;
    }
    if (!blank(a.other)) {
      out.other = this.#extra("other", a.other, "too_long");
      if (!p.allow_other) this.#fault("other", "other_not_allowed");
    }
    if (many(p)) {
      if (given(a.value)) this.#fault("value", "not_expected");
      else if (p.input_type === "rank") this.#rank(p, a.values ?? [], out);
      else this.#values(p, a.values ?? [], out);
      return out;
    }
    if (a.values?.length > 0) this.#fault("values", "not_expected");
    if (given(a.value)) {
      const value = this.#value(p, a.value);
      if (value !== undefined) out.value = value;
    } else if (!out.other && !(a.values?.length > 0)) this.#fault("value", "required");
    return out;
  }

  // closing reports whether a closes the question without an answer. Apart from that, it may only
  // have a note.
  #closing(a, out) {
    if (!blank(a.note)) out.note = this.#extra("note", a.note, "note_too_long");
    if (!a.declined && !a.skipped) return false;
    if (a.declined && a.skipped) this.#fault("skipped", "not_expected");
    this.#unexpected(a);
    out[a.declined ? "declined" : "skipped"] = true;
    return true;
  }

  #unexpected(a) {
    if (given(a.value)) this.#fault("value", "not_expected");
    if (a.values?.length > 0) this.#fault("values", "not_expected");
    if (!blank(a.other)) this.#fault("other", "not_expected");
    if (a.answers?.length > 0) this.#fault("answers", "not_expected");
  }

  #extra(field, s, tooLong) {
    if (count(s) > maxExtra) this.#fault(field, tooLong, { count: maxExtra, length: count(s) });
    else if (unkeepable(s)) this.#fault(field, "type");
    return s;
  }

  #value(p, v) {
    const isText = typeof v === "string";
    if (isText && unkeepable(v)) return this.#fault("value", "type");
    if (isText && blank(v)) return this.#fault("value", "blank");
    switch (p.input_type) {
      case "text":
        if (!isText) break;
        if (p.format) v = trimmed(v);
        this.#text(p, v);
        return v;
      case "number": {
        const read = isText || typeof v === "number" ? numeral(String(v)) : null;
        if (!read) break;
        this.#bounds(p.validation ?? {}, read);
        return String(read.n) === read.literal ? read.n : read.literal;
      }
      case "date":
        if (!isText || !isDate(v)) break;
        this.#dates(p.validation ?? {}, v);
        return v;
      case "datetime": {
        const read = isText ? readInstant(v) : null;
        if (!read) break;
        this.#times(p.validation ?? {}, read.text);
        return read.text;
      }
      case "scale": {
        const max = p.validation?.max ?? 5;
        return Number.isInteger(v) && v >= 1 && v <= max ? v : this.#fault("value", "scale", { max });
      }
      case "select":
        if (isText || typeof v === "number" || typeof v === "boolean") {
          if (p.options.some((o) => o.value === String(v))) return String(v);
        }
        return this.#fault("value", "option");
      case "file":
        if (!isText || !/^fil_[a-z2-7]{26}$/.test(v)) break;
        return v;
      case "confirm":
        if (v === true || v === "yes") return "yes";
        if (v === false || v === "no") return "no";
    }
    this.#fault("value", typeFaults[p.input_type] ?? "type");
  }

  #text({ format, validation }, s) {
    const n = count(s), { min, max, pattern, flags } = validation ?? {};
    if (n < min) this.#rule("value", "too_short", { count: min, length: n });
    else if (n > max) this.#rule("value", "too_long", { count: max, length: n });
    else if (n > this.maxAnswer) this.#fault("value", "too_long", { count: this.maxAnswer, length: n });
    else if (!hasFormat(format, s)) this.#rule("value", `format_${format}`);
    else if (pattern && !this.fits({ pattern, flags }, s)) this.#rule("value", "pattern");
  }

  #bounds({ min, max, integer }, { literal, n }) {
    const fraction = n !== Math.trunc(n) || literal.includes(".") && !literal.includes("e");
    if (integer && fraction) this.#rule("value", "integer");
    else if (n < min) this.#rule("value", "min", { min });
    else if (n > max) this.#rule("value", "max", { max });
  }

  #dates({ min, max }, day) {
    if (min && day < min) this.#rule("value", "date_min", { min });
    else if (max && day > max) this.#rule("value", "date_max", { max });
  }

  #times({ min, max }, time) {
    if (min && after(min, time)) this.#rule("value", "datetime_min", { min });
    else if (max && after(time, max)) this.#rule("value", "datetime_max", { max });
  }

  #rank(p, values, out) {
    const count = p.options.length;
    if (!values.length) return out.other ? undefined : this.#fault("values", "required");
    if (values.some((v) => !p.options.some((o) => o.value === v))) return this.#fault("values", "option");
    if (new Set(values).size !== count || values.length !== count) return this.#fault("values", "rank", { count });
    out.values = values;
  }

  // values sorts the choices in the order of the options. Text in other is one more choice.
  #values(p, values, out) {
    if (values.some((v) => !p.options.some((o) => o.value === v))) return this.#fault("values", "option");
    const chosen = p.options.map((o) => o.value).filter((v) => values.includes(v));
    if (chosen.length) out.values = chosen;
    const n = chosen.length + (out.other ? 1 : 0);
    const { min, max } = p.validation ?? {};
    if (n === 0) this.#fault("values", "required");
    else if (n < min) this.#rule("values", "too_few", { count: min });
    else if (n > max) this.#rule("values", "too_many", { count: max });
  }
}

// unkeepable matches text that no store and no model accepts: U+0000, or half a surrogate pair.
const unkeepable = (s) => /\0|\p{Surrogate}/u.test(s);
