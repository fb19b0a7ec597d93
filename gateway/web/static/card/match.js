// Matches a pattern in its own worker, so that a slow one does not block the page. Without a result
// (no worker, or no time) the gateway decides, which checks every answer.
const patience = 1000; // ms for one text, with the start of the worker

// A page that requires trusted types has to allow this name ("trusted-types askgate").
let policy;
try {
  policy = globalThis.trustedTypes?.createPolicy("askgate", { createScriptURL: () => codeAddress() });
} catch {
  // not allowed: the worker may be refused
}

let address = "";

// codeAddress returns the URL of the worker's code. A worker must have the page's origin, so a module
// from another origin is wrapped in a blob: URL that imports it.
function codeAddress() {
  if (!address) {
    const code = new URL("./matcher.js", import.meta.url);
    const own = code.origin === globalThis.location?.origin;
    address = own ? String(code) : URL.createObjectURL(new Blob([`import ${JSON.stringify(code)};`], { type: "text/javascript" }));
  }
  return address;
}

// matchesInWorker reports whether the whole of s matches: true, false, or undefined if unknown.
export function matchesInWorker({ pattern, flags = "u" }, s) {
  return new Promise((resolve) => {
    let worker;
    try {
      worker = new Worker(policy?.createScriptURL("") ?? codeAddress(), { type: "module", name: "askgate matcher" }); // the name begins its work
    } catch {
      return resolve(undefined);
    }
    const done = (verdict) => {
      clearTimeout(timer);
      worker.terminate();
      resolve(verdict);
    };
    const timer = setTimeout(done, patience);
    worker.onmessage = ({ data }) => done(data);
    worker.onerror = (event) => {
      event.preventDefault();
      done();
    };
    worker.postMessage({ pattern, flags, s });
  });
}
