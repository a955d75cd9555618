import { type MouseEvent, useMemo, useSyncExternalStore } from "react";
import { type Route, readRoute } from "./route.ts";

const listeners = new Set<() => void>();
addEventListener("popstate", tell);

function tell(): void {
  for (const listener of listeners) listener();
}

/** Goes to another address of the page. `replace` leaves no trace in the history, for filters that are being typed. */
export function go(address: string, replace = false): void {
  if (address === location.pathname + location.search) return;
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  tell();
}

/** What the address shows now. */
export function useRoute(): Route {
  const address = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => location.pathname + location.search,
  );
  return useMemo(() => {
    const [path = "/", search = ""] = address.split("?");
    return readRoute(path, search);
  }, [address]);
}

/** Follows a link inside the page; new tabs and windows are left to the browser. */
export function followLink(event: MouseEvent<HTMLElement>): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as HTMLElement).closest("a"); // a click always has an element
  const address = link?.getAttribute("href");
  if (!address?.startsWith("/") || link?.target) return;
  event.preventDefault();
  go(address);
}
