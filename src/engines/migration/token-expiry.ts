import { critical, said, type Wanted } from "./conditions.ts";

/** So long before its end a token is worth a word. */
const noticeMs = 30 * 86_400_000;

/** When a token ends, epoch ms; undefined for one that does not tell, as those of Secrets do not. */
export function tokenEnd(token: string): number | undefined {
  const [, body = ""] = token.split(".");
  try {
    const { exp } = JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as { readonly exp?: unknown };
    // A number that is no moment, as a forged token may have it, tells nothing.
    return typeof exp === "number" && !Number.isNaN(new Date(exp * 1000).getTime()) ? exp * 1000 : undefined;
  } catch {
    return undefined; // no JSON web token
  }
}

/** What the end of a cluster's token means now. */
export function expiryFault(name: string, endMs: number | undefined, nowMs: number): Wanted | undefined {
  if (endMs === undefined || endMs - nowMs > noticeMs) return undefined;
  const day = new Date(endMs).toISOString().slice(0, 10);
  const what = `renew it with "headway cluster renew ${name} --from-kubeconfig FILE"`;
  return endMs <= nowMs
    ? critical(
        "SaTokenNotPrivileged",
        "Unauthorized",
        `the token of cluster "${name}" expired on ${day}; ${what}`,
      )
    : said(
        "Warn",
        "SaTokenExpiresSoon",
        "Expires",
        `the token of cluster "${name}" expires on ${day}; ${what}`,
      );
}
