// Requests of the pages that concern no single chat.
import { offline, problemOf } from "../client/problem.js";
import { root } from "./root.js";
import { language, text } from "./texts.js";

// request resolves to a response that is ok, in the page's language, and rejects with
// a Problem.
export async function request(path, { headers, ...init } = {}) {
  let response;
  try {
    response = await fetch(root + path, { ...init, headers: { "Accept-Language": language, ...headers } });
  } catch (error) {
    throw offline(error);
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

// why says what a request failed with.
export const why = (problem, unreachable = "page.unreachable") => (problem.status === 0 ? text(unreachable) : problem.message);
