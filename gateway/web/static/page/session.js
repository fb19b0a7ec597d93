// Who is signed in. The browser has a cookie that scripts cannot read; the key or token that was
// exchanged for it is not stored.
import { Problem } from "../client/problem.js";
import { request } from "./request.js";

let known = "", own = ""; // see identity and subject

// session returns whom the gateway recognizes this browser as.
export async function session() {
  const now = await (await request("/v1/session")).json();
  own = now.subject;
  known = JSON.stringify([now.tenant, now.subject]);
  return now;
}

// identity names the person whom session reported last, "" before.
export const identity = () => known;

// subject returns the name under which the gateway knows that person.
export const subject = () => own;

// signedIn reports whether the gateway recognizes this browser by its cookie.
export const signedIn = async () => (await session()).signedIn;

// signIn exchanges a key or token for a cookie. It rejects with a Problem.
export async function signIn(key) {
  if (!/^[!-~]+$/.test(key)) throw new Problem({ status: 401 }); // a header cannot carry such a text, so it is not a key
  await request("/v1/session", { method: "POST", headers: { Authorization: `Bearer ${key}` } });
}

const sending = new Set();

// sent registers a request that signing out must wait for: it needs the cookie of the user who made it.
export function sent(request) {
  sending.add(request);
  const over = () => sending.delete(request);
  request.then(over, over);
  return request;
}

export async function signOut() {
  await Promise.allSettled(sending);
  await request("/v1/session", { method: "DELETE" });
}
