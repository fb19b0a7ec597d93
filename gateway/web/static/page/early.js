// Begins the page's first requests while its modules are still loading. A script in the head, not a
// module: modules run only once all of them are there. begun.js hands out the responses.
{
  const begun = globalThis.askgateBegun = new Map(); // path -> promise of a response
  const begin = (path, response) => {
    response.catch(() => {}); // reported to the one who takes it
    begun.set(path, response);
  };
  let wish = "";
  try {
    wish = localStorage.getItem("askgate:language") ?? "";
  } catch { /* storage is not allowed: the browser's language */ }
  const path = `/page/texts${wish ? `?lang=${encodeURIComponent(wish)}` : ""}`;
  const texts = fetch(path.slice(1));
  begin(path, texts);
  begin("/v1/session", fetch("v1/session"));
  const language = texts.then(async (response) => {
    if (!response.ok) throw new Error(String(response.status));
    return (await response.clone().json()).language;
  });
  begin("/v1/apps?limit=100", language.then((tag) => fetch("v1/apps?limit=100", { headers: { "Accept-Language": tag } })));
}
