// Requests that do not belong to one chat.
import { offline, problemOf } from "../client/problem.js";
import { firstFetch } from "./begun.js";
import { root } from "./root.js";
import { language, text } from "./texts.js";

// request resolves to a successful response, with texts in the page's language, and rejects with a
// Problem.
export async function request(path, { headers, ...init } = {}) {
  let response;
  try {
    response = await firstFetch(root, path, { ...init, headers: { "Accept-Language": language, ...headers } });
  } catch (error) {
    throw offline(error);
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

// why returns the reason for which a request failed, as text.
export const why = (problem, unreachable = "page.unreachable") => (problem.status === 0 ? text(unreachable) : problem.message);
