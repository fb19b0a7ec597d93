// The path below which the gateway is served, as the page sees it: "" at the top, else like
// "/ask", where a proxy strips it or not.
export const root = new URL("../..", import.meta.url).pathname.slice(0, -1);
