// Sets the remembered theme before the first paint; without one the system's preference holds.
(() => {
  const remembered = () => {
    try { return localStorage.getItem("elasticd-theme"); } catch { return null; }
  };
  const apply = (theme) => {
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  };
  apply(remembered());
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    const isDark = () =>
      (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    const tell = () => button.setAttribute("aria-label", `Switch to the ${isDark() ? "light" : "dark"} theme`);
    tell();
    button.addEventListener("click", () => {
      const theme = isDark() ? "light" : "dark";
      apply(theme);
      try { localStorage.setItem("elasticd-theme", theme); } catch { /* private mode: it holds for this page */ }
      tell();
      document.dispatchEvent(new Event("themechange"));
    });
  });
})();
