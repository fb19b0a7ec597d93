// A pattern in a worker of its own: whatever it takes, the page goes on. What cannot be
// told here (no worker, no time) is for the gateway to say, which checks every answer.
const patience = 1000; // ms for one text, with the start of the worker

// A page that demands trusted types has to allow this name ("trusted-types askgate").
const trusted = globalThis.trustedTypes;
let address = new URL("./matcher.js", import.meta.url);
try {
  address = trusted?.createPolicy("askgate", { createScriptURL: () => String(new URL("./matcher.js", import.meta.url)) }).createScriptURL("") ?? address;
} catch {
  // not allowed: the worker may be refused
}

// matchesInWorker says whether the whole of s matches: true, false, or undefined if that
// cannot be told.
export function matchesInWorker({ pattern, flags = "u" }, s) {
  return new Promise((resolve) => {
    let worker;
    try {
      worker = new Worker(address, { type: "module" });
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
