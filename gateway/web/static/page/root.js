// root is the path below which the gateway is served, as the browser sees it: "" at the top, otherwise
// a path like "/ask", whether or not a proxy strips it.
export const root = new URL("../..", import.meta.url).pathname.slice(0, -1);
