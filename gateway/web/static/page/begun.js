// Takes the responses that early.js has requested.

// firstFetch is fetch for a request that early.js may have begun. Each response is taken once, and a
// request that failed is made again.
export function firstFetch(root, path, init) {
  const begun = globalThis.askgateBegun?.get(path);
  globalThis.askgateBegun?.delete(path);
  const request = () => fetch(root + path, init);
  return begun && !init?.method ? begun.catch(request) : request();
}
