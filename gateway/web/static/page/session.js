// Who is signed in. The browser has a cookie that no script can read; the key or token
// that was exchanged for it is kept nowhere.
import { Problem } from "../client/problem.js";
import { request } from "./request.js";

// session is who the gateway takes this browser for.
export const session = async () => (await request("/v1/session")).json();

// signedIn says whether the gateway recognizes this browser by its cookie.
export const signedIn = async () => (await session()).signedIn;

// signIn exchanges a key or token for a cookie; it rejects with a Problem.
export async function signIn(key) {
  if (!/^[!-~]+$/.test(key)) throw new Problem({ status: 401 }); // a header cannot carry it, so it cannot be a key
  await request("/v1/session", { method: "POST", headers: { Authorization: `Bearer ${key}` } });
}

const sending = new Set();

// sent is a request that signing out waits for: it needs the cookie of the person who made it.
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
