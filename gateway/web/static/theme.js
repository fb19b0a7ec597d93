// The theme that somebody chose in this browser, set before anything is painted: a script of the
// head, no module. Without a choice the system's holds. Other windows follow at once.
{
  const apply = ({ key = null }) => {
    if (key !== null && key !== "askgate:theme") return;
    const root = document.documentElement;
    try {
      const theme = localStorage.getItem("askgate:theme");
      if (theme === "light" || theme === "dark") root.dataset.theme = theme;
      else delete root.dataset.theme;
    } catch { /* storage is not allowed: what is chosen holds for this visit */ }
  };
  apply({});
  addEventListener("storage", apply);
}
