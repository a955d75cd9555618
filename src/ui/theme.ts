import { useSyncExternalStore } from "react";

const key = "headway.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

/** Whether the page is dark: what was chosen here, else what the system prefers. */
function isDark(): boolean {
  const chosen = localStorage.getItem(key);
  return chosen === null ? dark.matches : chosen === "dark";
}

/** Puts the theme on the page, now and when the system changes its mind. */
export function applyTheme(): void {
  const put = () => {
    document.documentElement.classList.toggle("pf-v6-theme-dark", isDark());
    for (const listener of listeners) listener();
  };
  put();
  dark.addEventListener("change", put);
  listeners.add(() => document.documentElement.classList.toggle("pf-v6-theme-dark", isDark()));
}

/** Chooses the theme for this browser. */
export function chooseTheme(theme: "light" | "dark"): void {
  localStorage.setItem(key, theme);
  for (const listener of listeners) listener();
}

/** Whether the page is dark, drawn anew when that changes. */
export function useDark(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, isDark);
}
