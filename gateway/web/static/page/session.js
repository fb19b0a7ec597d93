// Who is signed in. The browser has a cookie that no script can read; the key or token
// that it was given for is kept nowhere.
import { offline, Problem, problemOf } from "../client/problem.js";
import { language } from "./texts.js";

async function call(method, headers = {}) {
  let response;
  try {
    response = await fetch("/v1/session", { method, headers: { "Accept-Language": language, ...headers } });
  } catch (error) {
    throw offline(error);
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

// signedIn says whether it is a cookie by which the gateway knows this browser.
export const signedIn = async () => (await (await call("GET")).json()).signedIn;

// signIn changes a key or token for a cookie; it rejects with a Problem.
export async function signIn(key) {
  if (!/^[!-~]+$/.test(key)) throw new Problem({ status: 401 }); // no key has what no header can carry
  await call("POST", { Authorization: `Bearer ${key}` });
}

export async function signOut() {
  await call("DELETE");
}
