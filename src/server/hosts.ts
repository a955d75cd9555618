/** Names under which only this machine reaches a server. */
const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Whether a request may carry this Host header. A page of another site that points its own name at this address
 * (DNS rebinding) is refused so. `*` among the allowed takes any.
 */
export function isKnownHost(header: string | undefined, allowed: readonly string[]): boolean {
  if (allowed.includes("*")) return true;
  const name = (header ?? "").toLowerCase().replace(/:\d{1,5}$/, "");
  return loopback.has(name) || allowed.some((host) => host.toLowerCase() === name);
}

/** `HOST:PORT` in its two parts; undefined when it is not that. */
export function readAddress(text: string): { readonly hostname: string; readonly port: number } | undefined {
  const found = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(found?.[3]);
  if (!found || port > 65_535) return undefined;
  return { hostname: found[1] ?? (found[2] || "0.0.0.0"), port };
}
