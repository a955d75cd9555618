import { useSyncExternalStore } from "react";

const narrow = matchMedia("(max-width: 900px)");

/** Whether rows are drawn as cards; the same width as in app.css. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      narrow.addEventListener("change", listener);
      return () => narrow.removeEventListener("change", listener);
    },
    () => narrow.matches,
  );
}
