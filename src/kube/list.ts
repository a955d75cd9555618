import type { KubeObject } from "../api/index.ts";
import { ApiError, isGone } from "./api-error.ts";
import { apiVersionOf, pathOf, type Resource, titleOf } from "./resource.ts";
import { type SplitList, splitList } from "./split-list.ts";
import type { Request, Transport } from "./transport.ts";

/** Which objects of a resource are meant. */
export interface ListQuery {
  /** Absent or empty: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Only names, labels, annotations and owners travel; `spec` and `status` stay at home. */
  readonly metadataOnly?: boolean;
  /** Items a page, at first; pages of big objects get shorter by themselves. */
  readonly limit?: number;
  /** Items of the first page, while nothing is known of their size. */
  readonly first?: number;
  /** As the API has it: absent reads the newest, "0" whatever the server's cache holds. */
  readonly resourceVersion?: string | undefined;
  /**
   * What to do when a list took so long that its continue token expired: go on from the next name with the newest
   * state (the default), or throw, for callers that need one consistent state.
   */
  readonly onExpired?: "continue" | "throw";
}

/** A part of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** How many items follow, when the server says. */
  readonly remaining?: number;
}

const firstLimit = 500;
/** A page is held in memory twice at most (this one and the next): big objects make short pages. */
const pageBytes = 4 << 20;

/** The pages of a list, parsed; built-in kinds get the `apiVersion` and `kind` that their lists leave out. */
export async function* pages<T extends KubeObject>(
  transport: Transport,
  resource: Resource,
  query: ListQuery,
  signal?: AbortSignal,
): AsyncGenerator<Page<T>> {
  const own = query.metadataOnly
    ? { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata" }
    : { apiVersion: apiVersionOf(resource), kind: resource.kind };
  for await (const page of rawPages(transport, resource, query, signal)) {
    yield { ...page, items: page.items.map((item) => ({ ...own, ...JSON.parse(item.toString()) }) as T) };
  }
}

/** The pages of a list with each item as the JSON text that the server wrote; the next page is already on its way. */
export async function* rawPages(
  transport: Transport,
  resource: Resource,
  query: ListQuery,
  signal?: AbortSignal,
): AsyncGenerator<Page<Buffer>> {
  const stop = new AbortController();
  const both = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  let next: Promise<Fetched> | undefined = fetchPage(transport, resource, query, both);
  try {
    while (next) {
      const { page, more, limit }: Fetched = await next;
      next = more === undefined ? undefined : fetchPage(transport, resource, query, both, { more, limit });
      next?.catch(() => undefined); // it is awaited in the next round, or was stopped by us
      yield page;
    }
  } finally {
    stop.abort();
  }
}

/** The beginning of a list: what tells how long it is without reading it. */
export interface Beginning {
  readonly items: readonly Buffer[];
  /** How many items follow, when the server says; it does not when labels or fields select. */
  readonly remaining?: number;
  readonly more: boolean;
}

/** The first page of a list alone; nothing is fetched ahead. */
export async function beginning(
  transport: Transport,
  resource: Resource,
  query: ListQuery,
  signal?: AbortSignal,
): Promise<Beginning> {
  const { page, more } = await fetchPage(transport, resource, query, signal);
  const { items, remaining } = page;
  return { items, ...(remaining !== undefined && { remaining }), more: more !== undefined };
}

/** The item with `apiVersion` and `kind` in front, when the list left them out as it does for built-in kinds. */
export function withKind(item: Buffer, resource: Resource): Buffer {
  const start = item.toString("latin1", 0, 64);
  if (/^\{\s*"(apiVersion|kind)"/.test(start)) return item;
  const kind = `{"apiVersion":${JSON.stringify(apiVersionOf(resource))},"kind":${JSON.stringify(resource.kind)}`;
  const rest = item.subarray(1);
  return Buffer.concat([Buffer.from(/^\{\s*\}/.test(start) ? kind : `${kind},`), rest]);
}

interface Fetched {
  readonly page: Page<Buffer>;
  readonly more: string | undefined;
  readonly limit: number;
}

async function fetchPage(
  transport: Transport,
  resource: Resource,
  query: ListQuery,
  signal?: AbortSignal,
  from?: { readonly more: string; readonly limit: number },
): Promise<Fetched> {
  const limit = from?.limit ?? query.first ?? query.limit ?? firstLimit;
  let list: SplitList & { readonly bytes: number };
  try {
    list = await transport.read(
      listRequest(resource, query, limit, from?.more),
      (body) => ({ ...splitList(body), bytes: body.length }),
      signal,
    );
  } catch (error) {
    const fresh = error instanceof ApiError && isGone(error) ? error.status.continue : undefined;
    if (query.onExpired === "throw" || fresh === undefined || fresh === from?.more) throw error;
    return fetchPage(transport, resource, query, signal, { more: fresh, limit });
  }
  const { head, items, bytes } = list;
  const meta = (head["metadata"] ?? {}) as Readonly<Record<string, unknown>>; // a list always has this object
  const { continue: more, resourceVersion, remainingItemCount: remaining } = meta;
  return {
    page: {
      items,
      resourceVersion: typeof resourceVersion === "string" ? resourceVersion : "",
      ...(typeof remaining === "number" && { remaining }),
    },
    more: typeof more === "string" && more !== "" ? more : undefined,
    limit: nextLimit(query.limit ?? firstLimit, items.length, bytes),
  };
}

/** How many items to ask for next, so that a page stays near its size in bytes. */
export function nextLimit(wanted: number, items: number, bytes: number): number {
  if (items === 0) return wanted;
  return Math.max(1, Math.min(wanted, Math.floor(pageBytes / (bytes / items))));
}

function listRequest(resource: Resource, query: ListQuery, limit: number, more: string | undefined): Request {
  return {
    method: "GET",
    path: pathOf(resource, { namespace: query.namespace }),
    query: {
      limit,
      continue: more,
      labelSelector: query.labelSelector || undefined,
      fieldSelector: query.fieldSelector || undefined,
      // With a continue token the server knows the version and refuses to be told another.
      resourceVersion: more === undefined ? query.resourceVersion : undefined,
    },
    ...(query.metadataOnly && { accept: partial("PartialObjectMetadataList") }),
    attempt: `list ${titleOf(resource, { namespace: query.namespace })}`,
    repeat: "safe",
  };
}

/** The Accept header for a reduced form of an answer. */
export function partial(as: "PartialObjectMetadataList" | "PartialObjectMetadata" | "Table"): string {
  return `application/json;as=${as};g=meta.k8s.io;v=v1,application/json`;
}
