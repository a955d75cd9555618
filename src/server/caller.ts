import type { Context } from "hono";
import type { Client } from "../kube/index.ts";

/** What the routes use of a client. */
export type PageClient = Pick<Client, "get" | "list" | "create" | "patch" | "watch">;

/** The token of a request. It comes in a header only: an address stands in the logs of proxies, and a link can carry one. */
export function tokenOf(request: Request): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}

/** Who acts in the cluster for a request: the caller, where the cluster knows them, else the server. */
export interface Actors {
  readonly client: PageClient;
  /** The same cluster with the rights of a token, for one request. */
  readonly as?: ((token: string) => PageClient & Pick<Client, "close">) | undefined;
}

/** Works for one request as whoever sent it. No token and no connection of a caller outlives the request. */
export async function acting<T>(
  { client, as }: Actors,
  c: Context,
  work: (client: PageClient, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal } = c.req.raw;
  if (!as) return work(client, signal);
  const own = as(tokenOf(c.req.raw) ?? "");
  try {
    return await work(own, signal);
  } finally {
    own.close();
  }
}
