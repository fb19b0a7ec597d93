// Reloads the page once if a file that it needs is gone: a deployment has replaced the files, or a
// page of one version was loaded from a node of another. A script in the head, not a module, under a
// name that does not change, so that it is there when others are not.
{
  const key = "askgate:reloaded", least = 60_000; // ms between two reloads

  // reload reloads the page if the gateway has no file at a URL or, for a page that cannot begin without
  // it (begins), has it by now. It does not if the gateway cannot be reached, or if the last reload did
  // not help.
  const reload = async (url, begins) => {
    try {
      const now = Date.now(), last = Number(sessionStorage.getItem(key));
      if (now - last < least && now >= last) return;
      const { status } = await fetch(url, { method: "HEAD", cache: "no-store" });
      if (status !== 404 && !(begins && status === 200)) return;
      sessionStorage.setItem(key, String(now));
    } catch {
      return; // without storage, nothing would end a loop of reloads
    }
    location.reload();
  };

  addEventListener("error", ({ target }) => {
    const url = target.src ?? target.href; // of an element, not of an exception
    if (url && ["SCRIPT", "LINK"].includes(target.nodeName)) reload(url, true);
  }, true);
  addEventListener("askgate-module-missing", ({ detail }) => reload(detail)); // import() has failed
}
