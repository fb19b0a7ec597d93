// The page behind an answer link: one question, its answer, and how it ended. What it shows
// comes with the page; the answer goes to the page's own address.
import "./askgate.js";
import { offline, problemOf } from "./client/problem.js";
import { firstTexts, language, text } from "./page/texts.js";
import { palette } from "./palette.js";
import { html, nothing, render } from "./vendor/lit.js";

const state = { ...JSON.parse(document.querySelector("#data").textContent), error: null, done: false };

// refused shows who was first, or what there is now.
function refused(problem) {
  const { code, outcome, state: ended, answer = null, answeredAt = null, answeredBy = null } = problem;
  if (code === "already_answered" || (code === "clarification_closed" && ended)) {
    state.clarification = { ...state.clarification, state: outcome ?? ended, answer, answeredAt, answeredBy };
  } else if (code === "clarification_closed") state.problem = problem;
  else {
    if (problem.clarification) state.clarification = { ...state.clarification, ...problem.clarification };
    state.error = problem;
  }
}

async function answer(event) {
  state.error = null;
  try {
    const response = await fetch(location.pathname, {
      method: "POST", headers: { "Content-Type": "application/json", "Accept-Language": language }, body: JSON.stringify(event.detail),
    });
    if (response.ok) {
      state.clarification = await response.json();
      state.done = true;
    } else refused(await problemOf(response));
  } catch (error) {
    state.error = offline(error);
  }
  change();
}

// ended says how it ended where the card does not say it of an answer.
function ended({ state: outcome, answeredBy }) {
  if (outcome === "pending" || outcome === "answered" || !answeredBy) return nothing;
  return html`<p id="by">${text("page.link_by", { name: answeredBy.subject })}</p>`;
}

function view({ clarification: c, appName, problem, error, done }) {
  const expired = c && problem && c.state === "pending";
  return html`<main>
    <h1>${appName ? `${appName}: ` : ""}${text("page.link_title")}</h1>
    ${problem && (!c || expired) ? html`<p class="bad" id="problem" role="alert">${problem.detail}</p>` : nothing}
    ${c ? html`<askgate-clarification theme="inherit" .clarification=${c} .state=${c.state} .answer=${c.answer} .answeredAt=${c.answeredAt ?? ""}
      .answeredBy=${c.answeredBy?.subject ?? ""} .error=${error} .locale=${language} ?disabled=${Boolean(expired)} @askgate-answer=${answer}></askgate-clarification>
      ${ended(c)}` : nothing}
    ${done ? html`<p class="good" role="status">${text("page.link_done")}</p>` : nothing}
  </main>`;
}

function change() {
  render(view(state), document.body);
}

document.adoptedStyleSheets.push(palette.styleSheet);
await firstTexts();
document.title = text("page.link_title");
change();
