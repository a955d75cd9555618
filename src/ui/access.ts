const key = "headway.token";

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

/** Keeps a token for this tab; other tabs and other sites do not see it. */
export function keepToken(token: string): void {
  sessionStorage.setItem(key, token);
}

/** Forgets a token that opens nothing. */
export function dropToken(): void {
  sessionStorage.removeItem(key);
}
