// The page's policy for trusted types: a worker's code must be one of the page's own files.
import { root } from "./root.js";

let policy;
try {
  policy = globalThis.trustedTypes?.createPolicy("askgate-page", {
    createScriptURL(address) {
      if (!address.startsWith(`${root}/assets/`)) throw new TypeError(`${address} is not a file of the page`);
      return address;
    },
  });
} catch { /* then the browser may refuse workers */ }

// scriptURL returns the address of a worker's code as the browser accepts it.
export const scriptURL = (address) => policy?.createScriptURL(address) ?? address;
