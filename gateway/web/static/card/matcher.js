// Matches a pattern. It imports nothing, so that a bundler that copies it as a file, for the worker of
// match.js, has a whole program.

// matches reports whether the whole of s matches, as the protocol defines it.
export function matches({ pattern, flags = "u" }, s) {
  try {
    return new RegExp(`^(?:${pattern})$`, flags).test(s);
  } catch {
    return false;
  }
}

// In the worker: one text, one verdict.
if (globalThis.WorkerGlobalScope && globalThis.name === "askgate matcher") onmessage = ({ data: { s, ...rule } }) => postMessage(matches(rule, s));
