// missing is called with import.meta.url after import() has failed there. A module is named by what it
// loads: if the gateway no longer has it, it serves another version now, and reload.js loads the page
// again.
export const missing = (module) => dispatchEvent(new CustomEvent("askgate-module-missing", { detail: module }));
