const key = "headway.token";
/** Tabs of this very origin, port included, ask each other for the token: unlike a cookie it never goes to another port of the host. */
const tabs = new BroadcastChannel("headway.token");

type Message = { readonly ask: true } | { readonly token: string };

/**
 * The token of the link that the terminal printed (`/#token=…`), or the one that this tab was given before. The
 * fragment never leaves the browser, and it is taken out of the address at once.
 */
export function takeToken(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    keepToken(given);
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return given ?? sessionStorage.getItem(key) ?? undefined;
}

/** Keeps a token for this tab and tells the others that are open; other sites do not see it, and it goes with the last tab. */
export function keepToken(token: string): void {
  sessionStorage.setItem(key, token);
  tabs.postMessage({ token } satisfies Message);
}

/** Forgets a token that opens nothing. */
export function dropToken(): void {
  sessionStorage.removeItem(key);
}

/** Answers tabs that ask, and hands on a token that another tab has; asks at once when this one has none. */
export function shareToken(onToken: (token: string) => void): () => void {
  const listen = ({ data }: MessageEvent<Message>) => {
    const own = sessionStorage.getItem(key);
    if ("ask" in data) {
      if (own) tabs.postMessage({ token: own } satisfies Message);
    } else if (own === null) {
      sessionStorage.setItem(key, data.token);
      onToken(data.token);
    }
  };
  tabs.addEventListener("message", listen);
  if (sessionStorage.getItem(key) === null) tabs.postMessage({ ask: true } satisfies Message);
  return () => tabs.removeEventListener("message", listen);
}
