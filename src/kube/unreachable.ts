import { AppError } from "../errors.ts";

/** No connection, no answer, or no trust; says which context, which address and why. */
export function unreachable(where: { context: string; server: string }, cause: unknown): AppError {
  const text = `cannot reach the cluster of context "${where.context}" at "${where.server}": ${why(cause)}`;
  return new AppError("KUBE_UNREACHABLE", text, { cause });
}

/** A short reason a person understands, for what Node's sockets and TLS throw. */
function why(error: unknown): string {
  const code = codeOf(error);
  const known = words[code];
  if (known !== undefined) return known;
  const message = error instanceof Error && error.message !== "" ? error.message : String(error);
  if (isTrust(error)) return `its certificate is not trusted: ${message}`;
  return message;
}

/** Nothing was sent: the connection was never made. */
export function isUnsent(error: unknown): boolean {
  return neverConnected.has(codeOf(error)) || isTrust(error);
}

/** The two sides do not trust each other; another try would end the same way. */
export function isTrust(error: unknown): boolean {
  return trust.test(codeOf(error));
}

const trust = /CERT|^UNABLE_TO_|^ERR_TLS|^ERR_SSL|^EPROTO$/;

const neverConnected: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "ERR_PROXY_TUNNEL",
]);

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was reset",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name could not be looked up",
  EHOSTUNREACH: "there is no route to the host",
  ENETUNREACH: "there is no route to the network",
  ETIMEDOUT: "there was no answer in time",
  CERT_HAS_EXPIRED: "its certificate has expired",
};

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}
