// Draws a clarification as a form and gathers its answer. Texts are only ever
// set as textContent.

// el makes an element; what it holds are elements or texts.
export function el(tag, attributes = {}, ...content) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, String(value));
  }
  node.append(...content.filter((c) => c != null)); // strings become text nodes
  return node;
}

let count = 0; // keeps ids of different cards apart

// drawCard makes the card. text(id, values) localises; onAnswer(answer) sends and
// resolves to a list of faults, or to null.
export function drawCard(asked, text, onAnswer) {
  const form = el("form", { class: "card", novalidate: true });
  const parts = asked.questions.map((q, i) => drawPart(q, i, asked.questions.length, text));
  const fault = el("p", { class: "bad", role: "alert" });
  const buttons = el("div", { class: "row" }, el("button", { class: "main" }, text("page.submit_answer")));
  const single = asked.questions.length === 1;

  const send = async (answer) => {
    fault.textContent = "";
    parts.forEach((p) => p.showFault(""));
    const controls = [...form.querySelectorAll("button")];
    controls.forEach((c) => { c.disabled = true; });
    try {
      const faults = await onAnswer(answer);
      let first = null;
      for (const f of faults ?? []) {
        const part = parts[f.question];
        if (part) part.showFault(f.message);
        else fault.textContent = f.message;
        first ??= part;
      }
      first?.focus();
    } finally {
      controls.forEach((c) => { c.disabled = false; });
    }
  };
  const more = (label, answer) => {
    const button = el("button", { type: "button" }, label);
    button.addEventListener("click", () => send(answer));
    buttons.append(button);
  };
  if (single && asked.questions[0].allow_skip) more(text("page.skip"), { skipped: true });
  more(text("page.decline"), { declined: true });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(single ? parts[0].answer() : { answers: parts.map((p) => p.answer()) });
  });
  form.append(...parts.map((p) => p.node), fault);
  if (asked.expiresAt) {
    form.append(el("p", { class: "hint" }, text("page.answer_by", { time: new Date(asked.expiresAt).toLocaleString() })));
  }
  form.append(buttons);
  return { node: form, focus: () => parts[0].focus(), close: (resolved) => close(form, asked, resolved, text) };
}

// drawPart is one question: its node, and how to read its answer.
function drawPart(q, index, total, text) {
  const id = `q${++count}`;
  const fault = el("p", { class: "bad", id: `${id}-fault` });
  const node = el("fieldset", { "aria-describedby": `${id}-fault` });
  if (total > 1) node.append(el("p", { class: "hint" }, text("page.question_of", { number: index + 1, count: total })));
  node.append(el("legend", {}, q.question));
  if (q.context) node.append(el("p", { class: "hint" }, q.context));

  const input = inputs[q.input_type] ?? inputs.text;
  const { nodes, read } = input(q, id, text);
  node.append(...nodes);
  const hint = q.validation?.message ? el("p", { class: "hint" }, q.validation.message) : null;
  if (hint) node.append(hint);

  const note = el("textarea", { class: "wide", rows: 2, placeholder: text("page.note_placeholder"), "aria-label": text("page.note") });
  node.append(el("details", {}, el("summary", {}, text("page.add_note")), note));
  let skip = null;
  if (total > 1 && q.allow_skip) {
    skip = el("input", { type: "checkbox", id: `${id}-skip` });
    node.append(el("label", { class: "choice", for: `${id}-skip` }, skip, text("page.skip")));
  }
  node.append(fault);
  return {
    node,
    focus: () => node.querySelector("input, textarea")?.focus(),
    showFault: (message) => {
      fault.textContent = message;
      if (hint) hint.hidden = message === hint.textContent; // not the same twice
      for (const c of node.querySelectorAll("input, textarea")) c.toggleAttribute("aria-invalid", message !== "");
    },
    answer: () => {
      const answer = skip?.checked ? { skipped: true } : read();
      if (note.value !== "") answer.note = note.value;
      return answer;
    },
  };
}

// One drawer per input type; read gives the answer, {} where there is none yet.
const inputs = {
  text: (q) => {
    const attributes = { class: "wide", placeholder: q.placeholder, "aria-label": q.question };
    const field = q.validation?.pattern ? el("input", { ...attributes, type: "text" }) : el("textarea", { ...attributes, rows: 2 });
    return { nodes: [field], read: () => (field.value === "" ? {} : { value: field.value }) };
  },
  number: (q) => {
    const v = q.validation ?? {};
    const field = el("input", { type: "number", step: v.integer ? 1 : "any", min: v.min, max: v.max, placeholder: q.placeholder, "aria-label": q.question });
    return { nodes: [field], read: () => (field.value === "" ? {} : { value: Number(field.value) }) };
  },
  date: (q) => {
    const field = el("input", { type: "date", min: q.validation?.min, max: q.validation?.max, "aria-label": q.question });
    return { nodes: [field], read: () => (field.value === "" ? {} : { value: field.value }) };
  },
  select: (q, id, text) => choices(q, id, text, "radio"),
  multiselect: (q, id, text) => choices(q, id, text, "checkbox"),
  confirm: (q, id, text) => choices(q, id, text, "radio"),
};

function choices(q, id, text, type) {
  const nodes = [];
  const boxes = (q.options ?? []).map((o, i) => {
    const box = el("input", { type, name: id, id: `${id}-${i}`, value: o.value });
    const label = o.recommended ? `${o.label} (${text("page.recommended")})` : o.label;
    nodes.push(el("label", { class: "choice", for: `${id}-${i}` }, box, el("span", {}, label, o.description ? el("small", {}, o.description) : null)));
    return box;
  });
  let other = null;
  if (q.allow_other) {
    const box = el("input", { type, name: id, id: `${id}-other` });
    other = el("input", { type: "text", placeholder: text("page.other_placeholder"), "aria-label": text("page.other") });
    other.addEventListener("input", () => { box.checked = other.value !== ""; });
    nodes.push(el("div", { class: "choice own" }, box, el("label", { for: `${id}-other` }, text("page.other")), other));
    other.box = box;
  }
  return {
    nodes,
    read: () => {
      const values = boxes.filter((b) => b.checked).map((b) => b.value);
      const answer = {};
      if (type === "checkbox" && values.length) answer.values = values;
      if (type === "radio" && values.length) answer.value = values[0];
      if (other?.box.checked && other.value !== "") answer.other = other.value;
      return answer;
    },
  };
}

// close replaces the form by what became of the question.
function close(form, asked, resolved, text) {
  const node = el("div", { class: "card closed" });
  asked.questions.forEach((q, i) => {
    node.append(el("p", {}, el("strong", {}, q.question)));
    const answer = asked.questions.length === 1 ? resolved.answer : resolved.answer?.answers?.[i];
    const said = resolved.outcome === "answered" && answer ? describe(q, answer, text) : "";
    if (said) node.append(el("p", { class: "body" }, said));
  });
  node.append(el("p", { class: "hint" }, text(`page.${resolved.outcome}`)));
  const focused = form.contains(document.activeElement);
  form.replaceWith(node);
  if (focused) document.getElementById("message").focus();
}

// drawAsked is a closed question of a snapshot, which has the call and its result
// only; nothing for a call that was refused, as nobody saw it.
export function drawAsked({ arguments: asked, result }, text) {
  let r = null;
  try { r = JSON.parse(result); } catch { /* an answer in plain text */ }
  if (r?.error?.code) return [];
  const unanswered = r?.userAnswer === null;
  const state = !unanswered ? "answered" : r.timedOut ? "expired" : ["skipped", "declined", "superseded"].find((s) => r[s]) ?? "cancelled";
  const questions = asked?.questions?.length ? asked.questions : [asked];
  return [el("div", { class: "card closed" },
    ...questions.map((q) => el("p", {}, el("strong", {}, q?.question ?? ""))),
    unanswered ? null : el("p", { class: "body" }, result),
    el("p", { class: "hint" }, text(`page.${state}`)))];
}

// describe is an answer as a person reads it.
function describe(q, a, text) {
  if (a.skipped) return text("page.skipped");
  const label = (v) => q.options?.find((o) => o.value === v)?.label ?? String(v);
  const said = [];
  if (typeof a.value === "boolean") said.push(label(a.value ? "yes" : "no"));
  else if (a.value !== undefined) said.push(label(a.value));
  for (const v of a.values ?? []) said.push(label(v));
  if (a.other) said.push(a.other);
  return said.join(", ") + (a.note ? ` (${text("page.note")}: ${a.note})` : "");
}
