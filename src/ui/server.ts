import type { KubeObject } from "../api/index.ts";
import type { RestorePlan } from "../kinds/index.ts";
import type { About, Board, Choice, ClusterState, Curve, EventLine, Remarks } from "../observe/index.ts";
import { takeToken } from "./access.ts";

/** What the server said no to, in its own words. */
class Refused extends Error {
  override readonly name = "Refused";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Where an operation is served. */
export interface Place {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly cluster: string;
}

export const server = {
  about: (signal?: AbortSignal) => ask<About>("/api/about", { signal }),
  curve: (place: Place, signal?: AbortSignal) => ask<Curve>(pathOf(place, "curve"), { signal }),
  events: async (place: Place, signal?: AbortSignal) =>
    (await ask<{ events: readonly EventLine[] }>(pathOf(place, "events"), { signal })).events,
  clusters: async (signal?: AbortSignal) =>
    (await ask<{ clusters: readonly ClusterState[] }>("/api/clusters", { signal })).clusters,
  board: (cluster: string, signal?: AbortSignal) => ask<Board>(path("board", [], cluster), { signal }),
  object: ({ kind, namespace, name, cluster }: Place, signal?: AbortSignal) =>
    ask<KubeObject>(path("objects", [kind, namespace, name], cluster), { signal }),
  log: async (place: Place, signal?: AbortSignal) => (await send(pathOf(place, "log"), { signal })).text(),
  remarks: (place: Place, signal?: AbortSignal) => ask<Remarks>(pathOf(place, "results"), { signal }),
  choices: async (kind: string, cluster: string, signal?: AbortSignal) =>
    (await ask<{ choices: readonly Choice[] }>(path("choices", [kind], cluster), { signal })).choices,
  cancel: (place: Place) => ask<{ canceled: string }>(pathOf(place, "cancel"), { method: "POST" }),
  deleteBackup: ({ namespace, name, cluster }: Place) =>
    ask<object>(path("backups", [namespace, name, "delete"], cluster), { method: "POST" }),
  schedule: (act: "pause" | "unpause" | "run", namespace: string, name: string, cluster: string) =>
    ask<{ name?: string }>(path("schedules", [namespace, name, act], cluster), { method: "POST" }),
  plan: (restore: KubeObject, cluster: string, signal?: AbortSignal) =>
    ask<RestorePlan>(path("plans", ["restore", restore.metadata.namespace ?? ""], cluster), {
      method: "POST",
      body: JSON.stringify(restore),
      signal,
    }),
  create: (object: KubeObject, cluster: string) =>
    ask<{ kind: string; namespace: string; name: string }>(
      path("objects", [object.kind, object.metadata.namespace ?? ""], cluster),
      { method: "POST", body: JSON.stringify(object) },
    ),
};

function pathOf({ kind, namespace, name, cluster }: Place, part: string): string {
  return path("operations", [namespace, kind, name, part], cluster);
}

function path(section: string, parts: readonly string[], cluster: string): string {
  const query = cluster === "" ? "" : `?cluster=${encodeURIComponent(cluster)}`;
  return `/api/${[section, ...parts.map(encodeURIComponent)].join("/")}${query}`;
}

interface Wanted {
  readonly method?: string;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

async function ask<T>(path: string, wanted: Wanted): Promise<T> {
  return (await send(path, wanted)).json();
}

async function send(path: string, { method = "GET", body, signal }: Wanted): Promise<Response> {
  const token = takeToken();
  const response = await fetch(path, {
    method,
    cache: "no-store",
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  }).catch((cause: unknown) => {
    // A browser says no more than "Failed to fetch".
    throw new Error("the server cannot be reached", { cause });
  });
  if (response.ok) return response;
  const told: { error?: { message?: string } } = await response.json().catch(() => ({}));
  throw new Refused(
    response.status,
    told.error?.message ?? `the server answered with HTTP ${response.status}`,
  );
}
