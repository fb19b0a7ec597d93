// A pattern in a worker of its own: whatever it takes, the page goes on. What cannot be
// told here (no worker, no time) is for the gateway to say, which checks every answer.
const patience = 1000; // ms for one text, with the start of the worker

// A page that demands trusted types has to allow this name ("trusted-types askgate").
let policy;
try {
  policy = globalThis.trustedTypes?.createPolicy("askgate", { createScriptURL: () => codeAddress() });
} catch {
  // not allowed: the worker may be refused
}

// codeAddress is where the worker's code is. A worker must be of the page's own origin: for
// a module of another one, that is a blob which imports it.
let address = "";
function codeAddress() {
  if (!address) {
    const code = new URL("./matcher.js", import.meta.url);
    const own = code.origin === globalThis.location?.origin;
    address = own ? String(code) : URL.createObjectURL(new Blob([`import ${JSON.stringify(code)};`], { type: "text/javascript" }));
  }
  return address;
}

// matchesInWorker says whether the whole of s matches: true, false, or undefined if that
// cannot be told.
export function matchesInWorker({ pattern, flags = "u" }, s) {
  return new Promise((resolve) => {
    let worker;
    try {
      worker = new Worker(policy?.createScriptURL("") ?? codeAddress(), { type: "module" });
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
