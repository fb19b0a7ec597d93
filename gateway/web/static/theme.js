// Sets the theme chosen in this browser before anything is painted, as a script in the head, not a
// module. Without a choice, the system's theme is used. Other windows follow immediately.
{
  const apply = ({ key = null }) => {
    if (key !== null && key !== "askgate:theme") return;
    const root = document.documentElement;
    try {
      const theme = localStorage.getItem("askgate:theme");
      if (theme === "light" || theme === "dark") root.dataset.theme = theme;
      else delete root.dataset.theme;
    } catch { /* storage is not allowed: the choice applies to this visit */ }
  };
  apply({});
  addEventListener("storage", apply);
}
