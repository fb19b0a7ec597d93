// Problem is a refused or failed request. Its fields are those of the problem
// JSON (RFC 9457): title, status, detail, code, and errors, outcome, answer,
// state, scope if the code has them. A request without a response has status 0 and
// the code "offline".
export class Problem extends Error {
  constructor(fields) {
    super(fields.detail ?? fields.title ?? fields.code);
    this.name = "Problem";
    Object.assign(this, fields);
  }
}

// offline is the problem of a request without a response.
export function offline(cause) {
  return new Problem({ title: "Offline", status: 0, code: "offline", detail: String(cause?.message ?? cause ?? "") });
}

// problemOf reads a response that is not ok. retryAfter is in seconds.
export async function problemOf(response) {
  let fields = null;
  try {
    fields = await response.json();
  } catch { /* a proxy's page, or a body that was cut off */ }
  const after = Number(response.headers.get("Retry-After"));
  return new Problem({
    title: response.statusText, code: "http", ...fields, status: response.status,
    requestId: response.headers.get("X-Request-Id") ?? "",
    ...(after > 0 && { retryAfter: after }),
  });
}
