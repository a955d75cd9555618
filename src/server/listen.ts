import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { limited, listenOn } from "../../packages/wire/index.ts";
import { AppError, messageOf } from "../errors.ts";
import { type Clock, systemClock } from "../kube/index.ts";
import type { Watched } from "../observe/index.ts";
import { createApp } from "./app.ts";
import type { Authorizer } from "./authorize.ts";
import type { ClusterPart, ClusterParts } from "./cluster-routes.ts";
import { readAddress } from "./hosts.ts";
import { Metrics, type MoreMetrics } from "./metrics.ts";
import { loadPage, pageFolder } from "./page.ts";
import { StreamHub } from "./stream-hub.ts";

/** How a server is run. */
export interface ServerOptions {
  readonly observer: Watched;
  readonly authorizer: Authorizer;
  /** `HOST:PORT`; port 0 takes any that is free. */
  readonly address: string;
  /** Host names to answer to besides the loopback ones; `*` takes any. */
  readonly hosts?: readonly string[];
  readonly clock?: Clock;
  /** What the page of metrics tells beside operations. */
  readonly metrics?: MoreMetrics | undefined;
  /** What the page may ask of the cluster and do in it; nothing when absent. */
  readonly cluster?: ClusterPart | undefined;
  /** Several clusters by name, whose operations `observer` unites. */
  readonly clusters?: ClusterParts;
  /** The folder of the built page; null serves none. */
  readonly page?: string | null;
}

/** A server that listens. */
export interface Listening {
  /** `http://HOST:PORT`. */
  readonly url: string;
  /** Whether the page is served besides the API. */
  readonly hasPage: boolean;
  /** Resolves when the last connection is closed, after the signal. */
  readonly closed: Promise<void>;
}

/** Serves operations until the signal fires. */
export async function listen(options: ServerOptions, signal: AbortSignal): Promise<Listening> {
  const { observer, authorizer, address, hosts = [], clock = systemClock, cluster } = options;
  const clusters: ClusterParts = options.clusters ?? new Map(cluster ? [["", cluster]] : []);
  const place = readAddress(address);
  if (!place) {
    throw new AppError("USAGE", `a server listens on HOST:PORT, not on "${address}"`, { retry: false });
  }
  let isReady = false;
  const ready = () => {
    isReady = true;
  };
  observer.synced(signal).then(ready, () => undefined); // told to stop before the cluster was read
  const hub = new StreamHub({ observer, clock });
  const metrics = new Metrics(observer, () => clock.now(), options.metrics);
  const page = options.page === null ? undefined : loadPage(options.page ?? pageFolder);
  const isSynced = () => isReady;
  const app = createApp({
    observer,
    hub,
    metrics,
    authorizer,
    clock,
    hosts,
    isReady: isSynced,
    page,
    clusters,
  });
  // Plain HTTP/1.1 is what createAdaptorServer gives when no other constructor is named.
  const server = limited(createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server);
  let port: number;
  try {
    port = await listenOn(server, place);
  } catch (error) {
    hub.close();
    metrics.close();
    const why = messageOf(error);
    throw new AppError("SERVER_LISTEN", `cannot listen on ${address}: ${why}`, {
      cause: error,
      retry: false,
    });
  }
  const closed = new Promise<void>((resolve) => {
    const close = () => {
      hub.close();
      metrics.close();
      server.close(() => resolve());
      server.closeAllConnections();
    };
    if (signal.aborted) close();
    else signal.addEventListener("abort", close, { once: true });
  });
  const name = place.hostname.includes(":") ? `[${place.hostname}]` : place.hostname;
  return { url: `http://${name}:${port}`, hasPage: page !== undefined, closed };
}
