// The page behind an answer link: one question, for as long as the link can answer it. The page contains
// what it shows, and posts the answer to its own address.
import "./askgate.js";
import { formOf } from "./client/attach.js";
import { offline, problemOf } from "./client/problem.js";
import { oneClickCard } from "./page/oneclick.js";
import { suggested } from "./page/suggested.js";
import { firstTexts, language, text } from "./page/texts.js";
import { palette } from "./palette.js";
import { html, nothing, render } from "./vendor/lit.js";

const state = { ...JSON.parse(document.querySelector("#data").textContent), error: null, done: false };

const closes = ({ code }) => code === "already_answered" || code === "clarification_closed";

// refused shows that the question is closed, or its current state with the error.
function refused(problem) {
  if (closes(problem)) state.problem = problem;
  else {
    if (problem.clarification) state.clarification = { ...state.clarification, ...problem.clarification };
    state.error = problem;
  }
}

async function answer(event) {
  state.error = null;
  try {
    const response = await fetch(location.pathname, {
      method: "POST", keepalive: true, headers: { "Content-Type": "application/json", "Accept-Language": language }, body: JSON.stringify(event.detail),
    });
    if (response.ok) state.done = true;
    else refused(await problemOf(response));
  } catch (error) {
    state.error = offline(error);
  }
  change();
}

// upload sends a file for the question to the link, which keeps it for this answer alone.
async function upload(_id, file, { signal } = {}) {
  const response = await fetch(`${location.pathname}/files`, { method: "POST", headers: { "Accept-Language": language }, body: formOf(file), signal });
  if (response.ok) return response.json();
  const problem = await problemOf(response);
  if (closes(problem)) { // otherwise the card shows why
    refused(problem);
    change();
  }
  throw problem;
}

function view({ clarification, appName, option, problem, error, done }) {
  return html`<main>
    <h1>${appName ? `${appName}: ` : ""}${text("page.link_title")}</h1>
    ${problem ? html`<p class="bad" id="problem" role="alert">${problem.detail}</p>` : nothing}
    ${clarification && option && !problem && !done ? html`<p class="chosen" role="note">${text("page.link_chosen", { answer: option.label })}</p>` : nothing}
    ${clarification && !problem && !done ? html`<askgate-clarification theme="inherit" .instant=${oneClickCard().instant} .undoTime=${oneClickCard().undoTime} .clarification=${clarification} .error=${error}
      .locale=${language} .uploadFile=${upload} @askgate-answer=${answer}></askgate-clarification>` : nothing}
    ${done ? html`<p class="good" role="status">${text("page.link_done")}</p>` : nothing}
  </main>`;
}

function change() {
  render(view(state), document.body);
}

document.adoptedStyleSheets.push(palette.styleSheet);
await firstTexts();
document.title = text("page.link_title");
Object.assign(state, suggested(state.clarification, location.search, text));
change();
