// Problem is a refused or failed request. Its fields are those of the problem JSON (RFC 9457):
// title, status, detail, code, and, depending on the code, errors, outcome, answer, state, scope.
// A request without a response has status 0 and the code "offline".
export class Problem extends Error {
  constructor(fields) {
    super(fields.detail ?? fields.title ?? fields.code);
    this.name = "Problem";
    Object.assign(this, fields);
  }
}

// offline returns the Problem of a request without a response.
export function offline(cause) {
  return new Problem({ title: "Offline", status: 0, code: "offline", detail: String(cause?.message ?? cause ?? "") });
}

// problemOf returns the Problem of an unsuccessful response. retryAfter is in seconds.
export async function problemOf(response) {
  let fields = null;
  try {
    fields = await response.json();
  } catch { /* a proxy's page, or a truncated body */ }
  const after = Number(response.headers.get("Retry-After"));
  return new Problem({
    title: response.statusText, code: "http", ...fields, status: response.status,
    requestId: response.headers.get("X-Request-Id") ?? "",
    ...(after > 0 && { retryAfter: after }),
  });
}
