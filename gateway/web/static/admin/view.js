// Draws the admin view as a whole from state (see app.js). User input calls actions.
import { setTheme, theme, themes } from "../page/choices.js";
import { root } from "../page/root.js";
import { languages, language, nameOf, text } from "../page/texts.js";
import { html, nothing, repeat } from "../vendor/lit.js";
import { table } from "./chart.js";
import { charts } from "./charts.js";
import { duration, moment, number } from "./format.js";
import { report } from "./questions.js";

const spans = [1, 24, 168, 720, 2160]; // hours

// sections by id: title and function to draw it.
const sections = [
  ["configuration", "admin.configuration", configuration],
  ["waiting", "admin.waiting", waiting],
  ["charts", "admin.charts", statistics],
  ["questions", "admin.report", questions],
  ["apps", "admin.apps", ({ config }) => html`<div id="app-list">${apps(config)}</div>`],
  ["tools", "admin.tools", ({ config }) => html`<div id="tool-list">${tools(config)}</div>`],
  ["definitions", "admin.definitions", definitions],
];

export function view(state, actions) {
  return html`
    <a class="skip" href="#main">${text("admin.skip")}</a>
    <header>
      <h1>${text("admin.title")}</h1>
      <div class="controls">
        ${picker("language", "admin.language", languages.map((tag) => [tag, nameOf(tag)]), language, actions.speak)}
        ${picker("theme", "page.theme", themes.map(([value, name]) => [value, text(name)]), theme(), setTheme)}
        ${state.open ? html`<button type="button" id="refresh" class="plain" @click=${actions.refresh}>${text("admin.refresh")}</button>` : nothing}
        ${state.open && state.hasKey ? html`<button type="button" id="sign-out" class="plain" @click=${actions.signOut}>${text("admin.sign_out")}</button>` : nothing}
        <a href="${root}/">${text("admin.to_chat")}</a>
      </div>
      ${state.open ? html`<nav id="sections">${sections.map(([id, title]) => html`<a href="#${id}">${text(title)}</a>`)}</nav>` : nothing}
    </header>
    <main id="main" tabindex="-1">
      <p id="status" class="hint" role="status">${state.status}</p>
      <div id="alert" class="bad" role="alert">${state.alert}</div>
      ${state.asksKey ? keyForm(actions) : nothing}
      ${state.open ? sections.map(([id, title, content]) => html`<section id=${id} aria-labelledby="${id}-title">
        <h2 id="${id}-title" tabindex="-1">${text(title)}</h2>
        ${content(state, actions)}
      </section>`) : nothing}
    </main>
    ${confirmation(state)}`;
}

// picker draws a select with a label. Choices are [value, label].
function picker(id, label, choices, chosen, pick) {
  return html`<label><span>${text(label)}</span> <select id=${id} @change=${(e) => pick(e.target.value)}>
    ${choices.map(([value, name]) => html`<option value=${value} .selected=${value === chosen}>${name}</option>`)}
  </select></label>`;
}

const small = (content) => html`<small>${content}</small>`;

function keyForm(actions) {
  const submit = (e) => {
    e.preventDefault();
    actions.signIn(e.target.elements.key.value);
  };
  return html`<form id="key" @submit=${submit}>
    <label for="key-input">${text("admin.key")}</label>
    <div class="controls">
      <input id="key-input" name="key" type="password" autocomplete="off" spellcheck="false" aria-describedby="key-hint" required>
      <button class="main">${text("admin.sign_in")}</button>
    </div>
    <p id="key-hint" class="hint">${text("admin.key_hint")}</p>
  </form>`;
}

// ---- configuration ----

const faultList = (items) => html`<ul class="faults">${items.map((f) => html`<li>
  <code>${f.line ? `${f.file}:${f.line}:${f.column}` : f.file}</code>${f.message}</li>`)}</ul>`;

function configuration({ faults, config: { warnings, audit, models, version }, models: told, trial }, actions) {
  return html`<div id="faults">
    ${version ? html`<p id="version">AskGate <bdi>${version}</bdi></p>` : nothing}
    ${faults.items.length
      ? html`<p class="bad">${text("admin.faulty", { time: moment(faults.at), since: moment(faults.loadedAt) })}</p>${faultList(faults.items)}`
      : html`<p class="good">${text("admin.no_faults", { time: moment(faults.loadedAt) })}</p>`}
    ${warnings.length ? html`<details><summary>${text("admin.warnings", { count: number(warnings.length) })}</summary>${faultList(warnings)}</details>` : nothing}
    <p>${text(!audit.enabled ? "admin.audit_off" : audit.texts ? "admin.audit_texts" : "admin.audit_on")}
      ${audit.head ? html`${text("admin.audit_head", { id: audit.head.id })} <code id="audit-head">${audit.head.hash}</code>` : nothing}</p>
    <h3>${text("admin.models")}</h3>
    ${table(text("admin.models"), [text("admin.model"), text("admin.provider"), text("admin.server"), text("admin.timeout"), text("admin.action")], models.map((m) => [
      [m.name, m.fallbacks.length ? small(text("admin.fallbacks", { names: m.fallbacks.join(", ") })) : nothing],
      [m.model ? `${m.provider}: ${m.model}` : m.provider, m.maxTokens ? small(text("admin.max_tokens", { count: number(m.maxTokens) })) : nothing,
        m.contextTokens ? small(text("admin.context_tokens", { count: number(m.contextTokens) })) : nothing],
      m.baseUrl || "–", m.timeout,
      html`<button type="button" class="plain" aria-label=${text("admin.try_of", { model: m.name })} aria-disabled=${Boolean(trial?.waiting)}
        @click=${() => actions.tryModel(m.name)}>${text("admin.try")}</button>`,
    ]))}
    <p class="hint">${text("admin.try_hint")}</p>
    <div id="trial" role="status">${trial ? tried(trial) : nothing}</div>
    ${told ? refused(told) : nothing}
  </div>`;
}

// refused draws what the model servers refused, and how requests were adapted, in the words of the
// servers and of the log.
function refused({ since, items }) {
  const each = (of) => items.flatMap((m) => of(m).map((entry) => [m.name, entry]));
  const changes = each((m) => [...m.adaptations, ...m.omittedTools.map((t) => ({ ...t, what: t.tool || "tool" }))]);
  const refusals = each((m) => m.refusals).sort(([, a], [, b]) => b.at.localeCompare(a.at));
  const time = { text: text("admin.time"), number: true };
  const heads = [text("admin.model"), text("admin.refused_part"), text("admin.refused_done"), time];
  return html`<h3>${text("admin.refused")}</h3>
    ${changes.length ? table(text("admin.refused_changes"), heads, changes.map(([model, a]) => [model, html`<code>${a.what}</code>`, html`<span lang="en">${a.detail}</span>`, moment(a.at)])) : nothing}
    ${refusals.length ? table(text("admin.refused_last"), [text("admin.model"), text("admin.refused_status"), text("admin.refused_reason"), time],
      refusals.map(([model, r]) => [model, r.status || "–", html`<span lang="en">${r.reason || "–"}</span>`, moment(r.at)])) : nothing}
    ${changes.length || refusals.length ? nothing : html`<p class="hint">${text("admin.refused_none", { time: moment(since) })}</p>`}`;
}

// tried draws the result of trying a model. Reasons and adaptations are in the words of the server and
// of the log.
function tried({ waiting, model, works, text: said, toolCall, answer, reason, adaptations, usage }) {
  if (waiting) return html`<p>${text("admin.trying", { model })}</p>`;
  const yes = (is) => text(is ? "admin.yes" : "admin.no");
  return html`<p class=${works ? "good" : "bad"}>${text(works ? "admin.tried_works" : "admin.tried_fails", { model })}</p>
    <ul>
      <li>${text("admin.tried_parts", { text: yes(said), call: yes(toolCall), answer: yes(answer) })}</li>
      <li>${text("admin.tried_tokens", { input: number(usage.inputTokens), cached: number(usage.cachedInputTokens), output: number(usage.outputTokens) })}</li>
      ${adaptations.map((a) => html`<li>${text("admin.adapted")} <code>${a.what}</code> <span lang="en">${a.detail}</span></li>`)}
      ${reason ? html`<li lang="en">${reason}</li>` : nothing}
    </ul>`;
}

function apps({ apps: list }) {
  const upTo = (n) => (n ? number(n) : "∞");
  return table(text("admin.apps"),
    [text("admin.app"), text("admin.enabled"), text("admin.model"), text("admin.tools"), text("admin.caps"), text("admin.limits"), text("admin.access")],
    list.map((a) => [
      [a.name, small(a.id)],
      html`<span class=${a.enabled ? "good" : "off"}>${text(a.enabled ? "admin.on" : "admin.off")}</span>`,
      [a.model, small(text("admin.max_steps", { count: number(a.maxSteps) }))],
      a.tools.join(", ") || "–",
      !a.interactive ? text("admin.asks_nobody") : [text("admin.caps_of", { conversation: number(a.clarifications.perConversation), turn: number(a.clarifications.perTurn) }),
        small(text("admin.approvals_of", { count: number(a.clarifications.approvalsPerTurn) })),
        small(a.clarifications.expiresIn ? text("admin.expires_in", { time: a.clarifications.expiresIn }) : text("admin.never_expires"))],
      [text("admin.rate", { count: upTo(a.limits.requestsPerMinute) }), small(text("admin.concurrent", { count: upTo(a.limits.concurrentTurns) })),
        small(a.retention ? text("admin.kept", { time: a.retention }) : text("admin.kept_always"))],
      a.roles.join(", ") || text("admin.everybody"),
    ]));
}

function tools({ tools: list }) {
  return table(text("admin.tools"), [text("admin.tool"), text("admin.type"), text("admin.server"), text("admin.person"), text("admin.used_by")], list.map((t) => [
    [t.id, small(t.app ? text("admin.own_of", { app: t.app }) : text("admin.shared"))],
    t.type,
    t.server ? [`${t.method ?? ""} ${t.server}`.trim(), t.headers ? small(text("admin.headers", { names: t.headers.join(", ") })) : nothing,
      t.body ? small(text("admin.body", { names: t.body.join(", ") })) : nothing,
      t.allowPrivate ? small(text("admin.allow_private")) : nothing] : t.state ?? "–",
    asks(t),
    t.apps.join(", ") || "–",
  ]));
}

// asks says whether a person is asked about the calls of a tool, and what the rules for them are.
function asks({ needsApproval, approval, requiresUserInput }) {
  const rule = (r) => [r.then, r.by, r.quorum && `× ${r.quorum}`, ...(r.escalate ?? []).map((s) => `→ ${s.role} (${s.after})`)].filter(Boolean).join(" ");
  const rules = (a) => (a ? [...(a.rules ?? []), a.otherwise].map(rule).join(", ") : "–");
  if (!approval?.rules && !approval?.tools) return text(needsApproval ? "admin.approves" : requiresUserInput ? "admin.answers" : "admin.nobody");
  return [text("admin.depends"), small(approval.tools ? Object.entries(approval.tools).map(([name, a]) => `${name}: ${rules(a)}`).join("; ") : rules(approval))];
}

function definitions({ told }, actions) {
  return html`<p class="hint">${text("admin.definitions_hint")}</p>
    ${told ? html`<div class="controls">
      ${picker("told-app", "admin.app", told.apps.map((a) => [a.id, a.name]), told.app, (app) => actions.pickTold({ app }))}
      ${picker("told-language", "admin.language", told.languages.map((tag) => [tag, nameOf(tag)]), told.language, (tag) => actions.pickTold({ language: tag }))}
    </div>
    <div id="told">${repeat(told.items, (d) => d.name, (d) => html`<article class="told">
      <h3><code>${d.name}</code></h3>
      <p lang=${told.language} .textContent=${d.description}></p>
      <details><summary>${text("admin.parameters")}</summary><pre lang=${told.language} tabindex="0">${JSON.stringify(d.parameters, null, 2)}</pre></details>
    </article>`)}
    ${told.items.length ? nothing : html`<p>${text("admin.no_tools")}</p>`}</div>` : nothing}`;
}

// ---- waiting questions ----

function waiting({ pending, more }, actions) {
  return html`<div id="pending">${!pending ? nothing : !pending.length ? html`<p>${text("admin.nothing_waiting")}</p>` : html`
      <p class="hint">${text("admin.waiting_caption")}</p>
      ${pending.some((c) => c.questions) ? nothing : html`<p class="hint">${text("admin.hidden_hint")}</p>`}
      ${table(text("admin.waiting"), [text("admin.app"), text("admin.question"), text("admin.kind"), text("admin.asked_at"),
        { text: text("admin.age"), number: true }, { text: text("admin.number"), number: true }, text("admin.expires"), text("admin.action")],
      pending.map((c) => [
        c.app,
        c.questions ? c.questions.join(" · ") : html`<span class="off">${text("admin.hidden")}</span>`,
        [text(`admin.kind_${c.kind}`), small(c.kind === "question" ? c.input_type : c.toolName)],
        moment(c.askedAt),
        duration(c.ageSeconds),
        text("admin.number_of", { number: number(c.clarificationNumber), max: number(c.maxClarifications) }),
        c.expiresAt ? moment(c.expiresAt) : text("admin.never"),
        html`<button type="button" class="plain danger" aria-label=${text("admin.cancel_of", { app: c.app, time: moment(c.askedAt) })}
          @click=${() => actions.cancel(c)}>${text("admin.cancel")}</button>`,
      ]), (row, i) => pending[i].clarificationId)}`}</div>
    ${more ? html`<button type="button" id="more" class="plain" @click=${actions.moreQuestions}>${text("admin.more")}</button>` : nothing}`;
}

function confirmation({ cancelling: c }) {
  return html`<dialog id="confirm" aria-labelledby="confirm-title" aria-describedby="confirm-text">
    <form method="dialog">
      <h2 id="confirm-title">${text("admin.cancel_title")}</h2>
      <p id="confirm-text">${c ? text("admin.cancel_text", { app: c.app, age: duration(c.ageSeconds, "long") }) : nothing}</p>
      <div class="controls">
        <button value="keep" class="plain" autofocus>${text("admin.keep")}</button>
        <button value="cancel" class="plain danger">${text("admin.cancel_question")}</button>
      </div>
    </form>
  </dialog>`;
}

// ---- charts ----

function statistics({ stats, hours, chartApp, width }, actions) {
  const app = stats?.apps.find((a) => a.app === chartApp);
  return html`<div class="controls">
      ${picker("hours", "admin.window", spans.map((h) => [h, text(`admin.hours_${h}`)]), hours, (h) => actions.pickHours(Number(h)))}
      ${picker("chart-app", "admin.app", [["", text("admin.all_apps")], ...(stats?.apps ?? []).map((a) => [a.app, a.app])], app?.app ?? "", actions.pickChartApp)}
    </div>
    <div id="drawn">${stats ? charts(stats, app, width) : nothing}</div>`;
}

// ---- outcomes of each question ----

function questions({ questions: found, reported: { hours, app }, config }, actions) {
  return html`<p class="hint">${text("admin.report_hint")}</p>
    <div class="controls">
      ${picker("report-hours", "admin.window", spans.slice(2).map((h) => [h, text(`admin.hours_${h}`)]), hours, (h) => actions.pickReport({ hours: Number(h) }))}
      ${picker("report-app", "admin.app", [["", text("admin.all_apps")], ...config.apps.map((a) => [a.id, a.name])], app, (id) => actions.pickReport({ app: id }))}
    </div>
    <div id="report">${found ? report(found) : nothing}</div>`;
}
